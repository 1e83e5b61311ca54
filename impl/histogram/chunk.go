package histogram

import "sync/atomic"

// chunk is a part of a P's log of updates. One goroutine at a time appends to it:
// the one pinned to the P. One at a time takes updates out: the holder of the
// stripe's lock. Only one that is both may empty a chunk in its place.
type chunk struct {
	tail    position // filled up to here
	head    int      // taken out up to here; belongs to the holder of the lock
	next    *chunk   // in a stack of chunks
	updates [chunkLen]uint64
}

const (
	// A longer chunk is drained less often and takes longer. With this length an
	// operation that updates ten histograms drains one in less than one of a hundred
	// cases, and the logs of many Ps stay small beside the cells.
	chunkBytes = 10 << 10

	chunkLen = chunkBytes/8 - 3
)

// noChunk is full and drained: it stands for the chunk of a P that has none yet.
var noChunk = func() *chunk {
	c := &chunk{head: chunkLen}
	c.tail.store(chunkLen)
	return c
}()

func (c *chunk) append(update uint64) bool {
	t := c.tail.load()
	if uint(t) >= chunkLen {
		return false
	}
	c.updates[t] = update
	c.tail.store(t + 1)
	return true
}

// append2 appends two words that are never parted.
func (c *chunk) append2(first, second uint64) bool {
	t := c.tail.load()
	if t+2 > chunkLen {
		return false
	}
	c.updates[t], c.updates[t+1] = first, second
	c.tail.store(t + 2)
	return true
}

// full says that append2 would fail.
func (c *chunk) full() bool { return c.tail.load()+2 > chunkLen }

func (c *chunk) reset() {
	c.head = 0
	c.tail.store(0)
}

// stack is a stack of chunks that any number of goroutines push to. Only all of
// them can be taken at once: to pop the top, one would have to know that it was
// not popped and pushed again meanwhile.
type stack struct {
	top atomic.Pointer[chunk]
}

func (s *stack) push(c *chunk) {
	for {
		c.next = s.top.Load()
		if s.top.CompareAndSwap(c.next, c) {
			return
		}
	}
}

func (s *stack) takeAll() *chunk { return s.top.Swap(nil) }
