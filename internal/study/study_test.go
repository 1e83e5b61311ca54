package study

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"hotpath/internal/bench"
	"hotpath/internal/claims"
	"hotpath/internal/results"
	"hotpath/internal/results/synthetic"
)

// block is a block in which each contestant has one value of a unit, the same in
// every heat.
type block struct {
	name  string
	unit  bench.Unit
	cells []string // each as impl:role=value
}

// rows are those of blocks in so many heats.
func rows(heats int, blocks ...block) *Experiment {
	e := synthetic.Experiment{Name: "x", Heats: heats}
	values := map[bench.CellID]results.Metric{}
	for _, b := range blocks {
		for _, text := range b.cells {
			var value float64
			text, number, _ := strings.Cut(text, "=")
			impl, role, _ := strings.Cut(text, ":")
			if _, err := fmt.Sscan(number, &value); err != nil {
				panic(err)
			}
			c := synthetic.Cells(b.name, bench.Judged, impl)[0]
			if c.Role = bench.Role(role); c.Role == bench.Control {
				c.Twin = "nobody"
			}
			values[c.ID()] = results.Metric{Value: value, Unit: b.unit.Name}
			e.Cells = append(e.Cells, c)
		}
	}
	e.Cost = func(c bench.Cell, _, _ int) float64 { return max(values[c.ID()].Value, 1e-3) }
	e.Metrics = func(c bench.Cell, _ int) []results.Metric { return []results.Metric{values[c.ID()]} }
	return of(e)
}

// of is the rows of a made-up experiment without claims, on two CPUs.
func of(e synthetic.Experiment) *Experiment { return judged(e, new(claims.File)) }

func judged(e synthetic.Experiment, f *claims.File) *Experiment {
	run := synthetic.Run(synthetic.Manifest(), e)
	return New(&run.Manifest, run.Experiments[0], f)
}

const thrpt, numcpu = "BenchmarkAdd/mode=thrpt/threads=2@numcpu", "BenchmarkAdd/mode=thrpt/threads=8@numcpu"

func names[R interface{ Impl() string }](rows []R) string {
	var impls []string
	for _, r := range rows {
		impls = append(impls, r.Impl())
	}
	return strings.Join(impls, " ")
}

// near allows for times that are whole nanoseconds.
func near(a, b float64) bool { return math.Abs(a-b) <= 1e-6*math.Abs(b) }

func TestFigures(t *testing.T) {
	e := synthetic.Experiment{Name: "x", Heats: 7, Cells: synthetic.Cells(thrpt, bench.Judged, "a", "b", "c", "floor")}
	e.Cells[0].Role, e.Cells[1].Role = bench.Ours, bench.Peer
	e.Cost = func(c bench.Cell, heat, _ int) float64 {
		return float64(heat) + map[string]float64{"a": 20, "b": 10, "c": 5, "floor": 30}[c.Impl()]
	}
	e.Unmet = func(c bench.Cell, heat, lap int) bench.GateSet {
		switch {
		case c.Impl() == "a" && heat == 7 && lap > 7, c.Impl() == "c" && lap > 1, c.Impl() == "b" && lap > 8:
			return bench.GateSet(0).With(bench.GateSteal)
		}
		return 0
	}
	e.State = func(c bench.Cell, _ int) bench.State {
		if c.Impl() == "floor" {
			return bench.Failed
		}
		return bench.Complete
	}
	b := of(e).Blocks[0]
	if got := names(b.Figures(bench.TimePerOp)); got != "a b c" {
		t.Errorf("figures of %s", got)
	}
	if got := names(b.Sorted(bench.TimePerOp)); got != "b a c floor" {
		t.Errorf("sorted: %s", got)
	}
	a, c := b.Row("a").Figure(bench.TimePerOp), b.Row("c").Figure(bench.TimePerOp)
	if !a.Counts() || !near(a.Median.Estimate, 23.5) || !near(a.Median.Low, 21) || !near(a.Median.High, 26) || a.Median.Level < Level || len(a.Points) != 7 || len(a.Gated) != 1 {
		t.Errorf("a: %+v", a)
	}
	if c.Counts() || !near(c.Median.Estimate, 9) || len(c.Gated) != 7 || b.Row("c").Figure(bench.TimePerOp) != c {
		t.Errorf("c: %+v", c)
	}
	if f := b.Row("floor").Figure(bench.TimePerOp); f.Median.N != 0 || f.Missing() != 7 {
		t.Errorf("floor: %+v", f)
	}
	if got := names(Contenders(b.Sorted(bench.TimePerOp))); got != "b a" {
		t.Errorf("contenders %s", got)
	}
	if f := b.Best(bench.TimePerOp, bench.Peer); f == nil || f.Impl() != "b" {
		t.Errorf("best peer %v", f)
	}
	if f := b.Best(bench.TimePerOp, bench.Floor); f != nil {
		t.Errorf("a floor without a result is the best: %v", f)
	}
	if b.Has(bench.BytesPerOp) || !b.Has(bench.TimePerOp) || b.Score() != bench.TimePerOp || !b.Judged() {
		t.Error("units or tier of the block")
	}
	for impl, want := range map[string]Tally{
		"a": {Clean: 6, Few: 1, Kept: 6*20 + 7, Gated: 13}, "b": {Clean: 7, Kept: 7 * 8, Gated: 7 * 12}, "c": {Few: 7, Kept: 7, Gated: 7 * 19}, "floor": {Failed: 7, Kept: 70},
	} {
		if got := b.Row(impl).Tally(); got != want {
			t.Errorf("%s: %+v, want %+v", impl, got, want)
		}
	}
}

