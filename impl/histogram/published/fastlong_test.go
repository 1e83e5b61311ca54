package published

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	counter "hotpath/impl/counter/published"
)

func TestFastLongBins(t *testing.T) {
	b := NewFastLong().bins.Load()
	for _, c := range []struct {
		v     int64
		index int
	}{
		{0, 0},
		{1, 1},
		{4, 1},     // 1 + 3*255/999 = 1 + 0.77
		{5, 2},     // 1 + 4*255/999 = 1 + 1.02
		{500, 128}, // 1 + 499*255/999 = 1 + 127.4
		{999, 255},
		{1000, 256},
		{10_000, 256},
		{10_001, 257},
		{math.MaxInt64, 257},
	} {
		if got := b.index(c.v); got != c.index {
			t.Errorf("value %d is in bin %d, want %d", c.v, got, c.index)
		}
	}
	if n := len(b.counts); n != 258 {
		t.Errorf("%d bins, want 258", n)
	}
}

// Nine linear bins from 1 to 1000 are 111 wide: 1, 112, 223, 334, 445, 556, ...
func TestFastLongQuantiles(t *testing.T) {
	h := newFastLong(9)
	h.AddN(1, 10)
	h.AddN(500, 10)
	for _, c := range []struct {
		q    float64
		want int64
	}{
		{0, 1},      // the bin below the linear ones is empty: its lower edge, which is the minimum
		{0.25, 56},  // rank 5 of 10 in 1-112
		{0.5, 112},  // rank 10 of 10
		{0.75, 472}, // rank 5 of 10 in 445-500: the bin ends at the maximum
		{1, 500},
		{1.5, 500},
	} {
		if got := h.Quantiles(c.q)[0]; got != c.want {
			t.Errorf("quantile %v is %d, want %d", c.q, got, c.want)
		}
	}
	if got, want := h.Quantiles(0, 0.25, 0.5, 0.75, 1, 1.5), []int64{1, 56, 112, 472, 500, 500}; !slices.Equal(got, want) {
		t.Errorf("all at once: %d, want %d", got, want)
	}
	if got := h.Quantiles(); len(got) != 0 {
		t.Errorf("%d values for no quantiles", len(got))
	}
}

func TestFastLongTail(t *testing.T) {
	h := newFastLong(9)
	h.AddN(500, 98)
	h.Add(2000)
	h.Add(30_000)
	// The 99th value is alone in 1000-10000 and the 100th alone in 10000-30000:
	// what lies between is a straight line over the bin, whatever the values are.
	if got, want := h.Quantiles(0.98, 0.985, 0.99, 0.995, 1), []int64{556, 5500, 10_000, 20_000, 30_000}; !slices.Equal(got, want) {
		t.Errorf("quantiles %d, want %d", got, want)
	}
}

func TestFastLongEmpty(t *testing.T) {
	h := NewFastLong()
	if got := h.Quantiles(0.5, 1); !slices.Equal(got, []int64{0, 0}) {
		t.Errorf("quantiles %d without values", got)
	}
	if h.Count() != 0 || h.Mean() != 0 || h.Max() != 0 || h.Min() != math.MaxInt64 {
		t.Errorf("count %d, mean %d, min %d, max %d without values", h.Count(), h.Mean(), h.Min(), h.Max())
	}
	before := h.bins.Load()
	if old := h.Reset(); old != nil || h.bins.Load() != before {
		t.Error("a reset without values did something")
	}
}

func TestFastLongNegative(t *testing.T) {
	h := NewFastLong()
	h.Add(-1)
	h.AddN(math.MinInt64, 4)
	NewFastLongLocal().AddN(h, -7, 2)
	if h.Negative() != 7 || h.Count() != 0 || h.Reset() != nil {
		t.Errorf("%d negative, count %d; want 7 and 0, and nothing to reset", h.Negative(), h.Count())
	}
	h.Add(3)
	if got := h.Reset(); got.Negative() != 7 || got.Count() != 1 || h.Negative() != 0 {
		t.Errorf("after a reset %d negative of the interval, %d of the next, want 7 and 0", got.Negative(), h.Negative())
	}
}

