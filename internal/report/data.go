package report

import (
	"fmt"
	"slices"
	"strings"

	"hotpath/internal/bench"
	"hotpath/internal/study"
)

const dataName = "report/data.md"

// Heats has a row for each block: what was held of it.
func (c *content) Heats() *table {
	t := &table{Head: []string{"experiment", "block", "heats planned", "held", "broken off", "laps", "turns kept", "thrown away", "processes that failed"}, Left: 2}
	for _, x := range c.Experiments {
		for _, b := range x.Blocks {
			held, incomplete, laps, parts := 0, 0, 0, map[int]bool{}
			for _, h := range x.Held() {
				if h.Block != b.Block {
					continue
				}
				held++
				if h.Incomplete != "" {
					incomplete++
				}
				laps += len(h.Laps)
				parts[h.Part] = true
			}
			var n study.Tally
			for _, r := range b.Rows {
				of := r.Tally()
				n.Kept, n.Gated, n.Failed = n.Kept+of.Kept, n.Gated+of.Gated, n.Failed+of.Failed
			}
			planned := fmt.Sprint(x.Heats[b.Rows[0].Tier])
			if len(parts) > 1 {
				planned += fmt.Sprintf(" of %d parts", len(parts))
			}
			t.add(escape(x.Name), code(b.Block.String()), planned, fmt.Sprint(held), number(incomplete), bench.Count(int64(laps)),
				bench.Count(int64(n.Kept)), number(n.Gated), number(n.Failed))
		}
	}
	return t.trimmed()
}

// HeatList has a row for each heat of an experiment: when it was held, with which
// layout, what was beside it, and how many of its turns counted.
func (x *section) HeatList() *table {
	t := &table{Head: []string{"heat", "block", "part", "number", "layout", "begun", "s", "processes", "laps", "turns kept", "thrown away", "others used", "hypervisor took", "hand-off, ns", "ended early"}, Left: 2, Words: 1}
	for _, h := range x.Held() {
		kept, gated := 0, 0
		for _, f := range h.Forks {
			kept, gated = kept+f.Kept, gated+f.Gated
		}
		others, steal := float64(bench.Unseen), float64(bench.Unseen)
		for _, w := range h.Windows {
			others, steal = max(others, w.Foreign), max(steal, w.Steal)
		}
		t.add(fmt.Sprint(h.ID), code(h.Block.String()), fmt.Sprint(h.Part+1), fmt.Sprint(h.Number), fmt.Sprint(h.Layout), h.Start.Format("15:04:05"), bench.Significant(h.Seconds),
			fmt.Sprint(len(h.Forks)), fmt.Sprint(len(h.Laps)), fmt.Sprint(kept), number(gated), seen(others), seen(steal), handOffs(h.Laps), escape(h.Incomplete))
	}
	return t.trimmed()
}

// seen prints a share; nothing where the machine does not show it.
func seen(v float64) string {
	if v < 0 {
		return ""
	}
	return bench.Percent(v, 2)
}

// handOffs are the least, the middle and the greatest of some laps'.
func handOffs(laps []study.Lap) string {
	var all []float64
	for _, l := range laps {
		if v := l.HandOff(); v > 0 {
			all = append(all, v)
		}
	}
	if len(all) == 0 {
		return ""
	}
	slices.Sort(all)
	return fmt.Sprintf("%.0f · %.0f · %.0f", all[0], all[len(all)/2], all[len(all)-1])
}

// number is a count, empty where there is nothing to count.
func number(n int) string {
	if n == 0 {
		return ""
	}
	return bench.Count(int64(n))
}

// Windows says what else the machine did while it was measured.
func (c *content) Windows() string {
	var others, steal []float64
	for _, x := range c.Experiments {
		for _, h := range x.Held() {
			for _, w := range h.Windows {
				if w.Foreign >= 0 {
					others = append(others, w.Foreign)
				}
				if w.Steal >= 0 {
					steal = append(steal, w.Steal)
				}
			}
		}
	}
	if len(others) == 0 {
		return "What else ran on the machine was not visible."
	}
	slices.Sort(others)
	slices.Sort(steal)
	s := fmt.Sprintf("Over %s of laps others used %s of the CPUs in the middle and %s at most",
		bench.Plural(len(others), "window"), bench.Percent(others[len(others)/2], 2), bench.Percent(others[len(others)-1], 2))
	if len(steal) > 0 {
		s += fmt.Sprintf(", and the hypervisor took %s and %s", bench.Percent(steal[len(steal)/2], 2), bench.Percent(steal[len(steal)-1], 2))
	}
	return s + "."
}

