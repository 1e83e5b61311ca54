package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"hotpath/internal/results"
)

var update = flag.Bool("update", false, "rewrite the golden report")

const experimentsDir = "testdata/experiments"

// contestants of the synthetic run, with the time of an operation.
var contestants = []struct {
	impl string
	role results.Role
	ns   float64
}{
	{"floor", results.Floor, 20},
	{"atomic", results.Published, 250},
	{"longadder", results.Published, 50},
	{"atomic_again", results.Control, 250},
	{"perp", results.Ours, 25},
	{"xsync", results.Peer, 80},
}

// synthetic writes a run of 15 rounds below dir. All of it follows from a
// fixed seed.
func synthetic(t *testing.T, dir, name string, change func(*results.Manifest)) {
	t.Helper()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	claims, err := os.ReadFile(experimentsDir + "/counter/claims.toml")
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(claims)
	const rounds = 15
	m := results.Manifest{
		Start:    time.Date(2026, 11, 30, 9, 12, 0, 0, time.UTC),
		Machine:  results.Machine{CPU: "Test | CPU <b>", CPUs: 2, Facts: []results.Fact{{Name: "kernel", Value: "1_2"}}},
		Go:       []results.Fact{{Name: "version", Value: "go1.26"}},
		Modules:  []results.Fact{{Name: "example.test/m", Value: "v1.2.3"}},
		Revision: "0123abc", Seed: 7, Budget: "30m", Layouts: 3,
		Gates: results.Gates{Foreign: 0.05, Steal: 0.01, Parallelism: 0.95, HandOff: 0.7}, Distance: 240, Attempts: 3, Patience: 1,
		Claims: map[string]string{"counter": hex.EncodeToString(sum[:])},
	}
	plan := results.Plan{Experiment: "counter", Rounds: map[results.Tier]int{results.Judged: rounds, results.Peers: rounds}}
	ns := map[string]float64{}
	for _, c := range contestants {
		add := func(mode string, reading results.Reading, tier results.Tier) {
			b := fmt.Sprintf("BenchmarkAdd/impl=%s/mode=%s/threads=2", c.impl, mode)
			cell := results.Cell{Name: b, Reading: reading, Threads: 2, Role: c.role, Seconds: 0.5, Tier: tier, Block: results.BlockOf(b, reading)}
			plan.Cells = append(plan.Cells, cell)
			ns[cell.Key()] = c.ns
		}
		add("thrpt", results.NumCPU, results.Peers)
		if c.role != results.Peer && c.role != results.Ours {
			add("sample", results.PerThread, results.Judged)
		}
	}
	m.Plan = []results.Plan{plan}
	if change != nil {
		change(&m)
	}
	p, err := results.Create(root, name, m)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	id := 0
	for round := 1; round <= rounds; round++ {
		for _, c := range plan.Cells {
			id++
			r := results.Record{
				Experiment: "counter",
				Fork: results.Fork{
					ID: id, Cell: c.Key(), Round: round, Order: 1, Layout: 1 + (round-1)%3, Attempt: 1,
					Start: m.Start.Add(time.Duration(id) * time.Second), State: results.Complete,
				},
				Config: []string{"goos: linux", "goarch: amd64", "pkg: hotpath/experiments/counter", "cpu: Test CPU"},
				Units:  []string{"Unit mean-latency-ns better=lower assume=nothing", "Unit ops assume=nothing", "Unit p50-latency-ns better=lower assume=nothing", "Unit trend assume=nothing"},
			}
			v := ns[c.Key()] * (1 + 0.02*rng.NormFloat64())
			if c.Param("mode") == "thrpt" {
				r.Result = fmt.Sprintf("%s-2\t1\t%.4g ns/op\t1e6 ops\t1.01 trend", c.Name, v/4)
			} else {
				h := hdrhistogram.New(1, int64(time.Hour), 3)
				for range 2000 {
					h.RecordValue(int64(v * (0.7 + rng.ExpFloat64()*0.3)))
				}
				var log bytes.Buffer
				if err := hdrhistogram.NewHistogramLogWriter(&log).OutputIntervalHistogram(h); err != nil {
					t.Fatal(err)
				}
				r.Hlog = strings.TrimSpace(log.String())
				r.Result = fmt.Sprintf("%s-2\t1\t%.4g mean-latency-ns\t%.4g p50-latency-ns\t2000 ops\t0.9 trend", c.Name, v, v*0.9)
			}
			if id == 17 {
				r.Fork.Gated = []string{"foreign CPU 12 % > 5 %"}
			}
			if id == 30 {
				r.Fork.State, r.Fork.Tail = results.Failed, "no result line; exit status 2\npanic: <script>"
				r.Config, r.Units, r.Result, r.Hlog = nil, nil, "", ""
			}
			if err := p.Commit(r); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := p.Seal(m.Start.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
}

func build(t *testing.T, o Options) Files {
	t.Helper()
	files, err := Build(o)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// compareGolden compares a report on a run below dir with a file in testdata.
func compareGolden(t *testing.T, dir string, files Files, name string) {
	t.Helper()
	got := bytes.ReplaceAll(files[reportName], []byte(filepath.Base(dir)+"/"), []byte("results/"))
	// The data are compressed, and a release of Go may compress them otherwise.
	got = regexp.MustCompile("SHA-256 `[0-9a-f]{64}`").ReplaceAll(got, []byte("SHA-256 `…`"))
	golden := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(golden, got, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		gotLines, wantLines := strings.Split(string(got), "\n"), strings.Split(string(want), "\n")
		for i := range min(len(gotLines), len(wantLines)) {
			if gotLines[i] != wantLines[i] {
				t.Fatalf("line %d:\n%s\nwant\n%s\n-update rewrites it", i+1, gotLines[i], wantLines[i])
			}
		}
		t.Fatalf("%d lines, want %d; -update rewrites it", len(gotLines), len(wantLines))
	}
}

func TestGolden(t *testing.T) {
	dir := t.TempDir()
	synthetic(t, dir, "20261130T0912Z-test-2cpu", nil)
	o := Options{Results: dir, Experiments: experimentsDir, Dir: filepath.Dir(dir)}
	files := build(t, o)
	compareGolden(t, dir, files, "REPORT.golden.md")

	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	again := build(t, o)
	for _, name := range slices.Concat(files.names(), again.names()) {
		if !bytes.Equal(files[name], again[name]) {
			t.Errorf("%s came out differently the second time", name)
		}
	}
}

// Text from a run must not become HTML, a link or a new table cell.
func TestHostileText(t *testing.T) {
	dir := t.TempDir()
	const evil = "</details><script>x</script> ](javascript:x) `|` \x1b[31m\u202e\n# title"
	synthetic(t, dir, "run", func(m *results.Manifest) {
		m.Machine.CPU = evil
		m.Machine.Facts = []results.Fact{{Name: evil, Value: evil}}
		m.Modules = []results.Fact{{Name: evil, Value: evil}}
		m.Revision = evil
		m.Budget = evil
	})
	text := string(build(t, Options{Results: dir, Experiments: experimentsDir, Dir: dir})[reportName])
	for _, bad := range []string{`[^\\]<script`, `[^\\]\]\(javascript`, `\x1b`, `\x{202e}`, `(?m)^# title`} {
		if at := regexp.MustCompile(bad).FindStringIndex(text); at != nil {
			t.Errorf("the report has %s: …%q…", bad, text[max(0, at[0]-60):at[1]+20])
		}
	}
}

func TestVerify(t *testing.T) {
	dir := t.TempDir()
	experiments := filepath.Join(dir, "experiments")
	if err := os.CopyFS(experiments, os.DirFS(experimentsDir)); err != nil {
		t.Fatal(err)
	}
	runs := filepath.Join(dir, "results")
	if err := os.Mkdir(runs, 0o777); err != nil {
		t.Fatal(err)
	}
	synthetic(t, runs, "run", nil)
	o := Options{Results: runs, Experiments: experiments, Dir: dir}
	if err := build(t, o).Write(dir); err != nil {
		t.Fatal(err)
	}
	if err := Verify(o); err != nil {
		t.Fatalf("a report just written: %v", err)
	}
	var files []string
	for _, pattern := range []string{"results/run/*", "plots/*", "REPORT.md", "experiments/counter/claims.toml"} {
		found, err := filepath.Glob(filepath.Join(dir, filepath.FromSlash(pattern)))
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %v", pattern, err)
		}
		files = append(files, found...)
	}
	for _, file := range files {
		whole, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range []int{0, len(whole) / 2, len(whole) - 2} {
			flipped := slices.Clone(whole)
			flipped[i] ^= 1
			if err := os.WriteFile(file, flipped, 0o666); err != nil {
				t.Fatal(err)
			}
			err := Verify(o)
			if name := filepath.Base(file); err == nil || !strings.Contains(err.Error(), name) {
				t.Errorf("%s with byte %d flipped: %v", name, i, err)
			}
		}
		if err := os.WriteFile(file, whole, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	stale := filepath.Join(dir, "plots", "stale.svg")
	if err := os.WriteFile(stale, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := Verify(o); err == nil || !strings.Contains(err.Error(), "stale.svg") {
		t.Errorf("a chart that no report has: %v", err)
	}
}

func TestQuickDecidesNothing(t *testing.T) {
	dir := t.TempDir()
	synthetic(t, dir, "run", func(m *results.Manifest) { m.Quick = true })
	text := string(build(t, Options{Results: dir, Experiments: experimentsDir, Dir: dir})[reportName])
	for _, word := range []string{"**reproduced**", "**direction only**", "**not reproduced**"} {
		if strings.Contains(text, word) {
			t.Errorf("a quick look has a verdict %s", word)
		}
	}
	if n := strings.Count(text, "**inconclusive**: a quick look"); n != 3 {
		t.Errorf("%d verdicts are inconclusive for being quick, want 3", n)
	}
}

func TestSeveralMachines(t *testing.T) {
	dir := t.TempDir()
	synthetic(t, dir, "20261130T0912Z-test-2cpu", nil)
	synthetic(t, dir, "20261129T0912Z-big-64cpu", func(m *results.Manifest) {
		m.Start = m.Start.Add(-24 * time.Hour)
		m.Machine = results.Machine{CPU: "Big", CPUs: 64}
	})
	o := Options{Results: dir, Experiments: experimentsDir, Dir: dir}
	files := build(t, o)
	text := string(files[reportName])
	if want := "| a striped counter is 24.1 times as fast | ◐ **direction only** | ◐ **direction only** |"; !strings.Contains(text, want) {
		t.Errorf("the report lacks %s", want)
	}
	if !strings.Contains(text, "Generated by cmd/benchreport from results/20261130T0912Z-test-2cpu.") {
		t.Error("the report does not show the newest run")
	}
	agreement, err := Agreement(o, "20261129T0912Z-big-64cpu", "20261130T0912Z-test-2cpu")
	if err != nil || !strings.Contains(agreement, "3 of 3 claims agree") {
		t.Errorf("agreement %q, %v", agreement, err)
	}
}

func TestRefusals(t *testing.T) {
	dir := t.TempDir()
	if _, err := Build(Options{Results: dir, Experiments: experimentsDir, Dir: dir}); err == nil || !strings.Contains(err.Error(), "no finished run") {
		t.Errorf("no run: %v", err)
	}
	if _, err := Build(Options{Results: dir, Experiments: experimentsDir, Dir: dir, Run: "nothing"}); err == nil || !strings.Contains(err.Error(), "no such run") {
		t.Errorf("an unknown run: %v", err)
	}
	synthetic(t, dir, "run", nil)
	t.Setenv("PATH", "")
	if _, err := Build(Options{Results: dir, Experiments: experimentsDir, Dir: dir}); err == nil || !strings.Contains(err.Error(), "benchstat") {
		t.Errorf("without benchstat: %v", err)
	}
}
