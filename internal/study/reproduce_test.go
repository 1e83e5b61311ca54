package study

import (
	"strings"
	"testing"

	"hotpath/internal/bench"
	"hotpath/internal/claims"
	"hotpath/internal/results/synthetic"
)

// remade is a run of made-up counters and peers, of which r is the rival.
func remade(name string, heats int, change func(*synthetic.Experiment)) *Run {
	e := counters(heats)
	e.Cells = append(e.Cells, synthetic.Cells(thrpt, bench.Peers, "base", "base_again", "r", "p")...)
	e.Cells[6].Rival = true
	cost := e.Cost
	e.Cost = func(c bench.Cell, heat, lap int) float64 {
		if c.Mode() == bench.Throughput {
			return map[string]float64{"base": 1000, "base_again": 1000, "r": 500, "p": 700}[c.Impl()] * synthetic.Noise(0.01, name, c.Impl(), heat, lap)
		}
		return cost(c, heat, lap) * synthetic.Noise(0.01, name, c.Impl(), heat)
	}
	if change != nil {
		change(&e)
	}
	run := synthetic.Run(synthetic.Manifest(), e)
	return &Run{Name: name, Manifest: &run.Manifest, Experiments: []*Experiment{New(&run.Manifest, run.Experiments[0], less())}}
}

// slower lets a contestant of a mode cost so many times as much.
func slower(impl string, mode bench.Mode, by float64) func(*synthetic.Experiment) {
	return func(e *synthetic.Experiment) {
		cost := e.Cost
		e.Cost = func(c bench.Cell, heat, lap int) float64 {
			if c.Impl() == impl && c.Mode() == mode {
				return cost(c, heat, lap) * by
			}
			return cost(c, heat, lap)
		}
	}
}

func TestReproduce(t *testing.T) {
	far := func(e *synthetic.Experiment) { e.HandOff = func(bench.Block, int, int) float64 { return 220 } }
	unseen := func(e *synthetic.Experiment) { e.HandOff = func(bench.Block, int, int) float64 { return bench.Unseen } }
	// atomic to three others, base to three, r to two more
	for name, c := range map[string]struct {
		a, b   *Run
		ratios int
		apart  int
		lacks  int
		holds  bool
		says   string
	}{
		"the same":        {remade("a", 12, nil), remade("a", 12, nil), 8, 0, 0, true, "intervals that do not overlap: 0; at most 5 % may"},
		"as good as that": {remade("a", 12, nil), remade("b", 12, nil), 8, 0, 0, true, "verdicts in both: 3; other words: 0, contradictions: 0"},
		"one is slower": {remade("a", 12, nil), remade("b", 12, slower("p", bench.Throughput, 1.2)), 8, 2, 0, false,
			"counter BenchmarkAdd/mode=thrpt/threads=2@numcpu ns/op, CPUs near, base / p: 1.43 ["},
		"elsewhere":   {remade("a", 12, nil), remade("b", 12, far), 0, 0, 4, false, "ns/op, CPUs far, 5 ratios: not in a\n"},
		"not visible": {remade("a", 12, unseen), remade("b", 12, unseen), 8, 0, 0, true, "ratios in both, at the same placement: 8"},
		"five heats":  {remade("a", 12, nil), remade("b", 5, nil), 0, 0, 2, false, "mean-latency-ns, CPUs near, 3 ratios: not in b\n"},
		"fewer blocks": {remade("a", 12, nil), remade("b", 12, func(e *synthetic.Experiment) { e.Cells = e.Cells[:4] }), 3, 0, 1, true,
			"CPUs near, 5 ratios: not in b\n"},
		"more blocks": {remade("a", 12, func(e *synthetic.Experiment) { e.Cells = e.Cells[:4] }), remade("b", 12, nil), 3, 0, 1, true,
			"CPUs near, 5 ratios: not in a\n"},
		"a contradiction": {remade("a", 12, nil), remade("b", 12, slower("longadder", bench.Sample, 3)), 8, 1, 0, false,
			"x: reproduced in A, not reproduced in B: a CONTRADICTION\n"},
		"nothing": {remade("a", 12, nil), &Run{Name: "b"}, 0, 0, 2, false, "the runs do NOT reproduce each other\n"},
	} {
		r := Reproduce(c.a, c.b)
		if len(r.Ratios) != c.ratios || len(r.Apart()) != c.apart || len(r.Lacking) != c.lacks || r.Holds() != c.holds || !strings.Contains(r.String(), c.says) {
			t.Errorf("%s: %d ratios, %d apart, %d places lacking, holds: %v\n%s", name, len(r.Ratios), len(r.Apart()), len(r.Lacking), r.Holds(), r)
		}
	}
}

// A twentieth of the ratios may lie apart, and no more.
func TestMostApart(t *testing.T) {
	alike := Twice{A: Interval{Low: 1, High: 2, Level: 0.95}, B: Interval{Low: 1, High: 2, Level: 0.95}}
	apart := alike
	apart.B = Interval{Low: 2.1, High: 3, Level: 0.95}
	for n, holds := range map[int]bool{20: true, 19: false} {
		r := Reproduction{Ratios: []Twice{apart}}
		for len(r.Ratios) < n {
			r.Ratios = append(r.Ratios, alike)
		}
		if r.Holds() != holds {
			t.Errorf("1 of %d: %v", n, r.Holds())
		}
	}
}

func TestContradicts(t *testing.T) {
	for words, want := range map[[2]Word]bool{
		{claims.Reproduced, claims.NotReproduced}:    true,
		{claims.NotReproduced, claims.DirectionOnly}: true,
		{claims.Reproduced, claims.DirectionOnly}:    false,
		{claims.NotReproduced, claims.Inconclusive}:  false,
		{claims.Reproduced, DependsOnDistance}:       false,
		{NotReproduced, NotReproduced}:               false,
	} {
		if got := (Agreement{Words: words[:]}).Contradicts(); got != want {
			t.Errorf("%q: %v", words, got)
		}
	}
}
