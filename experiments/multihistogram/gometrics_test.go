package multihistogram_test

import (
	gometrics "github.com/rcrowley/go-metrics"

	"hotpath/internal/contest"
)

// reservoir is the size of a sample, and decay how fast old values leave one:
// both are those of the library's own examples.
const (
	reservoir = 1028
	decay     = 0.015
)

func uniform() gometrics.Sample  { return gometrics.NewUniformSample(reservoir) }
func expDecay() gometrics.Sample { return gometrics.NewExpDecaySample(reservoir, decay) }

func newGometrics(sample func() gometrics.Sample) func(n int) contest.HistogramSubject {
	return func(n int) contest.HistogramSubject {
		hs := make([]gometrics.Histogram, n)
		for i := range hs {
			hs[i] = gometrics.NewHistogram(sample())
		}
		return contest.HistogramSubject{
			Worker: contest.SharedHistograms(func(l *contest.Load, n int) {
				for range n {
					for range contest.Updates {
						i, v := l.Next()
						hs[i].Update(v)
					}
				}
			}, func(i int, v int64) { hs[i].Update(v) }),
			Count:    func(i int) int64 { return hs[i].Snapshot().Count() },
			Quantile: func(i int, q float64) float64 { return hs[i].Snapshot().Percentile(q) },
			Snapshot: func() {
				for _, h := range hs {
					h.Snapshot().Percentiles(shown) // the sample is of no use to anyone else
				}
			},
		}
	}
}
