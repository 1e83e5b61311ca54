//go:build gc && !race && !portable && (amd64 || arm64 || loong64 || ppc64le || riscv64 || s390x)

package counter

import (
	"runtime"
	"sync"
	"testing"
)

// All that plain adds rest on: a pinned goroutine is alone on its id, and ids are
// below GOMAXPROCS. The numbers are not atomic on purpose.
func TestPinIsExclusive(t *testing.T) {
	const ps, workers, adds = 4, 16, 200_000
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(ps))
	var adders [ps]struct {
		n int
		_ [lineSize]byte
	}
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for i := range adds {
				p := pin()
				if p < 0 || p >= ps {
					unpin()
					t.Errorf("pinned to %d of %d", p, ps)
					return
				}
				adders[p].n++
				unpin()
				if i%64 == 0 {
					runtime.Gosched()
				}
			}
		})
	}
	wg.Wait()
	sum := 0
	for i := range adders {
		sum += adders[i].n
	}
	if sum != workers*adds {
		t.Errorf("%d pinned increments made %d", workers*adds, sum)
	}
}
