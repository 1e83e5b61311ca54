package report

import (
	"bytes"
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"hotpath/internal/bench"
	"hotpath/internal/chart"
	"hotpath/internal/results"
	"hotpath/internal/results/resultstest"
)

var update = flag.Bool("update", false, "rewrite the golden report")

const experimentsDir = "testdata/experiments"

// synthetic writes a run of counters below dir, in which one fork is gated and
// one has failed.
func synthetic(t *testing.T, dir, name string, change func(*results.Manifest)) {
	t.Helper()
	m := resultstest.Manifest()
	m.Machine = bench.Machine{CPU: "Test | CPU <b>", CPUs: 2, Facts: []bench.Fact{{Name: "kernel", Value: "1_2"}}}
	m.Modules = []bench.Fact{{Name: "example.test/m", Value: "v1.2.3"}}
	if change != nil {
		change(&m)
	}
	e := resultstest.Counter(15)
	e.Forks[16].Gated = []bench.Unmet{{Gate: bench.GateForeign, Got: 0.12, Most: 0.05}}
	e.Forks[29].State, e.Forks[29].Tail = bench.Failed, "no result line; exit status 2\npanic: <script>"
	write(t, dir, name, m, e)
}

// write makes a run that was begun with the claims of testdata.
func write(t *testing.T, dir, name string, m results.Manifest, es ...*results.Experiment) {
	t.Helper()
	for _, e := range es {
		data, err := os.ReadFile(filepath.Join(experimentsDir, e.Name, "claims.toml"))
		if err != nil {
			t.Fatal(err)
		}
		m.Claims[e.Name] = fmt.Sprintf("%x", sha256.Sum256(data))
	}
	resultstest.Write(t, dir, name, m, es...)
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

// Two experiments, which have blocks and charts of every kind between them.
func TestSeveralExperiments(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "20261130T0912Z-test-2cpu", resultstest.Manifest(), resultstest.Histograms(15), resultstest.Echo(15))
	files := build(t, Options{Results: dir, Experiments: experimentsDir, Dir: filepath.Dir(dir)})
	compareGolden(t, dir, files, "several.golden.md")
	for _, kind := range chart.Kinds {
		if !slices.ContainsFunc(files.names(), func(name string) bool { return strings.Contains(name, "-"+kind.Name+"-") }) {
			t.Errorf("no chart of kind %s", kind.Name)
		}
	}
	text := string(files[reportName])
	for _, name := range files.names() {
		if name != reportName && !strings.Contains(text, name) {
			t.Errorf("the report does not show %s", name)
		}
	}
}

// Text from a run must not become HTML, a link or a new table cell.
func TestHostileText(t *testing.T) {
	dir := t.TempDir()
	const evil = "</details><script>x</script> ](javascript:x) `|` \x1b[31m\u202e\n# title"
	synthetic(t, dir, "run", func(m *results.Manifest) {
		m.Machine.CPU = evil
		m.Machine.Facts = []bench.Fact{{Name: evil, Value: evil}}
		m.Modules = []bench.Fact{{Name: evil, Value: evil}}
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
	write(t, runs, "run", resultstest.Manifest(), resultstest.Counter(2))
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
		places := []int{len(whole) / 2}
		if strings.Contains(file, "results") {
			places = append(places, len(whole)-2)
		}
		for _, i := range places {
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
		m.Machine = bench.Machine{CPU: "Big", CPUs: 64}
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
