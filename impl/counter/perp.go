package counter

import (
	"sync/atomic"

	"hotpath/impl/internal/pin"
)

// PerP has a word on a line of its own for each P; a P is what the runtime needs
// to run Go code, and there are GOMAXPROCS of them. One goroutine at a time runs
// on a P, so an add pins its goroutine there for a moment and then needs no
// atomic instruction: adds never wait for each other.
//
// When GOMAXPROCS grows, new words are added and the old ones stay: no add is
// lost. GOMAXPROCS that shrinks leaves the words where they are.
//
// The package comment says what Value means during adds; Value takes time in
// proportion to the number of Ps and of open handles. The zero value is ready
// to use. A PerP takes two pointers, and from the first Add 128 bytes per P.
//
// With the build tag portable, with the race detector, and on 32-bit machines
// adds are atomic and the runtime is not asked to pin.
type PerP struct {
	block   atomic.Pointer[block]
	handles atomic.Pointer[handles]
}

// Add adds delta.
func (c *PerP) Add(delta int64) {
	p := pin.Pin()
	b := c.block.Load()
	if i := uint(p) * lineWords; b != nil && i < uint(len(b.words)) {
		b.words[i].add(delta)
		pin.Unpin()
		return
	}
	pin.Unpin()
	c.growAndAdd(p, delta)
}

func (c *PerP) growAndAdd(p int, delta int64) {
	grow(&c.block, p, lineWords)
	c.Add(delta)
}

// Value returns the sum of what all Ps and all handles have added.
func (c *PerP) Value() int64 {
	sum := c.block.Load().sum(0, lineWords)
	if h := c.handles.Load(); h != nil {
		sum += h.sum()
	}
	return sum
}
