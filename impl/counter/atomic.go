package counter

import "sync/atomic"

// Atomic is one word that every writer adds to with one atomic instruction:
// Java's AtomicLong. Nothing is smaller, and nothing that several goroutines may
// call is simpler; but when several CPUs add, each waits for the word's cache
// line.
//
// The zero value is ready to use. An Atomic takes 8 bytes and has no padding: a
// neighbour in memory that is written often slows it down.
type Atomic struct {
	n atomic.Int64
}

// Add adds delta.
func (c *Atomic) Add(delta int64) { c.n.Add(delta) }

// Value returns the sum of all adds before it.
func (c *Atomic) Value() int64 { return c.n.Load() }
