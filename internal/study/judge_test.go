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
	"hotpath/internal/results/synthetic"
	"hotpath/internal/stats"
)

const perthread = "BenchmarkAdd/mode=sample/threads=32@perthread"

// counters are made-up counters: hbase costs 4, longadder 3 where atomic costs 6.
func counters(heats int) synthetic.Experiment {
	costs := map[string]float64{"atomic": 6000, "atomic_again": 6000, "hbase": 4000, "longadder": 3000}
	return synthetic.Experiment{
		Name: "counter", Heats: heats, Cells: synthetic.Cells(perthread, bench.Judged, "atomic", "atomic_again", "hbase", "longadder"),
		Cost: func(c bench.Cell, heat, lap int) float64 {
			return costs[c.Impl()] * synthetic.Noise(0.02, c.Impl(), heat, lap) * synthetic.Noise(0.2, heat)
		},
	}
}

// less are claims of which the second is of a magnitude for machines with 16 CPUs,
// and the third of another lane.
func less() *claims.File {
	claim := claims.Claim{ID: "x", Kind: claims.Less, Metric: bench.MeanLatency, Block: synthetic.Cells(perthread, bench.Judged, "a")[0].Block, Baseline: "atomic", Candidate: "longadder"}
	far, order := claim, claim
	far.Kind, far.Published, far.Needs = claims.Ratio, 24, claims.Needs{CPUs: 16}
	order.Kind, order.Order, order.Lane = claims.Order, []string{"atomic", "hbase", "longadder"}, "jvm"
	return &claims.File{Claims: []claims.Claim{claim, far, order}}
}

func TestJudgement(t *testing.T) {
	gate := func(impl string, heats, laps int, gates ...bench.Gate) func(c bench.Cell, heat, lap int) bench.GateSet {
		return func(c bench.Cell, heat, lap int) bench.GateSet {
			var unmet bench.GateSet
			if c.Impl() == impl && heat <= heats && lap <= laps {
				for _, g := range gates {
					unmet = unmet.With(g)
				}
			}
			return unmet
		}
	}
	for name, c := range map[string]struct {
		heats  int
		unmet  func(c bench.Cell, heat, lap int) bench.GateSet
		words  []Word
		reason string // of the first verdict
	}{
		"clean":       {15, nil, []Word{Reproduced, DirectionOnly, Reproduced}, ""},
		"eleven":      {11, nil, []Word{Inconclusive, Inconclusive, Inconclusive}, "11 heats count, at least 12 are needed"},
		"gated":       {15, gate("longadder", 5, 15, bench.GateSteal, bench.GateForeign), []Word{Inconclusive, Inconclusive, Inconclusive}, "10 heats count, at least 12 are needed; turns were thrown away for foreign CPU (75 turns) and steal (75 turns)"},
		"enough left": {15, gate("longadder", 3, 15, bench.GateSteal), []Word{Reproduced, DirectionOnly, Reproduced}, ""},
		"noisy": {15, gate("longadder", 15, 15, bench.GateSteal), []Word{Inconclusive, Inconclusive, Inconclusive},
			"0 heats count, at least 12 are needed; turns were thrown away for steal (225 turns)"},
		"few laps":      {15, gate("longadder", 15, 12, bench.GateSteal), []Word{Reproduced, DirectionOnly, Reproduced}, ""},
		"another's":     {15, gate("hbase", 5, 15, bench.GateSteal), []Word{Reproduced, DirectionOnly, Inconclusive}, ""},
		"its control's": {15, gate("atomic_again", 8, 15, bench.GateProbe), []Word{Inconclusive, Inconclusive, Inconclusive}, "the control has 7 heats, too few to show that equals come out as equal"},
	} {
		e := counters(c.heats)
		e.Unmet = c.unmet
		for i, v := range judged(e, less()).Judgement.Verdicts {
			if v.Word != c.words[i] || i == 0 && v.Reason != c.reason {
				t.Errorf("%s: %s (%s), want %s (%s)", name, v.Word, v.Reason, c.words[i], c.reason)
			}
			if want := stats.Bonferroni(2); v.Level != want {
				t.Errorf("%s: claim %d at %v, want %v", name, i, v.Level, want)
			}
		}
	}
	elsewhere := less()
	elsewhere.Claims[0].Block.Reading = bench.One
	if v := judged(counters(15), elsewhere).Judgement.Verdicts[0]; v.Word != Inconclusive || !strings.HasPrefix(v.Reason, "0 heats count") {
		t.Errorf("a block that was not measured: %s (%s)", v.Word, v.Reason)
	}
}

