// Package counter counts events from many goroutines.
//
// Which counter to use:
//   - [Adaptive] when nobody knows who will count: it is as small and about as cheap
//     as Atomic for one goroutine, and as PerP for many;
//   - [Atomic] when one goroutine counts at a time, or an exact value is needed
//     while others count;
//   - [PerP] when many goroutines count, and a [Handle] of it when one of them
//     counts in a loop;
//   - [Group] when there are many counters, as in a histogram or a metric set.
//
// An [Interval] reads any of them in intervals, for rates and in place of a reset.
// Package hotpath/impl/counter/published has the counters that were published
// elsewhere and that these are measured beside.
//
// # What a read means
//
// Atomic is linearizable. All others spread a count over cells and add the cells up
// in Value, one after the other:
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
package counter

// lineSize keeps what different CPUs write apart. Most CPUs move lines of 64
// bytes between their caches; some fetch them in pairs or have lines of 128.
const lineSize = 128
