package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hotpath/internal/bench"
	"hotpath/internal/results/synthetic"
)

// run describes a made-up run: what its contestants cost, and on what.
type run struct {
	heats    int
	cpu      string
	version  string // of Go
	revision string
	slower   float64 // factor on the costs of longadder
	hour     float64 // factor on all costs
	far      int     // every so many laps one has its CPUs far apart, where longadder costs half; with 0 none has
	gate     bool    // every third turn is gated, and costs a thousand times as much
	more     bool    // contestants
}

// seal makes a run folder and returns its path.
func seal(t *testing.T, r run) string {
	t.Helper()
	impls := []string{"atomic", "atomic_again", "longadder"}
	if r.more {
		impls = append(impls, "mutex")
	}
	e := synthetic.Experiment{Name: "counter", Heats: r.heats}
	for _, mode := range []string{"thrpt", "sample"} {
		e.Cells = append(e.Cells, synthetic.Cells("BenchmarkAdd/mode="+mode+"/threads=2@numcpu", bench.Judged, impls...)...)
	}
	far := func(lap int) bool { return r.far > 0 && lap%r.far == 0 }
	gated := func(lap int) bool { return r.gate && lap%3 == 0 }
	e.Cost = func(c bench.Cell, heat, lap int) float64 {
		cost := 4000 * r.hour * synthetic.Noise(0.01, c.Impl(), heat, lap)
		if c.Impl() == "longadder" {
			cost *= r.slower
			if far(lap) {
				cost /= 2
			}
		}
		if gated(lap) {
			cost *= 1000
		}
		return cost
	}
	e.HandOff = func(_ bench.Block, _, lap int) float64 {
		if far(lap) {
			return 300
		}
		return 50
	}
	e.Unmet = func(_ bench.Cell, _, lap int) bench.GateSet {
		if gated(lap) {
			return bench.GateSet(0).With(bench.GateForeign)
		}
		return 0
	}
	m := synthetic.Manifest()
	m.Machine.CPU, m.Go[0].Value, m.Revision = r.cpu, r.version, r.revision
	dir := t.TempDir()
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

func TestCompareRuns(t *testing.T) {
	base := run{heats: 12, cpu: "Test CPU", version: "go1.26", revision: "0000001", slower: 1, hour: 1}
	with := func(change func(*run)) run {
		r := base
		change(&r)
		return r
	}
	a := seal(t, base)
	slower := seal(t, with(func(r *run) { r.revision, r.slower = "0000002", 1.1 }))
	file := filepath.Join(t.TempDir(), "bench.txt")
	if err := os.WriteFile(file, []byte("BenchmarkX\t1\t5 ns/op\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		args []string
		code int
		want string // in the output, or in the error
	}{
		"itself":              {[]string{a, a}, 0, "no difference: A and B hold the same measurements"},
		"slower":              {[]string{a, slower}, 1, "regression beyond 5 %: 2 of 6"},
		"the other way":       {[]string{slower, a}, 0, "no regression"},
		"allowed":             {[]string{"-threshold", "15", a, slower + "/"}, 0, "no regression beyond 15 %: 6"},
		"kept turns only":     {[]string{a, seal(t, with(func(r *run) { r.gate = true }))}, 0, "no regression"},
		"three heats":         {[]string{a, seal(t, with(func(r *run) { r.heats = 3 }))}, 2, "n/a (n=3)"},
		"near with near":      {[]string{a, seal(t, with(func(r *run) { r.far = 2 }))}, 0, "no regression beyond 5 %: 6"},
		"near with far":       {[]string{a, seal(t, with(func(r *run) { r.far = 1 }))}, 0, "A and B have no 6 heats with their CPUs as far apart"},
		"slower where near":   {[]string{a, seal(t, with(func(r *run) { r.far, r.slower = 2, 1.1 }))}, 1, "2 of 6"},
		"a slow hour":         {[]string{a, seal(t, with(func(r *run) { r.hour = 1.2 }))}, 1, "regression beyond 5 %: 2 of 6"}, // of the baseline alone
		"a new contestant":    {[]string{a, seal(t, with(func(r *run) { r.more = true }))}, 2, "only in B: experiments/counter Add/impl=mutex"},
		"one is gone":         {[]string{seal(t, with(func(r *run) { r.more = true })), a}, 2, "only in A: experiments/counter Add/impl=mutex"},
		"another CPU":         {[]string{a, seal(t, with(func(r *run) { r.cpu = "Other" }))}, 2, `cpu differs: "Test CPU" in A, "Other" in B`},
		"another Go":          {[]string{a, seal(t, with(func(r *run) { r.version = "go1.27" }))}, 2, `go differs: "go1.26" in A, "go1.27" in B`},
		"another Go, told":    {[]string{"-mixed", a, seal(t, with(func(r *run) { r.version = "go1.27" }))}, 0, "MIXED, as told: go differs"},
		"paired":              {[]string{"-paired", a, slower}, 2, "runs are not compared in pairs"},
		"run and file":        {[]string{a, file}, 2, "compare two of a kind"},
		"no run":              {[]string{a, filepath.Dir(a)}, 2, "no manifest.json"},
		"nothing":             {[]string{a, "nothing"}, 2, "nothing: no such file"},
		"both standard input": {[]string{"-", "-"}, 2, "both sides are standard input"},
		"one side":            {[]string{a, ""}, 2, "takes A and B"},
		"threshold":           {[]string{"-threshold", "-1", a, a}, 2, "-1 is no percentage"},
		"flag":                {[]string{"-wrong", a, a}, 2, "-wrong"},
		"help":                {[]string{"-h"}, 0, "usage: benchreport compare"},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			code, err := compareRuns(&out, &out, c.args)
			if err == nil {
				err = errors.New("")
			}
			if code != c.code || !strings.Contains(out.String()+err.Error(), c.want) {
				t.Errorf("code %d, want %d and %q in\n%s%v", code, c.code, c.want, &out, err)
			}
		})
	}
}

// Where there is no module, and so no benchstat, files are compared all the same, and
// one side may be standard input.
func TestCompareElsewhere(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, value := range map[string]string{"a.txt": "5", "b.txt": "6"} {
		if err := os.WriteFile(name, []byte(strings.Repeat("BenchmarkX-2\t1\t"+value+" ns/op\n", 10)), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	in, err := os.Open("b.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	defer func(before *os.File) { os.Stdin = before }(os.Stdin)
	os.Stdin = in
	var out bytes.Buffer
	code, err := compareRuns(&out, &out, []string{"a.txt", "-"})
	if err != nil || code != 1 {
		t.Errorf("code %d, %v\n%s", code, err, &out)
	}
	for _, want := range []string{"B  standard input", "benchstat's table is not shown", "`go get -tool golang.org/x/perf/cmd/benchstat@latest`", "regression beyond 5 %: 1 of 1"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
}
