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
	"hotpath/internal/results/resultstest"
)

// block makes a block of one unit out of contestants' values, each as
// impl:role=value.
func block(name string, unit bench.Unit, cells ...string) resultstest.Block {
	b := resultstest.Block{Name: name, Tier: bench.Judged}
	for _, c := range cells {
		var value float64
		c, number, _ := strings.Cut(c, "=")
		impl, role, _ := strings.Cut(c, ":")
		if _, err := fmt.Sscan(number, &value); err != nil {
			panic(err)
		}
		b.Cells = append(b.Cells, resultstest.Cell{Impl: impl, Role: bench.Role(role), Values: []resultstest.Value{{Unit: unit, Value: value}}})
	}
	return b
}

// rows are those of blocks in so many rounds, of which none is noisy.
func rows(rounds int, blocks ...resultstest.Block) *Experiment {
	e := resultstest.New("x", rounds, blocks...)
	for _, f := range e.Forks {
		i := slices.IndexFunc(blocks, func(b resultstest.Block) bool { return b.Name == f.Cell.Block().String() })
		for _, c := range blocks[i].Cells {
			if c.Impl == f.Cell.Impl() {
				for j, v := range c.Values {
					f.Metrics[j].Value = v.Value
				}
			}
		}
	}
	return New(&results.Manifest{}, e, new(claims.File))
}

const thrpt, numcpu = "BenchmarkAdd/mode=thrpt/threads=2@numcpu", "BenchmarkAdd/mode=thrpt/threads=8@numcpu"

func names[R interface{ Impl() string }](rows []R) string {
	var impls []string
	for _, r := range rows {
		impls = append(impls, r.Impl())
	}
	return strings.Join(impls, " ")
}

