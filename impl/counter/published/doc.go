// Package published re-creates counters that were published elsewhere, for
// comparison: HBase's striped Counter as [HBase] and Java's LongAdder as [Adder].
// A program is better served by package hotpath/impl/counter, whose comment says
// what Value of these means during adds, too.
//
// All wrap around on overflow as int64 does. None may be copied after its first
// use.
//
// # Threads and goroutines
//
// The Java counters pick a cell by the thread that adds, and some remember the
// pick in the thread. Go has neither an identity of the goroutine nor storage
// that belongs to it, so two things differ here:
//
//   - Where Java hashes the thread's identity, HBase hashes the address of the
//     goroutine's stack. Like a thread's identity it costs next to nothing, is
//     the same from call to call, and differs between any two goroutines that
//     are alive. Unlike it, it changes when the stack moves, and a call from
//     much deeper in the stack may count as another goroutine's.
//   - Where Java remembers something per thread, the counter has a method Local
//     that returns a view for one goroutine, which remembers it: HBaseLocal the
//     index of the cell, AdderLocal the probe. Java finds it again by a look-up
//     in the thread; a view is in the caller's hands and needs no look-up, so it
//     shows what the remembering is worth without that cost. A view serves one
//     counter, while Java has one probe in each thread for all LongAdders.
package published

import "sync/atomic"

// lineSize keeps what different CPUs write apart. Most CPUs move lines of 64
// bytes between their caches; some fetch them in pairs or have lines of 128.
const lineSize = 128

// cell is a number that has its cache line to itself.
type cell struct {
	n atomic.Int64
	_ [lineSize - 8]byte
}

// tryAdd makes one attempt. Its failure is how a striped counter learns that
// another CPU uses the same cell.
func (c *cell) tryAdd(delta int64) bool {
	n := c.n.Load()
	return c.n.CompareAndSwap(n, n+delta)
}
