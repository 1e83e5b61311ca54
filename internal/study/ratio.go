package study

import (
	"math"

	"hotpath/internal/bench"
	"hotpath/internal/claims"
	"hotpath/internal/results"
	"hotpath/internal/stats"
)

// perLap are the units that every turn tells, and so every lap: ratios of these
// are paired within a lap. All others are a fork's, and are paired by heat.
var perLap = map[bench.Unit]bench.Unit{
	bench.TimePerOp: bench.TimePerOp, bench.TimePerUpdate: bench.TimePerOp, bench.Real: bench.TimePerOp,
	bench.CPUPerOp: bench.CPUPerOp, bench.CPUSeconds: bench.CPUPerOp,
	bench.ServerCPU: bench.ServerCPU, bench.MeanLatency: bench.MeanLatency,
}

// timed reports whether a unit depends on how fast the machine was, so that its
// ratios can be no better than the control's.
func timed(u bench.Unit) bool {
	return u.Quantity == bench.Nanos || u.Quantity == bench.Seconds || u.Quantity == bench.Share
}

// Ratio is what the baseline takes of a unit over what the candidate takes, at
// Level, widened by the block's control. Fewer heats than an interval takes leave
// it without one; where there is no heat, or one that has no ratio, its Estimate
// is 0.
func (b *Block) Ratio(unit bench.Unit, baseline, candidate string) stats.Interval {
	return b.Compare(unit, baseline, candidate, Level).Interval
}

// Versus is all that a run tells of what one contestant takes over what another
// takes.
type Versus struct {
	stats.Interval                                    // over the heats, widened by the control
	Heats          []HeatRatio                        // in their order
	Sums           float64                            // the ratio of the sums over the same laps; 0 for units that are a fork's
	Groups         map[bench.Placement]stats.Interval // over the laps in which the CPUs were so far apart; of groups with heats enough for an interval
	Err            error                              // why there is no interval
}

// HeatRatio is the ratio of one heat.
type HeatRatio struct {
	Number int // of the part's heats
	Ratio  float64
	Sums   float64
}

// Apart reports whether the printed costs, whose ratio is that of the sums, say
// something else than the ratio does: a slow phase of the machine weighs more in
// them.
func (c Versus) Apart() bool {
	return c.Sums > 0 && c.Level > 0 && math.Abs(math.Log(c.Sums/c.Estimate)) > c.LogHalfWidth()
}

// Compare measures the ratio of two contestants at a level.
func (b *Block) Compare(unit bench.Unit, baseline, candidate string, level float64) Versus {
	var c Versus
	c.Heats = b.heatRatios(unit, baseline, candidate, nil)
	c.Interval, c.Err = stats.RatioOf(ratiosOf(c.Heats), level)
	widen := b.Control(unit).Widen
	c.Interval = c.Interval.Widened(widen)
	if _, lapwise := perLap[unit]; !lapwise {
		return c
	}
	sums := make([]float64, len(c.Heats))
	for i, h := range c.Heats {
		sums[i] = h.Sums
	}
	if len(sums) > 0 {
		c.Sums = stats.Middle(sums)
	}
	c.Groups = map[bench.Placement]stats.Interval{}
	for _, place := range bench.Placements {
		heats := b.heatRatios(unit, baseline, candidate, func(l results.Lap) bool { return b.gates.Placement(l.HandOff()) == place })
		if len(heats) < claims.MinGroup {
			continue
		}
		if iv, err := stats.RatioOf(ratiosOf(heats), min(level, stats.HighestLevel(len(heats)))); err == nil {
			c.Groups[place] = iv.Widened(widen)
		}
	}
	return c
}

func ratiosOf(heats []HeatRatio) []float64 {
	rs := make([]float64, len(heats))
	for i, h := range heats {
		rs[i] = h.Ratio
	}
	return rs
}