func TestFastLongMeanRoundsDown(t *testing.T) {
	h := NewFastLong()
	h.AddN(2, 2)
	h.Add(1)
	if got := h.Mean(); got != 1 {
		t.Errorf("mean of 2, 2, 1 is %d, want 5/3 = 1", got)
	}
}

// A count of the values at or below v is that of v's whole bin.
func TestFastLongCountAtOrBelow(t *testing.T) {
	h := newFastLong(9)
	for _, v := range []int64{0, 50, 111, 112, 5000, 20_000} {
		h.Add(v)
	}
	for _, c := range []struct{ v, want int64 }{
		{-1, 1}, {0, 1}, {1, 3}, {111, 3}, {112, 4}, {999, 4}, {1000, 5}, {10_000, 5}, {10_001, 6},
	} {
		if got := h.CountAtOrBelow(c.v); got != c.want {
			t.Errorf("%d values at or below %d, want %d", got, c.v, c.want)
		}
	}
}

func TestFastLongReset(t *testing.T) {
	for _, c := range []struct {
		name               string
		add                func(h *FastLong)
		low, high, tenfold int64
	}{
		// Both quantiles are 100, so the width is 1: low 100-0.01, end 100.01+1,
		// high at least 99+9, tenfold 100 + 100*9.
		{"one value", func(h *FastLong) { h.AddN(100, 100) }, 99, 108, 1000},
		// q1 = 1: 1% of 1 to 1 in the bin 1-112 is 0.5/50 of it: 1+1.11. q99: rank
		// 99 is 49/50 of 445-500: 498.9. Width 498-2+1 = 497. low 2-4.97 is not
		// below 0; end int(498+4.97)+1 = 503; tenfold 498 + 502*9.
		{"two values", func(h *FastLong) { h.AddN(1, 50); h.AddN(500, 50) }, 0, 503, 5016},
		// q1: rank 1 of 100 in 223-334 from the minimum 300: 300.3. q99: rank 99
		// in 300-334, which the maximum ends at 320: 319.8. Width 20, low
		// 300-0.2, end int(319+0.2)+1 = 320, tenfold 319 + 319*9.
		{"a narrow band", func(h *FastLong) { h.AddN(300, 50); h.AddN(320, 50) }, 299, 320, 3190},
		{"zeros", func(h *FastLong) { h.Add(0) }, 0, 9, 10},
	} {
		h := newFastLong(9)
		c.add(h)
		n := h.Count()
		old := h.Reset()
		b := h.bins.Load()
		if b.low != c.low || b.high != c.high || b.tenfold != c.tenfold {
			t.Errorf("%s: bins %d to %d and %d, want %d to %d and %d", c.name, b.low, b.high, b.tenfold, c.low, c.high, c.tenfold)
		}
		if old.Count() != n || h.Count() != 0 || len(b.counts) != 9+3 {
			t.Errorf("%s: %d values in the old, %d in the new, %d bins; want %d, 0, 12", c.name, old.Count(), h.Count(), len(b.counts), n)
		}
	}
}

func TestFastLongRange(t *testing.T) {
	// 1 is in 1-4 with 255 bins, 300000 in 10000-300000. Rank 0.02 is in the
	// former, at 1.06; rank 1.998 in the latter, at 10000 + 0.998*290000 = 299420.
	// The width is 299420: low is not below 0; end is 299420 + 299.42 + 1,
	// tenfold 299420 + 299719*9.
	b := NewFastLongRange(255, 1, 300_000).bins.Load()
	if b.low != 0 || b.high != 299_720 || b.tenfold != 2_996_891 {
		t.Errorf("bins %d to %d and %d, want 0 to 299720 and 2996891", b.low, b.high, b.tenfold)
	}
	if b.hasData.Load() || b.count.Value() != 0 {
		t.Error("the two values that placed the bins were counted")
	}
}

