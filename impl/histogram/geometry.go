package histogram

import (
	"math"
	"math/bits"
)

// Range says which values a histogram holds and how well it tells them apart.
// The geometry is HdrHistogram's: cells double their width with each power of
// two, so that two values in one cell differ by less than one part in 10^Digits,
// or by less than Lowest.
//
// The last cells reach to the end of a power of two and so somewhat beyond
// Highest; values up to there are held, larger ones are refused.
type Range struct {
	Lowest  int64 // the smallest difference to tell apart, at least 1
	Highest int64 // the largest value to hold for certain, at least 2*Lowest
	Digits  int   // significant decimal digits, 1 to 5
}

// geometry maps values to cells. A cell's number is that of HdrHistogram's array
// of counts.
type geometry struct {
	mask  uint64 // values up to it are told apart at full resolution
	unit  uint8  // log2 of a cell's width up to mask
	half  uint8  // log2 of the number of cells in each power of two above mask
	cells int
	Range
}

// newGeometry panics if r breaks the rules of its fields, or if a power of two of
// cells of width Lowest does not fit in 63 bits.
func newGeometry(r Range) geometry {
	if r.Lowest < 1 || r.Highest/2 < r.Lowest {
		panic("histogram: a Range needs 1 <= Lowest and 2*Lowest <= Highest")
	}
	if r.Digits < 1 || r.Digits > 5 {
		panic("histogram: a Range has 1 to 5 Digits")
	}
	resolved := uint64(2 * math.Pow10(r.Digits)) // this many units at full resolution
	half := bits.Len64(resolved-1) - 1
	unit := bits.Len64(uint64(r.Lowest)) - 1
	if unit+half > 61 {
		panic("histogram: Lowest is too large for so many Digits")
	}
	mask := uint64(1)<<(unit+half+1) - 1
	powers := 1 + bits.Len64(uint64(r.Highest)|mask) - bits.Len64(mask)
	return geometry{mask, uint8(unit), uint8(half), (powers + 1) << half, r}
}

// cell returns the cell of v, which must not be negative. The result is at least
// g.cells if v is too large.
func (g *geometry) cell(v int64) int {
	shift := bits.Len64(uint64(v)|g.mask) - int(g.half) - 1
	return (shift-int(g.unit))<<(g.half&63) + int(v>>(shift&63))
}

// bounds returns the lowest and the highest value of a cell.
func (g *geometry) bounds(cell int) (low, high int64) {
	power := max(cell>>g.half-1, 0)
	shift := power + int(g.unit)
	low = int64(cell-power<<g.half) << shift
	return low, low + (1<<shift - 1)
}
