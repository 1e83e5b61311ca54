package study

import (
	"math"
	"math/rand/v2"
	"testing"

	"hotpath/internal/bench"
	"hotpath/internal/claims"
	"hotpath/internal/results/synthetic"
	"hotpath/internal/stats"
)

// madeOf is a run in which a takes truth times what b takes, and a control takes
// what its twin takes, each with the noise of real turns. Which of the two that were
// recorded stands for a is drawn for each heat: they differ in nothing.
func madeOf(rng *rand.Rand, heats []noise, n int, truth float64) synthetic.Experiment {
	type drawn struct {
		noise
		swap int
	}
	draw := func() drawn { return drawn{heats[rng.IntN(len(heats))], rng.IntN(2)} }
	pairs, controls := make([]drawn, n+1), make([]drawn, n+1)
	laps := math.MaxInt
	for i := range pairs {
		pairs[i], controls[i] = draw(), draw()
		laps = min(laps, len(pairs[i].noise), len(controls[i].noise))
	}
	e := duel(n, nil)
	for i := range e.Cells {
		e.Cells[i].Laps = laps
		e.Cells[i].Turn = bench.TurnLength{Millis: 1000} // so long that a heat of six laps counts, as recorded ones do
	}
	e.Cost = func(c bench.Cell, heat, lap int) float64 {
		switch p, k := pairs[heat], controls[heat]; c.Impl() {
		case "a":
			return truth * math.Exp(p.noise[lap-1][p.swap])
		case "b":
			return math.Exp(p.noise[lap-1][1-p.swap])
		case "base":
			return math.Exp(k.noise[lap-1][k.swap])
		default:
			return math.Exp(k.noise[lap-1][1-k.swap])
		}
	}
	return e
}

// ratioClaim is the claim that a takes so many times what b takes.
func ratioClaim(published float64) *claims.File {
	return &claims.File{Claims: []claims.Claim{{
		ID: "x", Kind: claims.Ratio, Metric: bench.TimePerOp, Block: synthetic.Cells(thrpt, bench.Judged, "a")[0].Block,
		Baseline: "a", Candidate: "b", Published: published,
	}}}
}

// The verdicts and intervals of contestants whose true ratio is known, in the noise
// that a real run recorded of ones that differ in nothing.
func TestNull(t *testing.T) {
	const heats = 15
	blocks, noises := recorded(t)
	trials := 25
	if testing.Short() {
		trials = 10
	}
	rng := rand.New(rand.NewPCG(7, 1))
	cases := []struct {
		truth, published float64
		wrong            []claims.Word
		falsely, decided int
	}{
		{truth: 1, published: 1.106, wrong: []claims.Word{claims.Reproduced, claims.DirectionOnly}},
		{truth: 1.106, published: 1.106, wrong: []claims.Word{claims.NotReproduced}},
		{truth: 1.40, published: 1.40, wrong: []claims.Word{claims.NotReproduced}},
	}
	covered, pooled, all := 0, 0, 0
	for _, name := range blocks {
		for range trials {
			for i := range cases {
				c := &cases[i]
				x := judged(madeOf(rng, noises[name], heats, c.truth), ratioClaim(c.published))
				word := x.Judgement.Verdicts[0].Word
				if word != claims.Inconclusive {
					c.decided++
				}
				for _, wrong := range c.wrong {
					if word == wrong {
						c.falsely++
					}
				}
				all++
				ratios := ratiosOf(x.Blocks[0].HeatRatios(bench.TimePerOp, "a", "b", Everywhere))
				if iv, err := stats.RatioOf(ratios, Level); err == nil && iv.Low <= c.truth && c.truth <= iv.High {
					covered++
				}
				if iv, err := stats.RatioOf(lapRatios(x), Level); err == nil && iv.Low <= c.truth && c.truth <= iv.High {
					pooled++
				}
			}
		}
	}
	n := len(blocks) * trials
	for _, c := range cases {
		t.Logf("true %.3f, published %.3f: %d of %d decided, %d falsely", c.truth, c.published, c.decided, n, c.falsely)
		if float64(c.falsely) > 0.05*float64(n) {
			t.Errorf("true %.3f, published %.3f: %d of %d decided falsely", c.truth, c.published, c.falsely, n)
		}
	}
	share := func(k int) float64 { return float64(k) / float64(all) }
	t.Logf("%d blocks: the truth is in %.1f %% of the intervals over heats, and in %.1f %% of those over laps", len(blocks), 100*share(covered), 100*share(pooled))
	if share(covered) < 0.92 || share(covered) > 0.98 {
		t.Errorf("the truth is in %.1f %% of the intervals at 95 %%", 100*share(covered))
	}
	// Laps of one heat are not independent, and an interval that takes them so is
	// too narrow: this test tells one that is.
	if share(pooled) > 0.92 {
		t.Errorf("the truth is in %.1f %% of the intervals over all laps, as if they were heats", 100*share(pooled))
	}
}

// lapRatios are those of all laps.
func lapRatios(x *Experiment) []float64 {
	var all []float64
	for _, h := range x.Blocks[0].heats {
		a, b := h.Fork("a"), h.Fork("b")
		for _, lap := range h.Laps {
			t, _ := lap.Turn(a.ID)
			u, _ := lap.Turn(b.ID)
			v, _ := t.PerOp(bench.TimePerOp)
			w, _ := u.PerOp(bench.TimePerOp)
			all = append(all, v/w)
		}
	}
	return all
}
