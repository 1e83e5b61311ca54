package histogram

import (
	"math"
	"sync/atomic"

	"hotpath/impl/histogram/internal/extreme"
)

// Atomic is one histogram that any number of goroutines record in, each with an
// atomic add to a cell and another to a part of the sum. No Record waits for
// another, and all of it is visible when it returns.
//
// A Snapshot has every Record that returned before it began, and each of them once.
// While others record it is no single moment: its Count is the sum of its Counts,
// but Sum, Min and Max may belong to a few updates more than Counts, and Sum to a
// few less. Once all Records have returned everything is exact.
//
// A cell takes 4 bytes, and 4 more for all cells once one has counted to 2^31.
// A goroutine that is held up in the midst of a Record or of a Snapshot, while 2^30
// others record in the cell that it is about to count or read, makes the count of
// the cell wrong until it goes on. Use NewAtomic.
type Atomic struct {
	// What Record reads is one line, which is seldom written.
	min, max atomic.Int64 // of all values in cells and perhaps of some under way
	cells    []atomic.Uint32
	geometry geometry

	crossed            atomic.Pointer[[]atomic.Uint32] // how often a cell went past a multiple of half
	negative, tooLarge atomic.Int64

	_   [lineSize - 112]byte
	sum partialSums
}

// half is what a cell can count without a carry being noted, half of its range: then
// the cell itself shows whether its last carry is noted already.
const half = 1 << 31

// NewAtomic returns an empty histogram. It panics if r is invalid.
func NewAtomic(r Range) *Atomic {
	g := newGeometry(r)
	a := &Atomic{geometry: g, cells: make([]atomic.Uint32, g.Cells)}
	a.min.Store(math.MaxInt64)
	a.max.Store(-1)
	return a
}

// Record adds v. Negative and too large values are counted as such.
func (a *Atomic) Record(v int64) { a.record(v, part()) }

func (a *Atomic) record(v int64, part int) {
	if v < 0 {
		a.negative.Add(1)
		return
	}
	cell := a.geometry.Cell(v)
	if cell >= len(a.cells) {
		a.tooLarge.Add(1)
		return
	}
	// The extremes first, so that they always include what the cells have.
	extreme.Lower(&a.min, a.min.Load(), v)
	extreme.Raise(&a.max, a.max.Load(), v)
	a.sum[part].n.Add(v)
	if n := a.cells[cell].Add(1); n%half == 0 {
		a.cross(cell)
	}
}

func (a *Atomic) cross(cell int) {
	crossed := a.crossed.Load()
	if crossed == nil {
		made := make([]atomic.Uint32, len(a.cells))
		a.crossed.CompareAndSwap(nil, &made)
		crossed = a.crossed.Load()
	}
	(*crossed)[cell].Add(1)
}

// Snapshot reads the histogram into dst, which may be nil or any earlier Snapshot,
// and returns it. It allocates only if dst is nil or of another Range.
func (a *Atomic) Snapshot(dst *Snapshot) *Snapshot {
	dst = emptySnapshot(&a.geometry, dst)
	first, end := 0, 0
	if high := a.max.Load(); high >= 0 {
		first, end = a.geometry.Cell(a.min.Load()), a.geometry.Cell(high)+1
	}
	clear(dst.Counts[:first])
	clear(dst.Counts[end:])
	for cell := first; cell < end; cell++ {
		n := int64(a.cells[cell].Load())
		dst.Counts[cell] = n
		dst.Count += n
	}
	if crossed := a.crossed.Load(); crossed != nil {
		for cell := first; cell < end; cell++ {
			c := carry(uint32(dst.Counts[cell]), (*crossed)[cell].Load())
			dst.Counts[cell] += c
			dst.Count += c
		}
	}
	if dst.Count > 0 {
		dst.Sum, dst.Min, dst.Max = a.sum.load(), a.min.Load(), a.max.Load()
	}
	dst.Negative, dst.TooLarge = a.negative.Load(), a.tooLarge.Load()
	return dst
}

// carry returns what a cell that shows n counted beyond it. Of its crossings the
// latest may not be noted yet, or one may be noted that is later than n.
func carry(n, crossed uint32) int64 {
	c := int64(crossed)
	if n/half != crossed%2 {
		if n%half < half/2 {
			c++
		} else {
			c--
		}
	}
	return c*half - int64(n/half)*half
}
