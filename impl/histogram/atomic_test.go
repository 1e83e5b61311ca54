package histogram

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// A count goes on over the end of its cell, whether the crossings on the way are
// noted at once, late, or a moment before the cell is read.
func TestAtomicCarry(t *testing.T) {
	for _, c := range []struct {
		total   int64 // that the cell has counted
		crossed uint32
	}{
		{0, 0}, {5, 0}, {half - 1, 0},
		{half, 1}, {half, 0}, {half + 7, 0}, {2*half - 1, 1},
		{2 * half, 2}, {2 * half, 1}, {2*half + 7, 1}, {2*half - 1, 2}, {half - 1, 1},
		{7*half + 1, 7}, {7*half + 1, 6}, {7*half - 1, 7}, {8 * half, 7}, {8*half - 1, 8},
	} {
		n := uint32(c.total)
		if got := int64(n) + carry(n, c.crossed); got != c.total {
			t.Errorf("%d with %d crossings noted is read as %d", c.total, c.crossed, got)
		}
	}
}

func TestAtomicCrosses(t *testing.T) {
	a := NewAtomic(Range{1, 1000, 1})
	const v = 33
	cell := a.geometry.Cell(v)
	a.Record(v)
	for range 5 {
		a.cells[cell].Add(half - 2)
		a.Record(v)
		a.Record(v)
	}
	s := a.Snapshot(nil)
	if want := int64(5*half + 1); s.Count != want || s.Counts[cell] != want {
		t.Errorf("counted %d and %d, want %d", s.Count, s.Counts[cell], want)
	}
}

// RecordMany is as many Records, for any number of histograms, the same ones among
// them, of different ranges, and with values that they refuse.
func TestRecordManyAtomics(t *testing.T) {
	all := make([]*Atomic, 20)
	want := make([][]int64, len(all))
	for i := range all {
		all[i] = NewAtomic(ranges[i%len(ranges)])
	}
	random := rand.New(rand.NewPCG(3, 4))
	for n := range 3*together + 2 {
		picked, values := make([]*Atomic, n), make([]int64, n)
		for j := range picked {
			i := random.IntN(len(all))
			picked[j], values[j] = all[i], random.Int64()>>random.IntN(63)-1
			want[i] = append(want[i], values[j])
		}
		RecordMany(picked, values)
	}
	for i, a := range all {
		a.Record(math.MinInt64)
		RecordMany(all[i:i+1], []int64{math.MaxInt64})
		sameSnapshot(t, fmt.Sprint(i), a.Snapshot(nil), holding(a.geometry.Range, append(want[i], math.MinInt64, math.MaxInt64)...))
	}
	if !panics(func() { RecordMany(all, []int64{1}) }) {
		t.Error("20 histograms and a value: no panic")
	}
}
