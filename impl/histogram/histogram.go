// Package histogram records values from many goroutines in histograms with the
// geometry of HdrHistogram.
//
// Which histogram to use:
//   - [Set] when many goroutines record, or when there are many histograms, as in
//     a server's metrics;
//   - [Atomic] for a single histogram, or where every update must be visible at
//     once.
//
// Both are exact: no update is lost or counted twice, and the count, the sum, the
// minimum and the maximum are those of the recorded values, not of cells. Values
// that the [Range] does not hold are counted apart.
//
// A read is a [Snapshot], plain data that the reader owns and passes in again as a
// buffer. A [Reader] gives what was recorded since its own last read; readers write
// nothing to a histogram, so any number of them may follow it.
//
// Package hotpath/impl/histogram/published has the histograms that were published
// elsewhere and that these are measured beside.
package histogram

// lineSize keeps what different CPUs write apart. Most CPUs move lines of 64
// bytes between their caches; some fetch them in pairs or have lines of 128.
const lineSize = 128