func TestContests(t *testing.T) {
	x := rows(6,
		block{thrpt, bench.TimePerOp, []string{"p:peer=10", "a:ours=5", "b:ours=4", "q:peer=12"}},
		block{numcpu, bench.TimePerOp, []string{"a:ours=1"}},
		block{"BenchmarkAdd/mode=sample@one", bench.TimePerOp, []string{"a:ours=1", "p:peer=2"}})
	cs := x.Contests()
	if len(cs) != 1 || cs[0].Ours.Impl() != "b" || cs[0].Peer.Impl() != "p" || !near(cs[0].Ratio.Estimate, 0.4) || cs[0].Unit != bench.TimePerOp {
		t.Errorf("%+v", cs)
	}
}

func TestTrades(t *testing.T) {
	errors := map[string][2]float64{
		"floor": {0, 0}, "slow": {0, 0.01}, "fast": {0.02, 0.2}, "alike": {0.12, 0.1}, "middle": {0.01, 0.05}, "exact": {0, 0}, "again": {0, 0},
	}
	times := map[string]float64{"floor": 1, "slow": 90, "fast": 10, "alike": 20, "middle": 30, "none": 5, "exact": 99, "again": 9}
	e := synthetic.Experiment{
		Name: "x", Heats: 3, Cells: synthetic.Cells(thrpt, bench.Judged, "floor", "slow", "fast", "alike", "middle", "none", "exact", "again"),
		Cost: func(bench.Cell, int, int) float64 { return 100 },
		Metrics: func(c bench.Cell, _ int) []results.Metric {
			ms := []results.Metric{{Value: times[c.Impl()], Unit: bench.TimePerUpdate.Name}}
			if of, ok := errors[c.Impl()]; ok {
				ms = append(ms, results.Metric{Value: of[0], Unit: bench.QuantileError(50).Name}, results.Metric{Value: of[1], Unit: bench.QuantileError(99).Name})
			}
			return ms
		},
	}
	e.Cells[7].Role, e.Cells[7].Twin = bench.Control, "fast"
	var got []string
	for _, tr := range of(e).Blocks[0].Trades() {
		got = append(got, fmt.Sprint(tr.Impl(), tr.Error, tr.Best, tr.Forks))
	}
	want := []string{"fast0.2 true 3", "alike0.12 false 3", "middle0.05 true 3", "slow0.01 true 3", "exact0 true 3"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestCourses(t *testing.T) {
	time := map[int]float64{1: 3, 2: 9, 3: 4, 4: 1, 5: 2}
	e := synthetic.Experiment{
		Name: "x", Heats: 5, Cells: synthetic.Cells("BenchmarkEcho/mode=fixed@numcpu", bench.Judged, "before", "before_again", "after", "pooled", "bare"),
		Cost: func(bench.Cell, int, int) float64 { return 100 },
		Metrics: func(_ bench.Cell, heat int) []results.Metric {
			return []results.Metric{{Value: time[heat], Unit: bench.Real.Name}}
		},
		Heap: func(c bench.Cell, heat int) []results.HeapSample {
			switch {
			case c.Impl() == "bare":
				return nil
			case c.Impl() == "after":
				return []results.HeapSample{{Bytes: 1}}
			case c.Impl() == "pooled" && heat > 2:
				return []results.HeapSample{{Bytes: 1}, {Bytes: 2}} // no time passed
			}
			return []results.HeapSample{{MS: 0, Bytes: 7, Cycles: 1}, {MS: 5, Bytes: 90, Cycles: 2}, {MS: 10, Bytes: 8, Cycles: 4}}
		},
	}
	cs := of(e).Blocks[0].Courses()
	if got := names(cs); got != "before pooled" {
		t.Fatalf("courses of %s", got)
	}
	if cs[1].Forks != 2 {
		t.Errorf("a heap of one moment is a course: %d forks", cs[1].Forks)
	}
	if c := cs[0]; c.Fork.Heat != 1 || c.Time != 3 || c.Forks != 5 || c.Peak != 90 || c.Cycles != 3 {
		t.Errorf("%+v", c)
	}
	if got := Period(cs); got != 0.005 {
		t.Errorf("a sample each %v s", got)
	}
}

func TestWaits(t *testing.T) {
	times := map[string][2]float64{"floor": {1, 100}, "a": {10, 30}, "b": {50, 60}, "none": {50, 0}} // service, response
	e := synthetic.Experiment{
		Name: "x", Heats: 3, Cells: synthetic.Cells("BenchmarkEcho/mode=open/rate=9@numcpu", bench.Peers, "floor", "a", "b", "none"),
		Cost: func(bench.Cell, int, int) float64 { return 100 },
		Metrics: func(c bench.Cell, _ int) []results.Metric {
			of := times[c.Impl()]
			return []results.Metric{{Value: of[0], Unit: bench.Service(99).Name}, {Value: of[1], Unit: bench.Latency(99).Name},
				{Value: 1, Unit: bench.Service(50).Name}, {Value: 0, Unit: bench.Latency(50).Name}}
		},
	}
	b := of(e).Blocks[0]
	ws := b.Waits()
	if len(ws) != 1 || ws[0].Percentile != 99 { // p50 has no response, the others no service
		t.Fatalf("%+v", ws)
	}
	if _, _, ok := ws[0].Of("none"); ok {
		t.Error("a response of 0 is a time")
	}
	if s, r, ok := ws[0].Of("b"); !ok || s != 50 || r != 60 {
		t.Errorf("b: %v %v %v", s, r, ok)
	}
	if _, worst := LongestWait(ws, b.Rows); worst.Impl() != "a" {
		t.Errorf("%s waits longest", worst.Impl())
	}
	if _, worst := LongestWait(ws, b.Rows[:1]); worst.Impl() != "floor" {
		t.Errorf("%s waits longest of the floor alone", worst.Impl())
	}
	if w := rows(3, block{thrpt, bench.Service(99), []string{"a:ours=1"}}).Blocks[0].Waits(); w != nil {
		t.Errorf("throughput has waits: %v", w)
	}
}

func TestLatencies(t *testing.T) {
	e := synthetic.Experiment{
		Name: "x", Heats: 3, Cells: synthetic.Cells("BenchmarkAdd/mode=sample/threads=2@perthread", bench.Judged, "a", "b"),
		Cost: func(bench.Cell, int, int) float64 { return 100 },
		Unmet: func(c bench.Cell, heat, lap int) bench.GateSet {
			if c.Impl() == "a" && heat == 1 && lap > 7 {
				return bench.GateSet(0).With(bench.GateSteal)
			}
			return 0
		},
	}
	e.Cells = append(e.Cells, synthetic.Cells(thrpt, bench.Judged, "c")...)
	x := of(e)
	l := x.Blocks[0].Row("a").Latencies()
	one := x.Blocks[0].Row("b").Forks[0].Hist.TotalCount()
	if l.Forks != 2 || l.Samples() != 2*one || x.Blocks[0].Row("a").Latencies() != l {
		t.Errorf("%d forks, %d samples of %d", l.Forks, l.Samples(), one)
	}
	if !(l.At(0) <= l.At(50) && l.At(50) < l.At(99.9) && l.At(99.9) < l.At(100)) {
		t.Errorf("%v %v %v %v", l.At(0), l.At(50), l.At(99.9), l.At(100))
	}
	end := l.End()
	if last := 100 * (1 - math.Pow(10, -end)); !l.Shows(last-1e-4) || l.Shows(last+1e-4) || !l.Shows(100) || !l.Shows(0) {
		t.Errorf("what is shown, with an end at %v", last)
	}
	if Depth(99.999) < 4.99 || Depth(99.999) > 5.01 {
		t.Errorf("five nines are %v", Depth(99.999))
	}
	if l := x.Blocks[1].Rows[0].Latencies(); l != nil {
		t.Errorf("throughput has latencies: %+v", l)
	}
}
