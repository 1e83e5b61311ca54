//go:build gc && !race && !portable && (amd64 || arm64 || loong64 || ppc64le || riscv64 || s390x)

package counter

import (
	"sync/atomic"
	_ "unsafe" // for linkname
)

// pin keeps the calling goroutine on its P until unpin and returns the P's id.
// Between the two nothing else runs on that P, the number of Ps does not
// change, and the caller must not call, block or panic.
//
// The Go runtime keeps both functions for packages that link to them
// (golang/go#67401), and a release without them fails to link.
//
//go:linkname pin runtime.procPin
func pin() int

//go:linkname unpin runtime.procUnpin
func unpin()

// word is a number with one writer at a time: whoever is pinned to the P that
// it belongs to, or whoever owns the Handle. One writer needs no atomic add. The
// memory model calls a concurrent load a race all the same; on the machines
// named above it is one aligned 64-bit access and sees a value that was stored.
type word struct {
	n int64
}

func (w *word) add(delta int64) { w.n += delta }

func (w *word) load() int64 { return atomic.LoadInt64(&w.n) }
