package study

import (
	"math"
	"testing"

	"hotpath/internal/bench"
	"hotpath/internal/claims"
	"hotpath/internal/results"
	"hotpath/internal/results/synthetic"
	"hotpath/internal/stats"
)

// steal is a turn that does not count.
var steal = bench.GateSet(0).With(bench.GateSteal)

// duel is an experiment in which a and b meet, of a block with a control that
// comes out as 1.
func duel(heats int, cost func(impl string, heat, lap int) float64) synthetic.Experiment {
	return synthetic.Experiment{
		Name: "x", Heats: heats, Cells: synthetic.Cells(thrpt, bench.Judged, "base", "base_again", "a", "b"),
		Cost: func(c bench.Cell, heat, lap int) float64 {
			switch c.Impl() {
			case "base", "base_again":
				return 100
			}
			return cost(c.Impl(), heat, lap)
		},
	}
}

func TestRatio(t *testing.T) {
	b := rows(12, block{thrpt, bench.TimePerOp, []string{"a:ours=2", "b:peer=8"}}).Blocks[0]
	if iv := b.Ratio(bench.TimePerOp, "a", "b"); !near(iv.Estimate, 0.25) || iv.N != 12 || iv.Level < Level {
		t.Errorf("a / b: %+v", iv)
	}
	if iv := b.Ratio(bench.TimePerOp, "a", "nobody"); iv != (stats.Interval{}) {
		t.Errorf("of nobody: %+v", iv)
	}
	few := rows(5, block{thrpt, bench.TimePerOp, []string{"a:ours=2", "b:peer=8"}}).Blocks[0]
	if c := few.Compare(bench.TimePerOp, "b", "a", Level); c.Level != 0 || !near(c.Estimate, 4) || c.Err == nil || c.Err.Error() != "an interval at level 0.95 takes 6 ratios, not 5" {
		t.Errorf("five heats: %+v", c)
	}
}

// What changes from lap to lap, however much, changes both turns of a lap alike
// and cancels, and so does what changes from heat to heat.
func TestPairedByLap(t *testing.T) {
	drift := func(heat, lap int) float64 { return math.Exp(2 * math.Sin(float64(7*heat+3*lap))) }
	e := duel(12, func(impl string, heat, lap int) float64 {
		if impl == "a" {
			return 3000 * drift(heat, lap)
		}
		return 1000 * drift(heat, lap)
	})
	for _, unit := range []bench.Unit{bench.TimePerOp, bench.TimePerUpdate, bench.CPUPerOp} {
		c := of(e).Blocks[0].Compare(unit, "a", "b", Level)
		if math.Abs(c.Low-3) > 0.001 || math.Abs(c.High-3) > 0.001 || c.N != 12 || c.Err != nil {
			t.Errorf("%s: %+v", unit, c)
		}
	}
}

// Each unit is paired by what a turn tells of it.
func TestUnitsOfATurn(t *testing.T) {
	run := synthetic.Run(synthetic.Manifest(), duel(6, func(string, int, int) float64 { return 1000 }))
	want := map[bench.Unit]float64{bench.TimePerOp: 2, bench.Real: 2, bench.CPUPerOp: 3, bench.CPUSeconds: 3, bench.ServerCPU: 4, bench.MeanLatency: 5}
	for _, h := range run.Experiments[0].Heats {
		for _, l := range h.Laps {
			for i := range l.Turns {
				turn, by := &l.Turns[i], int64(0)
				if turn.Fork == h.Fork("a").ID {
					by = 1
				}
				turn.Wall, turn.CPU, turn.Server, turn.Latency = 1000*(1+by), 1000*(1+2*by), 1000*(1+3*by), 1000*(1+4*by)
			}
		}
	}
	b := New(&run.Manifest, run.Experiments[0], new(claims.File)).Blocks[0]
	for unit, ratio := range want {
		if c := b.Compare(unit, "a", "b", Level); !near(c.Estimate, ratio) || !near(c.Sums, ratio) {
			t.Errorf("%s: %+v, want %v", unit, c, ratio)
		}
	}
}

