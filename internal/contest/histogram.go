package contest

import (
	"time"

	"hotpath/impl/histogram"
	"hotpath/impl/histogram/published"
	"hotpath/internal/bench"
)

// Histogram is one contestant of the multi-histogram experiment.
type Histogram struct {
	Row
	New func(n int) HistogramSubject
	// Error is the greatest relative error that the contestant states for a
	// quantile; 0 where it states none.
	Error float64
	// Called says that an update is too much for the compiler to put in line, so
	// that the measured loop calls it.
	Called bool
	// Slow says that operations take so long, or wait for each other in such
	// queues, that 200 workers have had their turns only in twice the time.
	Slow bool
}

// HistogramSubject is a number of fresh histograms under measurement or test. Its
// readers may be called while workers run, by one goroutine at a time; they are
// nil for the floor, which is no histogram.
type HistogramSubject struct {
	// Worker is called by each goroutine that records, on that goroutine.
	Worker func() HistogramWorker
	// Count returns how many values histogram i holds.
	Count func(i int) int64
	// Quantile returns the value at q, from 0 to 1, of histogram i by the
	// contestant's own estimate, or by that of the system which its format is
	// made for.
	Quantile func(i int, q float64) float64
	// Read takes a snapshot of histogram i, which dst may be memory for; nil where
	// a histogram is read in another way. Any number of goroutines may call it.
	Read func(i int, dst *histogram.Snapshot) *histogram.Snapshot
	// Batch records values[j] in histogram ids[j], for each j, in one call; nil where
	// there is no such call. Any number of goroutines may call it. Tests use it.
	Batch func(ids []int, values []int64)
	// Moment says that a snapshot is of one moment: all its figures belong to the
	// same updates.
	Moment bool
	// Snapshot reads each histogram once, as a program that exports all of them
	// does, into memory that it keeps for the next time where the contestant can
	// use that.
	Snapshot func()
}

// HistogramWorker is one goroutine's access to a HistogramSubject.
type HistogramWorker struct {
	// Loop makes n operations of Updates updates each, as l draws them. It is
	// written out for each contestant around the call that a user would write,
	// as a Worker's Loop is.
	Loop func(l *Load, n int)
	// Record records v once, in histogram i. Tests use it.
	Record func(i int, v int64)
	// Done, called after the last Loop or Record, folds in what the worker holds;
	// nil if it holds nothing.
	Done func()
}

// SharedHistograms is the Worker function of histograms that all workers use
// alike.
func SharedHistograms(loop func(l *Load, n int), record func(i int, v int64)) func() HistogramWorker {
	return func() HistogramWorker { return HistogramWorker{Loop: loop, Record: record} }
}

// Histograms lists our contestants in the order of tables and charts. The last
// one is the control: its ratio to fastlong must come out as 1.
var Histograms = []Histogram{
	{Row: Row{Name: "floor", Role: bench.Floor, About: "Draws the updates and adds them up in the goroutine's own memory."}, New: newHistogramFloor},
	{Row: Row{Name: "fastlong", Role: bench.Published, About: "HBase's FastLongHistogram after HBASE-16146, equal bins between two quantiles."},
		New: newFastLong},
	{Row: Row{Name: "fastlong_tl", Role: bench.Published, Holds: "a view for each goroutine", About: "HBase's FastLongHistogram before HBASE-16146, which looks up each goroutine's stripe of each bin."},
		New: newFastLongLocal, Slow: true},
	{Row: Row{Name: "mutabletime", Role: bench.Published, About: "HBase's MutableTimeHistogram, a FastLongHistogram and one more counter."},
		New: newMutableTime, Called: true},
	{Row: Row{Name: "hdratomic", Role: bench.Published, About: "HdrHistogram's AtomicHistogram, an atomic count for each cell and one for all."},
		New: newHDRAtomic, Error: hdrError, Called: true},
	{Row: Row{Name: "hdrconcurrent", Role: bench.Published, About: "HdrHistogram's ConcurrentHistogram, which grows with the values that it meets."},
		New: newHDRConcurrent, Error: hdrError, Called: true, Slow: true},
	{Row: Row{Name: "atomic", Role: bench.Ours, About: "histogram.Atomic, one atomic add to a cell and one to a part of the sum."},
		New: newAtomicHistogram, Error: hdrError},
	{Row: Row{Name: "atomic_batch", Role: bench.Ours, Holds: "a batch of updates", About: "histogram.RecordMany over several Atomics, ten updates in one call."},
		New: newAtomicBatch, Error: hdrError, Called: true},
	{Row: Row{Name: "set", Role: bench.Ours, Parks: true, Holds: "the histogram's number in the set", About: "histogram.Set, which logs an update for its P and counts many together."},
		New: newSet, Error: hdrError, Called: true},
	{Row: Row{Name: "set_batch", Role: bench.Ours, Parks: true, Holds: "a batch of updates", About: "histogram.Set's RecordMany, ten updates in one call."},
		New: newSetBatch, Error: hdrError, Called: true},
	{Row: Row{Name: "fastlong_again", Role: bench.Control, Again: "fastlong", About: "The FastLongHistogram a second time."},
		New: newFastLong},
}