// Placements says how far apart the CPUs were.
func (c *content) Placements() string {
	laps, seen := map[bench.Placement]int{}, 0
	for _, x := range c.Experiments {
		for _, h := range x.Held() {
			for _, l := range h.Laps {
				if p := c.Run.Manifest.Gates.Placement(l.HandOff()); p != bench.Nowhere {
					laps[p]++
					seen++
				}
			}
		}
	}
	if seen == 0 {
		return "How far apart the CPUs were was not visible."
	}
	return fmt.Sprintf("The CPUs were near each other in %s of the laps, far apart in %s, and between in the rest.", share(laps[bench.Near], seen), share(laps[bench.Far], seen))
}

// GateTable counts the turns that did not meet a gate, by experiment.
func (c *content) GateTable() *table {
	t := &table{Head: []string{"gate"}, Left: 1}
	byGate := map[bench.Gate][]string{}
	for i, x := range c.Experiments {
		t.Head = append(t.Head, escape(x.Name))
		for _, g := range x.Gates() {
			if byGate[g.Gate] == nil {
				byGate[g.Gate] = make([]string, len(c.Experiments))
			}
			byGate[g.Gate][i] = number(g.Turns)
		}
	}
	t.Head = append(t.Head, "what it means", "what to do")
	t.Words = 2
	for _, g := range bench.Gates() {
		if cells := byGate[g]; cells != nil {
			t.add(append(append([]string{g.String()}, cells...), causes[g].what, causes[g].todo)...)
		}
	}
	return t
}

// controlUnits are the units that a control is shown in.
var controlUnits = []bench.Unit{bench.TimePerOp, bench.MeanLatency, bench.Real, bench.CPUPerOp, bench.CPUSeconds, bench.ServerCPU,
	bench.User, bench.System, bench.GCShare, bench.Latency(50), bench.Latency(99), bench.Latency(99.9)}

// Controls has a row for each block and unit that a control measured.
func (c *content) Controls() *table {
	t := &table{Head: []string{"experiment", "block", "unit", "its ratio to itself", "heats", "tells apart", "widens by", "deviation within laps", "of the sums"}, Left: 3}
	for _, x := range c.Experiments {
		for _, b := range x.Blocks {
			for _, unit := range controlUnits {
				if !b.Has(unit) {
					continue
				}
				k := b.Control(unit)
				if k.Twin == "" || k.Measured.Estimate == 0 {
					continue
				}
				tells := "n/a"
				if k.Measured.Level > 0 {
					tells = percentUp(k.Resolution())
				}
				t.add(escape(x.Name), code(b.Block.String()), code(unit.Name), ratio(k.Measured), fmt.Sprint(k.Measured.N), tells,
					widening(k.Widen), deviation(k.Deviation), deviation(k.SumsDeviation))
			}
		}
	}
	return t.trimmed()
}

func widening(v float64) string {
	if v == 0 {
		return ""
	}
	return bench.Percent(v, 2)
}

// deviation prints a standard deviation; nothing where there is none.
func deviation(v float64) string {
	if !(v > 0) {
		return ""
	}
	return bench.Significant(v)
}

// Files are all files of the run but the manifest.
func (c *content) Files() []rawFile { return rawFiles(c.Run, "") }

type sibling struct{ Name, File string }

// Siblings are the pages behind REPORT.md, with links from one to another.
func (p *page) Siblings() []sibling {
	var all []sibling
	add := func(name, file string) {
		if file != p.Name {
			all = append(all, sibling{name, strings.TrimPrefix(file, "report/")})
		}
	}
	for _, x := range p.Experiments {
		add(x.Name, pageOf(x.Name))
	}
	if p.Machines != nil {
		add("claims by machines", machinesName)
	}
	add("data and method", dataName)
	return all
}
