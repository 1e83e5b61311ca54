package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hotpath/internal/bench"
	"hotpath/internal/results/resultstest"
)

// run describes a synthetic run: what each fork measured, and on what.
type run struct {
	rounds   int
	cpu      string
	version  string // of Go
	revision string
	slower   float64 // factor on the times of longadder
	gate     bool    // with a gated fork in each round that took a thousand times as long
}

// seal makes a run folder and returns its path.
func seal(t *testing.T, r run) string {
	t.Helper()
	var blocks []resultstest.Block
	for i, unit := range []bench.Unit{bench.TimePerOp, bench.MeanLatency} {
		mode := []bench.Mode{bench.Throughput, bench.Sample}[i]
		b := resultstest.Block{Name: "BenchmarkAdd/mode=" + string(mode) + "/threads=2@numcpu", Tier: bench.Judged}
		for impl, ns := range map[string]float64{"atomic": 40, "longadder": 20 * r.slower} {
			b.Cells = append(b.Cells, resultstest.Cell{Impl: impl, Role: bench.Published, Values: []resultstest.Value{{Unit: unit, Value: ns}, {Unit: bench.CountedCells, Value: 7}}})
		}
		slices.SortFunc(b.Cells, func(a, b resultstest.Cell) int { return strings.Compare(a.Impl, b.Impl) })
		blocks = append(blocks, b)
	}
	e := resultstest.New("counter", r.rounds, blocks...)
	if r.gate {
		for _, f := range slices.Clone(e.Forks) {
			g := *f
			g.Attempt, g.Gated = 2, []bench.Unmet{{Gate: bench.GateForeign, Got: 0.09, Most: 0.05}}
			g.Metrics = slices.Clone(f.Metrics)
			g.Metrics[0].Value *= 1000
			e.Forks = append(e.Forks, &g)
		}
	}
	m := resultstest.Manifest()
	m.Machine.CPU, m.Go[0].Value, m.Revision = r.cpu, r.version, r.revision
	dir := t.TempDir()
	resultstest.Write(t, dir, "run", m, e)
	return filepath.Join(dir, "run")
}

func TestCompareRuns(t *testing.T) {
	base := run{rounds: 12, cpu: "Test CPU", version: "go1.26", revision: "one", slower: 1}
	with := func(change func(*run)) run {
		r := base
		change(&r)
		return r
	}
	a := seal(t, base)
	slower := seal(t, with(func(r *run) { r.revision, r.slower = "two", 1.1 }))
	file := filepath.Join(t.TempDir(), "bench.txt")
	if err := os.WriteFile(file, []byte("BenchmarkX\t1\t5 ns/op\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		args []string
		code int
		want string // in the output, or in the error
	}{
		"itself":           {[]string{a, a}, 0, "no difference: A and B hold the same measurements"},
		"slower":           {[]string{a, slower}, 1, "regression beyond 5 %: 2 of 4"},
		"the other way":    {[]string{slower, a}, 0, "no regression"},
		"allowed":          {[]string{"-threshold", "15", a, slower + "/"}, 0, "no regression beyond 15 %: 4"},
		"clean forks only": {[]string{a, seal(t, with(func(r *run) { r.gate = true }))}, 0, "no difference"},
		"quick":            {[]string{a, seal(t, with(func(r *run) { r.rounds = 3 }))}, 2, "n/a (n=3)"},
		"another CPU":      {[]string{a, seal(t, with(func(r *run) { r.cpu = "Other" }))}, 2, `cpu differs: "Test CPU" in A, "Other" in B`},
		"another Go":       {[]string{a, seal(t, with(func(r *run) { r.version = "go1.27" }))}, 2, `go differs: "go1.26" in A, "go1.27" in B`},
		"another Go, told": {[]string{"-mixed", a, seal(t, with(func(r *run) { r.version = "go1.27" }))}, 0, "MIXED, as told: go differs"},
		"paired":           {[]string{"-paired", a, slower}, 2, "runs are not compared in pairs"},
		"run and file":     {[]string{a, file}, 2, "compare two of a kind"},
		"no run":           {[]string{a, filepath.Dir(a)}, 2, "no manifest.json"},
		"nothing":          {[]string{a, "nothing"}, 2, "nothing: no such file"},
		"one side":         {[]string{a, ""}, 2, "takes A and B"},
		"threshold":        {[]string{"-threshold", "-1", a, a}, 2, "-1 is no percentage"},
		"flag":             {[]string{"-wrong", a, a}, 2, "-wrong"},
		"help":             {[]string{"-h"}, 0, "usage: benchreport compare"},
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
