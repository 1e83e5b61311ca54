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
	"unicode/utf8"

	"github.com/HdrHistogram/hdrhistogram-go"

	"hotpath/internal/bench"
	"hotpath/internal/claims"
	"hotpath/internal/results"
	"hotpath/internal/results/synthetic"
	"hotpath/internal/study"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func mustDraw(t *testing.T, xs ...*study.Experiment) []Chart {
	t.Helper()
	var all []Chart
	for _, x := range xs {
		charts, err := Draw(x)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, charts...)
	}
	if c, ok := Overview(xs); ok {
		all = append(all, c)
	}
	return all
}

func everything(heats int) []*study.Experiment {
	return []*study.Experiment{
		rows(counterRun(heats), publishedCounters(), verdicts()...), rows(histogramRun(heats), claims.File{}), rows(echoRun(heats), claims.File{}),
		rows(laneRun(heats), publishedCounters()),
	}
}

// golden compares a chart with the files of a name, or rewrites them.
func golden(t *testing.T, name string, c Chart) {
	t.Helper()
	for file, got := range map[string][]byte{name + ".svg": c.Light, name + "-dark.svg": c.Dark} {
		path := filepath.Join("testdata", file)
		if *update {
			if err := os.WriteFile(path, got, 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not what is drawn now: look at both, then rewrite it with -update", path)
		}
	}
}

func TestGolden(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range mustDraw(t, everything(7)...) {
		name := c.Kind
		if c.Kind == "throughput" && c.Block.Benchmark == "" {
			name = "throughputs" // of many blocks
		}
		if c.Kind == "percentiles" && c.Block.Lane() != "" {
			name = "percentiles-jvm"
		}
		if seen[name] {
			continue
		}
		seen[name] = true
		golden(t, name, c)
	}
	for _, k := range append(slices.Clip(Kinds), Kind{Name: "overview"}, Kind{Name: "throughputs"}, Kind{Name: "percentiles-jvm"}) {
		if !seen[k.Name] {
			t.Errorf("no chart of kind %s", k.Name)
		}
	}
}

func TestSameBytes(t *testing.T) {
	first := mustDraw(t, everything(6)...)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for i, c := range mustDraw(t, everything(6)...) {
		f := first[i]
		if c.Name != f.Name || c.Title != f.Title || c.Alt != f.Alt || !bytes.Equal(c.Light, f.Light) || !bytes.Equal(c.Dark, f.Dark) {
			t.Errorf("%s differs between two drawings", c.Name)
		}
	}
}

// What many heats, one heat, and long names do to layouts.
func TestLayout(t *testing.T) {
	long := func(e synthetic.Experiment) *study.Experiment {
		return renamed(e, func(impl string) string { return impl + "_of_a_name_that_is_longer_than_any_column" })
	}
	for name, charts := range map[string][]Chart{
		"many heats": mustDraw(t, everything(15)...),
		"one heat":   mustDraw(t, everything(1)...),
		"long names": mustDraw(t, long(counterRun(6)), long(histogramRun(6)), long(echoRun(6))),
	} {
		names := map[string]bool{}
		for _, c := range charts {
			if !regexp.MustCompile(`^[a-z0-9-]{1,150}$`).MatchString(c.Name) || names[c.Name] {
				t.Errorf("%s: name %q is unsafe or taken", name, c.Name)
			}
			names[c.Name] = true
			if !strings.ContainsAny(c.Title, "0123456789") || !strings.Contains(c.Title, "n=") {
				t.Errorf("%s: %s: title %q has no number or no n", name, c.Name, c.Title)
			}
			if n := utf8.RuneCountInString(c.Alt); n > 150 || n < 30 || name != "long names" && !strings.ContainsAny(c.Alt, "0123456789") {
				t.Errorf("%s: %s: alt text of %d characters: %q", name, c.Name, n, c.Alt)
			}
			checkSVG(t, name+": "+c.Name, c.Light, c)
			checkSVG(t, name+": "+c.Name+", dark", c.Dark, c)
		}
	}
}

// renamed is an experiment with other names for its contestants.
func renamed(e synthetic.Experiment, name func(string) string) *study.Experiment {
	run := synthetic.Run(synthetic.Manifest(), e)
	change := func(id bench.CellID) bench.CellID {
		params := slices.Collect(id.Name.Params.All())
		params[0].Value = name(params[0].Value)
		id.Name = bench.NewName(id.Name.Benchmark, params...)
		return id
	}
	x := run.Experiments[0]
	for i := range x.Plan.Cells {
		c := &x.Plan.Cells[i]
		c.Name = change(c.ID()).Name
		if c.Twin != "" {
			c.Twin = name(c.Twin)
		}
	}
	for _, f := range x.Forks {
		f.Cell = change(f.Cell)
	}
	return study.New(&run.Manifest, x, new(claims.File))
}

func TestHostileNames(t *testing.T) {
	const hostile = "</text><script>alert(1)</script>\x00\x1b[31m\u202e&\"'`|](javascript:x)\xff\n../../x"
	x := renamed(counterRun(6), func(impl string) string { return strings.ReplaceAll(hostile, "/", "\\") + impl })
	x.Name = "../" + hostile
	vs := verdicts()
	vs[0].Claim.ID, vs[1].Comparisons[0].Baseline = hostile, hostile
	x.Judgement.Verdicts = vs
	charts := mustDraw(t, x)
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

// kinds lists those of some charts.
func kinds(charts []Chart) string {
	var names []string
	for _, c := range charts {
		if !slices.Contains(names, c.Kind) {
			names = append(names, c.Kind)
		}
	}
	return strings.Join(names, " ")
}

// only is an experiment with fewer contestants.
func only(e synthetic.Experiment, impls ...string) synthetic.Experiment {
	e.Cells = slices.DeleteFunc(slices.Clone(e.Cells), func(c bench.Cell) bool { return !slices.Contains(impls, c.Impl()) })
	return e
}

func TestDegenerate(t *testing.T) {
	still, gated, failed := counterRun(6), counterRun(3), counterRun(3)
	still.HandOff = nil
	gated.Unmet = func(bench.Cell, int, int) bench.GateSet { return bench.GateSet(0).With(bench.GateSteal) }
	failed.State = func(bench.Cell, int) bench.State { return bench.Failed }
	const counter, echo = "throughput percentiles costs placement heats overview", "throughput percentiles latency ladder costs heap placement heats overview"
	without := func(all, kind string) string { return strings.Replace(all, kind+" ", "", 1) }
	for name, c := range map[string]struct {
		e      synthetic.Experiment
		change func(*results.Fork)
		want   string
	}{
		"one heat":            {counterRun(1), nil, without(counter, "placement")},
		"CPUs stay":           {still, nil, without(counter, "placement")},
		"one contestant":      {only(counterRun(6), "atomic"), nil, "throughput percentiles"},
		"the floor alone":     {only(counterRun(6), "floor"), nil, "throughput percentiles"},
		"all gated":           {gated, nil, ""},
		"all failed":          {failed, nil, ""},
		"no histograms":       {counterRun(6), func(f *results.Fork) { f.Hist = nil }, without(counter, "percentiles")},
		"few samples":         {counterRun(6), fewSamples, counter},
		"equal metrics":       {counterRun(6), equal(5), counter},
		"histograms, exact":   {histogramRun(6), equal(0.01), "throughput percentiles accuracy costs placement heats overview"},
		"echo, one heat":      {echoRun(1), nil, without(echo, "placement")},
		"echo, equal metrics": {echoRun(6), equal(5), echo},
		"echo, heap at once":  {echoRun(6), heapAtOnce, without(echo, "heap")},
	} {
		charts := mustDraw(t, changed(c.e, c.change))
		if got := kinds(charts); got != c.want {
			t.Errorf("%s: kinds %q, want %q", name, got, c.want)
		}
		for _, c := range charts {
			checkSVG(t, name+": "+c.Name, c.Light, c)
		}
	}
	if charts := mustDraw(t, study.New(&results.Manifest{}, &results.Experiment{Name: "none"}, new(claims.File))); len(charts) > 0 {
		t.Errorf("charts of nothing: %v", kinds(charts))
	}
}

// changed is an experiment with each fork changed.
func changed(e synthetic.Experiment, change func(*results.Fork)) *study.Experiment {
	run := synthetic.Run(synthetic.Manifest(), e)
	if change != nil {
		for _, f := range run.Experiments[0].Forks {
			change(f)
		}
	}
	return study.New(&run.Manifest, run.Experiments[0], new(claims.File))
}

func equal(v float64) func(*results.Fork) {
	return func(f *results.Fork) {
		for i := range f.Metrics {
			f.Metrics[i].Value = v
		}
	}
}

func heapAtOnce(f *results.Fork) {
	for i := range f.Heap {
		f.Heap[i].MS = 0
	}
}

func fewSamples(f *results.Fork) {
	if f.Hist != nil {
		f.Hist = hdrhistogram.New(1, 1000, 3)
		f.Hist.RecordValues(0, 12)
	}
}

func TestRefusals(t *testing.T) {
	check := func(name, want string, x *study.Experiment) {
		t.Helper()
		charts, err := Draw(x)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %d charts, error %v, want one with %q", name, len(charts), err, want)
		}
	}
	set := func(unit bench.Unit, v float64) func(*results.Fork) {
		return func(f *results.Fork) {
			for i, m := range f.Metrics {
				if m.Unit == unit.Name && f.Heat <= 2 {
					f.Metrics[i].Value = v
				}
			}
		}
	}
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), -1, 0, 1e308, 1e-300} {
		check("time", "ns/op is ", changed(counterRun(1), set(bench.TimePerOp, v)))
	}
	check("cost", "B/counter is NaN", changed(counterRun(2), set(bench.BytesPerCounter, math.NaN())))
	check("error", "p99-error is +Inf", changed(histogramRun(2), set(bench.QuantileError(99), math.Inf(1))))
	for _, at := range []float64{math.NaN(), math.Inf(1), 1e-300} {
		check("heap", "a moment of the heap over time is ", changed(echoRun(1), func(f *results.Fork) {
			if len(f.Heap) > 0 {
				f.Heap[1].MS = at
			}
		}))
	}
}
