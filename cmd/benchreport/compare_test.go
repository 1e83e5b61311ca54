package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hotpath/internal/results"
)

// run describes a synthetic run: what each fork measured, and on what.
type run struct {
	rounds   int
	cpu      string
	version  string // of Go
	revision string
	slower   map[string]float64 // contestant: factor on its times
	gate     bool               // with a gated fork in each round that took a thousand times as long
}

// seal makes a run folder and returns its path.
func seal(t *testing.T, r run) string {
	t.Helper()
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	var cells []results.Cell
	for _, impl := range []string{"atomic", "longadder"} {
		for _, mode := range []string{"thrpt", "sample"} {
			name := fmt.Sprintf("BenchmarkAdd/impl=%s/mode=%s/threads=2", impl, mode)
			cells = append(cells, results.Cell{
				Name: name, Reading: results.NumCPU, Threads: 2, Role: results.Published,
				Seconds: 0.5, Tier: results.Judged, Block: results.BlockOf(name, results.NumCPU),
			})
		}
	}
	start := time.Date(2026, 11, 30, 9, 12, 0, 0, time.UTC)
	p, err := results.Create(root, "run", results.Manifest{
		Start: start, Machine: results.Machine{CPU: r.cpu, CPUs: 2}, Revision: r.revision,
		Go:   []results.Fact{{Name: "version", Value: r.version}},
		Plan: []results.Plan{{Experiment: "counter", Rounds: map[results.Tier]int{results.Judged: r.rounds}, Cells: cells}},
	})
	if err != nil {
		t.Fatal(err)
	}
	id := 0
	commit := func(c results.Cell, round, attempt int, ns float64, gated ...string) {
		t.Helper()
		id++
		unit := "ns/op"
		if c.Param("mode") == "sample" {
			unit = "mean-latency-ns"
		}
		if err := p.Commit(results.Record{
			Experiment: "counter",
			Fork:       results.Fork{ID: id, Cell: c.Key(), Round: round, Order: 1, Attempt: attempt, State: results.Complete, Gated: gated},
			Config:     []string{"cpu: " + r.cpu},
			Units:      []string{"Unit mean-latency-ns better=lower assume=nothing", "Unit cells assume=nothing"},
			Result:     fmt.Sprintf("%s-2\t1\t%.3f %s\t7 cells", c.Name, ns, unit),
		}); err != nil {
			t.Fatal(err)
		}
	}
	for round := range r.rounds {
		for i, c := range cells {
			ns := float64(20*(i+1)) * (1 + 0.003*float64((round*5+i)%7))
			if f := r.slower[c.Impl()]; f > 0 {
				ns *= f
			}
			attempt := 1
			if r.gate {
				commit(c, round+1, attempt, 1000*ns, "foreign CPU 9 % > 5 %")
				attempt++
			}
			commit(c, round+1, attempt, ns)
		}
	}
	if err := p.Seal(start.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(root.Name(), "run")
}

func TestCompareRuns(t *testing.T) {
	base := run{rounds: 12, cpu: "Test CPU", version: "go1.26", revision: "one"}
	with := func(change func(*run)) run {
		r := base
		change(&r)
		return r
	}
	a := seal(t, base)
	slower := seal(t, with(func(r *run) { r.revision, r.slower = "two", map[string]float64{"longadder": 1.1} }))
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
