//go:build !gc || race || portable || !(amd64 || arm64 || loong64 || ppc64le || riscv64 || s390x)

package pin

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Exclusive says that a pinned goroutine is alone on its id.
const Exclusive = false

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

// Pin returns an id that goroutines on one P mostly share, below the largest
// GOMAXPROCS so far. It excludes nobody.
func Pin() int {
	l := lanes.Get().(*lane)
	lanes.Put(l)
	return l.id
}

// Unpin does nothing.
func Unpin() {}