// A heat's ratio is the middle of its laps': a slow phase in some of them, which
// the ratio of the sums follows, moves it little.
func TestSums(t *testing.T) {
	e := duel(12, func(impl string, _, lap int) float64 {
		switch {
		case impl == "b":
			return 100
		case lap <= 4:
			return 2000
		}
		return 200
	})
	e.Cells = e.Cells[2:] // turns of equal work: their ratio is that of the costs
	for i := range e.Cells {
		e.Cells[i].Turn = bench.TurnLength{Ops: 1000, Takes: 20}
	}
	c := of(e).Blocks[0].Compare(bench.TimePerOp, "a", "b", Level)
	if !near(c.Estimate, 2) || !near(c.Sums, (4*20+16*2)/20.0) || !c.Apart() {
		t.Errorf("%+v, apart: %v", c, c.Apart())
	}
	if h := c.Heats[3]; h.Number != 4 || !near(h.Ratio, 2) || !near(h.Sums, c.Sums) {
		t.Errorf("heat 4: %+v", h)
	}
	e.Cost = func(c bench.Cell, heat, _ int) float64 {
		if c.Impl() == "a" {
			return 200 + float64(heat)
		}
		return 100
	}
	if c := of(e).Blocks[0].Compare(bench.TimePerOp, "a", "b", Level); c.Apart() || !near(c.Sums, c.Estimate) {
		t.Errorf("laps that are alike: %+v", c)
	}
	if c := of(e).Blocks[0].Compare(bench.Operations, "a", "b", Level); c.Sums != 0 || c.Groups != nil || c.N != 12 {
		t.Errorf("a fork's unit: %+v", c)
	}
}

// Only laps count in which both turns were kept, and only heats with enough of
// them.
func TestKeptTogether(t *testing.T) {
	for name, c := range map[string]struct {
		gated func(impl string, lap int) bool
		heats int  // that count
		noisy bool // and others are taken to show something
	}{
		"all":       {func(string, int) bool { return false }, 12, false},
		"the first": {func(_ string, lap int) bool { return lap > 8 }, 12, false},
		"seven":     {func(_ string, lap int) bool { return lap > 7 }, 0, true},
		"eight of each, seven together": {func(impl string, lap int) bool {
			return impl == "a" && lap > 8 || impl == "b" && (lap < 2 || lap > 9)
		}, 0, true},
		"enough of one": {func(impl string, lap int) bool { return impl == "b" && lap > 7 }, 0, true},
		"each second":   {func(impl string, lap int) bool { return (impl == "a") == (lap%2 == 0) }, 0, false},
		"one":           {func(_ string, lap int) bool { return lap != 4 }, 0, true},
		"none":          {func(string, int) bool { return true }, 0, false},
	} {
		e := duel(12, func(impl string, _, lap int) float64 {
			switch {
			case c.gated(impl, lap):
				return 7000 // a turn that must not count
			case impl == "a":
				return 200
			}
			return 100
		})
		e.Unmet = func(cell bench.Cell, _, lap int) bench.GateSet {
			if c.gated(cell.Impl(), lap) {
				return steal
			}
			return 0
		}
		b := of(e).Blocks[0]
		got := b.Compare(bench.TimePerOp, "a", "b", Level)
		if n := len(b.HeatRatios(bench.TimePerOp, "a", "b", Everywhere)); n != c.heats || got.Noisy != c.noisy || (got.N == 12) != (c.heats == 12 || c.noisy) {
			t.Errorf("%s: %d heats count of %+v, want %d", name, n, got, c.heats)
		}
		if got.N > 0 && !(near(got.Low, 2) && near(got.High, 2) && near(got.Sums, 2)) {
			t.Errorf("%s: a turn that was not kept is in %+v", name, got)
		}
		if c.noisy && len(got.Groups) > 0 {
			t.Errorf("%s: groups of a noisy ratio: %+v", name, got.Groups)
		}
	}
}

