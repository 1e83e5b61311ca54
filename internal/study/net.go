package study

import (
	"math"
	"slices"

	"hotpath/internal/bench"
	"hotpath/internal/stats"
)

// Net is the ratio of what the baseline and the candidate take beyond what the
// floor takes, each that of its own language, paired by heat. It is shown beside the
// ratio and never judged, and is known only where both take more than the floor, in
// every heat and with their whole intervals.
func (b *Block) Net(unit bench.Unit, baseline, candidate string) (stats.Interval, bool) {
	floorBase, floorCand := b.FloorOf(b.Row(baseline)), b.FloorOf(b.Row(candidate))
	if floorBase == nil || floorCand == nil {
		return stats.Interval{}, false
	}
	base, widenBase, okBase := b.beyond(unit, baseline, floorBase.Impl())
	cand, widenCand, okCand := b.beyond(unit, candidate, floorCand.Impl())
	if !okBase || !okCand {
		return stats.Interval{}, false
	}
	widen := widenBase + widenCand
	floors := func(int) float64 { return 1 }
	if floorBase != floorCand {
		ratios := byNumber(b.HeatRatios(unit, floorBase.Impl(), floorCand.Impl(), Everywhere))
		floors = func(number int) float64 { return ratios[number] }
		widen += b.Control(unit).Widen
	}
	var nets []float64
	for number := 1; number <= b.numbers; number++ {
		v, okV := base[number]
		w, okW := cand[number]
		if f := floors(number); okV && okW && f > 0 {
			nets = append(nets, v/w*f)
		}
	}
	iv, err := stats.RatioOf(nets, Level)
	return iv.Widened(widen), err == nil
}

// FloorOf is the floor of the language that a contestant is written in; nil where the
// block has none, or r is nil.
func (b *Block) FloorOf(r *Row) *Row {
	i := slices.IndexFunc(b.Rows, func(f *Row) bool { return r != nil && f.Role == bench.Floor && f.foreign() == r.foreign() })
	if i < 0 {
		return nil
	}
	return b.Rows[i]
}

// foreign reports whether the contestant is written in another language: its fork is
// a command, and not the test binary.
func (r *Row) foreign() bool { return len(r.Command) > 0 }

// beyond is what a contestant takes beyond the floor, as multiples of the floor by
// the number of the heat, and what the block's control can hide of it, in
// logarithms: the less is left, the larger a share of it that is.
func (b *Block) beyond(unit bench.Unit, impl, floor string) (multiples map[int]float64, widen float64, ok bool) {
	c := b.Compare(unit, impl, floor, Level)
	if c.Noisy || c.Level == 0 || c.Low <= 1 {
		return nil, 0, false
	}
	multiples = byNumber(c.Heats)
	for number := range multiples {
		if multiples[number]--; multiples[number] <= 0 {
			return nil, 0, false
		}
	}
	hidden := math.Exp(b.Control(unit).Widen)
	return multiples, math.Log((c.Estimate*hidden - 1) / (c.Estimate - 1)), true
}
