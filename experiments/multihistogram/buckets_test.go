package multihistogram_test

import (
	"math"

	"github.com/prometheus/client_golang/prometheus"
)

// Classic buckets are given by their bounds: from 10 µs on, each twice the one
// before, which covers the load with room at both ends.
const (
	classicFactor  = 2
	classicBuckets = 20
)

var classicBounds = prometheus.ExponentialBuckets(10_000, classicFactor, classicBuckets)

// nativeFactor is between the bounds of exponential buckets: eight in each
// power of two. OpenTelemetry's arrive at as many with 160 buckets for this
// load.
var nativeFactor = math.Exp2(1.0 / 8)

// bucket is how many values lie above low and up to high.
type bucket struct {
	low, high float64
	count     float64
}

// quantile finds the bucket of the value at q and how far into the bucket it
// lies, by count, and leaves the rest to within. Above the highest bound it is
// that bound: so does PromQL's histogram_quantile.
func quantile(buckets []bucket, q float64, within func(b bucket, share float64) float64) float64 {
	var total float64
	for _, b := range buckets {
		total += b.count
	}
	rank := q * total
	for _, b := range buckets {
		if b.count > 0 && rank <= b.count {
			if math.IsInf(b.high, 1) {
				return b.low
			}
			return within(b, rank/b.count)
		}
		rank -= b.count
	}
	return math.NaN()
}

// linear takes the values to be spread evenly over the bucket, as
// histogram_quantile does where a bucket has explicit bounds.
func linear(b bucket, share float64) float64 { return b.low + (b.high-b.low)*share }

// exponential takes their logarithms to be, as histogram_quantile does where
// bounds grow exponentially.
func exponential(b bucket, share float64) float64 { return b.low * math.Pow(b.high/b.low, share) }

// explicit turns the counts between bounds into buckets; values below the first
// bound lie above 0.
func explicit[N uint64 | float64](bounds []float64, counts []N) []bucket {
	buckets := make([]bucket, len(counts))
	low := 0.0
	for i, count := range counts {
		high := math.Inf(1)
		if i < len(bounds) {
			high = bounds[i]
		}
		buckets[i] = bucket{low, high, float64(count)}
		low = high
	}
	return buckets
}

// powers turns counts into buckets that begin at base^first and grow by base.
func powers(base float64, first int, counts []uint64) []bucket {
	buckets := make([]bucket, len(counts))
	for i, count := range counts {
		buckets[i] = bucket{math.Pow(base, float64(first+i)), math.Pow(base, float64(first+i+1)), float64(count)}
	}
	return buckets
}
