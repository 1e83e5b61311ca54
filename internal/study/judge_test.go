package study

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hotpath/internal/bench"
	"hotpath/internal/claims"
	"hotpath/internal/results"
	"hotpath/internal/results/resultstest"
)

// judgedCounters is made-up counters, judged by claims on their sampled block.
func judgedCounters(t *testing.T, change func(*results.Experiment), m results.Manifest) *Experiment {
	t.Helper()
	e := resultstest.Counter(15)
	change(e)
	block := e.Plan.Cells[0].Block
	claim := claims.Claim{ID: "x", Kind: claims.Less, Metric: bench.MeanLatency, Block: block, Baseline: "atomic", Candidate: "longadder"}
	far := claim
	far.Kind, far.Published, far.Needs = claims.Ratio, 24, claims.Needs{CPUs: 16}
	return New(&m, e, &claims.File{
		Control: claims.Control{Baseline: "atomic", Candidate: "atomic_again", Metric: bench.MeanLatency, Block: block},
		Claims:  []claims.Claim{claim, far},
	})
}

func TestJudgement(t *testing.T) {
	gate := func(impl string, rounds int, gates ...bench.Gate) func(*results.Experiment) {
		return func(e *results.Experiment) {
			for _, f := range e.Forks {
				if f.Cell.Impl() == impl && f.Cell.Mode() == bench.Sample && f.Round <= rounds {
					for _, g := range gates {
						f.Gated = append(f.Gated, bench.Unmet{Gate: g})
					}
				}
			}
		}
	}
	two := results.Manifest{Machine: bench.Machine{CPUs: 2}}
	quick := two
	quick.Quick = true
	for name, c := range map[string]struct {
		change func(*results.Experiment)
		m      results.Manifest
		words  []Word
		reason string // of the first verdict
	}{
		"clean": {func(*results.Experiment) {}, two, []Word{Reproduced, DirectionOnly}, ""},
		"quick": {func(*results.Experiment) {}, quick, []Word{Inconclusive, Inconclusive}, "a quick look, not a run"},
		"gated": {gate("longadder", 5, bench.GateSteal, bench.GateForeign), two, []Word{Inconclusive, Inconclusive},
			"clean pairs: 10, at least 12 are needed; gates not met: foreign CPU (5 forks) and steal (5 forks)"},
		"control gated": {gate("atomic_again", 4, bench.GateWorkers), two, []Word{Inconclusive, Inconclusive},
			"control is out: clean pairs: 11, at least 12 are needed; gates not met: workers that ran (4 forks)"},
		"enough left": {gate("longadder", 3, bench.GateSteal), two, []Word{Reproduced, DirectionOnly}, ""},
	} {
		x := judgedCounters(t, c.change, c.m)
		for i, v := range x.Judgement.Verdicts {
			if v.Word != c.words[i] || i == 0 && v.Reason != c.reason {
				t.Errorf("%s: %s (%s), want %s (%s)", name, v.Word, v.Reason, c.words[i], c.reason)
			}
		}
	}
	x := judgedCounters(t, gate("atomic", 2, bench.GateSteal, bench.GateForeign), two)
	gate("hbase", 1, bench.GateSteal)(x.run)
	if got, want := x.Gates(), []GateCount{{bench.GateSteal, 3}, {bench.GateForeign, 2}}; !slices.Equal(got, want) {
		t.Errorf("gates %v, want %v", got, want)
	}
}

func TestReach(t *testing.T) {
	run := &Run{Manifest: &results.Manifest{Machine: bench.Machine{CPUs: 2}}}
	run.Experiments = []*Experiment{judgedCounters(t, func(*results.Experiment) {}, *run.Manifest)}
	if got, want := run.Reach(), (Reach{Orders: 1, Magnitudes: 1, Beyond: 1, Need: 16, Decided: 2}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	run.Experiments[0] = judgedCounters(t, func(*results.Experiment) {}, results.Manifest{Quick: true})
	run.Manifest.Machine.CPUs = 16
	if got := run.Reach(); got.Beyond != 0 || got.Magnitudes != 1 || got.Decided != 0 {
		t.Errorf("a quick look on 16 CPUs: %+v", got)
	}
}

func TestArchive(t *testing.T) {
	dir := t.TempDir()
	a := Archive{Results: dir, Experiments: filepath.Join(dir, "experiments")}
	slow := resultstest.Manifest()
	slow.Start = slow.Start.AddDate(0, 0, -1)
	resultstest.Write(t, dir, "old", slow, resultstest.Counter(2))
	resultstest.Write(t, dir, "new", resultstest.Manifest(), resultstest.Counter(1))
	other := resultstest.Manifest()
	other.Machine.CPUs, other.Start = 64, other.Start.AddDate(0, 0, -2)
	resultstest.Write(t, dir, "big", other, resultstest.Counter(1))
	quick := resultstest.Manifest()
	quick.Quick, quick.Machine.CPU, quick.Start = true, "Q", quick.Start.AddDate(0, 0, -3)
	resultstest.Write(t, dir, "quick", quick, resultstest.Counter(1))

	if got, err := a.Names(); err != nil || !slices.Equal(got, []string{"new", "old", "big", "quick"}) {
		t.Errorf("names %q, %v", got, err)
	}
	runs, err := a.Machines()
	if err != nil || len(runs) != 2 || runs[0].Name != "new" || runs[1].Name != "big" {
		t.Fatalf("machines %v, %v", runs, err)
	}
	x := runs[0].Experiment("counter")
	if x == nil || x.Changed || len(x.Judgement.Verdicts) != 0 || runs[0].Experiment("other") != nil {
		t.Errorf("an experiment without claims: %+v", x)
	}

	claimed := filepath.Join(a.Experiments, "counter")
	if err := os.MkdirAll(claimed, 0o777); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("../../experiments/counter/claims.toml")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(claimed, "claims.toml"), text, 0o666); err != nil {
		t.Fatal(err)
	}
	if runs, err = a.Machines(); err != nil {
		t.Fatal(err)
	}
	all := runs[0].Agreements(runs)
	if !runs[0].Experiment("counter").Changed || len(all) == 0 {
		t.Error("claims that came later are no change")
	}
	for _, g := range all {
		if !g.Agree() || g.Words[0] != Inconclusive {
			t.Errorf("%+v", g)
		}
	}
	if (Agreement{Words: []Word{Reproduced, Inconclusive}}).Agree() {
		t.Error("different words agree")
	}
	if err := os.WriteFile(filepath.Join(claimed, "claims.toml"), []byte("x"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Load("new"); err == nil || !strings.Contains(err.Error(), "claims.toml:1") {
		t.Errorf("broken claims: %v", err)
	}
	if err := a.Check("nothing"); err == nil {
		t.Error("a run that is not there is whole")
	}
}