// Fewer than one bin is one.
func TestFastLongRangeWithoutBins(t *testing.T) {
	for _, bins := range []int{0, -1} {
		h := NewFastLongRange(bins, 10, 20)
		h.Add(15)
		if n := len(h.bins.Load().counts); n != 1+fastLongMore || h.Quantiles(0.5)[0] != 15 || h.Reset() == nil {
			t.Errorf("%d bins make %d with a median of %d", bins, n, h.Quantiles(0.5)[0])
		}
	}
}

// In HBase some of these overflow, and Add or getQuantiles throws.
func TestFastLongExtremes(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for trial := range 200 {
		largest := int64(math.MaxInt64) >> random.IntN(4)
		h := newFastLong(1 + random.IntN(300))
		for range 5 {
			low := random.IntN(60)
			var sum int64
			for range 50 {
				v := random.Int64N(largest>>low) + 1
				if random.IntN(4) == 0 {
					v = largest
				}
				h.Add(v)
				sum += v
			}
			old := h.Reset()
			q := old.Quantiles(0, 0.5, 0.99, 1)
			// Quantiles are computed in float64, which rounds large ones.
			if !slices.IsSorted(q) || q[0] < 0 || q[3]-old.Max() > old.Max()>>50 {
				t.Fatalf("trial %d: quantiles %d, maximum %d", trial, q, old.Max())
			}
			b := old.bins.Load()
			if n := old.CountAtOrBelow(math.MaxInt64); n != 50 || old.Count() != 50 || b.total.Value() != sum {
				t.Fatalf("trial %d: %d in the bins, count %d, sum %d; want 50, 50, %d", trial, n, old.Count(), b.total.Value(), sum)
			}
		}
	}
}

// add is AddN on h, or on a memory of the calling goroutine.
var fastLongAdds = []struct {
	name string
	add  func() func(h *FastLong, v, n int64)
}{
	{"patched", func() func(*FastLong, int64, int64) { return (*FastLong).AddN }},
	{"local", func() func(*FastLong, int64, int64) { return NewFastLongLocal().AddN }},
}

func TestFastLongExactTotals(t *testing.T) {
	for _, variant := range fastLongAdds {
		const goroutines, adds = 8, 10_000
		hists := [3]*FastLong{NewFastLong(), NewFastLong(), NewFastLongRange(10, 50, 200)}
		var wg sync.WaitGroup
		for range goroutines {
			wg.Go(func() {
				add := variant.add()
				for i := range int64(adds) {
					add(hists[i%3], i, 1)
					add(hists[i%3], i, 2)
				}
			})
		}
		wg.Wait()
		for r, h := range hists {
			var n, sum int64
			for i := int64(r); i < adds; i += 3 {
				n += 3 * goroutines
				sum += 3 * goroutines * i
			}
			b := h.bins.Load()
			if h.Count() != n || h.CountAtOrBelow(math.MaxInt64) != n || b.total.Value() != sum {
				t.Errorf("%s: count %d, in bins %d, sum %d; want %d, %d, %d",
					variant.name, h.Count(), h.CountAtOrBelow(math.MaxInt64), b.total.Value(), n, n, sum)
			}
			if h.Min() != int64(r) || h.Max() < adds-3 || h.Max() >= adds {
				t.Errorf("%s: extremes %d and %d", variant.name, h.Min(), h.Max())
			}
		}
	}
}

