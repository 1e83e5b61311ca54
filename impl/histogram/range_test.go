package histogram

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Ranges that differ in all that the geometry depends on.
var ranges = []Range{
	{1, 2, 1}, {1, 3_600_000_000_000, 1}, {1, 3_600_000_000_000, 2}, {1, 3_600_000_000_000, 3},
	{1, 3_600_000_000_000, 4}, {1, 1 << 40, 5}, {1000, 3_600_000_000_000, 3}, {1024, 1 << 20, 2},
	{7, 2047, 3}, {1, 2047, 3}, {1, 2048, 3}, {1, 4095, 3}, {1, math.MaxInt64, 1}, {1, math.MaxInt64, 3},
	{1, math.MaxInt64, 5}, {1 << 40, math.MaxInt64, 5}, {1 << 50, math.MaxInt64, 3}, {1, 1 << 62, 3}, {1, 1<<62 - 1, 3},
}

// edges returns values at which something may change, and some between them.
func edges(r Range) []int64 {
	random := rand.New(rand.NewPCG(1, 2))
	vs := []int64{0, 1, r.Lowest - 1, r.Lowest, r.Lowest + 1, r.Highest - 1, r.Highest, math.MaxInt64}
	for bit := range 63 {
		v := int64(1) << bit
		vs = append(vs, v-1, v, v+1, v+random.Int64N(v), v+random.Int64N(v))
	}
	return vs
}

// The cell of a value and the values of a cell are those of HdrHistogram, which
// refuses the same values.
func TestGeometry(t *testing.T) {
	for _, r := range ranges {
		t.Run(fmt.Sprint(r), func(t *testing.T) {
			g := newGeometry(r)
			h := hdrhistogram.New(r.Lowest, r.Highest, r.Digits)
			counts := h.Export().Counts
			if g.Cells != len(counts) {
				t.Fatalf("%d cells, HdrHistogram has %d", g.Cells, len(counts))
			}
			for _, v := range edges(r) {
				cell := g.Cell(v)
				if err := h.RecordValue(v); (err == nil) != (cell < g.Cells) {
					t.Fatalf("%d in cell %d of %d, HdrHistogram: %v", v, cell, g.Cells, err)
				} else if err != nil {
					continue
				}
				low, high := g.Bounds(cell)
				if v < low || v > high {
					t.Fatalf("%d in cell %d of %d to %d", v, cell, low, high)
				}
				if next := high + 1; g.Cell(low) != cell || g.Cell(high) != cell ||
					low > 0 && g.Cell(low-1) != cell-1 || next > 0 && g.Cell(next) != cell+1 {
					t.Fatalf("cell %d is not from %d to %d", cell, low, high)
				}
				counts[cell]++
			}
			for cell, n := range h.Export().Counts {
				if n != counts[cell] {
					t.Fatalf("cell %d has %d, HdrHistogram's %d", cell, counts[cell], n)
				}
			}
		})
	}
}

func TestInvalidRange(t *testing.T) {
	for _, r := range []Range{
		{}, {0, 10, 3}, {1, 1, 3}, {10, 19, 3}, {1, 10, 0}, {1, 10, 6}, {-1, 10, 3}, {math.MaxInt64, math.MaxInt64, 1},
		{1 << 52, math.MaxInt64, 3},
	} {
		if !panics(func() { newGeometry(r) }) {
			t.Errorf("%v passes", r)
		}
	}
}

func panics(f func()) (did bool) {
	defer func() { did = recover() != nil }()
	f()
	return false
}
