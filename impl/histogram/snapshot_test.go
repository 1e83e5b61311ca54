package histogram

import (
	"bytes"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// holding returns a snapshot of values, made without the recorders.
func holding(r Range, values ...int64) *Snapshot {
	g := newGeometry(r)
	s := &Snapshot{Range: r, Counts: make([]int64, g.Cells)}
	for _, v := range values {
		switch {
		case v < 0:
			s.Negative++
			continue
		case g.Cell(v) >= g.Cells:
			s.TooLarge++
			continue
		}
		if s.Count == 0 {
			s.Min, s.Max = v, v
		}
		s.Min, s.Max = min(s.Min, v), max(s.Max, v)
		s.Count++
		s.Sum += v
		s.Counts[g.Cell(v)]++
	}
	return s
}

// sameSnapshot reports the first difference.
func sameSnapshot(t *testing.T, what string, got, want *Snapshot) {
	t.Helper()
	for cell := range want.Counts {
		if got.Counts[cell] != want.Counts[cell] {
			t.Fatalf("%s: cell %d has %d, want %d", what, cell, got.Counts[cell], want.Counts[cell])
		}
	}
	g, w := *got, *want
	g.Counts, w.Counts = nil, nil
	if !reflect.DeepEqual(g, w) {
		t.Fatalf("%s: %+v, want %+v", what, g, w)
	}
}

func TestQuantile(t *testing.T) {
	s := holding(Range{1, 1_000_000, 3}, 10, 20, 30, 40, 100_003)
	for _, c := range []struct {
		q    float64
		want int64
	}{
		{-1, 10}, {0, 10}, {1e-9, 10}, {0.2, 10}, {0.2000001, 20}, {0.4, 20}, {0.41, 30}, {0.5, 30}, {0.6, 30},
		{0.8, 40}, {0.81, 100_003}, {1, 100_003}, {2, 100_003}, {math.Nextafter(1, 0), 100_003},
	} {
		if got := s.Quantile(c.q); got != c.want {
			t.Errorf("Quantile(%v) = %d, want %d", c.q, got, c.want)
		}
	}
	if got := holding(s.Range, 100_003, 100_004, 200_000).Quantile(0.5); got != 100_031 {
		t.Errorf("%d is not the highest value of the cell", got)
	}
	if got := holding(s.Range).Quantile(0.5); got != 0 {
		t.Errorf("the quantile of nothing is %d", got)
	}
}

func TestMean(t *testing.T) {
	if got := holding(Range{1, 10_000_000, 1}, 1, 2, 1_000_003).Mean(); got != 1_000_006.0/3 {
		t.Errorf("mean %v", got)
	}
	if got := holding(Range{1, 10, 1}).Mean(); got != 0 {
		t.Errorf("the mean of nothing is %v", got)
	}
}

func TestSub(t *testing.T) {
	r := Range{1, 1_000_000, 2}
	for name, c := range map[string]struct {
		old, more []int64
		min, max  int64
	}{
		"nothing":             {[]int64{50_001}, nil, 0, 0},
		"nothing at all":      {nil, nil, 0, 0},
		"all":                 {nil, []int64{50_001, 60_001}, 50_001, 60_001},
		"new extremes":        {[]int64{50_001}, []int64{40_001, 60_001}, 40_001, 60_001},
		"within the extremes": {[]int64{10_001, 90_001}, []int64{50_001, 60_001}, 49_920, 60_159},
		"at the extremes":     {[]int64{50_001, 60_001}, []int64{50_001, 60_001}, 50_001, 60_001},
		"refused":             {[]int64{-1, 5_000_000}, []int64{-1, -1, 5_000_000}, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			got := holding(r, slices.Concat(c.old, c.more)...)
			got.Sub(holding(r, c.old...))
			want := holding(r, c.more...)
			want.Min, want.Max = c.min, c.max
			sameSnapshot(t, "difference", got, want)
		})
	}
	if !panics(func() { holding(r).Sub(holding(Range{1, 1_000_000, 3})) }) {
		t.Error("snapshots of different ranges have a difference")
	}
}

// A sum beyond 64 bits, such as two days of a million values a second of 100 ms,
// is told by the cells.
func TestTotalBeyondSum(t *testing.T) {
	for _, r := range []Range{{1, 3_600_000_000_000, 3}, {1000, 3_600_000_000_000, 4}, {1, math.MaxInt64, 2}} {
		for _, days := range []int64{0, 1, 2, 3, 20} {
			values := []int64{100_000_000, 150_000_000}
			g := newGeometry(r)
			s := holding(r, values...)
			n := days * 86_400 * 1_000_000
			want := 0.0
			for _, v := range values {
				s.Counts[g.Cell(v)] += n
				s.Count += n
				s.Sum += n * v // wraps around
				want += float64(n+1) * float64(v)
			}
			if got := s.Total(); math.Abs(got-want) > 1e-15*want {
				t.Errorf("%v: total %g of %d values, want %g", r, got, s.Count, want)
			}
			if got := s.Mean(); math.Abs(got-want/float64(2*n+2)) > 1e-6 {
				t.Errorf("%v: mean %g of %d values, want %g", r, got, s.Count, want/float64(2*n+2))
			}
		}
	}
}

// The zero value holds nothing, whatever it is asked.
func TestZeroSnapshot(t *testing.T) {
	var s Snapshot
	for range s.Cells() {
		t.Error("it has a cell")
	}
	if s.Quantile(0.5) != 0 || s.Mean() != 0 || s.Total() != 0 {
		t.Errorf("quantile %d, mean %g, total %g", s.Quantile(0.5), s.Mean(), s.Total())
	}
	s.Sub(new(Snapshot))
	if n := s.Export().TotalCount(); n != 0 {
		t.Errorf("exported with %d values", n)
	}
	var text, log bytes.Buffer
	if err := s.WriteHGRM(&text, 5, 1); err != nil || !strings.Contains(text.String(), "Total count    =            0") {
		t.Errorf("error %v, percentiles %s", err, &text)
	}
	if err := NewLogWriter(&log).Write(&LogEntry{Start: logTime, End: logTime, Snapshot: &s}); err != nil {
		t.Error(err)
	}
	if got, errs := readLog(NewLogReader(&log)); errs != nil || len(got) != 1 || got[0].Snapshot.Count != 0 {
		t.Errorf("read again: %v, errors %v", got, errs)
	}
}