// heatRatios has a ratio for each number of heats in which both contestants
// count. Two of different parts meet over the block's baseline, which is in all:
// the heats of equal number were held in the same part of the run, though not at
// the same time. Only laps that are wanted enter, or all if want is nil.
func (b *Block) heatRatios(unit bench.Unit, baseline, candidate string, want func(results.Lap) bool) []HeatRatio {
	var all []HeatRatio
	for number := 1; number <= b.numbers; number++ {
		r, ok := b.direct(unit, number, baseline, candidate, want)
		if !ok && b.baseline != "" && baseline != b.baseline && candidate != b.baseline {
			var first, second HeatRatio
			var ok1, ok2 bool
			first, ok1 = b.direct(unit, number, baseline, b.baseline, want)
			second, ok2 = b.direct(unit, number, b.baseline, candidate, want)
			r, ok = HeatRatio{number, first.Ratio * second.Ratio, first.Sums * second.Sums}, ok1 && ok2
		}
		if ok {
			all = append(all, r)
		}
	}
	return all
}

// direct is the ratio of two contestants over all heats of a number that held
// both: their laps together, where there are several.
func (b *Block) direct(unit bench.Unit, number int, baseline, candidate string, want func(results.Lap) bool) (HeatRatio, bool) {
	var laps []float64
	var base, cand sum
	for _, h := range b.heats {
		f, g := h.Fork(baseline), h.Fork(candidate)
		if h.Number != number || f == nil || g == nil || !f.Clean() || !g.Clean() {
			continue
		}
		of, lapwise := perLap[unit]
		if !lapwise {
			v, okV := f.Value(unit)
			w, okW := g.Value(unit)
			if okV && okW && v > 0 && w > 0 {
				laps = append(laps, v/w)
			}
			continue
		}
		for _, lap := range h.Laps {
			if want != nil && !want(lap) {
				continue
			}
			t, okT := lap.Turn(f.ID)
			u, okU := lap.Turn(g.ID)
			if !okT || !okU || !t.Kept() || !u.Kept() {
				continue
			}
			v, okV := t.PerOp(of)
			w, okW := u.PerOp(of)
			if okV && okW {
				laps = append(laps, v/w)
				base.add(v, t.Ops)
				cand.add(w, u.Ops)
			}
		}
	}
	least := 1
	if _, lapwise := perLap[unit]; lapwise {
		if least = b.Rows[0].Turn.LeastTurns(); want != nil {
			least /= 2
		}
	}
	if len(laps) < least {
		return HeatRatio{}, false
	}
	r := HeatRatio{Number: number, Ratio: stats.Middle(laps)}
	if base.ops > 0 && cand.ops > 0 {
		r.Sums = base.perOp() / cand.perOp()
	}
	return r, r.Ratio > 0
}

// sum is a cost over operations.
type sum struct{ cost, ops float64 }

func (s *sum) add(perOp float64, ops int64) {
	s.cost, s.ops = s.cost+perOp*float64(ops), s.ops+float64(ops)
}

func (s sum) perOp() float64 { return s.cost / s.ops }

// Net is the ratio of what the baseline and the candidate take beyond what the
// floor takes, paired by heat: it is shown where both differences are above 0 with
// their intervals, and never judged.
func (b *Block) Net(unit bench.Unit, baseline, candidate string) (stats.Interval, bool) {
	i := -1
	for at, r := range b.Rows {
		if r.Role == bench.Floor {
			i = at
		}
	}
	if i < 0 {
		return stats.Interval{}, false
	}
	floor := b.Rows[i].Impl()
	for _, impl := range []string{baseline, candidate} {
		if iv := b.Ratio(unit, impl, floor); iv.Level == 0 || iv.Low <= 1 {
			return stats.Interval{}, false
		}
	}
	var nets []float64
	over := func(impl string) map[int]float64 {
		byNumber := map[int]float64{}
		for _, h := range b.heatRatios(unit, impl, floor, nil) {
			byNumber[h.Number] = h.Ratio - 1
		}
		return byNumber
	}
	base, cand := over(baseline), over(candidate)
	for number := 1; number <= b.numbers; number++ {
		if v, w := base[number], cand[number]; v > 0 && w > 0 {
			nets = append(nets, v/w)
		}
	}
	iv, err := stats.RatioOf(nets, Level)
	return iv.Widened(b.Control(unit).Widen), err == nil
}
