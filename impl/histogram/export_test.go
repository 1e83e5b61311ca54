package histogram

import (
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// recorded returns the snapshot of a histogram that recorded the values.
func recorded(r Range, values ...int64) *Snapshot {
	h := NewAtomic(r)
	for _, v := range values {
		h.Record(v)
	}
	return h.Snapshot(nil)
}

// checkExport compares with hdrhistogram-go's own recording of the values, and
// with what must be refused.
func checkExport(t *testing.T, r Range, values []int64) {
	t.Helper()
	want := hdrhistogram.New(r.Lowest, r.Highest, r.Digits)
	var negative, tooLarge int64
	for _, v := range values {
		switch err := want.RecordValue(v); {
		case err == nil:
		case v < 0:
			negative++
		default:
			tooLarge++
		}
	}
	s := recorded(r, values...)
	if !s.Export().Equals(want) {
		t.Errorf("%+v, values %v: the export does not equal hdrhistogram-go's recording", r, values)
	}
	if s.Negative != negative || s.TooLarge != tooLarge {
		t.Errorf("%+v, values %v: %d negative and %d too large, want %d and %d", r, values, s.Negative, s.TooLarge, negative, tooLarge)
	}
}

func TestExport(t *testing.T) {
	for digits := 1; digits <= 5; digits++ {
		for _, r := range []Range{
			{1, 2, digits}, {1, 1000, digits}, {1, 1_000_000_000, digits}, {1, math.MaxInt64, digits},
			{7, 14, digits}, {1000, 1_000_000_000, digits}, {1 << 40, math.MaxInt64, digits},
		} {
			g := newGeometry(r)
			_, last := g.Bounds(g.Cells - 1)
			values := []int64{-1, math.MinInt64, 0, 1, r.Lowest, r.Highest - 1, r.Highest, last, math.MaxInt64}
			if last < math.MaxInt64 {
				values = append(values, last+1)
			}
			rng := rand.New(rand.NewPCG(1, uint64(digits)))
			for range 300 {
				values = append(values, rng.Int64()>>rng.IntN(63))
			}
			checkExport(t, r, values)
		}
	}
}

// A value above Highest that its last cells still hold is recorded and exported.
func TestExportAboveHighest(t *testing.T) {
	s := recorded(Range{1, 1000, 3}, 1001, 2047, 2048)
	if s.Count != 2 || s.TooLarge != 1 || s.Max != 2047 {
		t.Fatalf("count %d, too large %d, max %d", s.Count, s.TooLarge, s.Max)
	}
	h := s.Export()
	if h.TotalCount() != 2 || h.Min() != 1001 || h.Max() != 2047 {
		t.Errorf("export: count %d, min %d, max %d", h.TotalCount(), h.Min(), h.Max())
	}
}

func TestExportSharesNothing(t *testing.T) {
	s := recorded(Range{1, 1000, 2}, 5)
	h := s.Export()
	s.Counts[5] = 7
	if h.TotalCount() != 1 || h.ValueAtQuantile(100) != 5 {
		t.Error("a change of the snapshot shows in its export")
	}
}

func FuzzExport(f *testing.F) {
	f.Add(int64(1), int64(3_600_000_000_000), uint8(3), uint64(1))
	f.Add(int64(1000), int64(math.MaxInt64), uint8(2), uint64(2))
	f.Add(int64(3), int64(6), uint8(5), uint64(3))
	f.Fuzz(func(t *testing.T, lowest, highest int64, digits uint8, seed uint64) {
		r := Range{max(lowest, 1), highest, 1 + int(digits%5)}
		if r.Highest/2 < r.Lowest || r.Lowest > 1<<40 {
			t.Skip()
		}
		rng := rand.New(rand.NewPCG(seed, 0))
		values := []int64{r.Highest, r.Highest + 1} // may wrap to a negative one
		for range 100 {
			values = append(values, int64(rng.Uint64())>>rng.IntN(64))
		}
		checkExport(t, r, values)
		set := NewSet(r, 1)
		for _, v := range values {
			set.Record(0, v)
		}
		if got, want := set.Snapshot(0, nil), recorded(r, values...); !reflect.DeepEqual(got, want) {
			t.Errorf("%+v, values %v: Set and Atomic differ", r, values)
		}
	})
}

func TestImport(t *testing.T) {
	h := hdrhistogram.New(1, 1_000_000, 2)
	for _, v := range []int64{3, 3, 70_000, 1_000_000} {
		if err := h.RecordValue(v); err != nil {
			t.Fatal(err)
		}
	}
	s, err := Import(h)
	if err != nil {
		t.Fatal(err)
	}
	if !s.Export().Equals(h) {
		t.Error("not the same after Import and Export")
	}
	if s.Count != 4 || s.Min != 3 || s.Max != h.Max() || s.Quantile(0.75) != h.ValueAtQuantile(75) {
		t.Errorf("count %d, min %d, max %d, p75 %d", s.Count, s.Min, s.Max, s.Quantile(0.75))
	}
	if got, want := s.Mean(), h.Mean(); math.Abs(got-want) > 1e-9*want {
		t.Errorf("mean %g, want %g", got, want)
	}
	empty, err := Import(hdrhistogram.New(1000, 1_000_000, 2))
	if err != nil || empty.Count != 0 || empty.Min != 0 || empty.Max != 0 {
		t.Errorf("of an empty histogram: %+v, %v", empty, err)
	}
}

func TestImportRefuses(t *testing.T) {
	for want, x := range map[string]hdrhistogram.Snapshot{
		"range 10 to 15 with 3 digits": {LowestTrackableValue: 10, HighestTrackableValue: 15, SignificantFigures: 3},
		"with 0 digits":                {LowestTrackableValue: 1, HighestTrackableValue: 100, SignificantFigures: 0},
		"conversion ratio 0.5":         {LowestTrackableValue: 1, HighestTrackableValue: 100, SignificantFigures: 3, IntegerToDoubleConversionRatio: 0.5},
	} {
		if _, err := Import(hdrhistogram.Import(&x)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}
