package multihistogram_test

import (
	"math"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"hotpath/impl/histogram"
	vec "hotpath/impl/histogram/examples/prometheus"
	"hotpath/internal/contest"
)

func newPrometheus(n int) contest.HistogramSubject {
	hs := prometheusHistograms(n, prometheus.HistogramOpts{Name: "h", Buckets: classicBounds})
	return contest.HistogramSubject{
		Worker: contest.SharedHistograms(func(l *contest.Load, n int) {
			for range n {
				for range contest.Updates {
					i, v := l.Next()
					hs[i].Observe(float64(v))
				}
			}
		}, func(i int, v int64) { hs[i].Observe(float64(v)) }),
		Count: func(i int) int64 { return int64(written(hs[i]).GetSampleCount()) },
		Quantile: func(i int, q float64) float64 {
			h := written(hs[i])
			var buckets []bucket
			low, below := 0.0, uint64(0)
			for _, b := range h.Bucket {
				buckets = append(buckets, bucket{low, b.GetUpperBound(), float64(b.GetCumulativeCount() - below)})
				low, below = b.GetUpperBound(), b.GetCumulativeCount()
			}
			buckets = append(buckets, bucket{low, math.Inf(1), float64(h.GetSampleCount() - below)})
			return quantile(buckets, q, linear)
		},
		Snapshot: func() {
			for _, h := range hs {
				written(h)
			}
		},
	}
}

func newPrometheusNative(n int) contest.HistogramSubject {
	hs := prometheusHistograms(n, prometheus.HistogramOpts{
		Name: "h", NativeHistogramBucketFactor: 1.1, NativeHistogramMaxBucketNumber: 160,
	})
	s := nativeReaders(hs)
	s.Worker = contest.SharedHistograms(func(l *contest.Load, n int) {
		for range n {
			for range contest.Updates {
				i, v := l.Next()
				hs[i].Observe(float64(v))
			}
		}
	}, func(i int, v int64) { hs[i].Observe(float64(v)) })
	return s
}

// newPrometheusSet has a series of a vector for each histogram, with the options of
// newPrometheusNative.
func newPrometheusSet(n int) contest.HistogramSubject {
	vector := vec.NewHistogramVec(vec.Opts{
		HistogramOpts: prometheus.HistogramOpts{Name: "h", NativeHistogramBucketFactor: 1.1, NativeHistogramMaxBucketNumber: 160},
		Range:         histogram.Range{Lowest: 1, Highest: int64(time.Hour), Digits: 3},
		Scale:         1, // the load is in nanoseconds for everybody
		Series:        n,
	}, []string{"i"})
	hs := make([]prometheus.Histogram, n)
	for i := range hs {
		hs[i] = vector.WithLabelValues(strconv.Itoa(i)).(prometheus.Histogram)
	}
	s := nativeReaders(hs)
	s.Worker = contest.SharedHistograms(func(l *contest.Load, n int) {
		for range n {
			for range contest.Updates {
				i, v := l.Next()
				hs[i].Observe(float64(v))
			}
		}
	}, func(i int, v int64) { hs[i].Observe(float64(v)) })
	return s
}

// nativeReaders are the readers of native histograms, without a Worker.
func nativeReaders(hs []prometheus.Histogram) contest.HistogramSubject {
	return contest.HistogramSubject{
		Count: func(i int) int64 { return int64(written(hs[i]).GetSampleCount()) },
		Quantile: func(i int, q float64) float64 {
			h := written(hs[i])
			base := math.Exp2(math.Exp2(float64(-h.GetSchema())))
			var buckets []bucket
			index, delta, count := 0, 0, int64(0)
			for _, span := range h.PositiveSpan {
				index += int(span.GetOffset())
				for range span.GetLength() {
					count += h.PositiveDelta[delta]
					// The bucket of index i ends at base^i.
					buckets = append(buckets, powers(base, index-1, []uint64{uint64(count)})...)
					index, delta = index+1, delta+1
				}
			}
			return quantile(buckets, q, exponential)
		},
		Snapshot: func() {
			for _, h := range hs {
				written(h)
			}
		},
	}
}

func prometheusHistograms(n int, opts prometheus.HistogramOpts) []prometheus.Histogram {
	hs := make([]prometheus.Histogram, n)
	for i := range hs {
		hs[i] = prometheus.NewHistogram(opts)
	}
	return hs
}

// written is the histogram as a scrape collects it.
func written(h prometheus.Histogram) *dto.Histogram {
	var m dto.Metric
	if err := h.Write(&m); err != nil {
		panic(err)
	}
	return m.Histogram
}
