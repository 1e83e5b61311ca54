package study_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"hotpath/internal/bench"
	"hotpath/internal/claims"
	"hotpath/internal/results/synthetic"
	"hotpath/internal/study"
)

// contests makes a block of contestants, each as impl:role:cost, with a star
// behind the role of one whose caller holds something for it.
func contests(block string, specs ...string) (cells []bench.Cell, costs map[string]float64) {
	costs = map[string]float64{}
	var impls []string
	for _, s := range specs {
		parts := strings.Split(s, ":")
		var cost float64
		if _, err := fmt.Sscan(parts[2], &cost); err != nil {
			panic(err)
		}
		impls, costs[parts[0]] = append(impls, parts[0]), cost
	}
	cells = synthetic.Cells(block, bench.Peers, impls...)
	for i, s := range specs {
		role, held := strings.CutSuffix(strings.Split(s, ":")[1], "*")
		if cells[i].Role = bench.Role(role); held {
			cells[i].Holds = "a handle"
		}
	}
	return cells, costs
}

// contested is those contestants in six heats of a run without noise.
func contested(block string, specs ...string) *study.Experiment {
	cells, costs := contests(block, specs...)
	return experimentOf(synthetic.Experiment{
		Name: "x", Heats: 6, Cells: cells,
		Cost: func(c bench.Cell, _, _ int) float64 { return costs[c.Impl()] },
	})
}

func experimentOf(e synthetic.Experiment) *study.Experiment {
	run := synthetic.Run(synthetic.Manifest(), e)
	return study.New(&run.Manifest, run.Experiments[0], new(claims.File))
}

const manyThreads, oneThread = "BenchmarkAdd/mode=thrpt/threads=8@numcpu", "BenchmarkAdd/mode=thrpt/threads=1@numcpu"

func near(a, b float64) bool { return math.Abs(a/b-1) < 0.001 }

func TestStanding(t *testing.T) {
	for name, c := range map[string]struct {
		specs            []string
		base, free, held string
		order            string
	}{
		"the fastest other library":  {[]string{"floor:floor:1", "a:published:20", "p:peer:8", "q:peer:4", "o:ours:2"}, "q", "o", "", "floor o q p a"},
		"the baseline without peers": {[]string{"s:ours:9", "a:published:20", "a_again:control:20"}, "a", "s", "", "s a a_again"},
		"the fastest without either": {[]string{"s:ours:9", "b:published:5"}, "b", "s", "", "b s"},
		"held and free":              {[]string{"p:peer:8", "o:ours:6", "slow:ours:7", "h:ours*:2", "i:ours*:3"}, "p", "o", "h", "h i o slow p"},
		"the floor alone":            {[]string{"floor:floor:1"}, "floor", "", "", "floor"},
	} {
		b := contested(manyThreads, c.specs...).Blocks[0]
		s, ok := b.Standing(bench.TimePerOp)
		if !ok || s.Base.Impl() != c.base {
			t.Fatalf("%s: base %v", name, s.Base)
		}
		var order []string
		for _, p := range s.Ranks {
			order = append(order, p.Impl())
			if want := s.Base.Median.Estimate / p.Median.Estimate; !near(p.Faster.Estimate, want) || p.Faster.N != 6 {
				t.Errorf("%s: %s is %+v times as fast, want %v", name, p.Impl(), p.Faster, want)
			}
		}
		if got := strings.Join(order, " "); got != c.order {
			t.Errorf("%s: order %s, want %s", name, got, c.order)
		}
		free, held := s.Foremost()
		if implOf(free) != c.free || implOf(held) != c.held {
			t.Errorf("%s: %q and %q are foremost, want %q and %q", name, implOf(free), implOf(held), c.free, c.held)
		}
		if base := s.Of(c.base); base.Faster.Estimate != 1 || base.Faster.Low != 1 || base.Faster.High != 1 || s.Of("nobody") != nil {
			t.Errorf("%s: the base is %+v times as fast as itself", name, base.Faster)
		}
	}
}

func implOf(p *study.Rank) string {
	if p == nil {
		return ""
	}
	return p.Impl()
}

