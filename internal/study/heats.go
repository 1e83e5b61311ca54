package study

import (
	"hotpath/internal/bench"
	"hotpath/internal/results"
	"hotpath/internal/stats"
)

// HeatPoint is what one heat tells of a contestant.
type HeatPoint struct {
	Number    int             // of the heat
	Minute    float64         // of the run, at which it began
	Ratio     float64         // what the block's baseline takes over what the contestant takes; 0 where the heat does not count
	Placement bench.Placement // of the middle of its laps' hand-offs
}

// Series is the heats of a contestant over the run.
type Series struct {
	*Row
	Ratio  stats.Interval // over all of them
	Points []HeatPoint    // in the order of running
}

// Series are those of a block's contestants but its baseline and the floor, in a
// unit; none where it has no baseline.
func (x *Experiment) Series(b *Block, unit bench.Unit) []Series {
	if b.baseline == "" || len(b.heats) == 0 {
		return nil
	}
	start := x.run.Heats[0].Start
	var all []Series
	for _, r := range b.Rows {
		if r.Impl() == b.baseline || r.Role == bench.Floor {
			continue
		}
		s := Series{Row: r, Ratio: b.Ratio(unit, b.baseline, r.Impl())}
		for _, h := range b.heats {
			if h.Fork(r.Impl()) == nil {
				continue
			}
			p := HeatPoint{Number: h.Number, Minute: h.Start.Sub(start).Minutes(), Placement: b.placement(h)}
			one := &Block{Block: b.Block, Rows: b.Rows, heats: []*results.Heat{h}, gates: b.gates}
			for _, of := range one.direct(unit, b.baseline, r.Impl(), demand{place: Everywhere}) {
				p.Ratio = of.Ratio
			}
			s.Points = append(s.Points, p)
		}
		if s.Ratio.N > 0 {
			all = append(all, s)
		}
	}
	return all
}

// placement is how far apart the CPUs were in the middle of a heat's laps.
func (b *Block) placement(h *results.Heat) bench.Placement {
	var handOffs []float64
	for _, l := range h.Laps {
		if v := l.HandOff(); v > 0 {
			handOffs = append(handOffs, v)
		}
	}
	if len(handOffs) == 0 {
		return bench.Nowhere
	}
	return b.gates.Placement(stats.Middle(handOffs))
}