// hdrRange is what every histogram of HdrHistogram's kind is made for: one
// nanosecond to an hour.
var hdrRange = histogram.Range{Lowest: 1, Highest: int64(time.Hour), Digits: 3}

const hdrError = 1e-3

// A FastLong places its bins by the values of the period before. At first they lie
// about values far below the load's, so that the next are placed by guess as well.
// Each has therefore been through some periods of so many values before it is
// measured, as in a server that has run for a while.
const (
	periods      = 3
	periodValues = 512
)

// read are the quantiles that a snapshot of a FastLong computes.
var read = []float64{0.5, 0.75, 0.9, 0.95, 0.98, 0.99, 0.999}

// newHistogramFloor draws the updates, which nobody can do without, and adds
// them up in the worker's own memory.
func newHistogramFloor(int) HistogramSubject {
	return HistogramSubject{Worker: func() HistogramWorker {
		own := new(struct {
			sum int64
			_   [120]byte
		})
		return HistogramWorker{
			Loop: func(l *Load, n int) {
				for range n {
					for range Updates {
						i, v := l.Next()
						own.sum += int64(i) + v
					}
				}
			},
			Record: func(i int, v int64) { own.sum += int64(i) + v },
		}
	}}
}

func settledFastLongs(n int) []*published.FastLong {
	values := Spread(periodValues)
	hs := make([]*published.FastLong, n)
	for i := range hs {
		hs[i] = published.NewFastLong()
		for range periods {
			for _, v := range values {
				hs[i].Add(v)
			}
			hs[i].Reset()
		}
	}
	return hs
}

func newFastLong(n int) HistogramSubject {
	hs := settledFastLongs(n)
	return HistogramSubject{
		Worker: SharedHistograms(func(l *Load, n int) {
			for range n {
				for range Updates {
					i, v := l.Next()
					hs[i].Add(v)
				}
			}
		}, func(i int, v int64) { hs[i].Add(v) }),
		Count:    func(i int) int64 { return hs[i].Count() },
		Quantile: func(i int, q float64) float64 { return float64(hs[i].Quantiles(q)[0]) },
		Snapshot: func() {
			for _, h := range hs {
				h.Quantiles(read...)
			}
		},
	}
}

// newFastLongLocal gives each worker its own table of counters.
func newFastLongLocal(n int) HistogramSubject {
	hs := settledFastLongs(n)
	return HistogramSubject{
		Worker: func() HistogramWorker {
			local := published.NewFastLongLocal()
			return HistogramWorker{
				Loop: func(l *Load, n int) {
					for range n {
						for range Updates {
							i, v := l.Next()
							local.Add(hs[i], v)
						}
					}
				},
				Record: func(i int, v int64) { local.Add(hs[i], v) },
			}
		},
		Count:    func(i int) int64 { return hs[i].Count() },
		Quantile: func(i int, q float64) float64 { return float64(hs[i].Quantiles(q)[0]) },
		Snapshot: func() {
			for _, h := range hs {
				h.Quantiles(read...)
			}
		},
	}
}

func newMutableTime(n int) HistogramSubject {
	values := Spread(periodValues)
	hs := make([]*published.MutableTime, n)
	for i := range hs {
		hs[i] = published.NewMutableTime()
		for range periods {
			for _, v := range values {
				hs[i].Update(v)
			}
			hs[i].Snapshot("h")
		}
	}
	return HistogramSubject{
		Worker: SharedHistograms(func(l *Load, n int) {
			for range n {
				for range Updates {
					i, v := l.Next()
					hs[i].Update(v)
				}
			}
		}, func(i int, v int64) { hs[i].Update(v) }),
		Count:    func(i int) int64 { return hs[i].Count() - periods*periodValues },
		Quantile: func(i int, q float64) float64 { return float64(hs[i].Quantiles(q)[0]) },
		Snapshot: func() {
			for _, h := range hs {
				h.Quantiles(read...)
			}
		},
	}
}