// Contestants that do not count are no base and not foremost, and stand last.
func TestStandingOfGated(t *testing.T) {
	cells, costs := contests(manyThreads, "p:peer:4", "q:peer:8", "o:ours:1", "r:ours:2")
	gone := func(impls string) *study.Experiment {
		return experimentOf(synthetic.Experiment{
			Name: "x", Heats: 6, Cells: cells,
			Cost: func(c bench.Cell, _, _ int) float64 { return costs[c.Impl()] },
			Unmet: func(c bench.Cell, _, lap int) bench.GateSet {
				if strings.Contains(impls, c.Impl()) && lap > 1 {
					return bench.GateSet(0).With(bench.GateSteal)
				}
				return 0
			},
		})
	}
	s, _ := gone("po").Blocks[0].Standing(bench.TimePerOp)
	free, _ := s.Foremost()
	if s.Base.Impl() != "q" || implOf(free) != "r" || s.Ranks[0].Impl() != "r" {
		t.Errorf("base %s, foremost %s, first %s", s.Base.Impl(), implOf(free), s.Ranks[0].Impl())
	}
	if p := s.Of("o"); p.Faster.Estimate != 0 || p.Counts() {
		t.Errorf("a gated contestant has a place: %+v", p)
	}
	if _, ok := gone("pqor").Blocks[0].Standing(bench.TimePerOp); ok {
		t.Error("a standing of contestants that do not count")
	}
}

// Those that too few heats tell of stand behind others where something is chosen,
// however fast they were.
func TestFewHeats(t *testing.T) {
	cells, costs := contests(manyThreads, "p:peer:4", "q:peer:8", "o:ours:1", "r:ours:2", "h:ours*:0.5", "i:ours*:0.6")
	for name, c := range map[string]struct {
		few              string // contestants that count in one heat alone
		base, free, held string
	}{
		"some": {"poh", "q", "r", "i"},
		"all":  {"pqorhi", "p", "o", "h"},
	} {
		x := experimentOf(synthetic.Experiment{
			Name: "x", Heats: 6, Cells: cells,
			Cost: func(c bench.Cell, _, _ int) float64 { return costs[c.Impl()] },
			State: func(cell bench.Cell, heat int) bench.State {
				if heat > 1 && strings.Contains(c.few, cell.Impl()) {
					return bench.Failed
				}
				return bench.Complete
			},
		})
		s, _ := x.Blocks[0].Standing(bench.TimePerOp)
		free, held := s.Foremost()
		if s.Base.Impl() != c.base || implOf(free) != c.free || implOf(held) != c.held {
			t.Errorf("%s: base %s, foremost %s and %s", name, s.Base.Impl(), implOf(free), implOf(held))
		}
	}
}

// A faster library that shares too few heats with the best of ours is no base to
// compare with, and known to be there.
func TestStandingOfFewHeats(t *testing.T) {
	cells, costs := contests(manyThreads, "a:published:40", "a_again:control:40", "o:ours:5", "fast:peer:6", "slow:peer:8")
	for _, few := range []string{"", "fast", "slow"} {
		x := experimentOf(synthetic.Experiment{
			Name: "x", Heats: 6, Cells: cells,
			Cost: func(c bench.Cell, _, _ int) float64 { return costs[c.Impl()] },
			Unmet: func(c bench.Cell, heat, _ int) bench.GateSet {
				if c.Impl() == few && heat > 3 {
					return bench.GateSet(0).With(bench.GateSteal)
				}
				return 0
			},
		})
		s, _ := x.Blocks[0].Standing(bench.TimePerOp)
		want := "fast"
		if few == "fast" {
			want = "slow"
		}
		if s.Base.Impl() != want || s.Open != (few == "fast") || s.Of("o").Faster.Level == 0 {
			t.Errorf("few heats of %q: base %s, open %v, ours %+v", few, s.Base.Impl(), s.Open, s.Of("o").Faster)
		}
	}
}

