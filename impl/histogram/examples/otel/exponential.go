package otel

import (
	"math"
	"math/bits"

	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"hotpath/impl/histogram"
)

// The SDK's exponential histograms have these scales and those between.
const lowestScale, highestScale = -10, 20

// exponential brings a snapshot into at most maxSize buckets. The bucket of index i
// holds what is above 2^(i/2^scale) and up to 2^((i+1)/2^scale).
func exponential(s *histogram.Snapshot, maxSize int) metricdata.ExponentialHistogramDataPoint[int64] {
	indistinct := int64(1)<<(bits.Len64(uint64(s.Range.Lowest))-1) - 1 // the first cell ends here
	p := metricdata.ExponentialHistogramDataPoint[int64]{Count: uint64(s.Count), Sum: s.Sum, ZeroThreshold: float64(indistinct)}
	if s.Count == 0 {
		return p
	}
	p.Min, p.Max = metricdata.NewExtrema(s.Min), metricdata.NewExtrema(s.Max)
	lowest, highest := int64(0), int64(0)
	for cell := range s.Cells() {
		if cell.High <= indistinct {
			p.ZeroCount += uint64(cell.Count)
			continue
		}
		if lowest == 0 {
			lowest = cell.High
		}
		highest = cell.High
	}
	if lowest == 0 {
		return p
	}
	scale := highestScale
	for scale > lowestScale && index(highest, scale)-index(lowest, scale) >= maxSize {
		scale--
	}
	first := index(lowest, scale)
	counts := make([]uint64, index(highest, scale)-first+1)
	i, bound := 0, math.Inf(-1)
	for cell := range s.Cells() {
		if cell.High <= indistinct {
			continue
		}
		if v := float64(cell.High); v > bound { // the next bucket, so that few logarithms are taken
			i = index(cell.High, scale) - first
			bound = math.Exp2(math.Ldexp(float64(first+i+1), -scale))
		}
		counts[i] += uint64(cell.Count)
	}
	p.Scale = int32(scale)
	p.PositiveBucket = metricdata.ExponentialBucket{Offset: int32(first), Counts: counts}
	return p
}

// index returns that of the bucket of v.
func index(v int64, scale int) int {
	return int(math.Ceil(math.Ldexp(math.Log2(float64(v)), scale))) - 1
}
