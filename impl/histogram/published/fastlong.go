package published

import (
	"math"
	"sync/atomic"

	counter "hotpath/impl/counter/published"
	"hotpath/impl/histogram/internal/extreme"
)

// FastLong is the histogram of Apache HBase (hbase-common,
// util/FastLongHistogram.java) at the time of HBASE-16146, over the Counter as
// that patch left it. Added to through a FastLongLocal, it is the histogram over
// the Counter as it was before.
//
// Values are counted in bins of equal width between two bounds, with one bin
// below them, one from the upper bound to ten times of it, and one beyond. Each
// bin, the number of values and their sum is a counter.HBase. Reset places the
// bounds about the 1st and the 99th percentile of what was added before; until
// the first Reset they are a guess. Quantiles interpolates inside a bin, so
// beyond the 99th percentile it is a straight line over a tenfold range.
//
// Negative values are dropped, as in HBase. That Negative counts them is an
// addition. Where the linear bins would be so wide that the original's
// arithmetic overflows and Add throws, they end earlier.
//
// Any number of goroutines may call any method. Reads add up counters one after
// the other while others add; what the package comment of impl/counter says of Value
// holds for each counter alone. Use NewFastLong or NewFastLongRange.
type FastLong struct {
	bins atomic.Pointer[fastBins]
}

// fastBins is what a FastLong adds to between two resets.
type fastBins struct {
	// firstID numbers the counters of all FastLongs, for FastLongLocal: count,
	// total, then counts.
	firstID uint64

	low, high, tenfold int64 // the linear bins hold low <= v < high, the next one v <= tenfold
	counts             []counter.HBase
	count, total       counter.HBase
	min, max           atomic.Int64
	negative           atomic.Int64

	// In Java the flag that every add sets is an object of its own, away from the
	// fields that every add reads.
	_       [lineSize]byte
	hasData atomic.Bool
	_       [lineSize - 4]byte
}

const (
	fastLongBins = 255 // linear bins
	fastLongMore = 3   // bins beside the linear ones
)

var fastLongIDs atomic.Uint64

func newFastBins(linear int, low, high, tenfold int64) *fastBins {
	if widest := math.MaxInt64 / int64(linear); high-low > widest {
		high = low + widest
	}
	counters := uint64(linear + fastLongMore + 2)
	b := &fastBins{
		firstID: fastLongIDs.Add(counters) - counters + 1,
		low:     low, high: high, tenfold: tenfold,
		counts: make([]counter.HBase, linear+fastLongMore),
	}
	b.min.Store(math.MaxInt64)
	return b
}

// NewFastLong returns a histogram with HBase's 255 linear bins, which lie between
// 1 and 1,000 at first.
func NewFastLong() *FastLong { return newFastLong(fastLongBins) }

func newFastLong(bins int) *FastLong {
	h := new(FastLong)
	h.bins.Store(newFastBins(bins, 1, 1000, 10*1000))
	return h
}

// NewFastLongRange returns a histogram with bins linear bins, or 1 if that is less,
// about the values low to high. As in HBase they are placed as Reset would place them
// after one value of low and one of high, with the 99.9th in place of the 99th
// percentile.
func NewFastLongRange(bins int, low, high int64) *FastLong {
	h := newFastLong(max(bins, 1))
	ends := h.bins.Load()
	ends.add(low, 1)
	ends.add(high, 1)
	h.bins.Store(ends.next(0.01, 0.999))
	return h
}

// Add adds v.
func (h *FastLong) Add(v int64) { h.bins.Load().add(v, 1) }

// AddN adds v n times.
func (h *FastLong) AddN(v, n int64) { h.bins.Load().add(v, n) }

// Count returns the number of values.
func (h *FastLong) Count() int64 { return h.bins.Load().count.Value() }

// Negative returns the number of negative values, which are in no other figure.
func (h *FastLong) Negative() int64 { return h.bins.Load().negative.Load() }

// Min returns the smallest value, math.MaxInt64 without one.
func (h *FastLong) Min() int64 { return h.bins.Load().min.Load() }

// Max returns the largest value, 0 without one.
func (h *FastLong) Max() int64 { return h.bins.Load().max.Load() }

// Mean returns the mean, rounded towards zero, and 0 without values. The sum
// behind it wraps around as int64 does.
func (h *FastLong) Mean() int64 {
	b := h.bins.Load()
	n, total := b.count.Value(), b.total.Value()
	if n == 0 {
		return 0
	}
	return total / n
}