func TestGains(t *testing.T) {
	for name, c := range map[string]struct {
		specs []string
		want  string
	}{
		"all": {[]string{"floor:floor:1", "a:published:40", "l:published:10", "m:published:20", "o:ours:5", "h:ours*:2", "p:peer:8", "q:peer:9", "a_again:control:40"},
			"l/a 4, o/a 8, o/p 1.6, h/p 4"},
		"held is slower":  {[]string{"a:published:40", "o:ours:5", "h:ours*:6", "p:peer:8", "a_again:control:40"}, "o/a 8, o/p 1.6"},
		"all are held":    {[]string{"a:published:40", "h:ours*:4", "p:peer:8", "a_again:control:40"}, "h/p 2"},
		"no other":        {[]string{"a:published:40", "o:ours:5", "a_again:control:40"}, "o/a 8"},
		"no baseline":     {[]string{"a:published:40", "o:ours:5", "p:peer:8"}, "o/p 1.6"},
		"none of ours":    {[]string{"a:published:40", "p:peer:8"}, ""},
		"nothing to beat": {[]string{"o:ours:5"}, ""},
	} {
		g, ok := contested(manyThreads, c.specs...).Gains()
		var got []string
		for _, gain := range g.All {
			got = append(got, fmt.Sprintf("%s/%s %.3g", gain.Use.Impl(), gain.Instead.Impl(), gain.Faster.Estimate))
		}
		if s := strings.Join(got, ", "); s != c.want || ok != (c.want != "") {
			t.Errorf("%s: %s (%v), want %s", name, s, ok, c.want)
		}
	}
}

