package multihistogram_test

import (
	"context"
	"math"
	"strconv"

	"go.opentelemetry.io/otel/metric"
	otel "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"hotpath/internal/contest"
)

// otelKind is one of the SDK's histograms.
type otelKind struct {
	aggregation otel.Aggregation
	point       func(metricdata.Aggregation) (count int64, buckets []bucket)
	within      func(b bucket, share float64) float64 // see quantile
}

var otelExplicit = otelKind{
	otel.AggregationExplicitBucketHistogram{Boundaries: classicBounds},
	func(data metricdata.Aggregation) (int64, []bucket) {
		p := data.(metricdata.Histogram[int64]).DataPoints[0]
		return int64(p.Count), explicit(p.Bounds, p.BucketCounts)
	},
	linear,
}

var otelExponential = otelKind{
	otel.AggregationBase2ExponentialHistogram{MaxSize: 160, MaxScale: 20},
	func(data metricdata.Aggregation) (int64, []bucket) {
		p := data.(metricdata.ExponentialHistogram[int64]).DataPoints[0]
		base := math.Exp2(math.Exp2(float64(-p.Scale)))
		return int64(p.Count), powers(base, int(p.PositiveBucket.Offset), p.PositiveBucket.Counts)
	},
	exponential,
}

// newOtel makes a histogram of one data point for each instrument, without
// attributes.
func newOtel(kind otelKind) func(n int) contest.HistogramSubject {
	return func(n int) contest.HistogramSubject {
		ctx := context.Background()
		reader := otel.NewManualReader(otel.WithAggregationSelector(func(otel.InstrumentKind) otel.Aggregation { return kind.aggregation }))
		meter := otel.NewMeterProvider(otel.WithReader(reader)).Meter("hotpath")
		hs := make([]metric.Int64Histogram, n)
		for i := range hs {
			var err error
			if hs[i], err = meter.Int64Histogram("h" + strconv.Itoa(i)); err != nil {
				panic(err)
			}
		}
		var data metricdata.ResourceMetrics // the library fills it again
		collect := func() {
			if err := reader.Collect(ctx, &data); err != nil {
				panic(err)
			}
		}
		read := func(i int) (count int64, buckets []bucket) {
			collect()
			name := "h" + strconv.Itoa(i)
			for _, scope := range data.ScopeMetrics {
				for _, m := range scope.Metrics {
					if m.Name == name {
						return kind.point(m.Data)
					}
				}
			}
			return 0, nil // an empty histogram is left out
		}
		return contest.HistogramSubject{
			Worker: contest.SharedHistograms(func(l *contest.Load, n int) {
				for range n {
					for range contest.Updates {
						i, v := l.Next()
						hs[i].Record(ctx, v)
					}
				}
			}, func(i int, v int64) { hs[i].Record(ctx, v) }),
			Count: func(i int) int64 {
				count, _ := read(i)
				return count
			},
			Quantile: func(i int, q float64) float64 {
				_, buckets := read(i)
				return quantile(buckets, q, kind.within)
			},
			Snapshot: collect,
		}
	}
}
