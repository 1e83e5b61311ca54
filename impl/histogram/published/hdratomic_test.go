package published

import (
	"errors"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"

	"hotpath/impl/histogram"
)

// upToAnHour is the range of the study's histograms: nanoseconds up to one hour.
var upToAnHour = histogram.Range{Lowest: 1, Highest: 3_600_000_000_000, Digits: 3}

func TestHDRAtomicRefuses(t *testing.T) {
	h := NewHDRAtomic(histogram.Range{Lowest: 1, Highest: 1000, Digits: 3})
	for _, c := range []struct {
		v   int64
		err error
	}{
		{0, nil},
		{1000, nil},
		{2047, nil}, // the last cells reach to the end of the power of two
		{2048, ErrTooLarge},
		{1 << 62, ErrTooLarge},
		{-1, ErrNegative},
		{-1 << 63, ErrNegative},
	} {
		if err := h.Record(c.v); !errors.Is(err, c.err) {
			t.Errorf("Record(%d) returns %v, want %v", c.v, err, c.err)
		}
	}
	s := h.Snapshot(nil)
	if s.Count != 3 || h.Count() != 3 || s.Min != 0 || s.Max != 2047 || s.Negative != 2 || s.TooLarge != 2 {
		t.Errorf("count %d, total %d, extremes %d and %d, %d negative, %d too large",
			s.Count, h.Count(), s.Min, s.Max, s.Negative, s.TooLarge)
	}
}

func TestHDRAtomicReset(t *testing.T) {
	h := NewHDRAtomic(histogram.Range{Lowest: 1, Highest: 1000, Digits: 3})
	if s := h.Snapshot(nil); s.Count != 0 || s.Min != 0 || s.Max != 0 {
		t.Errorf("count %d, extremes %d and %d without values", s.Count, s.Min, s.Max)
	}
	for _, v := range []int64{5, 7, -1, 1 << 40} {
		h.Record(v)
	}
	h.Reset()
	h.Record(6)
	s := h.Snapshot(nil)
	if s.Count != 1 || h.Count() != 1 || s.Min != 6 || s.Max != 6 || s.Negative != 0 || s.TooLarge != 0 {
		t.Errorf("after a reset and one value: %d values from %d to %d, %d negative, %d too large",
			s.Count, s.Min, s.Max, s.Negative, s.TooLarge)
	}
}

// 100,000 to 100,095 and the like share cells; Sum takes each at its middle.
func TestHDRAtomicSum(t *testing.T) {
	h := NewHDRAtomic(histogram.Range{Lowest: 1, Highest: 1_000_000, Digits: 3})
	for _, v := range []int64{3, 100_000, 100_001} {
		h.Record(v)
	}
	// 2^16 to 2^17 has 1,024 cells, 64 wide: 99968 to 100031, with 100000 in the
	// middle.
	if s := h.Snapshot(nil); s.Sum != 3+2*100_000 {
		t.Errorf("sum %d, want %d", s.Sum, 3+2*100_000)
	}
}

func TestHDRMatchesHdrhistogram(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	fixed, auto := NewHDRAtomic(upToAnHour), NewHDRConcurrent(upToAnHour.Digits)
	want := hdrhistogram.New(upToAnHour.Lowest, upToAnHour.Highest, upToAnHour.Digits)
	for range 50_000 {
		v := random.Int64N(upToAnHour.Highest) >> random.IntN(42)
		if err := want.RecordValue(v); err != nil {
			t.Fatal(err)
		}
		if err := fixed.Record(v); err != nil {
			t.Fatal(err)
		}
		if err := auto.Record(v); err != nil {
			t.Fatal(err)
		}
	}
	for name, s := range map[string]*histogram.Snapshot{"fixed": fixed.Snapshot(nil), "auto": auto.Snapshot(nil)} {
		if counts := want.Export().Counts; !slices.Equal(s.Counts, counts) {
			t.Errorf("%s: %d counts differ from the %d of hdrhistogram-go", name, len(s.Counts), len(counts))
		}
		if s.Count != want.TotalCount() {
			t.Errorf("%s: count %d, want %d", name, s.Count, want.TotalCount())
		}
		if mean := want.Mean(); s.Mean() < mean*0.9999 || s.Mean() > mean*1.0001 {
			t.Errorf("%s: mean %v, want %v", name, s.Mean(), mean)
		}
	}
}

// hdrPorts are the two histograms with an interface of their own for the tests
// that ask the same of both.
var hdrPorts = []struct {
	name string
	new  func() recordable
}{
	{"fixed", func() recordable { return NewHDRAtomic(upToAnHour) }},
	{"auto", func() recordable { return NewHDRConcurrent(3) }},
}

// Totals are exact, and a snapshot during records holds those that were complete.
func TestHDRExactTotals(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(8))
	for _, port := range hdrPorts {
		const goroutines, records = 8, 20_000
		h := port.new()
		var complete atomic.Int64
		var wg sync.WaitGroup
		for g := range int64(goroutines) {
			wg.Go(func() {
				for i := range int64(records) {
					if h.Record(i%4*100_000+g) != nil {
						t.Errorf("%s: %d refused", port.name, i)
					}
					complete.Add(1)
				}
			})
		}
		s := new(histogram.Snapshot)
		for complete.Load() < goroutines*records {
			before := complete.Load()
			h.Snapshot(s)
			if s.Count < before || s.Count > goroutines*records {
				t.Fatalf("%s: %d values in a snapshot, at least %d were recorded", port.name, s.Count, before)
			}
			if s.Count > 0 && s.Min > s.Quantile(0.01) {
				t.Fatalf("%s: minimum %d is above the first percentile %d", port.name, s.Min, s.Quantile(0.01))
			}
		}
		wg.Wait()
		h.Snapshot(s)
		want := NewHDRAtomic(upToAnHour)
		for g := range int64(goroutines) {
			for i := range int64(records) {
				want.Record(i%4*100_000 + g)
			}
		}
		w := want.Snapshot(nil)
		n := min(len(s.Counts), len(w.Counts))
		if !slices.Equal(s.Counts[:n], w.Counts[:n]) || s.Count != w.Count {
			t.Errorf("%s: %d values, want %d, or not in the same cells", port.name, s.Count, w.Count)
		}
		if s.Min != 0 || s.Max != 300_000+goroutines-1 {
			t.Errorf("%s: extremes %d and %d", port.name, s.Min, s.Max)
		}
	}
}