func TestBusiest(t *testing.T) {
	for name, c := range map[string]struct {
		blocks []string
		want   string
	}{
		"most threads":      {[]string{oneThread, manyThreads, "BenchmarkAdd/mode=thrpt/threads=4@numcpu"}, manyThreads},
		"the first of two":  {[]string{manyThreads, "BenchmarkGet/mode=thrpt/threads=8@numcpu"}, manyThreads},
		"as programs run":   {[]string{oneThread, "BenchmarkAdd/mode=thrpt/threads=32@perthread", "BenchmarkAdd/mode=sample/threads=32@numcpu"}, oneThread},
		"none of that mode": {[]string{"BenchmarkAdd/mode=sample/threads=32@numcpu"}, ""},
	} {
		e := synthetic.Experiment{Name: "x", Heats: 1, Cost: func(bench.Cell, int, int) float64 { return 5 }}
		for _, b := range c.blocks {
			cells, _ := contests(b, "a:published:1", "o:ours:1")
			e.Cells = append(e.Cells, cells...)
		}
		none, _ := contests("BenchmarkPut/mode=thrpt/threads=99@numcpu", "a:published:1", "p:peer:1")
		e.Cells = append(e.Cells, none...)
		got := ""
		if b := experimentOf(e).Busiest(); b != nil {
			got = b.String()
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// placed is contestants whose laps have near CPUs in heat 1, and far ones in heat
// 3; nine laps of heat 2 lie between, and of the others it cannot be seen.
func placed() synthetic.Experiment {
	cells, _ := contests(manyThreads, "floor:floor:1", "a:published:1", "a_again:control:1", "o:ours:1", "gone:ours:1", "rival:peer:1", "p:peer:1")
	for i := range cells {
		cells[i].Rival = cells[i].Impl() == "rival"
	}
	return synthetic.Experiment{
		Name: "x", Heats: 3, Cells: cells,
		HandOff: func(_ bench.Block, heat, lap int) float64 {
			if heat == 2 && lap > 9 {
				return bench.Unseen
			}
			return []float64{0, 50, 100, 200}[heat]
		},
		Cost: func(c bench.Cell, heat, _ int) float64 {
			if c.Impl() == "a" {
				return 10 * float64(heat)
			}
			return 5
		},
		Unmet: func(c bench.Cell, heat, lap int) bench.GateSet {
			if c.Impl() == "o" && heat == 1 && lap <= 5 || c.Impl() == "gone" && heat == 3 {
				return bench.GateSet(0).With(bench.GateSteal)
			}
			return 0
		},
	}
}

func TestDistances(t *testing.T) {
	x := experimentOf(placed())
	var got []string
	for _, d := range x.Distances(x.Blocks[0], bench.TimePerOp) {
		s := fmt.Sprintf("%s %.3g, of %d laps", d.Impl(), d.Rise(), len(d.Laps))
		for _, g := range d.Groups {
			s += fmt.Sprintf(", %s %d of %.3g at %.3g", g.Placement, g.Laps, g.Cost, g.HandOff)
		}
		got = append(got, s)
		if !slices.IsSortedFunc(d.Laps, func(a, b study.LapCost) int { return int(a.HandOff - b.HandOff) }) {
			t.Errorf("%s: laps %v", d.Impl(), d.Laps)
		}
	}
	want := []string{
		"a 3, of 49 laps, near 20 of 10 at 50, between 9 of 20 at 100, far 20 of 30 at 200",
		"o 1, of 44 laps, near 15 of 5 at 50, between 9 of 5 at 100, far 20 of 5 at 200",
		"rival 1, of 49 laps, near 20 of 5 at 50, between 9 of 5 at 100, far 20 of 5 at 200",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if ds := x.Distances(x.Blocks[0], bench.BytesPerOp); ds != nil {
		t.Errorf("laps tell what an operation allocates: %v", ds)
	}
}

func TestNoDistances(t *testing.T) {
	still := placed()
	still.HandOff = nil
	if x := experimentOf(still); x.Distances(x.Blocks[0], bench.TimePerOp) != nil {
		t.Error("distances of CPUs that did not move")
	}
	alone := placed()
	for i := range alone.Cells {
		alone.Cells[i].Reading = bench.One
		alone.Cells[i].Block = alone.Cells[i].ID().Block()
	}
	if x := experimentOf(alone); x.Distances(x.Blocks[0], bench.TimePerOp) != nil {
		t.Error("distances where one CPU is enough")
	}
}

func TestSample(t *testing.T) {
	d := study.Distances{}
	for i := range 10 {
		d.Laps = append(d.Laps, study.LapCost{HandOff: float64(i)})
	}
	var got []float64
	for _, l := range d.Sample(4) {
		got = append(got, l.HandOff)
	}
	if !slices.Equal(got, []float64{0, 2, 5, 7}) || len(d.Sample(10)) != 10 || len(d.Sample(11)) != 10 {
		t.Errorf("sample %v", got)
	}
}

func TestSeries(t *testing.T) {
	cells, costs := contests(manyThreads, "floor:floor:1", "a:published:20", "o:ours:5", "a_again:control:20")
	e := synthetic.Experiment{
		Name: "x", Heats: 6, Cells: cells,
		Cost: func(c bench.Cell, heat, _ int) float64 {
			if c.Impl() == "o" && heat == 3 {
				return 10
			}
			return costs[c.Impl()]
		},
		HandOff: func(_ bench.Block, heat, _ int) float64 { return []float64{50, 100, 200}[heat%3] },
		Unmet: func(c bench.Cell, heat, _ int) bench.GateSet {
			if c.Impl() == "o" && heat == 2 {
				return bench.GateSet(0).With(bench.GateSteal)
			}
			return 0
		},
	}
	x := experimentOf(e)
	all := x.Series(x.Blocks[0], bench.TimePerOp)
	if len(all) != 2 || all[0].Impl() != "o" || all[1].Impl() != "a_again" {
		t.Fatalf("series of %d", len(all))
	}
	if s := all[0]; s.Ratio.N != 5 || !near(s.Ratio.Estimate, 4) || len(s.Points) != 6 {
		t.Errorf("%+v", s)
	}
	minute := -1.0
	for i, p := range all[0].Points {
		ratio := []float64{4, 0, 2, 4, 4, 4}[i]
		place := []bench.Placement{bench.Between, bench.Far, bench.Near}[i%3]
		if p.Number != i+1 || math.Abs(p.Ratio-ratio) > 0.001 || p.Placement != place || !(p.Minute > minute) || i == 0 && p.Minute != 0 {
			t.Errorf("heat %d: %+v", i+1, p)
		}
		minute = p.Minute
	}
	if s := x.Series(&study.Block{}, bench.TimePerOp); s != nil {
		t.Errorf("series without a baseline: %v", s)
	}
}