func TestFigures(t *testing.T) {
	e := resultstest.New("x", 7, block(thrpt, bench.TimePerOp, "a:ours=1", "b:peer=1", "c:peer=1", "d:floor=1"))
	for i, f := range e.Forks {
		round, impl := float64(f.Round), f.Cell.Impl()
		f.Metrics[0].Value = round + map[string]float64{"a": 20, "b": 10, "c": 5, "d": 30}[impl]
		if impl == "a" && f.Round == 7 || impl == "c" {
			f.Gated = []bench.Unmet{{Gate: bench.GateSteal}}
		}
		if impl == "d" {
			f.State, f.Metrics = bench.Failed, nil
		}
		if impl == "b" && f.Round == 2 {
			again := *f // a second clean attempt does not count
			again.ID, again.Metrics = 1000+i, []results.Metric{{Value: 900, Unit: bench.TimePerOp.Name}}
			e.Forks = append(e.Forks, &again)
		}
	}
	b := New(&results.Manifest{}, e, new(claims.File)).Blocks[0]
	if got := names(b.Figures(bench.TimePerOp)); got != "a b c" {
		t.Errorf("figures of %s", got)
	}
	if got := names(b.Sorted(bench.TimePerOp)); got != "b a c d" {
		t.Errorf("sorted: %s", got)
	}
	a, c := b.Row("a").Figure(bench.TimePerOp), b.Row("c").Figure(bench.TimePerOp)
	if !a.Counts() || a.Median.Estimate != 23.5 || a.Median.Low != 21 || a.Median.High != 26 || a.Median.Level < Level || len(a.Points) != 7 || len(a.Gated) != 1 {
		t.Errorf("a: %+v", a)
	}
	if c.Counts() || c.Median.Estimate != 9 || len(c.Gated) != 7 || b.Row("c").Figure(bench.TimePerOp) != c {
		t.Errorf("c: %+v", c)
	}
	if f := b.Row("b").Figure(bench.TimePerOp); len(f.Clean) != 7 || len(f.Points) != 8 || slices.Contains(f.Clean, 900) {
		t.Errorf("b: %+v", f)
	}
	if d := b.Row("d").Figure(bench.TimePerOp); d.Median.N != 0 || d.Missing() != 7 {
		t.Errorf("d: %+v", d)
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
	for impl, want := range map[string]Tally{"a": {Clean: 6, Gated: 1}, "b": {Clean: 7}, "c": {Gated: 7}, "d": {Failed: 7}} {
		if got := b.Row(impl).Tally(); got != want {
			t.Errorf("%s: %+v, want %+v", impl, got, want)
		}
	}
}

// A fork whose last third differs from its first by more than the limit is
// unsteady.
func TestUnsteady(t *testing.T) {
	for trend, want := range map[float64]int{0.96: 1, 0.98: 0, 1: 0, 1.04: 1} {
		x := rows(1, block(thrpt, bench.Trend, fmt.Sprintf("a:ours=%v", trend)))
		if got := x.Blocks[0].Rows[0].Tally().Unsteady; got != want {
			t.Errorf("trend %v: %d unsteady, want %d", trend, got, want)
		}
	}
}

func TestRatio(t *testing.T) {
	b := rows(12, block(thrpt, bench.TimePerOp, "a:ours=2", "b:peer=8", "zero:peer=0")).Blocks[0]
	if iv := b.Ratio(bench.TimePerOp, "a", "b"); math.Abs(iv.Estimate-0.25) > 1e-12 || iv.N != 12 || iv.Level < Level {
		t.Errorf("a / b: %+v", iv)
	}
	for _, pair := range [][2]string{{"a", "zero"}, {"a", "nobody"}} {
		if iv := b.Ratio(bench.TimePerOp, pair[0], pair[1]); iv.Estimate != 0 || iv.Level != 0 {
			t.Errorf("%v: %+v", pair, iv)
		}
	}
	if iv := rows(2, block(thrpt, bench.TimePerOp, "a:ours=2", "b:peer=8")).Blocks[0].Ratio(bench.TimePerOp, "b", "a"); iv.Level != 0 || math.Abs(iv.Estimate-4) > 1e-12 {
		t.Errorf("two pairs: %+v", iv)
	}
}

// A ratio that a verdict shows and one that a table shows differ in the level
// alone.
func TestOneRatio(t *testing.T) {
	x := judgedCounters(t, func(*results.Experiment) {}, results.Manifest{Machine: bench.Machine{CPUs: 2}})
	c := x.Judgement.Verdicts[0].Comparisons[0]
	if iv := x.Blocks[0].Ratio(bench.MeanLatency, c.Baseline, c.Candidate); iv.Estimate != c.Measured.Estimate || iv.N != c.Measured.N {
		t.Errorf("%+v in a table, %+v in a verdict", iv, c.Measured)
	}
}

func TestRelative(t *testing.T) {
	for name, c := range map[string]struct {
		cells          []string
		base, foremost string
	}{
		"a peer":              {[]string{"floor:floor=1", "a:ours=2", "p:peer=8", "q:peer=4", "s:published=1.5"}, "q", "a"},
		"no peer":             {[]string{"a:ours=2", "s:published=1", "b:ours=3"}, "s", "a"},
		"ours before faster":  {[]string{"s:published=1", "a:ours=9", "p:peer=2"}, "p", "a"},
		"none of ours":        {[]string{"s:published=1", "p:peer=2", "r:published=0.5"}, "p", "r"},
		"the best is ours":    {[]string{"a:ours=1", "s:published=3"}, "a", "s"},
		"the control is none": {[]string{"s:published=1", "again:control=1", "p:peer=2"}, "p", "s"},
		"a zero has no ratio": {[]string{"a:ours=0", "s:published=1", "p:peer=2"}, "p", "s"},
		"one contestant":      {[]string{"floor:floor=1", "a:ours=2"}, "", ""},
	} {
		rel, ok := rows(6, block(thrpt, bench.TimePerOp, c.cells...)).Blocks[0].Relative(bench.TimePerOp)
		if ok != (c.base != "") {
			t.Errorf("%s: %v", name, ok)
		}
		if ok && (rel.Base.Impl() != c.base || rel.Foremost().Impl() != c.foremost) {
			t.Errorf("%s: %s against %s, want %s against %s", name, rel.Foremost().Impl(), rel.Base.Impl(), c.foremost, c.base)
		}
	}
}

func TestRank(t *testing.T) {
	x := rows(6,
		block(thrpt, bench.TimePerOp, "p:peer=10", "a:ours=5", "b:ours=1"),
		block(numcpu, bench.TimePerOp, "p:peer=10", "a:ours=1", "c:ours=2"))
	var rels []Relative
	for _, b := range x.Blocks {
		rel, _ := b.Relative(bench.TimePerOp)
		rels = append(rels, rel)
	}
	if got := names(Rank(rels)); got != "b c a p" {
		t.Errorf("rank %s", got)
	}
}

func TestContests(t *testing.T) {
	x := rows(6,
		block(thrpt, bench.TimePerOp, "p:peer=10", "a:ours=5", "b:ours=4", "q:peer=12"),
		block(numcpu, bench.TimePerOp, "a:ours=1"),
		block("BenchmarkAdd/mode=sample@one", bench.TimePerOp, "a:ours=1", "p:peer=2"))
	cs := x.Contests()
	if len(cs) != 1 || cs[0].Ours.Impl() != "b" || cs[0].Peer.Impl() != "p" || math.Abs(cs[0].Ratio.Estimate-0.4) > 1e-12 || cs[0].Unit != bench.TimePerOp {
		t.Errorf("%+v", cs)
	}
}

func TestTrades(t *testing.T) {
	cell := func(impl string, role bench.Role, ns, p50, p99 float64) resultstest.Cell {
		c := resultstest.Cell{Impl: impl, Role: role, Values: []resultstest.Value{{Unit: bench.TimePerUpdate, Value: ns}}}
		if p99 >= 0 {
			c.Values = append(c.Values, resultstest.Value{Unit: bench.QuantileError(50), Value: p50}, resultstest.Value{Unit: bench.QuantileError(99), Value: p99})
		}
		return c
	}
	b := resultstest.Block{Name: thrpt, Cells: []resultstest.Cell{
		cell("floor", bench.Floor, 1, 0, 0), cell("slow", bench.Peer, 90, 0, 0.01), cell("fast", bench.Ours, 10, 0.02, 0.2),
		cell("alike", bench.Peer, 20, 0.12, 0.1), cell("middle", bench.Ours, 30, 0.01, 0.05), cell("none", bench.Peer, 5, -1, -1),
		cell("exact", bench.Peer, 99, 0, 0), cell("again", bench.Control, 9, 0, 0),
	}}
	var got []string
	for _, tr := range rows(3, b).Blocks[0].Trades() {
		got = append(got, fmt.Sprint(tr.Impl(), tr.Error, tr.Best, tr.Forks))
	}
	want := []string{"fast0.2 true 3", "alike0.12 false 3", "middle0.05 true 3", "slow0.01 true 3", "exact0 true 3"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestCourses(t *testing.T) {
	e := resultstest.Echo(5)
	time := map[int]float64{1: 3, 2: 9, 3: 4, 4: 1, 5: 2}
	for _, f := range e.Forks {
		if f.Heap != nil {
			f.Metrics[0].Value = time[f.Round]
		}
		if f.Cell.Impl() == "after" {
			f.Heap = f.Heap[:min(1, len(f.Heap))]
		}
	}
	for _, f := range e.Forks {
		if f.Heap != nil && f.Cell.Impl() == "pooled" && f.Round > 2 {
			f.Heap = []results.HeapSample{{Bytes: 1}, {Bytes: 2}} // no time passed
		}
	}
	cs := New(&results.Manifest{}, e, new(claims.File)).Blocks[0].Courses()
	if cs[1].Forks != 2 {
		t.Errorf("a heap of one moment is a course: %d forks", cs[1].Forks)
	}
	if got := names(cs); got != "before pooled" {
		t.Fatalf("courses of %s", got)
	}
	c := cs[0]
	peak, samples := 0.0, c.Fork.Heap
	for _, s := range samples {
		peak = max(peak, float64(s.Bytes))
	}
	if c.Fork.Round != 1 || c.Time != 3 || c.Forks != 5 || c.Peak != peak || c.Cycles != samples[len(samples)-1].Cycles || c.Cycles == 0 {
		t.Errorf("%+v", c)
	}
	if got := Period(cs); got != 0.005 {
		t.Errorf("a sample each %v s", got)
	}
}

func TestWaits(t *testing.T) {
	cell := func(impl string, role bench.Role, service, response float64) resultstest.Cell {
		return resultstest.Cell{Impl: impl, Role: role, Values: []resultstest.Value{{Unit: bench.Service(99), Value: service}, {Unit: bench.Latency(99), Value: response}, {Unit: bench.Service(50), Value: 1}}}
	}
	b := rows(3, resultstest.Block{Name: "BenchmarkEcho/mode=open/rate=9@numcpu", Cells: []resultstest.Cell{
		cell("floor", bench.Floor, 1, 100), cell("a", bench.Ours, 10, 30), cell("b", bench.Peer, 50, 60), cell("none", bench.Peer, 50, 0),
	}}).Blocks[0]
	ws := b.Waits()
	if len(ws) != 1 || ws[0].Percentile != 99 { // p50 has no response
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
	if w := rows(3, block(thrpt, bench.Service(99), "a:ours=1")).Blocks[0].Waits(); w != nil {
		t.Errorf("throughput has waits: %v", w)
	}
}

func TestLatencies(t *testing.T) {
	e := resultstest.Counter(3)
	e.Forks[0].Gated = []bench.Unmet{{Gate: bench.GateSteal}} // of the floor
	b := New(&results.Manifest{}, e, new(claims.File)).Blocks[0]
	one := resultstest.Latencies(29).TotalCount()
	l := b.Latencies(b.Rows[0])
	if l.Forks != 2 || l.Samples() != 2*one || b.Latencies(b.Rows[0]) != l {
		t.Errorf("%d forks, %d samples", l.Forks, l.Samples())
	}
	if !(l.At(0) <= l.At(50) && l.At(50) < l.At(99.9) && l.At(99.9) < l.At(100)) {
		t.Errorf("%v %v %v %v", l.At(0), l.At(50), l.At(99.9), l.At(100))
	}
	if !l.Shows(99.9998) || l.Shows(99.99999) || !l.Shows(100) || !l.Shows(0) {
		t.Error("what is shown")
	}
	if end := l.End(); Depth(99.999) > end || Depth(99.99999) < end {
		t.Errorf("the end is at %v", end)
	}
}
