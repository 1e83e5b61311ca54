package results

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// testManifest plans two contestants in a throughput block, a sampled one and
// one of fixed work.
func testManifest() Manifest {
	var cells []bench.Cell
	for _, impl := range []string{"atomic", "longadder"} {
		for _, mode := range []string{"thrpt", "sample", "fixed"} {
			name := fmt.Sprintf("BenchmarkAdd/impl=%s/mode=%s/threads=2", impl, mode)
			cells = append(cells, bench.Cell{
				Name: name, Reading: bench.NumCPU, Threads: 2, Role: bench.Published,
				Seconds: 0.5, bench.Tier: bench.Judged, Block: BlockOf(name, bench.NumCPU),
			})
		}
	}
	return Manifest{
		Start:         time.Date(2026, 11, 30, 9, 12, 0, 0, time.UTC),
		bench.Machine: bench.Machine{CPU: "Test CPU", CPUs: 2},
		Plan:          []Plan{{Experiment: "counter", Rounds: map[bench.Tier]int{bench.Judged: 2, bench.Peers: 0}, Cells: cells}},
	}
}

// testRecord is a fork of a cell as the runner would commit it.
func testRecord(t *testing.T, id int, c bench.Cell, round int, gated ...string) Record {
	t.Helper()
	r := Record{
		Experiment: "counter",
		Fork:       Fork{ID: id, bench.Cell: c.Key(), Round: round, Order: 1, Layout: round, Attempt: 1, State: bench.Complete, Gated: gated},
		Config:     []string{"goos: linux", "cpu: Test CPU"},
		Units:      []string{"Unit ops assume=nothing", "Unit mean-latency-ns better=lower assume=nothing"},
	}
	if c.Mode() == "fixed" {
		r.Units = []string{"Unit ops assume=nothing", "Unit real-sec better=lower assume=nothing"}
		r.Result = fmt.Sprintf("%s-2\t1\t0.5 real-sec\t1000 ops", c.Name)
		r.Heap = []string{fmt.Sprintf("0.012,%d,0", 1<<20), "5.010,2097152,1", fmt.Sprintf("10.002,%d,3", id)}
		return r
	}
	if c.Mode() == "thrpt" {
		r.Result = fmt.Sprintf("%s-2\t1\t%d ns/op\t1000 ops", c.Name, 10+id)
		return r
	}
	h := hdrhistogram.New(1, 1e9, 3)
	for v := range int64(100) {
		h.RecordValue(20 + v)
	}
	var log bytes.Buffer
	if err := hdrhistogram.NewHistogramLogWriter(&log).OutputIntervalHistogram(h); err != nil {
		t.Fatal(err)
	}
	r.Hlog = strings.TrimSpace(log.String())
	r.Result = fmt.Sprintf("%s-2\t1\t%d mean-latency-ns\t100 ops", c.Name, 60+id)
	return r
}

