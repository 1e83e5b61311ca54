package chart

import (
	"bytes"
	"flag"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"

	"hotpath/internal/bench"
	"hotpath/internal/claims"
	"hotpath/internal/results"
	"hotpath/internal/results/resultstest"
	"hotpath/internal/stats"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func mustDraw(t *testing.T, e *results.Experiment, ctx judged) []Chart {
	t.Helper()
	charts, err := Draw(ctx.of(e))
	if err != nil {
		t.Fatal(err)
	}
	return charts
}

func TestGolden(t *testing.T) {
	seen := map[string]bool{}
	charts := slices.Concat(mustDraw(t, synthetic(21), context()), mustDraw(t, resultstest.Histograms(21), judged{}), mustDraw(t, resultstest.Echo(21), judged{}))
	for _, c := range charts {
		kind := c.Kind
		if strings.HasSuffix(c.Name, "-gc") {
			kind = "gc"
		}
		if seen[kind] {
			continue
		}
		seen[kind] = true
		check := func(name string, got []byte) {
			t.Helper()
			path := filepath.Join("testdata", name)
			if *update {
				if err := os.WriteFile(path, got, 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("%s is not what is drawn now: look at both, then rewrite it with -update", path)
			}
		}
		check(kind+".svg", c.Light)
		check(kind+"-dark.svg", c.Dark)
	}
	for _, k := range append(slices.Clip(Kinds), Kind{Name: "gc"}) {
		if !seen[k.Name] {
			t.Errorf("no chart of kind %s", k.Name)
		}
	}
}

func TestSameBytes(t *testing.T) {
	// Several benchmarks, so that an order taken from a map would show.
	several := func() *results.Experiment {
		return rewritten(synthetic(7), func(id *bench.CellID) { id.Name.Benchmark += string(id.Reading) })
	}
	first := mustDraw(t, several(), context())
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for range 3 {
		for i, c := range mustDraw(t, several(), context()) {
			f := first[i]
			if c.Name != f.Name || c.Title != f.Title || c.Alt != f.Alt || !bytes.Equal(c.Light, f.Light) || !bytes.Equal(c.Dark, f.Dark) {
				t.Errorf("%s differs between two drawings", c.Name)
			}
		}
	}
}

func TestChartsAreWhole(t *testing.T) {
	// What many forks, one fork and long names do to layouts.
	for name, charts := range map[string][]Chart{
		"histograms": mustDraw(t, resultstest.Histograms(21), judged{}),
		"one round":  mustDraw(t, resultstest.Histograms(1), judged{}),
		"echo":       mustDraw(t, resultstest.Echo(21), judged{}),
		"one echo":   mustDraw(t, resultstest.Echo(1), judged{}),
		"long echo":  mustDraw(t, renamed(resultstest.Echo(4), func(impl string) string { return impl + "_of_a_name_that_is_longer_than_any_column" }), judged{}),

		"full":   mustDraw(t, synthetic(21), context()),
		"single": mustDraw(t, synthetic(1), context()),
		"long":   mustDraw(t, renamed(synthetic(7), func(impl string) string { return impl + "_of_a_name_that_is_longer_than_any_column" }), context()),
	} {
		names := map[string]bool{}
		for _, c := range charts {
			if !regexp.MustCompile(`^[a-z0-9-]{1,150}$`).MatchString(c.Name) || names[c.Name] {
				t.Errorf("%s: name %q is unsafe or taken", name, c.Name)
			}
			names[c.Name] = true
			if !strings.ContainsAny(c.Title, "0123456789") || !strings.ContainsAny(c.Alt, "0123456789") {
				t.Errorf("%s: %s: title %q or alt text %q has no number", name, c.Name, c.Title, c.Alt)
			}
			checkSVG(t, name+": "+c.Name, c.Light, c)
			if name == "full" {
				checkSVG(t, name+": "+c.Name+", dark", c.Dark, c)
			}
		}
	}
}

// rewritten is an experiment with other cells.
func rewritten(e *results.Experiment, change func(*bench.CellID)) *results.Experiment {
	for i := range e.Plan.Cells {
		c := &e.Plan.Cells[i]
		id := c.ID()
		change(&id)
		c.Name, c.Block = id.Name, id.Block()
	}
	for _, f := range e.Forks {
		change(&f.Cell)
	}
	return e
}

// renamed is an experiment with other names for its contestants.
func renamed(e *results.Experiment, name func(string) string) *results.Experiment {
	return rewritten(e, func(id *bench.CellID) {
		params := slices.Collect(id.Name.Params.All())
		params[0].Value = name(params[0].Value)
		id.Name = bench.NewName(id.Name.Benchmark, params...)
	})
}

func TestHostileNames(t *testing.T) {
	const hostile = "</text><script>alert(1)</script>\x00\x1b[31m\u202e&\"'`|](javascript:x)\xff\n../../x"
	e := renamed(synthetic(3), func(impl string) string { return strings.ReplaceAll(hostile, "/", "\\") + impl })
	e.Name = "../" + hostile
	ctx := context()
	ctx.verdicts[0].Claim.ID = hostile
	ctx.verdicts[0].Comparisons[0].Baseline = hostile
	ctx.claims.Published[0].Impl = hostile
	charts := mustDraw(t, e, ctx)
	if len(charts) == 0 {
		t.Fatal("no charts")
	}
	for _, c := range charts {
		checkSVG(t, c.Name, c.Light, c)
		for _, s := range []string{c.Title, c.Alt, string(c.Light), string(c.Dark)} {
			for _, bad := range []string{"\x00", "\x1b", "\u202e", "\xff"} {
				if strings.Contains(s, bad) {
					t.Errorf("%s: %q in %.60q", c.Name, bad, s)
				}
			}
		}
		if bytes.Contains(c.Light, []byte("<script")) || strings.Contains(c.Title+c.Alt, "\n") {
			t.Errorf("%s: text from the data became markup", c.Name)
		}
		if strings.ContainsAny(c.Name, "./\\<> ") {
			t.Errorf("unsafe name %q", c.Name)
		}
	}
}

func TestDegenerate(t *testing.T) {
	kinds := func(charts []Chart) string {
		var names []string
		seen := map[string]bool{}
		for _, c := range charts {
			if !seen[c.Kind] {
				names = append(names, c.Kind)
			}
			seen[c.Kind] = true
			checkSVG(t, c.Name, c.Light, c)
		}
		return strings.Join(names, " ")
	}
	check := func(name, want string, e *results.Experiment, ctx judged) {
		t.Helper()
		charts, err := Draw(ctx.of(e))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got := kinds(charts); got != want {
			t.Errorf("%s: kinds %q, want %q", name, got, want)
		}
	}
	each := func(e *results.Experiment, change func(*results.Fork)) *results.Experiment {
		for _, f := range e.Forks {
			change(f)
		}
		return e
	}
	only := func(impl string) *results.Experiment {
		e := synthetic(5)
		var cells []bench.Cell
		for _, c := range e.Plan.Cells {
			if c.Impl() == impl {
				cells = append(cells, c)
			}
		}
		e.Plan.Cells = cells
		return e
	}
	check("nothing", "", &results.Experiment{Name: "counter"}, judged{})
	check("cells without forks", "", &results.Experiment{Name: "counter", Plan: synthetic(1).Plan}, judged{})
	check("one fork each", "percentiles throughput ratios costs sequence", synthetic(1), judged{})
	check("one contestant", "percentiles throughput costs sequence", only("atomic"), judged{})
	check("the floor alone", "percentiles throughput costs sequence", only("floor"), judged{})
	check("all gated", "throughput costs sequence",
		each(synthetic(3), func(f *results.Fork) { f.Gated = []bench.Unmet{{Gate: bench.GateSteal}} }), judged{})
	check("all failed", "", each(synthetic(3), func(f *results.Fork) { f.State, f.Metrics, f.Hist = bench.Failed, nil, nil }), judged{})
	check("no histograms", "throughput ratios costs sequence", each(synthetic(3), func(f *results.Fork) { f.Hist = nil }), judged{})
	check("few samples", "percentiles throughput ratios costs sequence", each(synthetic(1), func(f *results.Fork) {
		if f.Hist != nil {
			f.Hist = hdrhistogram.New(1, 1000, 3)
			f.Hist.RecordValues(0, 12)
		}
	}), judged{})
	check("equal values", "percentiles throughput ratios costs sequence", each(synthetic(7), func(f *results.Fork) {
		for i := range f.Metrics {
			f.Metrics[i].Value = 5
		}
	}), judged{})
	check("far apart", "percentiles throughput ratios costs sequence", each(synthetic(7), func(f *results.Fork) {
		f.Gated = nil
		if f.ID%2 == 0 {
			f.Metrics[0].Value = largest
		} else {
			f.Metrics[0].Value = smallest
		}
	}), judged{})
	const ofEcho = "percentiles latency heap throughput ratios ladder costs sequence"
	check("echo, one fork each", ofEcho, resultstest.Echo(1), judged{})
	check("echo, equal values", ofEcho, each(resultstest.Echo(7), func(f *results.Fork) {
		for i := range f.Metrics {
			f.Metrics[i].Value = 5
		}
		for i := range f.Heap {
			f.Heap[i] = results.HeapSample{MS: float64(i)}
		}
	}), judged{})
	check("echo, all zero that can be", ofEcho, each(resultstest.Echo(7), func(f *results.Fork) {
		for i, m := range f.Metrics {
			if !strings.Contains(m.Unit, "latency") && !strings.Contains(m.Unit, "service") && !strings.Contains(m.Unit, "cpu-ns/op") && i > 0 {
				f.Metrics[i].Value = 0
			}
		}
	}), judged{})
	check("echo, a heap of one moment", strings.Replace(ofEcho, " heap", "", 1), each(resultstest.Echo(3), func(f *results.Fork) {
		for i := range f.Heap {
			f.Heap[i].MS = 0
		}
	}), judged{})
	check("echo, all gated", "throughput costs sequence", each(resultstest.Echo(3), func(f *results.Fork) { f.Gated = []bench.Unmet{{Gate: bench.GateSteal}} }), judged{})
	const ofMany = "percentiles accuracy throughput ratios costs sequence"
	check("histograms, no errors", ofMany, each(resultstest.Histograms(3), func(f *results.Fork) {
		for i := range f.Metrics {
			if strings.HasSuffix(f.Metrics[i].Unit, "-error") {
				f.Metrics[i].Value = 0
			}
		}
	}), judged{})
	check("histograms, all alike", ofMany, each(resultstest.Histograms(3), func(f *results.Fork) {
		for i := range f.Metrics {
			f.Metrics[i].Value = 0.01
		}
	}), judged{})
	unmeasured := context()
	unmeasured.verdicts[1].Comparisons[0].Measured = stats.Interval{N: 20} // a value had no ratio
	check("no ratio", "forest", &results.Experiment{Name: "counter"}, unmeasured)
	unbounded := claims.Verdict{Word: claims.Inconclusive, Comparisons: []claims.Comparison{{
		Baseline: "a", Candidate: "b", Verdict: claims.Inconclusive,
		Measured: stats.Interval{Estimate: 2, Low: 0, High: math.Inf(1), N: 3, Level: 0.95},
	}}}
	check("unbounded interval", "forest", &results.Experiment{Name: "counter"}, judged{verdicts: []claims.Verdict{unbounded}})
}

func TestRefusals(t *testing.T) {
	check := func(name, want string, e *results.Experiment, ctx judged) {
		t.Helper()
		charts, err := Draw(ctx.of(e))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %d charts, error %v, want one with %q", name, len(charts), err, want)
		}
	}
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), -1, 0, 1e308, 1e-300} {
		e := synthetic(2)
		e.Forks[7].Metrics[0].Value = v
		check("fork", e.Forks[7].Cell.String()+": fork 8: ", e, judged{})
	}
	e := synthetic(2)
	for _, f := range e.Forks {
		if f.Hist == nil {
			f.Metrics[2].Value = math.NaN()
			check("cost", f.Cell.String()+": fork ", e, judged{})
			break
		}
	}
	for _, at := range []float64{math.NaN(), math.Inf(1), 1e-300} {
		e = resultstest.Echo(1)
		e.Forks[0].Heap[3].MS = at
		check("heap", "fork 1: a moment of the heap over time is ", e, judged{})
	}
	e = resultstest.Histograms(1)
	for i, m := range e.Forks[len(e.Forks)-1].Metrics {
		if m.Unit == "p99-error" {
			e.Forks[len(e.Forks)-1].Metrics[i].Value = math.Inf(1)
		}
	}
	check("error", "p99-error is +Inf", e, judged{})
}
