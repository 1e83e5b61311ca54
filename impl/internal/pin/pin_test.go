package pin

import (
	"runtime"
	"sync"
	"testing"
)

// All that data per P rests on: ids are below GOMAXPROCS, and where Exclusive
// says so a pinned goroutine is alone on its id. The numbers are not atomic on
// purpose.
func TestPin(t *testing.T) {
	const ps, workers, adds = 4, 16, 200_000
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(ps))
	var adders [ps]struct {
		n int
		_ [120]byte
	}
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for i := range adds {
				p := Pin()
				if p < 0 || p >= ps {
					Unpin()
					t.Errorf("pinned to %d of %d", p, ps)
					return
				}
				if Exclusive {
					adders[p].n++
				}
				Unpin()
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
	if Exclusive && sum != workers*adds {
		t.Errorf("%d pinned increments made %d", workers*adds, sum)
	}
}