// testRun seals a run of every cell in every round, with one gated fork and
// one that failed, and returns the folder of runs.
func testRun(t *testing.T) (dir string, root *os.Root) {
	t.Helper()
	dir = t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	m := testManifest()
	p, err := Create(root, "run", m)
	if err != nil {
		t.Fatal(err)
	}
	commit := func(r Record) {
		t.Helper()
		if err := p.Commit(r); err != nil {
			t.Fatal(err)
		}
	}
	id := 0
	for round := 1; round <= 2; round++ {
		for _, c := range m.Plan[0].Cells {
			id++
			commit(testRecord(t, id, c, round))
		}
	}
	gated := testRecord(t, id+1, m.Plan[0].Cells[0], 2, "foreign CPU 9 % > 5 %")
	gated.Fork.Attempt = 2
	commit(gated)
	commit(Record{Experiment: "counter", Fork: Fork{ID: id + 2, bench.Cell: m.Plan[0].Cells[0].Key(), Round: 2, Attempt: 3, State: bench.Failed, Tail: "panic: boom"}})
	if err := p.Seal(m.Start.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	return dir, root
}

func TestRoundTrip(t *testing.T) {
	_, root := testRun(t)
	run, err := Load(root, "run")
	if err != nil {
		t.Fatal(err)
	}
	e := run.Experiments[0]
	if len(e.Forks) != 14 {
		t.Errorf("%d forks, want 14", len(e.Forks))
	}
	thrpt, sample, fixed := e.Plan.Cells[0], e.Plan.Cells[1], e.Plan.Cells[2]
	if got, want := e.Values(thrpt, "ns/op"), []float64{11, 17}; !slices.Equal(got, want) {
		t.Errorf("ns/op of the clean forks: %v, want %v", got, want)
	}
	if n := e.Merged(sample).TotalCount(); n != 200 {
		t.Errorf("%d samples merged, want 200", n)
	}
	b, c := e.Pairs(sample.Block, "mean-latency-ns", "atomic", "longadder")
	if !slices.Equal(b, []float64{62, 68}) || !slices.Equal(c, []float64{65, 71}) {
		t.Errorf("pairs %v and %v", b, c)
	}
	for _, f := range e.Clean(fixed) {
		if want := []HeapSample{{0.012, 1 << 20, 0}, {5.01, 2 << 20, 1}, {10.002, int64(f.ID), 3}}; !slices.Equal(f.Heap, want) {
			t.Errorf("the heap of fork %d came back as %v, want %v", f.ID, f.Heap, want)
		}
	}
	if n := len(e.Clean(fixed)); n != 2 || e.Clean(thrpt)[0].Heap != nil {
		t.Errorf("%d clean forks of %s; heap of another mode %v", n, fixed.Key(), e.Clean(thrpt)[0].Heap)
	}
	failed := e.Forks[13]
	if failed.State != bench.Failed || failed.Tail != "panic: boom" || failed.Clean() {
		t.Errorf("the failed fork came back as %+v", failed)
	}
}

// Any byte of any file that is changed, or missing at the end, must be noticed
// and the file be named.
func TestDamage(t *testing.T) {
	dir, root := testRun(t)
	files, err := filepath.Glob(filepath.Join(dir, "run", "*.*"))
	if err != nil || len(files) != 5 {
		t.Fatalf("files %q, %v", files, err)
	}
	for _, file := range files {
		name := filepath.Base(file)
		whole, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		check := func(what string, data []byte) {
			t.Helper()
			if err := os.WriteFile(file, data, 0o666); err != nil {
				t.Fatal(err)
			}
			run, err := Load(root, "run")
			if err == nil && name == manifestName {
				return // its own checksum stands in the report
			}
			if err == nil {
				t.Errorf("%s with %s: loaded as %v", name, what, run.Name)
			} else if !strings.Contains(err.Error(), name) {
				t.Errorf("%s with %s: the error names another file: %v", name, what, err)
			}
		}
		for i := 0; i < len(whole); i += 7 {
			flipped := slices.Clone(whole)
			flipped[i] ^= 1
			check(fmt.Sprintf("byte %d flipped", i), flipped)
			check(fmt.Sprintf("%d bytes left", i), whole[:i])
		}
		if err := os.WriteFile(file, whole, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func TestRefusals(t *testing.T) {
	dir, root := testRun(t)
	check := func(want string) {
		t.Helper()
		_, err := Load(root, "run")
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	for _, name := range []string{"nothing", "../run", "", "a/b"} {
		if _, err := Load(root, name); err == nil || !strings.Contains(err.Error(), "no such run") {
			t.Errorf("%q: %v, want no such run", name, err)
		}
	}
	other := filepath.Join(dir, "run", "other.txt")
	if err := os.WriteFile(other, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	check("results/run/other.txt: not listed in manifest.json: two runs in one folder?")
	os.Remove(other)
	if err := os.Remove(filepath.Join(dir, "run", "counter.hlog")); err != nil {
		t.Fatal(err)
	}
	check("counter.hlog")
	if err := os.Remove(filepath.Join(dir, "run", manifestName)); err != nil {
		t.Fatal(err)
	}
	check("the run was not finished")
}

// A file whose checksum fits can still contradict the others, when a program
// wrote it wrongly.
func TestContradictions(t *testing.T) {
	for name, change := range map[string]struct {
		edit func(r *Record)
		want string
	}{
		"a heap of no moment": {
			func(r *Record) { r.Heap = []string{"1,5,0", "NaN,5,0"} },
			`counter.heap.csv:3: "NaN" ms is no moment`,
		},
		"a heap of a fork that failed": {
			func(r *Record) {
				*r = Record{Experiment: r.Experiment, Fork: r.Fork, Heap: []string{"1,5,0"}}
				r.Fork.State = bench.Failed
			},
			"counter.heap.csv:2: no fork 1 has a result",
		},
		"another cell's result": {
			func(r *Record) {
				r.Result = strings.Replace(r.Result, "impl=atomic", "impl=longadder", 1)
			},
			"the result is of BenchmarkAdd/impl=longadder",
		},
		"samples and operations": {
			func(r *Record) { r.Result = strings.Replace(r.Result, "100 ops", "101 ops", 1) },
			"101 operations, 100 samples",
		},
		"not a number": {
			func(r *Record) { r.Result = strings.Replace(r.Result, "62 mean", "NaN mean", 1) },
			"counter.txt:",
		},
		"undeclared unit": {
			func(r *Record) { r.Result = strings.Replace(r.Result, "mean-latency-ns", "mean-latency-n", 1) },
			`unit "mean-latency-n" is not declared`,
		},
	} {
		dir := t.TempDir()
		root, err := os.OpenRoot(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer root.Close()
		m := testManifest()
		p, err := Create(root, "run", m)
		if err != nil {
			t.Fatal(err)
		}
		r := testRecord(t, 1, m.Plan[0].Cells[1], 1)
		r.Result = strings.Replace(r.Result, "61 mean", "62 mean", 1)
		change.edit(&r)
		if err := p.Commit(r); err != nil {
			t.Fatal(err)
		}
		if err := p.Seal(m.Start); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(root, "run"); err == nil || !strings.Contains(err.Error(), change.want) {
			t.Errorf("%s: error %v, want %q", name, err, change.want)
		}
	}
}

func TestOneRunnerAtATime(t *testing.T) {
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	p, err := Create(root, "run", testManifest())
	if err != nil {
		t.Fatal(err)
	}
	var busy *BusyError
	if _, err := Resume(root, "run"); !errors.As(err, &busy) || busy.PID != fmt.Sprint(os.Getpid()) {
		t.Errorf("a second runner got %v, want busy with the process's number", err)
	}
	if err := p.Commit(testRecord(t, 1, testManifest().Plan[0].Cells[0], 1)); err != nil {
		t.Fatal(err)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if names, err := Unfinished(root); err != nil || !slices.Equal(names, []string{"run"}) {
		t.Errorf("unfinished: %q, %v", names, err)
	}
	p, err = Resume(root, "run")
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Records()) != 1 {
		t.Errorf("%d records after going on, want 1", len(p.Records()))
	}
	if err := p.Commit(testRecord(t, 7, testManifest().Plan[0].Cells[0], 1)); err == nil {
		t.Error("fork 7 was committed after fork 1")
	}
}

func TestList(t *testing.T) {
	dir, root := testRun(t)
	if err := os.Mkdir(filepath.Join(dir, "unfinished"), 0o777); err != nil {
		t.Fatal(err)
	}
	if names, err := List(root); err != nil || !slices.Equal(names, []string{"run"}) {
		t.Errorf("List: %q, %v", names, err)
	}
}

func TestParseText(t *testing.T) {
	const units = "Unit ops assume=nothing\n"
	for _, tt := range []struct {
		text string
		want string // in the error; empty for none
	}{
		{units + "BenchmarkAdd/impl=x-2\t1\t5 ns/op\t7 ops\n", ""},
		{"prose\nBenchmarkAdd/impl=x-2\t1\t5 ns/op\n", ""},
		{"BenchmarkAdd/impl=x-2\t1\t5 ns/op", "last line is cut off"},
		{"BenchmarkAdd/impl=x-2\t1\t5 ns/o\n", `f:1: unit "ns/o" is not declared`},
		{"BenchmarkAdd/impl=x-2\t1\n", "f:1: "},
		{"\nBenchmarkAdd/impl=x-2\t1\tNaN ns/op\n", "f:2: "},
		{"BenchmarkAdd/impl=x-2\t1\t+Inf ns/op\n", "f:1: "},
		{"BenchmarkAdd/impl=x-2\t1\t-4 ns/op\n", "f:1: -4 ns/op is no measurement"},
		{"BenchmarkAdd/impl=<script>-2\t1\t5 ns/op\n", "f:1: benchmark name"},
		{"BenchmarkAdd/impl=x|y-2\t1\t5 ns/op\n", "f:1: benchmark name"},
		{"BenchmarkAdd/impl=x\x1b[31m-2\t1\t5 ns/op\n", "f:1: benchmark name"},
		{"BenchmarkAdd/impl=" + strings.Repeat("x", 300) + "\t1\t5 ns/op\n", "f:1: benchmark name"},
		{"Unit ops assume=nothing\nUnit ops assume=exact\n", "f:2: "},
		{strings.Repeat("x", 70_000) + "\n", "f: "},
	} {
		_, err := ParseText("f", strings.NewReader(tt.text))
		switch {
		case tt.want == "" && err != nil:
			t.Errorf("%.60q: %v", tt.text, err)
		case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
			t.Errorf("%.60q: error %v, want %q", tt.text, err, tt.want)
		}
	}
}

func TestOneResult(t *testing.T) {
	const line = "BenchmarkAdd/impl=x-2  \t       1\t         5.000 ns/op\n"
	for _, tt := range []struct {
		output, want string
	}{
		{"goos: linux\n" + line + "PASS\n", ""},
		{"PASS\n", "no result line"},
		{line + line, "two result lines"},
		{strings.Replace(line, "impl=x", "impl=y", 1), "no result line"},
		{strings.Replace(line, "5.000", "5.0.0", 1), "output:1"},
	} {
		config, _, result, err := OneResult(tt.output, "BenchmarkAdd/impl=x")
		switch {
		case tt.want == "" && (err != nil || result == "" || len(config) != 1):
			t.Errorf("%q: %q %q %v", tt.output, config, result, err)
		case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
			t.Errorf("%q: error %v, want %q", tt.output, err, tt.want)
		}
	}
}

func FuzzParseText(f *testing.F) {
	f.Add("Unit ops assume=nothing\ngate: clean\nBenchmarkAdd/impl=x-2\t1\t5 ns/op\t7 ops\n")
	f.Fuzz(func(t *testing.T, text string) {
		lines, err := ParseText("f", strings.NewReader(text))
		if err != nil {
			return
		}
		for _, l := range lines {
			if !namePattern.MatchString(l.Name) || len(l.Metrics) == 0 || l.Number < 1 {
				t.Errorf("accepted %+v", l)
			}
			for _, m := range l.Metrics {
				if !(m.Value >= 0) {
					t.Errorf("accepted %v %s", m.Value, m.Unit)
				}
			}
		}
	})
}

func BenchmarkParseText(b *testing.B) {
	var text bytes.Buffer
	text.WriteString("Unit ops assume=nothing\n")
	for range 1_000_000 {
		text.WriteString("BenchmarkAdd/impl=x/mode=thrpt/threads=32-2\t1\t5.123 ns/op\t700000 ops\n")
	}
	for b.Loop() {
		if _, err := ParseText("f", bytes.NewReader(text.Bytes())); err != nil {
			b.Fatal(err)
		}
	}
}
