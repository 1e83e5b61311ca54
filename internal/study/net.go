package study

import (
	"math"
	"slices"

	"hotpath/internal/bench"
	"hotpath/internal/stats"
)

// Net is the ratio of what the baseline and the candidate take beyond what the
// floor takes, paired by heat. It is shown beside the ratio and never judged, and
// is known only where both take more than the floor, in every heat and with their
// whole intervals.
func (b *Block) Net(unit bench.Unit, baseline, candidate string) (stats.Interval, bool) {
	i := slices.IndexFunc(b.Rows, func(r *Row) bool { return r.Role == bench.Floor })
	if i < 0 {
		return stats.Interval{}, false
	}
	floor := b.Rows[i].Impl()
	base, widenBase, okBase := b.beyond(unit, baseline, floor)
	cand, widenCand, okCand := b.beyond(unit, candidate, floor)
	if !okBase || !okCand {
		return stats.Interval{}, false
	}
	var nets []float64
	for number := 1; number <= b.numbers; number++ {
		v, okV := base[number]
		w, okW := cand[number]
		if okV && okW {
			nets = append(nets, v/w)
		}
	}
	iv, err := stats.RatioOf(nets, Level)
	return iv.Widened(widenBase + widenCand), err == nil
}

// beyond is what a contestant takes beyond the floor, as multiples of the floor by
// the number of the heat, and what the block's control can hide of it, in
// logarithms: the less is left, the larger a share of it that is.
func (b *Block) beyond(unit bench.Unit, impl, floor string) (byNumber map[int]float64, widen float64, ok bool) {
	c := b.Compare(unit, impl, floor, Level)
	if c.Noisy || c.Level == 0 || c.Low <= 1 {
		return nil, 0, false
	}
	ratios := map[int][]float64{}
	for _, h := range c.Heats {
		ratios[h.Number] = append(ratios[h.Number], h.Ratio)
	}
	byNumber = map[int]float64{}
	for number, rs := range ratios {
		if byNumber[number] = stats.Middle(rs) - 1; byNumber[number] <= 0 {
			return nil, 0, false
		}
	}
	hidden := math.Exp(b.Control(unit).Widen)
	return byNumber, math.Log((c.Estimate*hidden - 1) / (c.Estimate - 1)), true
}