// Heats that kept little are taken only where too few others count.
func TestNoisy(t *testing.T) {
	for counting, want := range map[int]struct {
		n     int
		noisy bool
	}{5: {12, true}, 6: {6, false}} {
		e := duel(12, func(string, int, int) float64 { return 100 })
		e.Unmet = func(c bench.Cell, heat, lap int) bench.GateSet {
			if heat > counting && lap > 3 {
				return steal
			}
			return 0
		}
		b := of(e).Blocks[0]
		for _, unit := range []bench.Unit{bench.TimePerOp, bench.Turns} {
			if c := b.Compare(unit, "a", "b", Level); c.N != want.n || c.Noisy != want.noisy {
				t.Errorf("%d heats count, %s: %+v", counting, unit, c)
			}
		}
		if c := b.Control(bench.TimePerOp); c.Measured.N != want.n || c.Noisy != want.noisy || c.missing() == nil {
			t.Errorf("%d heats count: control %+v, %v", counting, c, c.missing())
		}
	}
}

// Of turns of over half a second six are enough.
func TestLongTurns(t *testing.T) {
	e := duel(12, func(string, int, int) float64 { return 1000 })
	for i := range e.Cells {
		e.Cells[i].Turn, e.Cells[i].Laps = bench.TurnLength{Millis: 600}, 6
	}
	if c := of(e).Blocks[0].Compare(bench.TimePerOp, "a", "b", Level); c.N != 12 {
		t.Errorf("%+v", c)
	}
}

// A fork that failed, or kept too few turns, has no ratio even where its laps do.
func TestForksThatDoNotCount(t *testing.T) {
	e := duel(12, func(string, int, int) float64 { return 100 })
	e.State = func(c bench.Cell, heat int) bench.State {
		if c.Impl() == "a" && heat <= 3 {
			return bench.Failed
		}
		return bench.Complete
	}
	if c := of(e).Blocks[0].Compare(bench.TimePerOp, "a", "b", Level); c.N != 9 || c.Heats[0].Number != 4 {
		t.Errorf("%+v", c)
	}
}

// Units that only a fork has are paired by heat.
func TestPairedByHeat(t *testing.T) {
	e := duel(12, func(string, int, int) float64 { return 100 })
	e.Metrics = func(c bench.Cell, heat int) []results.Metric {
		level := math.Exp(float64(heat * 5 % 12))
		switch c.Impl() {
		case "a":
			level *= 3
		case "b":
			if heat == 7 {
				level = 0
			}
		}
		return []results.Metric{{Value: level, Unit: bench.BytesPerOp.Name}}
	}
	if c := of(e).Blocks[0].Compare(bench.BytesPerOp, "a", "b", Level); c.N != 11 || !near(c.Low, 3) || !near(c.High, 3) {
		t.Errorf("%+v", c)
	}
}

// parted is a block in two parts that share base, its control and the rival r.
func parted(heats int, cost func(impl string, heat int) float64) synthetic.Experiment {
	return synthetic.Experiment{
		Name: "x", Heats: heats, Cells: synthetic.Cells(thrpt, bench.Peers, "base", "base_again", "r", "a", "b", "c"),
		Cost: func(c bench.Cell, heat, _ int) float64 { return cost(c.Impl(), heat) },
		Parts: func(c bench.Cell) []int {
			switch c.Impl() {
			case "a", "c":
				return []int{0}
			case "b":
				return []int{1}
			}
			return []int{0, 1}
		},
	}
}

// Contestants of different parts meet over the baseline of their heats of equal
// number; those of one part, and those that are in all, meet directly.
func TestParts(t *testing.T) {
	e := parted(8, func(impl string, heat int) float64 {
		level := 1000 * math.Exp(float64(heat*3%8)/4)
		switch impl {
		case "a", "b":
			return level * float64(1+heat) // other in each heat, in both parts alike
		case "c":
			return 4000
		case "r":
			return 2 * level
		}
		return level
	})
	e.State = func(c bench.Cell, heat int) bench.State {
		if c.Impl() == "a" && heat == 2 || c.Impl() == "b" && heat == 5 {
			return bench.Failed
		}
		return bench.Complete
	}
	b := of(e).Blocks[0]
	over := b.Compare(bench.TimePerOp, "a", "b", 0.9)
	if over.N != 6 || math.Abs(over.Low-1) > 1e-3 || math.Abs(over.High-1) > 1e-3 || math.Abs(over.Sums-1) > 1e-3 {
		t.Errorf("over the baseline: %+v", over)
	}
	for i, number := range []int{1, 3, 4, 6, 7, 8} {
		if over.Heats[i].Number != number {
			t.Errorf("heat %d where %d is next", over.Heats[i].Number, number)
		}
	}
	if c := b.Compare(bench.TimePerOp, "a", "c", Level); c.N != 7 {
		t.Errorf("in one part: %+v", c)
	}
	if c := b.Compare(bench.TimePerOp, "r", "base", Level); c.N != 16 || math.Abs(c.High-2) > 1e-3 {
		t.Errorf("in both parts: %+v", c)
	}
	if c := b.Control(bench.TimePerOp); c.Measured.N != 16 {
		t.Errorf("control: %+v", c)
	}
	e.Cells[1].Role, e.Cells[1].Twin = bench.Published, ""
	if c := of(e).Blocks[0].Compare(bench.TimePerOp, "a", "b", Level); c.N != 0 {
		t.Errorf("without a baseline: %+v", c)
	}
}

