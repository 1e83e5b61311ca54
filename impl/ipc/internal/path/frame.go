package path

import (
	"math/bits"
	"sync/atomic"
)

// Frame is a block of memory that several users share by a count of
// references. The last Release gives it back to a pool, and from then on every
// view into it may show other bytes.
//
// Built with the tag ipcdebug, a released frame is made inaccessible instead, so
// that a late read or write faults where it happens.
type Frame struct {
	Buf  []byte
	refs atomic.Int32
	heap bool // the garbage collector's, not the pool's

	budget *Budget // what it counts for, or nil
}

// NewFrame returns a frame of at least n bytes with one reference; made says
// that the pool had none and memory was allocated.
func NewFrame(n int) (f *Frame, made bool) {
	f, made = take(n)
	f.refs.Store(1)
	return f, made
}

// HeapFrame returns a frame of exactly n bytes that is never used again.
func HeapFrame(n int) *Frame {
	f := &Frame{Buf: make([]byte, n), heap: true}
	f.refs.Store(1)
	return f
}

// Retain adds a reference.
func (f *Frame) Retain() {
	if f.refs.Add(1) <= 1 {
		panic("ipc: retain of a released frame")
	}
}

// Release gives one reference back. A release more than there were references
// panics; where the frame already serves another connection only the build tag
// ipcdebug can tell.
func (f *Frame) Release() {
	switch n := f.refs.Add(-1); {
	case n > 0:
	case n < 0:
		panic("ipc: frame released twice")
	default:
		f.end()
	}
}

// end gives back a frame that nobody uses.
func (f *Frame) end() {
	if f.budget != nil {
		f.budget.used.Add(int64(-len(f.Buf)))
		f.budget = nil
	}
	if f.heap {
		return
	}
	if Poison {
		f.Buf[0] = poisonByte
		for n := 1; n < len(f.Buf); n *= 2 {
			copy(f.Buf[n:], f.Buf[:n])
		}
	}
	give(f)
}

// Frames of up to 1<<maxClass bytes have the size of a power of two; larger ones
// are no larger than they must be.
const (
	minClass = 12
	maxClass = 24
)

// frameSize is the size of a frame of at least n bytes.
func frameSize(n int) int {
	if n > 1<<maxClass {
		return (n + 1<<minClass - 1) >> minClass << minClass
	}
	return 1 << max(minClass, bits.Len(uint(n-1)))
}

// Sole reports whether the caller, who has a reference, has the only one.
func (f *Frame) Sole() bool { return f.refs.Load() == 1 }

// Poison makes Release overwrite what it gives back. Tests set it before they
// start anything, so that whoever reads late reads nonsense.
var Poison bool

const poisonByte = 0xdb
