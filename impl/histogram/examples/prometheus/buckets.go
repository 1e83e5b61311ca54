package prometheus

import (
	"math"
	"math/bits"

	dto "github.com/prometheus/client_model/go"

	"hotpath/impl/histogram"
)

// expose brings a snapshot into the buckets that the options ask for.
func expose(s *histogram.Snapshot, opts Opts) *dto.Histogram {
	h := &dto.Histogram{
		SampleCount: new(uint64(s.Count)),
		SampleSum:   new(float64(s.Sum) / opts.Scale),
	}
	if len(opts.Buckets) > 0 {
		h.Bucket = classic(s, opts)
	}
	if opts.NativeHistogramBucketFactor > 1 {
		native(h, s, opts)
	}
	return h
}

// classic counts the values up to each bound.
func classic(s *histogram.Snapshot, opts Opts) []*dto.Bucket {
	all := make([]*dto.Bucket, len(opts.Buckets))
	for i, bound := range opts.Buckets {
		all[i] = &dto.Bucket{UpperBound: new(bound), CumulativeCount: new(uint64(0))}
	}
	i, sum := 0, uint64(0)
	for cell := range s.Cells() {
		for ; i < len(all) && float64(cell.High)/opts.Scale > opts.Buckets[i]; i++ {
			*all[i].CumulativeCount = sum
		}
		sum += uint64(cell.Count)
	}
	for ; i < len(all); i++ {
		*all[i].CumulativeCount = sum
	}
	return all
}

// bucket is one of a native histogram.
type bucket struct {
	index int
	count int64
}

// native sets what makes h a native histogram. One of schema s has buckets
// (2^((i-1)/2^s), 2^(i/2^s)], by their index i.
func native(h *dto.Histogram, s *histogram.Snapshot, opts Opts) {
	indistinct := int64(1)<<(bits.Len64(uint64(s.Range.Lowest))-1) - 1 // the first cell ends here
	schema := schemaOf(opts.NativeHistogramBucketFactor)
	zero, bound := uint64(0), math.Inf(-1)
	var buckets []bucket
	for cell := range s.Cells() {
		v := float64(cell.High) / opts.Scale
		switch {
		case cell.High <= indistinct:
			zero += uint64(cell.Count)
		case v <= bound: // of the last bucket, so that few logarithms are taken
			buckets[len(buckets)-1].count += cell.Count
		default:
			index := int(math.Ceil(math.Ldexp(math.Log2(v), schema)))
			bound = math.Exp2(math.Ldexp(float64(index), -schema))
			buckets = appendBucket(buckets, bucket{index, cell.Count})
		}
	}
	for most := int(opts.NativeHistogramMaxBucketNumber); most > 0 && len(buckets) > most && schema > coarsest; schema-- {
		wider := buckets[:0]
		for _, b := range buckets {
			wider = appendBucket(wider, bucket{(b.index + 1) >> 1, b.count})
		}
		buckets = wider
	}
	h.Schema, h.ZeroThreshold, h.ZeroCount = new(int32(schema)), new(float64(indistinct)/opts.Scale), new(zero)
	h.PositiveSpan, h.PositiveDelta = spans(buckets)
}

// appendBucket adds a bucket that is not below the last one.
func appendBucket(to []bucket, b bucket) []bucket {
	if n := len(to); n > 0 && to[n-1].index == b.index {
		to[n-1].count += b.count
		return to
	}
	return append(to, b)
}

// Native histograms know these schemas and those between.
const coarsest, finest = -4, 8

// schemaOf returns the one with the widest buckets that grow by at most factor.
func schemaOf(factor float64) int {
	return int(min(max(-math.Floor(math.Log2(math.Log2(factor))), coarsest), finest))
}

// spans encodes buckets as client_golang does: each count as its difference from the
// one before, in spans of adjacent buckets that gaps of up to two do not part.
func spans(buckets []bucket) (all []*dto.BucketSpan, deltas []int64) {
	next, last := 0, int64(0)
	add := func(count int64) {
		*all[len(all)-1].Length++
		deltas = append(deltas, count-last)
		next, last = next+1, count
	}
	for i, b := range buckets {
		if gap := b.index - next; i == 0 || gap > 2 {
			all = append(all, &dto.BucketSpan{Offset: new(int32(gap)), Length: new(uint32(0))})
			next = b.index
		}
		for next < b.index {
			add(0)
		}
		add(b.count)
	}
	if len(all) == 0 { // else nobody would know it for a native histogram
		all = []*dto.BucketSpan{{Offset: new(int32(0)), Length: new(uint32(0))}}
	}
	return all, deltas
}
