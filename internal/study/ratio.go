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
	if c := b.Compare(unit, baseline, candidate, Level); !c.Noisy {
		return c.Interval
	}
	return stats.Interval{}
}

// Noisy is the ratio over what was kept at all where too few heats count for Ratio
// to have any: it decides nothing. Its Estimate is 0 where Ratio tells more.
func (b *Block) Noisy(unit bench.Unit, baseline, candidate string) stats.Interval {
	if c := b.Compare(unit, baseline, candidate, Level); c.Noisy {
		return c.Interval
	}
	return stats.Interval{}
}

// Versus is all that a run tells of what one contestant takes over what another
// takes.
type Versus struct {
	stats.Interval                                    // over the heats, widened by the control
	Heats          []HeatRatio                        // in their order
	Sums           float64                            // the ratio of the sums over the same laps; 0 for units that are a fork's
	Groups         map[bench.Placement]stats.Interval // over the laps in which the CPUs were so far apart; of groups with heats enough for an interval
	Noisy          bool                               // too few heats count for an interval: what others kept is in it, and it decides nothing
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
	var c Versus
	c.Heats, c.Noisy = b.observe(unit, baseline, candidate)
	c.Interval, c.Err = stats.RatioOf(ratiosOf(c.Heats), level)
	widen := b.Control(unit).Widen
	c.Interval = c.Widened(widen)
	if _, byLap := perLap[unit]; !byLap {
		return c
	}
	if len(c.Heats) > 0 {
		c.Sums = stats.Middle(sumsOf(c.Heats))
	}
	if c.Noisy {
		return c
	}
	c.Groups = map[bench.Placement]stats.Interval{}
	for _, place := range bench.Placements {
		ratios := ratiosOf(b.HeatRatios(unit, baseline, candidate, place))
		if len(ratios) < claims.MinGroup {
			continue
		}
		if iv, err := stats.RatioOf(ratios, min(level, stats.HighestLevel(len(ratios)))); err == nil {
			c.Groups[place] = iv.Widened(widen)
		}
	}
	return c
}

// observe has the ratios of the heats that count. Where these are too few for an
// interval it has those of all heats that kept anything, if that is more: on a
// machine in use less is known then, and not nothing.
func (b *Block) observe(unit bench.Unit, baseline, candidate string) (heats []HeatRatio, noisy bool) {
	heats = b.HeatRatios(unit, baseline, candidate, Everywhere)
	if len(heats) < claims.MinGroup {
		if kept := b.heatRatios(unit, baseline, candidate, demand{Everywhere, true}); len(kept) > len(heats) {
			return kept, true
		}
	}
	return heats, false
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

// Everywhere stands for the laps of all placements, those included whose placement
// is not visible.
const Everywhere = bench.Placement("everywhere")

// demand is what laps and heats must meet to enter a ratio.
type demand struct {
	place bench.Placement
	any   bool // number of laps will do, of any fork that came to its end
}

// HeatRatios has the ratio of each heat in which both contestants count, as it was
// measured: nothing widens it. Two that were never in one heat are compared over
// the block's baseline, which is in all: the heats of equal number of their parts
// were held in the same part of the run, though not at the same time. Only laps at
// a place enter.
func (b *Block) HeatRatios(unit bench.Unit, baseline, candidate string, place bench.Placement) []HeatRatio {
	return b.heatRatios(unit, baseline, candidate, demand{place: place})
}

func (b *Block) heatRatios(unit bench.Unit, baseline, candidate string, d demand) []HeatRatio {
	if b.baseline == "" || slices.ContainsFunc(b.heats, func(h *results.Heat) bool { return h.Fork(baseline) != nil && h.Fork(candidate) != nil }) {
		return b.direct(unit, baseline, candidate, d)
	}
	var all []HeatRatio
	second := b.direct(unit, b.baseline, candidate, d)
	for _, first := range b.direct(unit, baseline, b.baseline, d) {
		for _, s := range second {
			if s.Number == first.Number {
				all = append(all, HeatRatio{first.Number, first.Ratio * s.Ratio, first.Sums * s.Sums})
			}
		}
	}
	return all
}

// direct has the ratio of each heat that held both contestants.
func (b *Block) direct(unit bench.Unit, baseline, candidate string, d demand) []HeatRatio {
	counts := (*results.Fork).Clean
	if d.any {
		counts = func(f *results.Fork) bool { return f.State == bench.Complete }
	}
	var all []HeatRatio
	for _, h := range b.heats {
		f, g := h.Fork(baseline), h.Fork(candidate)
		if f == nil || g == nil || !counts(f) || !counts(g) {
			continue
		}
		r := HeatRatio{Number: h.Number}
		if of, byLap := perLap[unit]; byLap {
			r.ofLaps(b, h, f.ID, g.ID, of, d)
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

// leastLaps is how many laps a heat must have. A group of them takes half as many
// as all of them.
func (b *Block) leastLaps(d demand) int {
	least := b.Rows[0].Turn.LeastTurns()
	switch {
	case d.any:
		return 1
	case d.place != Everywhere:
		return least / 2
	}
	return least
}

// ofLaps leaves a ratio of 0 where too few laps count: those at the place in which
// both turns were kept.
func (r *HeatRatio) ofLaps(b *Block, h *results.Heat, f, g int, unit bench.Unit, d demand) {
	var laps []float64
	var base, cand sum
	for _, lap := range h.Laps {
		if d.place != Everywhere && b.gates.Placement(lap.HandOff()) != d.place {
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
	if len(laps) >= b.leastLaps(d) {
		r.Ratio, r.Sums = stats.Middle(laps), base.perOp()/cand.perOp()
	}
}

// sum is a cost over operations.
type sum struct{ cost, ops float64 }

func (s *sum) add(perOp float64, ops int64) {
	s.cost, s.ops = s.cost+perOp*float64(ops), s.ops+float64(ops)
}

func (s sum) perOp() float64 { return s.cost / s.ops }
