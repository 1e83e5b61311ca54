package counter

import "sync"

// Mutex is a number behind a sync.Mutex. Writers and readers wait for each
// other, and when many of them do, the scheduler takes part.
//
// The zero value is ready to use. A Mutex takes 16 bytes without padding.
type Mutex struct {
	mu sync.Mutex
	n  int64
}

// Add adds delta.
func (c *Mutex) Add(delta int64) {
	c.mu.Lock()
	c.n += delta
	c.mu.Unlock()
}

// Value returns the sum of all adds before it.
func (c *Mutex) Value() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n
}
