package counter

import (
	"runtime"
	"sync/atomic"

	"hotpath/impl/internal/pin"
)

// Group is a fixed number of counters that work as PerP does and are laid out
// together: each P has one row with a word per counter, and rows share no line.
// A single PerP spends a whole line per P on one number; a Group spends 8 bytes
// per P and counter, and at most 120 bytes per P on the end of the row. Use it
// for the buckets of a histogram or for a set of metrics.
//
// The package comment says what Value means during adds; each counter is read
// on its own. Use NewGroup to make one.
type Group struct {
	block  atomic.Pointer[block]
	n      int
	stride int // n rounded up to whole lines
}

// NewGroup returns n counters at zero. It panics if n is negative.
func NewGroup(n int) *Group {
	if n < 0 {
		panic("counter: negative size of a group")
	}
	g := &Group{n: n, stride: (n + lineWords - 1) / lineWords * lineWords}
	grow(&g.block, runtime.GOMAXPROCS(0)-1, g.stride)
	return g
}

// Len returns the number of counters.
func (g *Group) Len() int { return g.n }

// Add adds delta to counter i. It panics if i is not in [0, Len()).
func (g *Group) Add(i int, delta int64) {
	g.check(i)
	p := pin.Pin()
	b := g.block.Load()
	if at := uint(p*g.stride + i); at < uint(len(b.words)) {
		b.words[at].add(delta)
		pin.Unpin()
		return
	}
	pin.Unpin()
	g.growAndAdd(p, i, delta)
}

func (g *Group) growAndAdd(p, i int, delta int64) {
	grow(&g.block, p, g.stride)
	g.Add(i, delta)
}

// Value returns counter i. It panics if i is not in [0, Len()).
func (g *Group) Value(i int) int64 {
	g.check(i)
	return g.block.Load().sum(i, g.stride)
}

func (g *Group) check(i int) {
	if uint(i) >= uint(g.n) {
		panic("counter: index out of range of the group")
	}
}