// CountAtOrBelow returns the number of values in the bins up to that of v, which
// may count values above v: all that share its bin.
func (h *FastLong) CountAtOrBelow(v int64) int64 {
	b := h.bins.Load()
	var n int64
	for i := range b.index(v) + 1 {
		n += b.counts[i].Value()
	}
	return n
}

// Quantiles returns estimates of quantiles, given in ascending order as parts of
// 1. They are 0 without values.
func (h *FastLong) Quantiles(q ...float64) []int64 { return h.bins.Load().quantiles(q) }

// Reset starts over, with new bounds, and returns a histogram of what was added
// until now; without values it does nothing and returns nil.
//
// As in HBase, an Add that began before Reset may still go to the histogram that
// Reset returned, after its owner read it. Of two Resets at the same time one may
// lose what was added between them.
func (h *FastLong) Reset() *FastLong {
	b := h.bins.Load()
	if !b.hasData.Load() {
		return nil
	}
	h.bins.Store(b.next(0.01, 0.99))
	old := new(FastLong)
	old.bins.Store(b)
	return old
}

func (b *fastBins) add(v, n int64) {
	if v < 0 {
		b.negative.Add(n)
		return
	}
	b.extend(v)
	b.count.Add(n)
	b.total.Add(v * n)
	b.counts[b.index(v)].Add(n)
	b.hasData.Store(true) // last: a reader that sees it finds values
}

// extend takes v into min and max.
func (b *fastBins) extend(v int64) {
	extreme.Lower(&b.min, b.min.Load(), v)
	extreme.Raise(&b.max, b.max.Load(), v)
}

func (b *fastBins) linear() int64 { return int64(len(b.counts) - fastLongMore) }

func (b *fastBins) index(v int64) int {
	switch {
	case v < b.low:
		return 0
	case v > b.tenfold:
		return len(b.counts) - 1
	case v >= b.high:
		return len(b.counts) - 2
	}
	return 1 + int((v-b.low)*b.linear()/(b.high-b.low))
}

// edges returns the values where bin i begins and ends, given the extremes.
func (b *fastBins) edges(i int, least, most int64) (from, to int64) {
	switch i {
	case 0:
		from, to = least, b.low
	case len(b.counts) - 1:
		from, to = b.tenfold, most
	case len(b.counts) - 2:
		from, to = b.high, b.tenfold
	default:
		width := b.high - b.low
		from = b.low + int64(i-1)*width/b.linear()
		to = b.low + int64(i)*width/b.linear()
	}
	return from, to
}

func (b *fastBins) quantiles(q []float64) []int64 {
	values := make([]int64, len(q))
	if len(q) == 0 || !b.hasData.Load() {
		return values
	}
	counts := make([]int64, len(b.counts))
	var all int64
	for i := range counts {
		counts[i] = b.counts[i].Value()
		all += counts[i]
	}
	least, most := b.min.Load(), b.max.Load()

	next := 0
	var seen int64
	for i, n := range counts {
		from, to := b.edges(i, least, most)
		if to < least {
			continue
		}
		if from > most {
			break
		}
		from, to = max(from, least), min(to, most)
		before := float64(seen)
		seen += n
		for ; next < len(q); next++ {
			rank := float64(all) * q[next]
			if rank > float64(seen) {
				break
			}
			values[next] = from
			if n != 0 {
				values[next] = toInt64((rank-before)*float64(to-from)/float64(n) + float64(from))
			}
		}
	}
	for ; next < len(q); next++ {
		values[next] = most
	}
	return values
}

// next returns empty bins whose bounds are the quantiles lowest and highest of
// b, moved apart as far as evenly spread values would reach.
func (b *fastBins) next(lowest, highest float64) *fastBins {
	q := b.quantiles([]float64{lowest, highest})
	width := float64(q[1] - q[0] + 1)
	low := max(0, toInt64(float64(q[0])-width*lowest))
	end := toInt64(float64(q[1])+width*(1-highest)) + 1
	high := max(end, low+b.linear()) // a bin is at least 1 wide
	return newFastBins(int(b.linear()), low, high, max(q[1]+(end-1)*9, high+1))
}

// toInt64 converts as Java does, where what does not fit becomes the nearest
// value that does. In Go it would be anything.
func toInt64(f float64) int64 {
	switch {
	case f >= math.MaxInt64:
		return math.MaxInt64
	case f <= math.MinInt64:
		return math.MinInt64
	}
	return int64(f)
}
