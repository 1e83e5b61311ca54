//go:build !gc || race || portable || !(amd64 || arm64 || loong64 || ppc64le || riscv64 || s390x)

package counter

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// This is the twin of pin.go that asks nothing of the runtime: for 32-bit
// machines, where a plain 64-bit add is two, for other compilers, and for the
// race detector. A goroutine is not kept on its P here, so two may use a word at
// once, and adds are atomic.

// lane stands for the id of a P. The pool mostly hands out the same one on the
// same P.
type lane struct {
	id int
}

var (
	made  atomic.Int64
	lanes = sync.Pool{New: func() any {
		return &lane{int(made.Add(1)-1) % runtime.GOMAXPROCS(0)}
	}}
)

func pin() int {
	l := lanes.Get().(*lane)
	lanes.Put(l)
	return l.id
}

func unpin() {}

type word struct {
	n atomic.Int64
}

func (w *word) add(delta int64) { w.n.Add(delta) }

func (w *word) load() int64 { return w.n.Load() }
