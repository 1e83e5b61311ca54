package report

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"hotpath/internal/bench"
	"hotpath/internal/history"
	"hotpath/internal/results"
	"hotpath/internal/results/synthetic"
)

var update = flag.Bool("update", false, "rewrite the golden pages")

const name = "20261130T0912Z-test-2cpu"

// all is a run of three experiments, which have what every section shows, in 14
// heats: few lack anything.
func all() []synthetic.Experiment {
	return []synthetic.Experiment{counterLanes(14), histogramRun(14), echoRun(14)}
}

// made writes a run and returns what is told of it to make its report.
func madeRun(t *testing.T, change func(*results.Manifest), es ...synthetic.Experiment) Options {
	t.Helper()
	dir := t.TempDir()
	runs := filepath.Join(dir, "results")
	if err := os.Mkdir(runs, 0o777); err != nil {
		t.Fatal(err)
	}
	write(t, runs, name, change, es...)
	return Options{Results: runs, Experiments: experimentsDir, Dir: dir}
}

func build(t *testing.T, o Options) *Report {
	t.Helper()
	r, err := Build(o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// compareGolden compares a page with a file in testdata.
func compareGolden(t *testing.T, page []byte, name string) {
	t.Helper()
	// The data are compressed, and a release of Go may compress them otherwise.
	got := regexp.MustCompile("SHA-256 `[0-9a-f]{64}`").ReplaceAll(page, []byte("SHA-256 `…`"))
	golden := filepath.Join("testdata", "golden", filepath.Base(name))
	if *update {
		if err := os.WriteFile(golden, got, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	gotLines, wantLines := strings.Split(string(got), "\n"), strings.Split(string(want), "\n")
	for i := range max(len(gotLines), len(wantLines)) {
		if i >= len(gotLines) || i >= len(wantLines) || gotLines[i] != wantLines[i] {
			t.Fatalf("%s:%d:\n%s\nwant\n%s\n-update rewrites it", name, i+1, strings.Join(gotLines[i:min(i+1, len(gotLines))], ""), strings.Join(wantLines[i:min(i+1, len(wantLines))], ""))
		}
	}
}

func TestGolden(t *testing.T) {
	o := madeRun(t, nil, all()...)
	r := build(t, o)
	for _, name := range r.names() {
		if strings.HasSuffix(name, ".md") {
			compareGolden(t, r.Files[name], name)
		}
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	again := build(t, o)
	for _, name := range slices.Concat(r.names(), again.names()) {
		if !bytes.Equal(r.Files[name], again.Files[name]) {
			t.Errorf("%s came out differently the second time", name)
		}
	}
}

// Every chart that is drawn stands on a page, and every page but REPORT.md is linked
// from it.
func TestNothingIsLost(t *testing.T) {
	r := build(t, madeRun(t, nil, all()...))
	text := ""
	for _, name := range r.names() {
		if strings.HasSuffix(name, ".md") {
			text += string(r.Files[name])
		}
	}
	for _, name := range r.names() {
		if name != reportName && !strings.Contains(text, name) {
			t.Errorf("no page shows %s", name)
		}
	}
}

// budgets are what REPORT.md must keep to be read in five minutes.
func budgets(t *testing.T, report []byte) {
	t.Helper()
	if n := len(report); n > 40_000 {
		t.Errorf("REPORT.md has %d bytes, at most 40,000 are read", n)
	}
	alts := regexp.MustCompile(`<img alt="([^"]*)"`).FindAllSubmatch(report, -1)
	if n := len(alts); n < 1 || n > 6 {
		t.Errorf("REPORT.md has %d charts, want up to 6", n)
	}
	for _, m := range alts {
		if n := len([]rune(string(m[1]))); n > 150 {
			t.Errorf("an alt text has %d characters, at most 150 are read out: %s", n, m[1])
		}
	}
	for _, jargon := range []string{"perthread", "numcpu", "Benchmark", "mode=", "GOMAXPROCS", " gate ", " gates"} {
		if i := bytes.Index(report, []byte(jargon)); i >= 0 && !bytes.Contains(report[i:min(i+200, len(report))], []byte(".svg")) {
			t.Errorf("REPORT.md says %s: …%s…", jargon, report[max(0, i-60):min(i+60, len(report))])
		}
	}
}

func TestBudgets(t *testing.T) {
	budgets(t, build(t, madeRun(t, nil, all()...)).Files[reportName])
	committed, err := os.ReadFile("../../REPORT.md")
	if err != nil {
		t.Fatal(err)
	}
	budgets(t, committed)
}

// Changed data change every number: a page of a run whose costs are others shares
// no measured figure with that of the first.
func TestFiguresAreMeasured(t *testing.T) {
	first := build(t, madeRun(t, nil, all()...))
	var slower []synthetic.Experiment
	for _, e := range all() {
		cost, metrics := e.Cost, e.Metrics
		e.Cost = func(c bench.Cell, heat, lap int) float64 { return 1.37 * cost(c, heat, lap) }
		e.Metrics = func(c bench.Cell, heat int) []results.Metric {
			ms := metrics(c, heat)
			for i := range ms {
				ms[i].Value *= 1.37
			}
			return ms
		}
		slower = append(slower, e)
	}
	second := build(t, madeRun(t, nil, slower...))
	// A number with a unit behind it, which no text has.
	figure := regexp.MustCompile(`[0-9][0-9.,]*\x{00a0}(?:ns|µs|ms|s|B|kB|MB)\b`)
	for _, page := range []string{reportName, "report/counter.md", "report/ipc.md", "report/multihistogram.md"} {
		lines, others := strings.Split(string(first.Files[page]), "\n"), strings.Split(string(second.Files[page]), "\n")
		if len(lines) != len(others) {
			continue // the order of contestants, which all figures hang on, is compared by the golden pages
		}
		for i, line := range lines {
			if a := figure.FindAllString(line, -1); len(a) > 0 && line == others[i] && !strings.Contains(line, "10\u00a0kB") {
				t.Errorf("%s:%d: figures that do not come from the data: %q", page, i+1, a)
			}
		}
	}
}

func TestVerify(t *testing.T) {
	o := madeRun(t, nil, counterRun(2))
	experiments := filepath.Join(o.Dir, "experiments")
	if err := os.CopyFS(experiments, os.DirFS(experimentsDir)); err != nil {
		t.Fatal(err)
	}
	o.Experiments = experiments
	const older = "20261129T0912Z-test-2cpu"
	write(t, o.Results, older, func(m *results.Manifest) { m.Start = m.Start.AddDate(0, 0, -1) }, counterRun(2))
	if err := build(t, o).Write(o); err != nil {
		t.Fatal(err)
	}
	if err := Verify(o); err != nil {
		t.Fatalf("a report just written: %v", err)
	}
	var files []string
	for _, pattern := range []string{"results/" + name + "/*", "results/" + older + "/counter.txt", "results/history/*", "plots/*", "report/*", "REPORT.md", "experiments/counter/*.toml"} {
		found, err := filepath.Glob(filepath.Join(o.Dir, filepath.FromSlash(pattern)))
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %v", pattern, err)
		}
		files = append(files, found...)
	}
	for _, file := range files {
		if strings.HasSuffix(filepath.ToSlash(file), explorerName) {
			continue // nobody keeps it
		}
		whole, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		flipped := slices.Clone(whole)
		flipped[len(whole)/2] ^= 1
		if err := os.WriteFile(file, flipped, 0o666); err != nil {
			t.Fatal(err)
		}
		if err := Verify(o); err == nil || !strings.Contains(err.Error(), filepath.Base(file)) && !strings.HasSuffix(file, ".toml") {
			t.Errorf("%s with a byte flipped: %v", file, err)
		}
		if err := os.WriteFile(file, whole, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	kept := filepath.Join(o.Results, "history", name+".json")
	if err := os.Remove(kept); err != nil {
		t.Fatal(err)
	}
	if err := Verify(o); err == nil || !strings.Contains(err.Error(), filepath.Base(kept)) {
		t.Errorf("a summary that is not there: %v", err)
	}
}

// What the last report named goes, and nothing else.
func TestWriteRemovesItsOwn(t *testing.T) {
	o := madeRun(t, nil, counterRun(2), echoRun(2))
	if err := build(t, o).Write(o); err != nil {
		t.Fatal(err)
	}
	theirs := []string{"plots/theirs.svg", "plots/ipc-throughput-theirs-light.svg", "report/notes.md", "plots/notes.txt"}
	for _, file := range theirs {
		if err := os.WriteFile(filepath.Join(o.Dir, file), []byte("theirs"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	o.Run = "20261201T0912Z-test-2cpu"
	write(t, o.Results, o.Run, nil, counterRun(2))
	r := build(t, o)
	if err := r.Write(o); err != nil {
		t.Fatal(err)
	}
	for _, file := range theirs {
		if _, err := os.Stat(filepath.Join(o.Dir, file)); err != nil {
			t.Errorf("%v: a file that no report named is gone", err)
		}
	}
	if found, _ := filepath.Glob(filepath.Join(o.Dir, "plots", "ipc-*")); len(found) != 1 {
		t.Errorf("charts of the report before are still there: %v", found)
	}
	if _, err := os.Stat(filepath.Join(o.Dir, "report", "ipc.md")); err == nil {
		t.Error("a page of the report before is still there")
	}
	if err := Verify(o); err != nil {
		t.Error(err)
	}
}

// A page that is no report names nothing that goes.
func TestWriteBesideAnother(t *testing.T) {
	o := madeRun(t, nil, counterRun(2))
	theirs := filepath.Join(o.Dir, "plots", "theirs-light.svg")
	if err := errors.Join(os.Mkdir(filepath.Dir(theirs), 0o777), os.WriteFile(theirs, []byte("theirs"), 0o666),
		os.WriteFile(filepath.Join(o.Dir, reportName), []byte("# Mine\n\n![](plots/theirs-light.svg)\n"), 0o666)); err != nil {
		t.Fatal(err)
	}
	if err := build(t, o).Write(o); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(theirs); err != nil {
		t.Error(err)
	}
}

func TestAbsoluteFolder(t *testing.T) {
	o := madeRun(t, nil, counterRun(2))
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	if o.Results, err = filepath.Rel(here, o.Results); err != nil {
		t.Fatal(err)
	}
	text := string(build(t, o).Files[reportName])
	if !strings.Contains(text, "(results/"+name+")") || strings.Contains(text, o.Dir) {
		t.Errorf("a relative folder of runs and an absolute one of the report: no link to results/%s", name)
	}
}

// An experiment without claims, advice and a package comment is reported with its
// figures alone.
func TestExperimentAlone(t *testing.T) {
	o := madeRun(t, func(m *results.Manifest) { m.Claims = nil }, counterRun(6))
	o.Experiments = t.TempDir()
	r := build(t, o)
	if err := r.Write(o); err != nil {
		t.Fatal(err)
	}
	if err := Verify(o); err != nil {
		t.Error(err)
	}
	if !strings.Contains(string(r.Files[reportName]), "No published claim is on file") || !strings.Contains(string(r.Files["report/counter.md"]), "`longadder`") {
		t.Error("figures are missing, or claims are judged that nobody made")
	}
}

func TestQuickDecidesNothing(t *testing.T) {
	o := madeRun(t, func(m *results.Manifest) { m.Quick = true }, counterRun(3))
	r := build(t, o)
	text := string(r.Files[reportName])
	if !strings.Contains(text, "quick look") || strings.Contains(text, "reproduced |") || !strings.Contains(text, "3 inconclusive") {
		t.Error("a quick look decides something")
	}
	if len(r.Summaries) > 0 {
		t.Error("a quick look is kept")
	}
}

func TestSeveralMachines(t *testing.T) {
	o := madeRun(t, nil, counterRun(14))
	const big = "20261129T0912Z-big-64cpu"
	write(t, o.Results, big, func(m *results.Manifest) {
		m.Start = m.Start.Add(-24 * time.Hour)
		m.Machine = bench.Machine{CPU: "Big", CPUs: 64}
	}, counterRun(14))
	r := build(t, o)
	text := string(r.Files[reportName])
	for _, want := range []string{"| verdict | Big, 64 CPUs |", "2 runs of 2 kinds of machine are in results/", "(report/machines.md)"} {
		if !strings.Contains(text, want) {
			t.Errorf("the report lacks %s", want)
		}
	}
	budgets(t, r.Files[reportName])
	if !strings.Contains(text, "Generated by cmd/benchreport from results/"+name+".") {
		t.Error("the report does not show the newest run")
	}
	agreement, err := Agreement(o, big, name)
	if err != nil || !strings.Contains(agreement, "the runs reproduce each other") {
		t.Errorf("agreement %q, %v", agreement, err)
	}
}

// Where something else takes most turns, what is left is shown as noisy, and says
// what to do.
func TestMachineInUse(t *testing.T) {
	e := counterRun(14)
	e.Unmet = func(_ bench.Cell, _, lap int) bench.GateSet {
		if lap%5 == 0 {
			return 0
		}
		return bench.GateSet(0).With(bench.GateForeign)
	}
	text := string(build(t, madeRun(t, nil, e)).Files[reportName])
	for _, want := range []string{"This machine was in use", "end other programs, which `make doctor` names", "no recommendation; `perp` leads", "~\u00a0noisy", "80\u00a0% of"} {
		if !strings.Contains(strings.ReplaceAll(text, "80 %", "80\u00a0%"), want) {
			t.Errorf("the report lacks %q", want)
		}
	}
	for _, word := range []string{"●\u00a0sure", "reproduced |", "inconclusive: "} {
		if strings.Contains(text, word) {
			t.Errorf("on a machine in use the report says %q", word)
		}
	}
}

func TestHistory(t *testing.T) {
	o := madeRun(t, nil, counterRun(14))
	if err := build(t, o).Write(o); err != nil {
		t.Fatal(err)
	}
	faster := counterRun(14)
	cost := faster.Cost
	faster.Cost = func(c bench.Cell, heat, lap int) float64 {
		if c.Impl() == "crlib" {
			return cost(c, heat, lap) / 2
		}
		return cost(c, heat, lap)
	}
	const next = "20261201T0912Z-test-2cpu"
	write(t, o.Results, next, func(m *results.Manifest) { m.Start = m.Start.Add(24 * time.Hour) }, faster)
	if err := os.RemoveAll(filepath.Join(o.Results, name)); err != nil {
		t.Fatal(err)
	}
	page := string(build(t, o).Files[dataName])
	if !strings.Contains(page, "| "+name+" | "+next+" |") {
		t.Error("the runs do not stand side by side, though the data of one are gone")
	}
	rows := regexp.MustCompile("(?m)^\\| `atomic` / `([a-z]+)`, one goroutine .*\\| (apart|) \\|$").FindAllStringSubmatch(page, -1)
	apart := 0
	for _, m := range rows {
		if (m[2] == "apart") != (m[1] == "crlib") {
			t.Errorf("%s is %q", m[1], m[2])
		}
		apart++
	}
	if apart < 5 {
		t.Errorf("only %d ratios are compared", apart)
	}
	if _, err := history.Load(o.Results); err != nil {
		t.Error(err)
	}
}

// What is said of the originals, where they took part and where they did not.
func TestOriginals(t *testing.T) {
	some := func(change func(*results.Manifest), e synthetic.Experiment) (report, page string) {
		r := build(t, madeRun(t, change, e))
		return string(r.Files[reportName]), string(r.Files["report/counter.md"])
	}
	const took = "took no part"
	report, page := some(nil, counterLanes(14))
	for _, text := range []string{report, page} {
		if strings.Contains(text, took) || !strings.Contains(text, "published, which is the machine's doing: most of all `atomic` / `longadder`, 24.1 as published and 1.6") {
			t.Error("the sentence on the originals is not there")
		}
	}
	for _, c := range []struct {
		lanes []bench.Fact
		want  string
	}{
		{nil, "`make report JVM=1` takes them along where Debian's packages default-jdk-headless and libhdrhistogram-java are."},
		{[]bench.Fact{{Name: "JVM", Value: "left out: java is not here: Debian's package default-jdk-headless brings it"}}, "java is not here: Debian's package default-jdk-headless brings it."},
	} {
		report, page := some(func(m *results.Manifest) { m.Lanes = c.lanes }, counterRun(2))
		for _, text := range []string{report, page} {
			if strings.Count(text, took) != 1 || !strings.Contains(text, c.want) {
				t.Errorf("no line ends in %q", c.want)
			}
		}
		if strings.Contains(report, "Is it the machine") {
			t.Error("there is a section on originals that took no part")
		}
	}
}

func TestRefusals(t *testing.T) {
	dir := t.TempDir()
	o := Options{Results: dir, Experiments: experimentsDir, Dir: dir}
	if _, err := Build(o); err == nil || !strings.Contains(err.Error(), "no finished run") {
		t.Errorf("no run: %v", err)
	}
	o.Run = "nothing"
	if _, err := Build(o); err == nil || !strings.Contains(err.Error(), "no such run") {
		t.Errorf("an unknown run: %v", err)
	}
	write(t, dir, "run", nil, counterRun(2))
	o.Run = "run"
	t.Setenv("PATH", "")
	if _, err := Build(o); err == nil || !strings.Contains(err.Error(), "benchstat") {
		t.Errorf("without benchstat: %v", err)
	}
}
