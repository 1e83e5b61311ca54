// Package published re-creates histograms that were published elsewhere, for
// comparison: HBase's FastLongHistogram as [FastLong], its MutableTimeHistogram
// as [MutableTime], and HdrHistogram's AtomicHistogram, ConcurrentHistogram,
// Recorder and WriterReaderPhaser as [HDRAtomic], [HDRConcurrent], [Recorder] and
// [Phaser]. A program is better served by package hotpath/impl/histogram.
//
//   - FastLong and MutableTime take any value that is not negative and place their
//     bins anew at each reset; beyond the 99th percentile their quantiles lie on
//     straight lines across wide bins. [FastLongLocal] is FastLong as it was before
//     HBASE-16146, with the price of its look-ups.
//   - HDRAtomic and HDRConcurrent return an error for a value that they refuse, and
//     count it; their Sum is estimated from cells. HDRConcurrent grows with its
//     values, and so does the Range of its snapshots.
//   - A Recorder hands out each interval once, to whoever takes it first.
package published

// lineSize keeps what different CPUs write apart. Most CPUs move lines of 64
// bytes between their caches; some fetch them in pairs or have lines of 128.
const lineSize = 128
