package histogram

import (
	"math"
	"math/bits"
	"slices"
)

// Snapshot is what a histogram held at a moment, or the difference of two such
// moments. It is plain data and belongs to its reader, who passes it to the next
// read as a buffer. The zero value holds nothing.
type Snapshot struct {
	Range  Range
	Counts []int64 // by cell of HdrHistogram's geometry, by ascending value, full length

	// Count is the sum of Counts, Sum the sum of the recorded values; Sum wraps
	// around as int64 does, which Total does not. Min and Max are the smallest and
	// the largest recorded value, both 0 without one.
	Count, Sum, Min, Max int64

	// Negative and TooLarge count the values that were refused. They are in none
	// of the fields above.
	Negative, TooLarge int64
}

// Quantile returns a value that at least the part q (0 to 1) of the recorded
// values does not exceed: the highest value of the cell that holds the value of
// rank ceil(q*Count), which is the rank that HdrHistogram for Java picks. It is
// never above Max, it is Min for a q of 0 or less, Max for 1 or more, and 0
// without recorded values.
func (s *Snapshot) Quantile(q float64) int64 {
	switch {
	case s.Count == 0:
		return 0
	case q <= 0:
		return s.Min
	case q >= 1:
		return s.Max
	}
	// One step down, so that a q such as 0.07 is not rounded up past its rank.
	rank := max(int64(math.Ceil(math.Nextafter(q, 0)*float64(s.Count))), 1)
	g := s.geometry()
	var seen int64
	for cell, n := range s.Counts {
		if seen += n; seen >= rank {
			_, high := g.Bounds(cell)
			return min(high, s.Max)
		}
	}
	return s.Max
}

// Total returns the sum of the recorded values, exact up to rounding. Where Sum
// wrapped around, the cells tell how often: that is certain while what values may
// differ from the middle of their cells adds up to less than 2^63, which with 3
// Digits is up to a sum of 2^72.
func (s *Snapshot) Total() float64 {
	if high, low := bits.Mul64(uint64(s.Count), uint64(s.Max)); high == 0 && low <= math.MaxInt64 {
		return float64(s.Sum)
	}
	var high, low uint64 // of values in the middle of their cells
	for c := range s.Cells() {
		h, l := bits.Mul64(uint64(c.Count), uint64(c.middle()))
		var carry uint64
		low, carry = bits.Add64(low, l, 0)
		high += h + carry
	}
	return math.Ldexp(float64(high), 64) + float64(low) + float64(int64(uint64(s.Sum)-low))
}

// Mean returns the mean of the recorded values, 0 without one. It is as exact as
// Total.
func (s *Snapshot) Mean() float64 {
	if s.Count == 0 {
		return 0
	}
	return s.Total() / float64(s.Count)
}

// Sub leaves in s what was recorded between two snapshots of one histogram, of
// which older is the earlier one.
//
// Min and Max of the difference are exact if the interval brought a new extreme of
// the histogram; else they are the outer bounds of the lowest and of the highest
// cell that it touched, and so as far off as Range allows.
//
// It panics if the two have different ranges.
func (s *Snapshot) Sub(older *Snapshot) {
	if s.Range != older.Range {
		panic("histogram: the difference of snapshots with different ranges")
	}
	s.sub(older, 0)
}

// sub is Sub where older.Counts begin with cell first, and end with the last that
// is not zero or later.
func (s *Snapshot) sub(older *Snapshot, first int) {
	s.Negative -= older.Negative
	s.TooLarge -= older.TooLarge
	s.Sum -= older.Sum
	if older.Count == 0 {
		return
	}
	counts := s.Counts[first:]
	for i, n := range older.Counts {
		counts[i] -= n
	}
	s.Count -= older.Count

	used := func(n int64) bool { return n != 0 }
	lowest := slices.IndexFunc(s.Counts, used)
	if lowest < 0 {
		s.Min, s.Max = 0, 0
		return
	}
	g := s.geometry()
	if s.Min == older.Min {
		low, _ := g.Bounds(lowest)
		s.Min = max(low, s.Min)
	}
	if s.Max == older.Max {
		highest := len(s.Counts) - 1
		for s.Counts[highest] == 0 {
			highest--
		}
		_, high := g.Bounds(highest)
		s.Max = min(high, s.Max)
	}
}

// geometry is that of the Range, or the least there is for the zero value.
func (s *Snapshot) geometry() geometry {
	if s.Range == (Range{}) {
		return newGeometry(Range{Lowest: 1, Highest: 2, Digits: 1})
	}
	return newGeometry(s.Range)
}
