//go:build !gc || race || portable || !(amd64 || arm64 || loong64 || ppc64le || riscv64 || s390x)

package histogram

import "sync/atomic"

// gate lets one goroutine at a time into a row, where pin does not. It is no mutex:
// who finds it shut takes the next row.
type gate struct {
	closed atomic.Bool
}

func (g *gate) shut() bool { return !g.closed.Load() && g.closed.CompareAndSwap(false, true) }
func (g *gate) open()      { g.closed.Store(false) }
