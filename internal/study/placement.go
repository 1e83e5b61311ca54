package study

import (
	"cmp"
	"slices"

	"hotpath/internal/bench"
	"hotpath/internal/stats"
)

// MinLaps is how many laps a group needs for its middle to be told.
const MinLaps = 8

// LapCost is what a contestant's turn cost in a lap, and how far apart the CPUs
// were.
type LapCost struct{ HandOff, Cost float64 }

// Distances is the laps of a contestant by how far apart the CPUs were.
type Distances struct {
	*Row
	Laps   []LapCost // of kept turns, by hand-off
	Groups []Group   // the near one first; of MinLaps or more
}

// Group is the laps of a placement.
type Group struct {
	Placement bench.Placement
	HandOff   float64 // middle of the laps'
	Cost      float64 // middle of the laps'
	Laps      int
}

// Rise is how many times as much a lap cost in the farthest group as in the
// nearest. It describes: it has no interval, and no verdict comes from it.
func (d Distances) Rise() float64 { return d.Groups[len(d.Groups)-1].Cost / d.Groups[0].Cost }

// Distances are those of the contestants in a unit that every turn tells, but for
// the floor, the control, and other libraries than the one to beat. All of them
// have the block's nearest and farthest group; there are none where all laps were
// in one group, or where one CPU is enough.
func (x *Experiment) Distances(b *Block, unit bench.Unit) []Distances {
	of, lapwise := perLap[unit]
	if !lapwise || !b.Rows[0].Contends(x.cpus) {
		return nil
	}
	var all []Distances
	nearest, farthest := len(bench.Placements), -1
	for _, r := range b.Rows {
		if !r.Role.Ranked() || r.Role == bench.Peer && !r.Rival {
			continue
		}
		d := Distances{Row: r, Laps: b.lapCosts(of, r.Impl())}
		d.group(b.gates)
		if len(d.Groups) > 1 {
			first, last := d.ends()
			nearest, farthest = min(nearest, first), max(farthest, last)
			all = append(all, d)
		}
	}
	return slices.DeleteFunc(all, func(d Distances) bool {
		first, last := d.ends()
		return first != nearest || last != farthest
	})
}

// ends are the places of the nearest and the farthest group in bench.Placements.
func (d Distances) ends() (nearest, farthest int) {
	return slices.Index(bench.Placements, d.Groups[0].Placement), slices.Index(bench.Placements, d.Groups[len(d.Groups)-1].Placement)
}

// LapCosts are what a contestant's turns cost of a unit that every turn tells, by how
// far apart the CPUs were; there are none of other units.
func (b *Block) LapCosts(unit bench.Unit, impl string) []LapCost {
	of, lapwise := perLap[unit]
	if !lapwise {
		return nil
	}
	return b.lapCosts(of, impl)
}

// lapCosts are those of a contestant's kept turns in laps whose placement is
// visible, by hand-off.
func (b *Block) lapCosts(of bench.Unit, impl string) []LapCost {
	var laps []LapCost
	for _, h := range b.heats {
		f := h.Fork(impl)
		if f == nil || !f.Clean() {
			continue
		}
		for _, l := range h.Laps {
			t, ok := l.Turn(f.ID)
			if cost, told := t.PerOp(of); ok && told && t.Kept() && l.HandOff() > 0 {
				laps = append(laps, LapCost{l.HandOff(), cost})
			}
		}
	}
	slices.SortStableFunc(laps, func(a, b LapCost) int { return cmp.Compare(a.HandOff, b.HandOff) })
	return laps
}

func (d *Distances) group(gates bench.Thresholds) {
	for _, place := range bench.Placements {
		var handOffs, costs []float64
		for _, l := range d.Laps {
			if gates.Placement(l.HandOff) == place {
				handOffs, costs = append(handOffs, l.HandOff), append(costs, l.Cost)
			}
		}
		if len(costs) >= MinLaps {
			d.Groups = append(d.Groups, Group{place, stats.Middle(handOffs), stats.Middle(costs), len(costs)})
		}
	}
}

// Sample is at most so many of the laps, evenly by hand-off.
func (d Distances) Sample(most int) []LapCost {
	n := len(d.Laps)
	if n <= most {
		return d.Laps
	}
	some := make([]LapCost, most)
	for i := range some {
		some[i] = d.Laps[i*n/most]
	}
	return some
}