// What is added while a reset goes on is in the interval that it ends or in the
// next one, once the writers have stopped.
func TestFastLongIntervalsSumUp(t *testing.T) {
	for _, variant := range fastLongAdds {
		const goroutines, adds = 8, 10_000
		h := NewFastLong()
		var wg sync.WaitGroup
		var done atomic.Int32
		for range goroutines {
			wg.Go(func() {
				defer done.Add(1)
				add := variant.add()
				for i := range int64(adds) {
					add(h, i, 1)
				}
			})
		}
		var intervals []*FastLong
		for done.Load() < goroutines {
			if old := h.Reset(); old != nil {
				intervals = append(intervals, old)
			}
			runtime.Gosched()
		}
		wg.Wait()
		sum := h.Count()
		for _, old := range intervals {
			sum += old.Count()
		}
		if sum != goroutines*adds {
			t.Errorf("%s: %d in %d intervals, want %d", variant.name, sum, len(intervals), goroutines*adds)
		}
	}
}

// A counter is remembered once it has cells to choose from.
func TestFastLongLocalRemembers(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(8))
	h := NewFastLong()
	first := NewFastLongLocal()
	first.Add(h, 1)
	b := h.bins.Load()
	if e := first.entry(b.firstID); e.view != nil || first.known != 3 {
		t.Fatalf("after one add %d counters are known, want 3, and one has a view: %t", first.known, e.view != nil)
	}
	var wg sync.WaitGroup
	deadline := time.Now().Add(20 * time.Second)
	for range 32 {
		wg.Go(func() {
			l := NewFastLongLocal()
			for b.count.Cells() == 1 && time.Now().Before(deadline) {
				for range 1000 {
					l.Add(h, 1)
				}
			}
		})
	}
	wg.Wait()
	if b.count.Cells() == 1 {
		t.Fatal("no collision in 20 s")
	}
	first.Add(h, 1)
	view := first.entry(b.firstID).view
	if view == nil || first.views == 0 {
		t.Fatal("no view of a counter with several cells")
	}
	n := h.Count()
	first.Add(h, 1)
	if first.entry(b.firstID).view != view || h.Count() != n+1 {
		t.Error("the second add did not use the view of the first")
	}

	full := NewFastLongLocal()
	full.views = fastLongMaxViews
	full.Add(h, 1)
	if full.entry(b.firstID).view != nil || h.Count() != n+2 {
		t.Error("an add beyond the last view made one, or was lost")
	}
}

func TestFastLongLocalBounds(t *testing.T) {
	l := NewFastLongLocal()
	counted := map[*fastLongEntry]bool{}
	for id := uint64(1); id <= fastLongMaxKnown; id++ {
		counted[l.entry(id)] = true
		if l.known > len(l.slots)/2 {
			t.Fatalf("%d counters in a table of %d", l.known, len(l.slots))
		}
	}
	if len(counted) != fastLongMaxKnown {
		t.Fatalf("%d counters share %d entries", fastLongMaxKnown, len(counted))
	}
	for id := uint64(1); id <= fastLongMaxKnown; id++ {
		if e := l.entry(id); e.id != id || !counted[e] {
			t.Fatalf("counter %d was not found again", id)
		}
	}
	const mib = 1 << 20
	table := len(l.slots) * int(unsafe.Sizeof(l.slots[0]))
	entries := l.known * int(unsafe.Sizeof(fastLongEntry{}))
	views := fastLongMaxViews * int(unsafe.Sizeof(counter.HBaseLocal{}))
	if unsafe.Sizeof(uintptr(0)) == 8 && (table != 2*mib || entries != 2*mib || views != mib/2) {
		t.Errorf("%d bytes of table, %d of entries, %d of views; the comment says 2, 2 and 0.5 MiB", table, entries, views)
	}
	if need := 500 * (fastLongBins + fastLongMore + 2); need > fastLongMaxKnown {
		t.Errorf("500 histograms have %d counters, more than are remembered", need)
	}

	l.entry(fastLongMaxKnown + 1)
	if l.known != 1 || len(l.slots) != 1<<fastLongMinBits {
		t.Errorf("%d counters in a table of %d after the memory was full, want to start over", l.known, len(l.slots))
	}
}
