package counter

import (
	"sync"
	"unsafe"
)

// Handle is one goroutine's part of a PerP or an Adaptive: an add through it is one plain add
// to memory, which the compiler puts in line. Use it where a goroutine counts in
// a loop.
//
// Only one goroutine may call Add and Close at a time. What was added is part of
// the counter's Value at once, and stays so after Close. A Handle takes 128
// bytes until it is closed.
type Handle struct {
	_    [0]sync.Mutex // makes go vet object to copies
	word word
	c    *handles // nil once closed
	at   int      // index in c.open
	_    [lineSize - 8 - unsafe.Sizeof(uintptr(0)) - unsafe.Sizeof(int(0))]byte
}

// handles are the handles of one counter.
type handles struct {
	mu     sync.Mutex
	open   []*Handle
	closed int64 // sum of the handles that were closed
}

// Handle returns a new handle, to be closed after its last Add. Any number of
// goroutines may call it.
func (c *PerP) Handle() *Handle {
	hs := c.handles.Load()
	if hs == nil {
		c.handles.CompareAndSwap(nil, new(handles))
		hs = c.handles.Load()
	}
	return hs.handle()
}

func (hs *handles) handle() *Handle {
	hs.mu.Lock()
	defer hs.mu.Unlock()
	h := &Handle{c: hs, at: len(hs.open)}
	hs.open = append(hs.open, h)
	return h
}

// Add adds delta. It must not be called after Close.
func (h *Handle) Add(delta int64) { h.word.add(delta) }

// Close hands what was added over to the counter. More calls do nothing.
func (h *Handle) Close() {
	hs := h.c
	if hs == nil {
		return
	}
	h.c = nil
	hs.mu.Lock()
	defer hs.mu.Unlock()
	hs.closed += h.word.load()
	last := len(hs.open) - 1
	hs.open[h.at] = hs.open[last]
	hs.open[h.at].at = h.at
	hs.open[last] = nil
	hs.open = hs.open[:last]
}

func (hs *handles) sum() int64 {
	hs.mu.Lock()
	defer hs.mu.Unlock()
	sum := hs.closed
	for _, h := range hs.open {
		sum += h.word.load()
	}
	return sum
}