// A ratio that depends on where the CPUs are has both its groups in the verdict.
func TestDistance(t *testing.T) {
	e := counters(15)
	cost := e.Cost
	e.HandOff = func(_ bench.Block, _, lap int) float64 {
		if lap%2 == 0 {
			return 300
		}
		return 40
	}
	e.Cost = func(c bench.Cell, heat, lap int) float64 {
		if c.Impl() == "longadder" && lap%2 == 1 {
			return 2 * cost(c, heat, lap) // where the CPUs are near, it takes as much as atomic
		}
		return cost(c, heat, lap)
	}
	v := judged(e, less()).Judgement.Verdicts[0]
	if c := v.Comparisons[0]; v.Word != DependsOnDistance || c.Near.High > 1.02 || c.Far.Low < 1.9 || !strings.HasPrefix(v.Reason, "near 1.0") && !strings.HasPrefix(v.Reason, "near 0.9") {
		t.Errorf("%s (%s): near %+v, far %+v", v.Word, v.Reason, c.Near, c.Far)
	}
}

// A ratio that a verdict shows and one that a table shows differ in the level
// alone.
func TestOneRatio(t *testing.T) {
	x := judged(counters(15), less())
	c := x.Judgement.Verdicts[0].Comparisons[0]
	if iv := x.Blocks[0].Ratio(bench.MeanLatency, c.Baseline, c.Candidate); iv.Estimate != c.Estimate || iv.N != c.N || iv.Level >= c.Level {
		t.Errorf("%+v in a table, %+v in a verdict", iv, c.Measured)
	}
	if b := x.Claimed(); b != x.Blocks[0] || b.Baseline() != "atomic" || of(counters(1)).Claimed() != nil {
		t.Errorf("the claims are about %v", b)
	}
}

func TestGates(t *testing.T) {
	e := counters(2)
	e.Unmet = func(c bench.Cell, heat, lap int) bench.GateSet {
		switch {
		case c.Impl() == "atomic" && heat == 1 && lap <= 2:
			return steal.With(bench.GateForeign)
		case c.Impl() == "hbase" && lap == 1 && heat == 2:
			return steal
		}
		return 0
	}
	if got, want := of(e).Gates(), []GateCount{{bench.GateSteal, 3}, {bench.GateForeign, 2}}; !slices.Equal(got, want) {
		t.Errorf("gates %v, want %v", got, want)
	}
}

func TestReach(t *testing.T) {
	run := &Run{Manifest: &results.Manifest{Machine: bench.Machine{CPUs: 2}}}
	run.Experiments = []*Experiment{judged(counters(15), less())}
	if got, want := run.Reach(), (Reach{Orders: 2, Magnitudes: 1, Beyond: 1, Need: 16, Decided: 3}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	run.Experiments[0] = judged(counters(3), less())
	run.Manifest.Machine.CPUs = 16
	if got := run.Reach(); got.Beyond != 0 || got.Magnitudes != 1 || got.Decided != 0 {
		t.Errorf("three heats on 16 CPUs: %+v", got)
	}
}

// archive is a folder of made-up runs, without any experiment.
func archive(t *testing.T) (a Archive, write func(name string, m results.Manifest, heats int)) {
	t.Helper()
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return Archive{Results: dir, Experiments: filepath.Join(dir, "experiments")}, func(name string, m results.Manifest, heats int) {
		t.Helper()
		if err := synthetic.Write(root, name, m, counters(heats)); err != nil {
			t.Fatal(err)
		}
	}
}

func TestArchive(t *testing.T) {
	a, write := archive(t)
	at := func(days int) results.Manifest {
		m := synthetic.Manifest()
		m.Start = m.Start.AddDate(0, 0, -days)
		return m
	}
	write("old", at(1), 2)
	write("new", at(0), 1)
	other := at(2)
	other.Machine.CPUs = 64
	write("big", other, 1)
	quick := at(3)
	quick.Quick, quick.Machine.CPU = true, "Q"
	write("quick", quick, 1)

	if got, odd, err := a.Names(); err != nil || len(odd) > 0 || !slices.Equal(got, []string{"new", "old", "big", "quick"}) {
		t.Errorf("names %q, odd %v, %v", got, odd, err)
	}
	run, err := a.Load("new")
	if err != nil {
		t.Fatal(err)
	}
	x := run.Experiment("counter")
	if x == nil || x.Changed || len(x.Judgement.Verdicts) != 0 || run.Experiment("other") != nil {
		t.Errorf("an experiment without claims: %+v", x)
	}
	if sum, err := a.Stamp("new"); err != nil || sum != run.ManifestSum {
		t.Errorf("stamp %s, %v", sum, err)
	}
	if err := a.Check("nothing"); err == nil {
		t.Error("a run that is not there is whole")
	}
	checkClaimsOf(t, a)
}

// checkClaimsOf gives the runs claims that came after them.
func checkClaimsOf(t *testing.T, a Archive) {
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
	var runs []*Run
	for _, name := range []string{"new", "big"} {
		run, err := a.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		runs = append(runs, run)
	}
	if sum, err := a.ClaimsSum("counter"); err != nil || sum != runs[0].Experiment("counter").Claims.SHA256 || sum == "" {
		t.Errorf("claims %s, %v", sum, err)
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
}
