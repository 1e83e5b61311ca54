package path

import "sync/atomic"

// Budget bounds the bytes of the frames that one server's requests are in. A nil
// Budget has no bound.
type Budget struct {
	limit, used atomic.Int64
}

// NewBudget returns a budget of that many bytes, besides those of Enter.
func NewBudget(limit int64) *Budget {
	b := new(Budget)
	b.limit.Store(limit)
	return b
}

// Enter adds a connection's first frame to the budget.
func (b *Budget) Enter() { b.limit.Add(firstFrame) }

// Leave takes it off.
func (b *Budget) Leave() { b.limit.Add(-firstFrame) }

// Used returns how many bytes are in use.
func (b *Budget) Used() int64 { return b.used.Load() }

// Tight reports that more than half is used: nobody should keep what is not
// needed.
func (b *Budget) Tight() bool { return b != nil && b.used.Load() > b.limit.Load()/2 }

// Spent reports that all is used.
func (b *Budget) Spent() bool { return b != nil && b.used.Load() >= b.limit.Load() }

// newFrame is NewFrame on this budget, which a must overdraws if need be; nil
// says that it does not allow it.
func (b *Budget) newFrame(n int, must bool) (f *Frame, made bool) {
	if b == nil {
		return NewFrame(n)
	}
	if !b.take(frameSize(n), must) {
		return nil, false
	}
	f, made = NewFrame(n)
	f.budget = b
	return f, made
}

// heapFrame does so for a frame that is never used again.
func (b *Budget) heapFrame(n int, must bool) *Frame {
	if b == nil {
		return HeapFrame(n)
	}
	if !b.take(n, must) {
		return nil
	}
	f := HeapFrame(n)
	f.budget = b
	return f
}

func (b *Budget) take(n int, must bool) bool {
	if b.used.Add(int64(n)) > b.limit.Load() && !must {
		b.used.Add(int64(-n))
		return false
	}
	return true
}
