package run

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hotpath/internal/bench"
	"hotpath/internal/jvm"
	"hotpath/internal/results"
)

// compileTrouble compiles the contestants of testdata.
func compileTrouble(t *testing.T) jvm.Kit {
	t.Helper()
	sources, err := filepath.Glob("../../experiments/jvm/*.java")
	if err != nil {
		t.Fatal(err)
	}
	kit, err := jvm.Compile(t.Context(), t.TempDir(), append(sources, "testdata/lines/Trouble.java"))
	if errors.Is(err, jvm.ErrMissing) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return kit
}

// trouble is a cell whose contestant is on a JVM.
func trouble(impl string, startup float64) bench.Cell {
	c := foreign(impl, bench.Sample, 2)
	c.Command = jvm.Command("64m", "Trouble", c.Name.String())
	c.Startup = startup
	return c
}

// A JVM that goes wrong in a heat is recorded as such, and the others complete.
func TestJVM(t *testing.T) {
	kit := compileTrouble(t)
	oldGrace := grace
	grace = 500 * time.Millisecond
	defer func() { grace = oldGrace }()
	var cells []bench.Cell
	for impl, startup := range map[string]float64{"well": 10, "loses_one": 10, "dies": 10, "throws": 10, "hangs": 0.5, "fills_memory": 10} {
		cells = append(cells, trouble(impl, startup))
	}
	h, rec := heatOf(t, kit.Env, cells...)
	for _, f := range rec.Forks {
		want := map[string]struct {
			state bench.State
			tail  string
		}{
			"well":         {bench.Complete, ""},
			"loses_one":    {bench.Failed, "the contestant counts"},
			"dies":         {bench.Failed, "exit status 42"},
			"throws":       {bench.Failed, "last words"},
			"hangs":        {bench.TimedOut, "killed after"},
			"fills_memory": {bench.Failed, "OutOfMemoryError"},
		}[f.Fork.Cell.Impl()]
		if f.Fork.State != want.state || !strings.Contains(f.Fork.Tail, want.tail) {
			t.Errorf("%s: %s, %q; want %s and %q", f.Fork.Cell, f.Fork.State, f.Fork.Tail, want.state, want.tail)
		}
		if f.Fork.State == bench.Complete && f.Fork.Kept+f.Fork.Gated != len(h.laps) {
			t.Errorf("%s took %d turns in %d laps", f.Fork.Cell, f.Fork.Kept+f.Fork.Gated, len(h.laps))
		}
	}
}

// What a JVM writes is what a reader of runs expects, its histograms included.
func TestJVMInARun(t *testing.T) {
	kit := compileTrouble(t)
	p := prepare(t, "testdata/fine", 1)
	p.Plan.Plan[0].Cells = []bench.Cell{trouble("well", 10)}
	p.Plan.Lanes = kit.Facts
	p.Plan.Gates = bench.Thresholds{Foreign: 1, Steal: 1, Parked: 1, Window: 2} // however busy the machine
	var out strings.Builder
	ps := []Program{{Name: "steady", Dir: p.Dir, binaries: p.Binaries, kit: kit}}
	if err := conduct(t.Context(), &out, openDir(t, p.Results), ps, p.Plan, p.Scratch); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	run := load(t, p.Results)
	f := run.Experiments[0].Forks[0]
	ops, _ := f.Value(bench.Operations)
	mean, _ := f.Value(bench.MeanLatency)
	switch {
	case f.Hist == nil || float64(f.Hist.TotalCount()) != ops:
		t.Errorf("histogram %v of %v operations", f.Hist, ops)
	case math.Abs(f.Hist.Mean()-mean) > 0.01*mean:
		t.Errorf("mean latency %v in the result, %v in the histogram", mean, f.Hist.Mean())
	}
	if len(run.Manifest.Lanes) != 2 {
		t.Errorf("the run says of its JVM %q", run.Manifest.Lanes)
	}
}

// Where something is lacking, one line says what, and the plan is Go's alone.
func TestWithoutJVM(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	ps := []Program{{Name: "counter", Dir: "../../experiments/counter"}}
	var out strings.Builder
	if err := buildJVM(t.Context(), &out, ps, Options{Experiments: "../../experiments", JVM: true}, t.TempDir()); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); strings.Count(got, "\n") != 1 || !strings.Contains(got, "default-jdk-headless") {
		t.Errorf("%q is not one line that names the package", got)
	}
	if k := ps[0].kit; k.Env != nil || k.Sum != "" || len(k.Facts) != 1 {
		t.Errorf("contestants take part: %+v", k)
	}
}

// A plan says what the originals take of its time, and its blocks alone are that.
func TestLaneCost(t *testing.T) {
	cells := block("BenchmarkX", 2, bench.Judged)
	plan := results.Plan{Experiment: "x", Cells: cells, Heats: map[bench.Tier]int{bench.Judged: 5, bench.Peers: 5}}
	if all, startup := lane(plan); all != 0 || startup != 0 {
		t.Errorf("without originals %v, of it %v", all, startup)
	}
	in := func(impl string) bench.Cell {
		c := foreign(impl, bench.Throughput, 1)
		c.Name = bench.NewName(c.Name.Benchmark, append(slices.Collect(c.Name.Params.All()), bench.Param{Key: "lane", Value: bench.JVM})...)
		c.Block = c.ID().Block()
		return c
	}
	again, original := in("again"), in("jvm_again")
	original.Command, original.Startup = []string{"java"}, 3
	plan.Cells = append(plan.Cells, again, original)
	all, startup := lane(plan)
	if want := 5 * cost([]bench.Cell{again, original}); all != want || startup != 15*time.Second {
		t.Errorf("%v, of it %v, want %v and 15 s", all, startup, want)
	}
	var out strings.Builder
	announce(&out, results.Manifest{Plan: []results.Plan{plan}})
	if got := out.String(); !strings.Contains(got, "15s of these are for its warm-up") {
		t.Errorf("%q", got)
	}
}

// An original shares its heats with the contestant that re-creates it.
func TestPartsHoldPairs(t *testing.T) {
	for n := range 20 {
		cells := block("BenchmarkX", 1, bench.Judged)
		for i := range n {
			again := foreign(fmt.Sprint("again", i), bench.Throughput, 1)
			original := foreign(fmt.Sprint("original", i), bench.Throughput, 1)
			original.Recreation = again.Impl()
			cells = append(cells, again, original)
		}
		seen := 0
		for _, p := range parts(cells) {
			names := impls(p)
			if len(p) > most {
				t.Errorf("%d pairs: a part of %d", n, len(p))
			}
			for _, c := range p {
				if c.Recreation == "" {
					continue
				}
				seen++
				if !slices.Contains(names, c.Recreation) {
					t.Errorf("%d pairs: %s without %s in %q", n, c.Impl(), c.Recreation, names)
				}
			}
		}
		if seen != n {
			t.Errorf("%d pairs: %d originals in all parts", n, seen)
		}
	}
}
