package study

import (
	"cmp"
	"slices"

	"hotpath/internal/bench"
	"hotpath/internal/stats"
)

// Rank is a contestant's place in a block.
type Rank struct {
	*Figure
	Faster stats.Interval // how many times as fast as the base it is; its Estimate is 0 where no heat tells
}

// Standing is the contestants of a block in the order of their speed.
type Standing struct {
	*Block
	Base  *Figure // the fastest other library, or else the block's baseline, or else the fastest
	Open  bool    // whether other libraries may be faster than Base, of which too few heats tell
	Ranks []Rank  // the fastest first, those of which no heat tells last
}

// Standing reports false where no contestant counts.
func (b *Block) Standing(unit bench.Unit) (Standing, bool) {
	figures := b.Sorted(unit)
	contenders := Contenders(figures)
	if len(contenders) == 0 {
		return Standing{}, false
	}
	s := Standing{Block: b, Base: b.Best(unit, bench.Peer)}
	if best := s.Base; best != nil && b.Ratio(unit, best.Impl(), contenders[0].Impl()).Level == 0 {
		for _, f := range contenders {
			if f.Role == bench.Peer && b.Ratio(unit, f.Impl(), contenders[0].Impl()).Level > 0 {
				s.Base = f
				break
			}
		}
	}
	if s.Base == nil {
		s.Base = contenders[0]
		if i := slices.IndexFunc(contenders, func(f *Figure) bool { return f.Impl() == b.baseline }); i >= 0 {
			s.Base = contenders[i]
		}
	}
	s.Open = slices.ContainsFunc(figures, func(f *Figure) bool {
		return f.Role == bench.Peer && f.Median.N > 0 && f.Median.Estimate < s.Base.Median.Estimate
	})
	for _, f := range figures {
		if f.Median.N == 0 {
			continue
		}
		r := Rank{f, b.Ratio(unit, s.Base.Impl(), f.Impl())}
		if f == s.Base {
			r.Faster.Low, r.Faster.High = r.Faster.Estimate, r.Faster.Estimate
		}
		s.Ranks = append(s.Ranks, r)
	}
	slices.SortStableFunc(s.Ranks, func(a, b Rank) int { return cmp.Compare(b.Faster.Estimate, a.Faster.Estimate) })
	return s, true
}

// Of finds a contestant's place, or returns nil.
func (s Standing) Of(impl string) *Rank {
	i := slices.IndexFunc(s.Ranks, func(r Rank) bool { return r.Impl() == impl })
	if i < 0 {
		return nil
	}
	return &s.Ranks[i]
}

// Foremost is the fastest of ours whose caller holds nothing for it, and the
// fastest of those whose caller does; nil where there is none that counts.
func (s Standing) Foremost() (free, held *Rank) {
	free = s.first(func(r *Rank) bool { return r.Role == bench.Ours && r.Holds == "" })
	held = s.first(func(r *Rank) bool { return r.Role == bench.Ours && r.Holds != "" })
	return free, held
}

// first is the fastest of those that are wanted: of those with heats enough for an
// interval, or of all where there are none; nil where no heat tells of any.
func (s Standing) first(wanted func(*Rank) bool) *Rank {
	var best *Rank
	for i := range s.Ranks {
		r := &s.Ranks[i]
		if r.Faster.Estimate > 0 && wanted(r) && (best == nil || best.Faster.Level == 0 && r.Faster.Level > 0) {
			best = r
		}
	}
	return best
}
