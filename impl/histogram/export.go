package histogram

import (
	"fmt"
	"iter"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Export returns the snapshot as a histogram of hdrhistogram-go with the same
// range. Its counts are the same cell by cell, so it Equals one that recorded the
// same values itself, those between Range.Highest and the end of the last cell
// included. It has no place for the exact Sum, Min and Max, nor for the values
// that were refused.
//
// The result shares nothing with the snapshot; it takes 8 bytes per cell.
func (s *Snapshot) Export() *hdrhistogram.Histogram {
	g := s.geometry()
	counts := s.Counts
	if counts == nil {
		counts = make([]int64, g.Cells)
	}
	return hdrhistogram.Import(&hdrhistogram.Snapshot{
		LowestTrackableValue:  g.Lowest,
		HighestTrackableValue: g.Highest,
		SignificantFigures:    int64(g.Digits),
		Counts:                counts,
	})
}

// Import returns what an hdrhistogram-go histogram holds as a snapshot. Counts and
// Count are exact. The rest is what cells can tell: Min is the lowest value of the
// first cell in use, Max the highest of the last one, and Sum takes each value to
// be in the middle of its cell, as HdrHistogram does for its mean.
//
// It refuses a histogram that a Range cannot describe, with no significant digits
// or a highest value below twice the lowest one, and one whose values stand for
// fractions (a conversion ratio other than 1).
func Import(h *hdrhistogram.Histogram) (*Snapshot, error) {
	x := h.Export()
	r := Range{x.LowestTrackableValue, x.HighestTrackableValue, int(x.SignificantFigures)}
	if r.Digits < 1 || r.Highest/2 < r.Lowest {
		return nil, fmt.Errorf("range %d to %d with %d digits is not supported", r.Lowest, r.Highest, r.Digits)
	}
	if ratio := x.IntegerToDoubleConversionRatio; ratio != 0 && ratio != 1 {
		return nil, fmt.Errorf("conversion ratio %g is not supported", ratio)
	}
	s := &Snapshot{Range: r, Counts: x.Counts}
	for c := range s.Cells() {
		if s.Count == 0 {
			s.Min = c.Low
		}
		s.Max = c.High
		s.Count += c.Count
		s.Sum += c.Count * c.middle()
	}
	return s, nil
}

// Cell is a cell of a snapshot: Count values from Low to High.
type Cell struct {
	Low, High, Count int64
}

// middle is HdrHistogram's median equivalent value.
func (c Cell) middle() int64 { return c.Low + (c.High-c.Low+1)/2 }

// Cells returns the cells that hold values, by ascending value: what it takes to
// bring a snapshot into another shape of histogram.
func (s *Snapshot) Cells() iter.Seq[Cell] {
	return func(yield func(Cell) bool) {
		g := s.geometry()
		for cell, n := range s.Counts {
			if n == 0 {
				continue
			}
			low, high := g.Bounds(cell)
			if !yield(Cell{low, high, n}) {
				return
			}
		}
	}
}
