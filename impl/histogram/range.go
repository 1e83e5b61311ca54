package histogram

import "hotpath/impl/histogram/internal/hdr"

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

// geometry is a Range with its cells.
type geometry struct {
	hdr.Geometry
	Range
}

// newGeometry panics if r breaks the rules of its fields, or if a power of two of
// cells of width Lowest does not fit in 63 bits.
func newGeometry(r Range) geometry { return geometry{hdr.New(r.Lowest, r.Highest, r.Digits), r} }

// emptySnapshot makes dst, or a new snapshot if it is nil, one of g without
// values. Its Counts may hold anything.
func emptySnapshot(g *geometry, dst *Snapshot) *Snapshot {
	if dst == nil {
		dst = new(Snapshot)
	}
	*dst = Snapshot{Range: g.Range, Counts: g.Counts(dst.Counts)}
	return dst
}
