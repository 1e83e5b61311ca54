package study

import (
	"cmp"
	"slices"

	"hotpath/internal/bench"
	"hotpath/internal/stats"
)

// Figure is what the forks of a contestant measured in one unit.
type Figure struct {
	*Row
	// Median is that of the clean forks, at Level; where none is clean it is that
	// of the gated ones, which count for nothing.
	Median stats.Interval
	Clean  []float64 // of the forks that count, by round
	Gated  []float64 // of those that ran to their end and do not
	Points []Point   // of all that ran to their end, in that order
}

// Point is the value of one fork.
type Point struct {
	Fork  int
	Value float64
	Clean bool
}

// Counts reports whether a clean fork stands behind the figure.
func (f *Figure) Counts() bool { return len(f.Clean) > 0 }

// Missing is how many forks have no value.
func (f *Figure) Missing() int { return len(f.Forks) - len(f.Points) }

// Figure is the row's figure of a unit; without any value its Median has N = 0.
func (r *Row) Figure(unit bench.Unit) *Figure {
	if f := r.figures[unit]; f != nil {
		return f
	}
	f := &Figure{Row: r}
	for _, fork := range r.Clean {
		if v, ok := fork.Value(unit); ok {
			f.Clean = append(f.Clean, v)
		}
	}
	for _, fork := range r.Forks {
		v, ok := fork.Value(unit)
		if !ok {
			continue
		}
		f.Points = append(f.Points, Point{fork.ID, v, fork.Clean()})
		if !fork.Clean() {
			f.Gated = append(f.Gated, v)
		}
	}
	values := f.Clean
	if len(values) == 0 {
		values = f.Gated
	}
	// Too few values for an interval leave the median, which is shown alone.
	f.Median, _ = stats.Median(values, Level)
	r.figures[unit] = f
	return f
}

// Figures are those of the contestants that have the unit, in the order of the
// plan.
func (b *Block) Figures(unit bench.Unit) []*Figure {
	return slices.DeleteFunc(b.all(unit), func(f *Figure) bool { return f.Median.N == 0 })
}

// Sorted are the figures of all contestants, as ByMedian sorts them, those
// without any value last.
func (b *Block) Sorted(unit bench.Unit) []*Figure { return ByMedian(b.all(unit)) }

func (b *Block) all(unit bench.Unit) []*Figure {
	var all []*Figure
	for _, r := range b.Rows {
		all = append(all, r.Figure(unit))
	}
	return all
}

// ScoreUnits are the units that sum up a fork, the first that a fork has.
var ScoreUnits = []bench.Unit{bench.MeanLatency, bench.TimePerOp, bench.Real}

// Score is the unit that sums up the block's forks.
func (b *Block) Score() bench.Unit {
	for _, unit := range ScoreUnits {
		if len(b.Figures(unit)) > 0 {
			return unit
		}
	}
	return b.Mode().Score()
}

// Has reports whether a clean fork of the block has the unit.
func (b *Block) Has(unit bench.Unit) bool {
	return slices.ContainsFunc(b.all(unit), (*Figure).Counts)
}

// Some reports whether a clean fork of the block has a value other than 0.
func (b *Block) Some(unit bench.Unit) bool {
	return slices.ContainsFunc(b.all(unit), func(f *Figure) bool {
		return slices.ContainsFunc(f.Clean, func(v float64) bool { return v != 0 })
	})
}

// ByMedian sorts figures, the lowest first and those that do not count last.
func ByMedian(figures []*Figure) []*Figure {
	rank := func(f *Figure) int {
		switch {
		case f.Counts():
			return 0
		case f.Median.N > 0:
			return 1
		}
		return 2
	}
	return slices.SortedStableFunc(slices.Values(figures), func(a, b *Figure) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.Median.Estimate, b.Median.Estimate))
	})
}

// Contenders are the figures that a sentence may compare: those that count, and
// of more than the floor and the control where there is more.
func Contenders(figures []*Figure) []*Figure {
	counting := slices.DeleteFunc(slices.Clone(figures), func(f *Figure) bool { return !f.Counts() })
	ranked := slices.DeleteFunc(slices.Clone(counting), func(f *Figure) bool { return !f.Role.Ranked() })
	if len(ranked) == 0 {
		return counting
	}
	return ranked
}

// Best is the contestant of a role with the lowest median: of those with heats
// enough for an interval, or of all where there are none; nil where none counts.
func (b *Block) Best(unit bench.Unit, role bench.Role) *Figure {
	var best *Figure
	for _, f := range b.Sorted(unit) {
		if f.Counts() && f.Role == role && (best == nil || best.Median.Level == 0 && f.Median.Level > 0) {
			best = f
		}
	}
	return best
}

// Rows are those of some figures.
func Rows(figures []*Figure) []*Row {
	var rows []*Row
	for _, f := range figures {
		rows = append(rows, f.Row)
	}
	return rows
}