func newHDRAtomic(n int) HistogramSubject {
	hs := make([]*published.HDRAtomic, n)
	for i := range hs {
		hs[i] = published.NewHDRAtomic(hdrRange)
	}
	s := snapshots(n, func(i int, dst *histogram.Snapshot) *histogram.Snapshot { return hs[i].Snapshot(dst) })
	s.Worker = SharedHistograms(func(l *Load, n int) {
		for range n {
			for range Updates {
				i, v := l.Next()
				hs[i].Record(v)
			}
		}
	}, func(i int, v int64) { hs[i].Record(v) })
	return s
}

func newHDRConcurrent(n int) HistogramSubject {
	hs := make([]*published.HDRConcurrent, n)
	for i := range hs {
		hs[i] = published.NewHDRConcurrent(hdrRange.Digits)
	}
	s := snapshots(n, func(i int, dst *histogram.Snapshot) *histogram.Snapshot { return hs[i].Snapshot(dst) })
	s.Worker = SharedHistograms(func(l *Load, n int) {
		for range n {
			for range Updates {
				i, v := l.Next()
				hs[i].Record(v)
			}
		}
	}, func(i int, v int64) { hs[i].Record(v) })
	return s
}

func newAtomicHistogram(n int) HistogramSubject {
	hs, s := atomicHistograms(n)
	s.Worker = SharedHistograms(func(l *Load, n int) {
		for range n {
			for range Updates {
				i, v := l.Next()
				hs[i].Record(v)
			}
		}
	}, func(i int, v int64) { hs[i].Record(v) })
	return s
}

// newAtomicBatch makes one call of an operation's updates.
func newAtomicBatch(n int) HistogramSubject {
	hs, s := atomicHistograms(n)
	s.Worker = SharedHistograms(func(l *Load, n int) {
		var picked [Updates]*histogram.Atomic
		var values [Updates]int64
		for range n {
			for u := range Updates {
				var i int
				i, values[u] = l.Next()
				picked[u] = hs[i]
			}
			histogram.RecordMany(picked[:], values[:])
		}
	}, func(i int, v int64) { hs[i].Record(v) })
	s.Batch = func(ids []int, values []int64) {
		picked := make([]*histogram.Atomic, len(ids))
		for j, i := range ids {
			picked[j] = hs[i]
		}
		histogram.RecordMany(picked, values)
	}
	return s
}

func atomicHistograms(n int) ([]*histogram.Atomic, HistogramSubject) {
	hs := make([]*histogram.Atomic, n)
	for i := range hs {
		hs[i] = histogram.NewAtomic(hdrRange)
	}
	return hs, snapshots(n, func(i int, dst *histogram.Snapshot) *histogram.Snapshot { return hs[i].Snapshot(dst) })
}

func newSet(n int) HistogramSubject {
	set := histogram.NewSet(hdrRange, n)
	s := snapshots(n, set.Snapshot)
	s.Moment = true
	s.Worker = SharedHistograms(func(l *Load, n int) {
		for range n {
			for range Updates {
				i, v := l.Next()
				set.Record(i, v)
			}
		}
	}, set.Record)
	return s
}

// newSetBatch makes one call of an operation's updates.
func newSetBatch(n int) HistogramSubject {
	set := histogram.NewSet(hdrRange, n)
	s := snapshots(n, set.Snapshot)
	s.Moment, s.Batch = true, set.RecordMany
	s.Worker = SharedHistograms(func(l *Load, n int) {
		var ids [Updates]int
		var values [Updates]int64
		for range n {
			for u := range Updates {
				ids[u], values[u] = l.Next()
			}
			set.RecordMany(ids[:], values[:])
		}
	}, set.Record)
	return s
}

// snapshots are the readers of histograms that are read through one buffer.
func snapshots(n int, snapshot func(i int, dst *histogram.Snapshot) *histogram.Snapshot) HistogramSubject {
	buffer := new(histogram.Snapshot)
	return HistogramSubject{
		Count:    func(i int) int64 { return snapshot(i, buffer).Count },
		Quantile: func(i int, q float64) float64 { return float64(snapshot(i, buffer).Quantile(q)) },
		Read:     snapshot,
		Snapshot: func() {
			for i := range n {
				snapshot(i, buffer)
			}
		},
	}
}
