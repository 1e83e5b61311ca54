// Package counter counts events from many goroutines.
//
// Which counter to use:
//   - [Atomic] when one goroutine counts at a time, or an exact value is needed
//     while others count;
//   - [PerP] when many goroutines count, and its [Handle] when one of them
//     counts in a loop;
//   - [Group] when there are many counters, as in a histogram or a metric set.
//
// The others re-create counters that were published elsewhere: [Mutex], HBase's
// [HBase] and Java's LongAdder as [Adder]. An [Interval] reads any of them in
// intervals, for rates and in place of a reset.
//
// # What a read means
//
// Atomic and Mutex are linearizable. All others spread a count over cells and
// add the cells up in Value, one after the other:
//   - once all adds have returned and the reader has synchronized with them,
//     Value is exact;
//   - while adds of non-negative deltas run, Value is at least what was complete
//     when it was called and at most what had begun when it returned, and the
//     values that one goroutine reads never decrease;
//   - Value is no snapshot: of two concurrent adds it may hold the later one
//     and not the earlier one, so an observer must not infer from one counter
//     that something happened elsewhere.
//
// All counters wrap around on overflow as int64 does. None may be copied after
// its first use.
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
package counter

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