func TestGroups(t *testing.T) {
	place := map[int]float64{0: 79, 1: 80, 2: 149, 3: 150, 4: bench.Unseen} // by lap % 5
	ratio := map[int]float64{0: 2, 1: 3, 2: 3, 3: 4, 4: 5}
	e := duel(7, func(impl string, _, lap int) float64 {
		if impl == "a" {
			return 1000 * ratio[lap%5]
		}
		return 1000
	})
	e.HandOff = func(_ bench.Block, _, lap int) float64 { return place[lap%5] }
	e.Unmet = func(c bench.Cell, heat, lap int) bench.GateSet {
		if heat <= 1 && lap <= 5 && lap%5 == 0 { // one near lap less: 3 of 4
			return steal
		}
		return 0
	}
	c := of(e).Blocks[0].Compare(bench.TimePerOp, "a", "b", Level)
	for place, want := range map[bench.Placement]float64{bench.Near: 2, bench.Between: 3, bench.Far: 4} {
		if g := c.Groups[place]; !near(g.Low, want) || !near(g.High, want) {
			t.Errorf("%s: %+v, want %v", place, g, want)
		}
	}
	if len(c.Groups) != 3 || c.Groups[bench.Near].N != 6 || c.Groups[bench.Far].N != 7 {
		t.Errorf("%+v", c.Groups)
	}
	if c.Estimate < 2.9 || c.Estimate > 3.6 || c.N != 7 {
		t.Errorf("the whole: %+v", c)
	}
	e.Heats = 6
	if c := of(e).Blocks[0].Compare(bench.TimePerOp, "a", "b", 0.999); c.Groups[bench.Near].Level != 0 || c.Groups[bench.Far].Level != stats.HighestLevel(6) {
		t.Errorf("six heats: %+v", c.Groups)
	}
}

func TestNet(t *testing.T) {
	costs := map[string]float64{"floor": 20, "a": 80, "b": 40, "under": 19}
	make := func(fourth float64) *Block {
		e := duel(12, func(impl string, heat, _ int) float64 {
			level := 1000 * math.Exp(float64(heat)/5)
			if impl == "b" && heat == 4 {
				return level * fourth
			}
			return level * costs[impl]
		})
		e.Cells = append(e.Cells, synthetic.Cells(thrpt, bench.Judged, "floor", "under")...)
		return of(e).Blocks[0]
	}
	b := make(40)
	if net, ok := b.Net(bench.TimePerOp, "a", "b"); !ok || math.Abs(net.Low-3) > 1e-3 || math.Abs(net.High-3) > 1e-3 || net.N != 12 {
		t.Errorf("60 over 20: %+v, %v", net, ok)
	}
	for _, pair := range [][2]string{{"a", "under"}, {"under", "a"}, {"a", "nobody"}, {"a", "floor"}} {
		if net, ok := b.Net(bench.TimePerOp, pair[0], pair[1]); ok {
			t.Errorf("%v: %+v", pair, net)
		}
	}
	if net, ok := make(19).Net(bench.TimePerOp, "a", "b"); ok {
		t.Errorf("b below the floor in one heat: %+v", net)
	}
	if net, ok := rows(12, block{thrpt, bench.TimePerOp, []string{"a:ours=2", "b:peer=8"}}).Blocks[0].Net(bench.TimePerOp, "a", "b"); ok {
		t.Errorf("without a floor: %+v", net)
	}
}
