package fleet

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hotpath/internal/bench"
	"hotpath/internal/results"
	"hotpath/internal/results/synthetic"
	"hotpath/internal/run"
)

// planned is a fleet of made-up runs on one host, with their plan written.
func planned(t *testing.T, runs int) (Options, *Plan) {
	t.Helper()
	m := manifest()
	p := &Plan{
		ID: "x", Slurm: true, Kinds: []Kind{{"k", "--partition=k"}}, Runs: runs, Budget: m.Budget, CPUs: 2,
		Kit: &run.Kit{Revision: m.Revision, Go: "go1.26", Layouts: 6, Names: []string{"counter"}, Binaries: m.Binaries},
	}
	dir := t.TempDir()
	o := Options{Dir: filepath.Join(dir, "fleet"), Results: filepath.Join(dir, "results")}
	if err := errors.Join(os.Mkdir(o.Dir, 0o777), os.Mkdir(o.Results, 0o777), p.write(o.Dir)); err != nil {
		t.Fatal(err)
	}
	return o, p
}

func manifest() results.Manifest {
	m := synthetic.Manifest()
	m.Binaries = []bench.Fact{{Name: "counter.1", Value: strings.Repeat("0", 64)}}
	return m
}

// experiment is a small one.
func experiment() synthetic.Experiment {
	return synthetic.Experiment{
		Name: "counter", Heats: 2, Cells: synthetic.Cells("BenchmarkAdd/mode=thrpt/threads=2@numcpu", bench.Judged, "atomic", "longadder"),
		Cost: func(c bench.Cell, heat, lap int) float64 { return 20 * synthetic.Noise(0.02, c.Name, heat, lap) },
	}
}

// deliver writes a run of a task as a node would.
func deliver(t *testing.T, o Options, of task, node string, change func(*results.Manifest, *synthetic.Experiment)) string {
	t.Helper()
	m, e := manifest(), experiment()
	if change != nil {
		change(&m, &e)
	}
	dir := filepath.Join(o.Dir, of.folder(), node)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if err := synthetic.Write(root, "run", m, e); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "run")
}

// idle is an engine that has nothing to do.
type idle struct{ engine }

func (idle) fetch(context.Context) error                      { return nil }
func (idle) waiting(context.Context) (map[task]string, error) { return nil, nil }

// look surveys a fleet without a scheduler.
func look(t *testing.T, o Options, p *Plan) (*standing, string) {
	t.Helper()
	var out strings.Builder
	s, err := survey(t.Context(), &out, o, p, idle{})
	if err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	return s, out.String()
}

