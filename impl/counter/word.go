package counter

import (
	"sync/atomic"

	"hotpath/impl/internal/pin"
)

// word is a number with one writer at a time: whoever is pinned to the P that
// it belongs to, or whoever owns the Handle. One writer needs no atomic add. The
// memory model calls a concurrent load a race all the same; on the machines
// where a pin is exclusive it is one aligned 64-bit access and sees a value that
// was stored.
type word struct {
	_ [0]atomic.Int64 // aligns n on 32-bit machines
	n int64
}

func (w *word) add(delta int64) {
	if pin.Exclusive {
		w.n += delta
	} else {
		atomic.AddInt64(&w.n, delta)
	}
}

func (w *word) load() int64 { return atomic.LoadInt64(&w.n) }
