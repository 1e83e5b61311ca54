package published

import (
	"errors"
	"math"
	"sync/atomic"

	"hotpath/impl/histogram"
	"hotpath/impl/histogram/internal/extreme"
	"hotpath/impl/histogram/internal/hdr"
)

// Errors of the histograms that re-create HdrHistogram's, where Java throws.
var (
	ErrNegative = errors.New("histogram: negative value")
	ErrTooLarge = errors.New("histogram: value beyond the range")
)

// HDRAtomic is HdrHistogram's AtomicHistogram: an array of counts of fixed range,
// the extremes, and a total that every record increments.
//
// A value that it refuses changes nothing but the figures Negative and TooLarge
// of a Snapshot. Those are an addition, as are two more: Min and Max are exact
// where the original rounds them to a multiple of Lowest, and the Count of a
// Snapshot is the sum of its Counts, while Count below is the total, which may
// differ while others record. Sum is estimated, from the middle of each cell, as
// the original's mean is. Correction for coordinated omission, adding of
// histograms and iterators are left out.
//
// Any number of goroutines may record and read. A Snapshot holds all records that
// were complete when it was called, and some of those since. Use NewHDRAtomic.
type HDRAtomic struct {
	span               histogram.Range
	geometry           hdr.Geometry
	counts             []atomic.Int64
	extremes           extremes
	total              atomic.Int64
	negative, tooLarge atomic.Int64
}

// extremes are the smallest and the largest value.
type extremes struct {
	max, min atomic.Int64
}

// NewHDRAtomic returns a histogram of r. It panics if r is invalid.
func NewHDRAtomic(r histogram.Range) *HDRAtomic {
	h := &HDRAtomic{span: r, geometry: hdr.New(r.Lowest, r.Highest, r.Digits)}
	h.counts = make([]atomic.Int64, h.geometry.Cells)
	h.extremes.reset()
	return h
}

// Record adds v. It returns ErrNegative or ErrTooLarge if it refuses v.
func (h *HDRAtomic) Record(v int64) error {
	if v < 0 {
		h.negative.Add(1)
		return ErrNegative
	}
	cell := h.geometry.Cell(v)
	if cell >= len(h.counts) {
		h.tooLarge.Add(1)
		return ErrTooLarge
	}
	h.counts[cell].Add(1)
	h.extremes.extend(v)
	h.total.Add(1)
	return nil
}

// Count returns the number of values recorded.
func (h *HDRAtomic) Count() int64 { return h.total.Load() }

// Snapshot reads the histogram into dst, or into a new snapshot if dst is nil,
// and returns it.
func (h *HDRAtomic) Snapshot(dst *histogram.Snapshot) *histogram.Snapshot {
	dst = emptySnapshot(h.span, &h.geometry, dst)
	for i := range h.counts {
		dst.Counts[i] = h.counts[i].Load()
	}
	dst.Negative, dst.TooLarge = h.negative.Load(), h.tooLarge.Load()
	h.extremes.complete(&h.geometry, dst)
	return dst
}

// Reset sets everything to zero, cell by cell. A record at the same time may be
// lost in part.
func (h *HDRAtomic) Reset() {
	for i := range h.counts {
		h.counts[i].Store(0)
	}
	h.total.Store(0)
	h.extremes.reset()
	h.negative.Store(0)
	h.tooLarge.Store(0)
}

func (e *extremes) reset() {
	e.max.Store(0)
	e.min.Store(math.MaxInt64)
}

func (e *extremes) extend(v int64) {
	extreme.Raise(&e.max, e.max.Load(), v)
	extreme.Lower(&e.min, e.min.Load(), v)
}

// complete derives the other fields of s from its counts and e. A record under
// way may be in the counts and not yet in e.
func (e *extremes) complete(g *hdr.Geometry, s *histogram.Snapshot) {
	first := -1
	var low, high int64
	for cell, n := range s.Counts {
		if n == 0 {
			continue
		}
		low, high = g.Bounds(cell)
		if first < 0 {
			first = cell
			s.Min = min(e.min.Load(), high)
		}
		s.Count += n
		s.Sum += n * (low + (high-low+1)/2)
	}
	if first >= 0 {
		s.Max = max(e.max.Load(), low)
	}
}

// emptySnapshot makes dst, or a new snapshot if it is nil, one of r without values.
// Its Counts may hold anything.
func emptySnapshot(r histogram.Range, g *hdr.Geometry, dst *histogram.Snapshot) *histogram.Snapshot {
	if dst == nil {
		dst = new(histogram.Snapshot)
	}
	*dst = histogram.Snapshot{Range: r, Counts: g.Counts(dst.Counts)}
	return dst
}
