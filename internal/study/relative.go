package study

import (
	"cmp"
	"math"
	"slices"

	"hotpath/internal/bench"
	"hotpath/internal/stats"
)

// Relative is a block with every contestant's cost as a multiple of one's.
type Relative struct {
	*Block
	Base   *Figure                   // the best other library, or the best contestant where there is none
	Ratios map[string]stats.Interval // by contestant, the base's included
}

// Relative reports false where the block has no two contestants to compare.
func (b *Block) Relative(unit bench.Unit) (Relative, bool) {
	figures := slices.DeleteFunc(b.Sorted(unit), func(f *Figure) bool { return !f.Role.Ranked() || !f.Counts() })
	if len(figures) < 2 {
		return Relative{}, false
	}
	r := Relative{Block: b, Base: b.Best(unit, bench.Peer), Ratios: map[string]stats.Interval{}}
	if r.Base == nil {
		r.Base = figures[0]
	}
	for _, f := range figures {
		if iv := b.Ratio(unit, f.Impl(), r.Base.Impl()); iv.Estimate > 0 {
			r.Ratios[f.Impl()] = iv
		}
	}
	return r, len(r.Ratios) > 1
}

// Foremost is the contestant to compare with the base: the best of ours, or else
// the best of all; nil where there is none.
func (r Relative) Foremost() *Row {
	var best *Row
	for _, row := range r.Rows {
		iv, ok := r.Ratios[row.Impl()]
		if !ok || row == r.Base.Row {
			continue
		}
		ours := row.Role == bench.Ours
		if best == nil || ours && best.Role != bench.Ours || ours == (best.Role == bench.Ours) && iv.Estimate < r.Ratios[best.Impl()].Estimate {
			best = row
		}
	}
	return best
}

// Rank lists the contestants of several blocks by the mean of their ratios'
// logarithms, the fastest first.
func Rank(rs []Relative) []*Row {
	var rows []*Row
	means := map[string]float64{}
	for _, r := range rs {
		for _, row := range r.Rows {
			impl := row.Impl()
			if _, seen := means[impl]; seen {
				continue
			}
			total, n := 0.0, 0
			for _, other := range rs {
				if iv, ok := other.Ratios[impl]; ok {
					total, n = total+math.Log10(iv.Estimate), n+1
				}
			}
			if n > 0 {
				rows, means[impl] = append(rows, row), total/float64(n)
			}
		}
	}
	slices.SortStableFunc(rows, func(a, b *Row) int { return cmp.Compare(means[a.Impl()], means[b.Impl()]) })
	return rows
}

// Contest is the best of ours against the best of other libraries.
type Contest struct {
	*Block
	Unit       bench.Unit
	Ours, Peer *Figure
	Ratio      stats.Interval // ours / theirs
}

// Contests are those of each block of throughput in which both take part.
func (x *Experiment) Contests() []Contest {
	var all []Contest
	for _, b := range x.Blocks {
		if b.Mode() != bench.Throughput {
			continue
		}
		for _, unit := range []bench.Unit{bench.TimePerOp, bench.ServerCPU} {
			ours, peer := b.Best(unit, bench.Ours), b.Best(unit, bench.Peer)
			if ours != nil && peer != nil {
				all = append(all, Contest{b, unit, ours, peer, b.Ratio(unit, ours.Impl(), peer.Impl())})
			}
		}
	}
	return all
}
