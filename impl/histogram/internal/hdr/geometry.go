// Package hdr is the geometry of HdrHistogram: which cell counts a value, and
// which values a cell counts.
//
// Cells double their width with each power of two, so that two values in one cell
// differ by less than one part in 10^digits, or by less than the lowest value.
package hdr

import (
	"math"
	"math/bits"
)

// Geometry maps values to cells. A cell's number is that of HdrHistogram's array
// of counts.
type Geometry struct {
	mask  uint64 // values up to it are told apart at full resolution
	unit  uint8  // log2 of a cell's width up to mask
	Half  uint8  // log2 of the number of cells in each power of two above mask
	Cells int    // how many cells there are
}

// New returns the geometry that tells values up to highest apart by so many
// digits, but not by less than lowest. It panics unless 1 <= lowest,
// 2*lowest <= highest and digits are 1 to 5, and if a power of two of cells of
// width lowest does not fit in 63 bits.
func New(lowest, highest int64, digits int) Geometry {
	if lowest < 1 || highest/2 < lowest {
		panic("histogram: a Range needs 1 <= Lowest and 2*Lowest <= Highest")
	}
	if digits < 1 || digits > 5 {
		panic("histogram: a Range has 1 to 5 Digits")
	}
	resolved := uint64(2 * math.Pow10(digits)) // this many units at full resolution
	half := bits.Len64(resolved-1) - 1
	unit := bits.Len64(uint64(lowest)) - 1
	if unit+half > 61 {
		panic("histogram: Lowest is too large for so many Digits")
	}
	mask := uint64(1)<<(unit+half+1) - 1
	powers := 1 + bits.Len64(uint64(highest)|mask) - bits.Len64(mask)
	return Geometry{mask, uint8(unit), uint8(half), (powers + 1) << half}
}

// Cell returns the cell of v, which must not be negative. The result is at least
// g.Cells if v is too large.
func (g *Geometry) Cell(v int64) int {
	shift := bits.Len64(uint64(v)|g.mask) - int(g.Half) - 1
	return (shift-int(g.unit))<<(g.Half&63) + int(v>>(shift&63))
}

// Bounds returns the lowest and the highest value of a cell.
func (g *Geometry) Bounds(cell int) (low, high int64) {
	power := max(cell>>g.Half-1, 0)
	shift := power + int(g.unit)
	low = int64(cell-power<<g.Half) << shift
	return low, low + (1<<shift - 1)
}

// Counts returns a count for each cell, in the memory of old if that is enough.
// They may hold anything.
func (g *Geometry) Counts(old []int64) []int64 {
	if cap(old) < g.Cells {
		return make([]int64, g.Cells)
	}
	return old[:g.Cells]
}
