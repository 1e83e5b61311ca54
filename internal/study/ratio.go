package study

import (
	"math"
	"slices"

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
// ratios can be no better than the control's. All others are counted.
func timed(u bench.Unit) bool {
	switch u {
	case bench.GCShare, bench.ServerGCShare, bench.AchievedRate:
		return true
	}
	return u.Quantity == bench.Nanos || u.Quantity == bench.Seconds
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
	Number int     // of the part's heats
	Ratio  float64 // the middle of the laps'
	Sums   float64 // of the sums over the same laps; 0 for units that are a fork's
}

// Apart reports whether the printed costs, whose ratio is that of the sums, say
// something else than the ratio does: a slow phase of the machine weighs more in
// them.
func (c Versus) Apart() bool {
	return c.Sums > 0 && c.Level > 0 && math.Abs(math.Log(c.Sums/c.Estimate)) > c.LogHalfWidth()
}

// Compare measures the ratio of two contestants at a level.
func (b *Block) Compare(unit bench.Unit, baseline, candidate string, level float64) Versus {
	c := Versus{Heats: b.heatRatios(unit, baseline, candidate, everywhere)}
	c.Interval, c.Err = stats.RatioOf(ratiosOf(c.Heats), level)
	widen := b.Control(unit).Widen
	c.Interval = c.Widened(widen)
	if _, byLap := perLap[unit]; !byLap {
		return c
	}
	if len(c.Heats) > 0 {
		c.Sums = stats.Middle(sumsOf(c.Heats))
	}
	c.Groups = map[bench.Placement]stats.Interval{}
	for _, place := range bench.Placements {
		ratios := ratiosOf(b.heatRatios(unit, baseline, candidate, place))
		if len(ratios) < claims.MinGroup {
			continue
		}
		if iv, err := stats.RatioOf(ratios, min(level, stats.HighestLevel(len(ratios)))); err == nil {
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

func sumsOf(heats []HeatRatio) []float64 {
	rs := make([]float64, len(heats))
	for i, h := range heats {
		rs[i] = h.Sums
	}
	return rs
}

// everywhere is the laps of all placements, those included whose placement is not
// visible.
const everywhere = bench.Placement("everywhere")

// heatRatios has the ratio of each heat that held both contestants. Two that were
// never in one heat are compared over the block's baseline, which is in all: the
// heats of equal number of their parts were held in the same part of the run,
// though not at the same time. Only laps at a place enter.
func (b *Block) heatRatios(unit bench.Unit, baseline, candidate string, place bench.Placement) []HeatRatio {
	if b.baseline == "" || slices.ContainsFunc(b.heats, func(h *results.Heat) bool { return h.Fork(baseline) != nil && h.Fork(candidate) != nil }) {
		return b.direct(unit, baseline, candidate, place)
	}
	var all []HeatRatio
	second := b.direct(unit, b.baseline, candidate, place)
	for _, first := range b.direct(unit, baseline, b.baseline, place) {
		for _, s := range second {
			if s.Number == first.Number {
				all = append(all, HeatRatio{first.Number, first.Ratio * s.Ratio, first.Sums * s.Sums})
			}
		}
	}
	return all
}

// direct has the ratio of each heat in which both contestants count.
func (b *Block) direct(unit bench.Unit, baseline, candidate string, place bench.Placement) []HeatRatio {
	var all []HeatRatio
	for _, h := range b.heats {
		f, g := h.Fork(baseline), h.Fork(candidate)
		if f == nil || g == nil || !f.Clean() || !g.Clean() {
			continue
		}
		r := HeatRatio{Number: h.Number}
		if of, byLap := perLap[unit]; byLap {
			r.ofLaps(b, h, f.ID, g.ID, of, place)
		} else {
			r.ofForks(f, g, unit)
		}
		if r.Ratio > 0 {
			all = append(all, r)
		}
	}
	return all
}

// ofForks leaves a ratio of 0 where one of the values is not known, or is 0.
func (r *HeatRatio) ofForks(f, g *results.Fork, unit bench.Unit) {
	v, okV := f.Value(unit)
	w, okW := g.Value(unit)
	if okV && okW && v > 0 && w > 0 {
		r.Ratio = v / w
	}
}

// ofLaps leaves a ratio of 0 where too few laps count: those at the place in which
// both turns were kept. A group of laps takes half as many as all of them.
func (r *HeatRatio) ofLaps(b *Block, h *results.Heat, f, g int, unit bench.Unit, place bench.Placement) {
	least := b.Rows[0].Turn.LeastTurns()
	if place != everywhere {
		least /= 2
	}
	var laps []float64
	var base, cand sum
	for _, lap := range h.Laps {
		if place != everywhere && b.gates.Placement(lap.HandOff()) != place {
			continue
		}
		t, okT := lap.Turn(f)
		u, okU := lap.Turn(g)
		if !okT || !okU || !t.Kept() || !u.Kept() {
			continue
		}
		v, okV := t.PerOp(unit)
		w, okW := u.PerOp(unit)
		if okV && okW {
			laps = append(laps, v/w)
			base.add(v, t.Ops)
			cand.add(w, u.Ops)
		}
	}
	if len(laps) >= least {
		r.Ratio, r.Sums = stats.Middle(laps), base.perOp()/cand.perOp()
	}
}

// sum is a cost over operations.
type sum struct{ cost, ops float64 }

func (s *sum) add(perOp float64, ops int64) {
	s.cost, s.ops = s.cost+perOp*float64(ops), s.ops+float64(ops)
}

func (s sum) perOp() float64 { return s.cost / s.ops }