// What a node sends that is no run of the plan is refused in one line, beside a run
// that is.
func TestRefused(t *testing.T) {
	write := func(name, text string) func(*testing.T, string) {
		return func(t *testing.T, run string) {
			if err := os.WriteFile(filepath.Join(run, name), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, c := range map[string]struct {
		change func(*results.Manifest, *synthetic.Experiment)
		spoil  func(t *testing.T, run string)
		want   string
	}{
		"another revision": {func(m *results.Manifest, _ *synthetic.Experiment) { m.Revision = "fedcba9" }, nil, "a run of revision fedcba9, and the fleet is of 0123abc"},
		"another Go":       {func(m *results.Manifest, _ *synthetic.Experiment) { m.Go[0].Value = "go1.0" }, nil, "a run of go1.0"},
		"other binaries":   {func(m *results.Manifest, _ *synthetic.Experiment) { m.Binaries = nil }, nil, "other binaries"},
		"another budget":   {func(m *results.Manifest, _ *synthetic.Experiment) { m.Budget = "1m" }, nil, "budget 1m"},
		"too few CPUs":     {func(m *results.Manifest, _ *synthetic.Experiment) { m.Machine.CPUs = 1 }, nil, "a run on 1 CPUs, and the fleet asks for 2"},
		"no fork of a cell": {func(_ *results.Manifest, e *synthetic.Experiment) {
			e.Parts = func(c bench.Cell) []int {
				if c.Impl() == "longadder" {
					return nil
				}
				return []int{0}
			}
		}, nil, "no fork of BenchmarkAdd/impl=longadder"},
		"another experiment": {func(_ *results.Manifest, e *synthetic.Experiment) { e.Name = "ipc" }, nil, `a run of ["ipc"]`},
		"the node's name": {func(m *results.Manifest, _ *synthetic.Experiment) {
			m.Machine.Facts = []bench.Fact{{Name: "kernel", Value: "6.1 at rack7-node3"}}
		}, nil, "fact kernel names the node"},
		"a home": {func(m *results.Manifest, _ *synthetic.Experiment) {
			m.Go = append(m.Go, bench.Fact{Name: "GOROOT", Value: "/home/ann/go"})
		}, nil, "a path in somebody's home"},
		"a foreign file":        {nil, write("notes.txt", "x"), "notes.txt\": not listed"},
		"a foreign file beside": {nil, write("../notes.txt", "x"), "no file of this program"},
		"a damaged file":        {nil, write("counter.txt", "BenchmarkX 1 2 ns/op\n"), "counter.txt: checksum differs"},
		"another schema":        {nil, write("manifest.json", `{"schema": 1}`), "schema 1: made by an older hotpath"},
		"a link": {nil, func(t *testing.T, run string) {
			name := filepath.Join(run, "counter.txt")
			if err := errors.Join(os.Rename(name, filepath.Join(t.TempDir(), "x")), os.Symlink("/etc/hostname", name)); err != nil {
				t.Fatal(err)
			}
		}, "counter.txt"},
		"too much": {nil, func(t *testing.T, run string) {
			if err := os.Truncate(filepath.Join(run, "counter.txt"), maxBytes+1); err != nil {
				t.Fatal(err)
			}
		}, "more than a run has"},
		"too many": {nil, func(t *testing.T, run string) {
			for i := range maxFiles {
				write(fmt.Sprint(i), "")(t, run)
			}
		}, "more than a run has"},
		"a second run": {nil, func(t *testing.T, run string) {
			if err := os.CopyFS(run+"2", os.DirFS(run)); err != nil {
				t.Fatal(err)
			}
		}, "a second run"},
	} {
		t.Run(name, func(t *testing.T) {
			o, p := planned(t, 2)
			deliver(t, o, task{"k", 1}, "good", nil)
			run := deliver(t, o, task{"k", 2}, "rack7-node3", c.change)
			if c.spoil != nil {
				c.spoil(t, run)
			}
			s, out := look(t, o, p)
			if s.whole != 1 || len(s.refused) != 1 || len(s.missing) != 0 || strings.Count(out, "\n") != 3 || !strings.Contains(out, c.want) {
				t.Errorf("%+v\n%s\nwant one refused: %s", s, out, c.want)
			}
			if runs := runsOf(t, o.Results); len(runs) != 1 {
				t.Errorf("%d runs were collected", len(runs))
			}
			if _, err := os.Stat(run); err != nil {
				t.Errorf("what the node sent is gone: %v", err)
			}
		})
	}
}

// Nodes that begin in the same second have runs of different names, and a run that
// was collected is not collected again.
func TestCollect(t *testing.T) {
	o, p := planned(t, 2)
	for n := 1; n <= 2; n++ {
		deliver(t, o, task{"k", n}, "node", func(m *results.Manifest, _ *synthetic.Experiment) { m.Seed += uint64(n) })
	}
	s, first := look(t, o, p)
	_, second := look(t, o, p)
	if s.whole != 2 || first != second || len(runsOf(t, o.Results)) != 2 || strings.Contains(first, "node") {
		t.Errorf("%+v\n%s\n%s", s, first, second)
	}
}

// A task that is begun again finds its run, and one on a node with too few CPUs
// measures nothing.
func TestTask(t *testing.T) {
	o, p := planned(t, 2)
	deliver(t, o, task{"k", 1}, "node", nil)
	var out strings.Builder
	if err := Task(t.Context(), &out, o.Dir, "k.1", nil); err != nil || out.String() != "k 1: measured already\n" {
		t.Errorf("%v, %q", err, &out)
	}
	p.CPUs = 1 << 20
	if err := p.write(o.Dir); err != nil {
		t.Fatal(err)
	}
	if err := Task(t.Context(), &out, o.Dir, "k.2", nil); err == nil || !strings.Contains(err.Error(), "the fleet asks for 1048576: nothing is measured") {
		t.Errorf("%v", err)
	}
	for _, name := range []string{"k.3", "k.0", "k", "../k.1", "other.1"} {
		if err := Task(t.Context(), &out, o.Dir, name, nil); err == nil || !strings.Contains(err.Error(), "no task") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A plan that is another one is not mixed with what is there.
func TestPlan(t *testing.T) {
	_, p := planned(t, 2)
	for what, change := range map[string]func(*Plan){
		"": func(q *Plan) { q.ID = "y" }, "kinds of nodes": func(q *Plan) { q.Kinds = []Kind{{"z", "z"}} }, "number of runs": func(q *Plan) { q.Runs++ },
		"budget": func(q *Plan) { q.Budget = "1h" }, "number of CPUs": func(q *Plan) { q.CPUs++ },
		"code": func(q *Plan) { k := *q.Kit; k.Revision = "fedcba9"; q.Kit = &k },
	} {
		q := *p
		change(&q)
		if got := p.difference(&q); got != what {
			t.Errorf("differs in the %q, want %q", got, what)
		}
	}
	for _, change := range []func(*Plan){
		func(q *Plan) { q.Runs = 0 }, func(q *Plan) { q.Runs = maxRuns + 1 }, func(q *Plan) { q.Budget = "x" }, func(q *Plan) { q.Kinds = nil },
		func(q *Plan) { q.Kinds = []Kind{{"../x", ""}} }, func(q *Plan) { q.Kinds = append(q.Kinds, q.Kinds[0]) }, func(q *Plan) { q.Kit = nil }, func(q *Plan) { q.ID = "a b" },
	} {
		q := *p
		change(&q)
		if q.check() == nil {
			t.Errorf("%+v is a plan", q)
		}
	}
}

// Without the programs that begin tasks there is one line that says what to install.
func TestNothingInstalled(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	for _, o := range []Options{{Nodes: []string{"a"}}, {Hosts: []string{"a"}}, {}} {
		o.Dir = filepath.Join(t.TempDir(), "fleet")
		err := Launch(t.Context(), nil, o)
		if err == nil || !strings.Contains(err.Error(), "apt-get install") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v", err)
		}
		if _, err := os.Stat(o.Dir); err == nil {
			t.Error("a folder was made")
		}
		if err := Status(t.Context(), nil, o); !errors.Is(err, errNone) {
			t.Errorf("%v", err)
		}
	}
}

func TestHostNames(t *testing.T) {
	loopback(t)
	for _, h := range []string{"-oProxyCommand=x", "a b", "a;b", "$(x)", "", "a/b"} {
		if _, err := hostKinds([]string{h}); err == nil {
			t.Errorf("%q is a host", h)
		}
	}
	if kinds, err := hostKinds([]string{"ann@a.example"}); err != nil || kinds[0] != (Kind{"ann-a-example", "ann@a.example"}) {
		t.Errorf("%v, %v", kinds, err)
	}
}

// What a log holds comes to the terminal as a line of text.
func TestLastWords(t *testing.T) {
	for text, want := range map[string]string{
		"a\nb\n": "b", "\x1b[31mred\x07": "[31mred", strings.Repeat("x", 200): strings.Repeat("x", 159) + "…", "": "",
	} {
		if got := onOneLine(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
