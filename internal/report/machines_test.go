package report

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"hotpath/internal/bench"
	"hotpath/internal/results"
	"hotpath/internal/results/synthetic"
)

// judgedRun is the judged block of the counters, on which atomic takes so many times
// what it takes elsewhere.
func judgedRun(heats int, times float64) synthetic.Experiment {
	e := made("counter", heats, counters, cells(addTime, bench.Judged, counters, "floor", "atomic", "longadder", "atomic_again"))
	cost := e.Cost
	e.Cost = func(c bench.Cell, heat, lap int) float64 {
		if strings.HasPrefix(c.Impl(), "atomic") {
			return times * cost(c, heat, lap)
		}
		return cost(c, heat, lap)
	}
	return e
}

// on makes the runs of a machine: so many hours before the one that is shown.
func on(cpu string, cpus, hours int, more ...func(*results.Manifest)) func(*results.Manifest) {
	return func(m *results.Manifest) {
		m.Start, m.Machine = m.Start.Add(-time.Duration(hours)*time.Hour), bench.Machine{CPU: cpu, CPUs: cpus}
		for _, change := range more {
			change(m)
		}
	}
}

// TestMachines sets runs of three kinds of machine, of another revision and of another
// schema beside one another.
func TestMachines(t *testing.T) {
	o := madeRun(t, nil, judgedRun(14, 1))
	write(t, o.Results, "big-one", on("Big", 64, 1), judgedRun(14, 8))
	write(t, o.Results, "big-two", on("Big", 64, 2), judgedRun(14, 9))
	write(t, o.Results, "middle", on("Middle", 16, 3), judgedRun(14, 3))
	other := func(m *results.Manifest) { m.Revision, m.Go[0].Value = "fedcba9876543", "go1.99" }
	write(t, o.Results, "later", on("Middle", 16, 4, other), judgedRun(14, 0.9))
	old := filepath.Join(o.Results, "old")
	if err := os.Mkdir(old, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(old, "manifest.json"), []byte(`{"schema": 1}`), 0o666); err != nil {
		t.Fatal(err)
	}
	r := build(t, o)
	page := string(r.Files[machinesName])
	for _, want := range []string{
		"5 runs of 3 kinds of machine", "Big, 64 CPUs, 2 runs", "Middle, 16 CPUs, 1 run ", "Middle, 16 CPUs (go1.99, revision fedcba987), 1 run",
		"The ratio grows with the number of CPUs", "on 2, ", "on 16 and ", "on 64.",
		"The ratio depends on how far apart the CPUs are", "in 4 runs that had both", "results/old/manifest.json: schema 1: made by an older hotpath",
		"| Big, 64 CPUs | 2 | ",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(rendered(t, r.Files[machinesName]), "<b>") {
		t.Error("the name of a CPU is markup")
	}
	text := string(r.Files[reportName])
	if !strings.Contains(text, "| verdict | Big, 64 CPUs | Middle, 16 CPUs |") {
		t.Error("the claims have no columns of the other kinds")
	}
	if err := r.Write(o); err != nil {
		t.Fatal(err)
	}
	if err := Verify(o); err == nil || !strings.Contains(err.Error(), "schema 1") || strings.Contains(err.Error(), "make render") {
		t.Errorf("verify tells of more than the old run: %v", err)
	}
	again := build(t, o)
	for _, name := range r.names() {
		if string(r.Files[name]) != string(again.Files[name]) {
			t.Errorf("%s is another one when made of kept summaries", name)
		}
	}
	forged := filepath.Join(o.Results, "history", "middle.json")
	data, err := os.ReadFile(forged)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(forged, []byte(strings.Replace(string(data), `"reproduced"`, `"inconclusive"`, 1)), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := Verify(o); err == nil || !strings.Contains(err.Error(), "middle.json: not as it was written") {
		t.Errorf("a forged summary: %v", err)
	}
}

// TestOneMachine has no page of machines, and says why.
func TestOneMachine(t *testing.T) {
	r := build(t, madeRun(t, nil, judgedRun(14, 1)))
	if r.Files[machinesName] != nil || !strings.Contains(string(r.Files[dataName]), "There is no other run in results/") {
		t.Error("one run has a page of machines, or nothing says why not")
	}
}

// TestMerge makes a report of many runs: of all in 200 where it is asked for.
func TestMerge(t *testing.T) {
	n := 12
	if os.Getenv("HOTPATH_MERGE") != "" {
		n = 200
	}
	o := madeRun(t, nil, judgedRun(12, 1))
	for i := 1; i < n; i++ {
		write(t, o.Results, fmt.Sprintf("run-%03d", i), on(fmt.Sprintf("CPU %c", 'A'+i%10), 2<<(i%10), i), judgedRun(12, 1+float64(i%10)))
	}
	var before, after runtime.MemStats
	for _, what := range []string{"without kept summaries", "with them"} {
		runtime.ReadMemStats(&before)
		begun := time.Now()
		r := build(t, o)
		took := time.Since(begun)
		runtime.ReadMemStats(&after)
		page := r.Files[machinesName]
		t.Logf("%d runs %s: %v, %d MB allocated, %d MB from the system, a page of %d kB", n, what, took.Round(time.Millisecond),
			(after.TotalAlloc-before.TotalAlloc)>>20, after.Sys>>20, len(page)>>10)
		if c := strings.Count(string(page), " | run-"); c != n-1 {
			t.Errorf("%d runs are listed, want %d", c, n-1)
		}
		if size := len(r.Files[reportName]); size > 40_000 {
			t.Errorf("REPORT.md has %d bytes", size)
		}
		if len(slices.DeleteFunc(r.names(), func(name string) bool { return !strings.Contains(name, "machines") })) < 3 {
			t.Error("no charts of the machines")
		}
		if err := r.Write(o); err != nil {
			t.Fatal(err)
		}
	}
}

// TestModel draws the band of contention on the page of its experiment, as a model.
func TestModel(t *testing.T) {
	o := madeRun(t, nil, counterRun(12))
	own := t.TempDir()
	if err := os.CopyFS(own, os.DirFS(experimentsDir)); err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf("contestant = \"atomic\"\nalone = %q\ncontended = %q\n", addOne, adds)
	for _, table := range []string{"{ threads = 32, together-ns = 30 }", "{ threads = 8, per-thread-ns = 1 }", "{ threads = 4, per-thread-ns = 200 }, { threads = 10, millions-per-s = 0.1 }"} {
		text += "[[table]]\nmachine = \"<b>|\"\nsource = \"https://x.test\"\nfigures = [" + table + "]\n"
	}
	if err := os.WriteFile(filepath.Join(own, "counter", "contention.toml"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	o.Experiments = own
	r := build(t, o)
	page := string(r.Files["report/counter.md"])
	for _, want := range []string{"**This is a model, not a measurement, and no claim is judged by it.**", "the upper edge is ", "| inside |", "| below it by ", "× |", ", at 10 threads; 1 of 2 inside", "plots/counter-contention-light.svg"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if html := rendered(t, r.Files["report/counter.md"]); strings.Contains(html, "<b>|") || strings.Contains(html, `href="https://x.test`) {
		t.Error("a table of the model is markup")
	}
}
