package claims

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"hotpath/internal/bench"
	"hotpath/internal/stats"
)

// A design says in which order the contestants of an experiment are measured:
// slot(r, c) is when contestant c has its turn in round r.
type design func(rng *rand.Rand, rounds, contestants int) (slot func(r, c int) int)

// shuffledRounds is how runs are made: ABA BAA AAB …
func shuffledRounds(rng *rand.Rand, rounds, contestants int) func(r, c int) int {
	turns := make([][]int, rounds)
	for r := range turns {
		turns[r] = rng.Perm(contestants)
	}
	return func(r, c int) int { return r*contestants + turns[r][c] }
}

// oneByOne is what a benchmark with a count does: AAA BBB …
func oneByOne(_ *rand.Rand, rounds, _ int) func(r, c int) int {
	return func(r, c int) int { return c*rounds + r }
}

// experiment is measured on a stretch of recorded noise. Its contestants are
// a, b and, as the control, a again; b costs a's share of 1/ratio.
func experiment(noise []float64, d design, rng *rand.Rand, rounds int) func(ratio float64) pairs {
	contestants := []string{"a", "b", "a_again"}
	noise = noise[rng.IntN(len(noise)-rounds*len(contestants)):]
	slot := d(rng, rounds, len(contestants))
	return func(ratio float64) pairs {
		measured := map[string][]float64{}
		for c, name := range contestants {
			cost := 1.0
			if name == "b" {
				cost = 1 / ratio
			}
			for r := range rounds {
				measured[name] = append(measured[name], cost*noise[slot(r, c)])
			}
		}
		return func(_ bench.Block, _ bench.Unit, baseline, candidate string) (b, c []float64) {
			return measured[baseline], measured[candidate]
		}
	}
}

// rates are shares of trials, in percent.
type rates struct {
	covered    float64 // the plain 95 % interval holds the true ratio of 1
	falseSmall float64 // true ratio 1, published 1.106: judged as more than nothing
	falseLarge float64 // true ratio 1, published 1.40: judged as more than nothing
	found      float64 // true and published ratio 1.40: judged as reproduced, the control in force
	foundAlone float64 // the same without a control
}

func (r rates) String() string {
	return fmt.Sprintf("covered %.1f %%, false claims %.1f %% and %.1f %%, reproduced %.1f %% (without a control %.1f %%)",
		r.covered, r.falseSmall, r.falseLarge, r.found, r.foundAlone)
}

// honest and powerful are the two halves of what is asked of a design.
func (r rates) honest() bool {
	return r.covered >= 92 && r.covered <= 98 && r.falseSmall <= 5 && r.falseLarge <= 5
}

func (r rates) powerful() bool { return r.found >= 90 }

func trial(t *testing.T, noise []float64, d design, rounds int) rates {
	t.Helper()
	const trials = 1000
	f := func(published, tolerance float64) *File {
		return &File{
			Control: Control{Baseline: "a", Candidate: "a_again"},
			Claims:  []Claim{{Kind: Ratio, Baseline: "a", Candidate: "b", Published: published, Tolerance: tolerance}},
		}
	}
	small, large := f(1.106, 1.1), f(1.40, 1.25)
	alone := func(p pairs) pairs { // with a control that always holds
		return func(block bench.Block, metric bench.Unit, baseline, candidate string) (b, c []float64) {
			if candidate == "a_again" {
				candidate = baseline
			}
			return p(block, metric, baseline, candidate)
		}
	}
	rng := rand.New(rand.NewPCG(16146, 5945))
	var r rates
	count := func(rate *float64, yes bool) {
		if yes {
			*rate += 100.0 / trials
		}
	}
	for range trials {
		measure := experiment(noise, d, rng, rounds)
		same, different := measure(1), measure(1.40)
		word := func(f *File, p pairs) Word { return Judge(f, 2, "", p.measure).Verdicts[0].Word }
		positive := func(w Word) bool { return w == Reproduced || w == DirectionOnly }

		b, c := same(bench.Block{}, bench.Unit{}, "a", "b")
		iv, err := stats.PairedRatio(b, c, 0.95)
		if err != nil {
			t.Fatal(err)
		}
		count(&r.covered, iv.Low <= 1 && 1 <= iv.High)
		count(&r.falseSmall, positive(word(small, alone(same))))
		count(&r.falseLarge, positive(word(large, alone(same))))
		count(&r.found, word(large, different) == Reproduced)
		count(&r.foundAlone, word(large, alone(different)) == Reproduced)
	}
	return r
}

// TestNull proves the design on recorded noise: what the rule says of equal
// contestants, how often the interval is right, and that a real difference is
// found. Measuring one contestant after the other fails the same bars, so it
// is the order of measuring that meets them, and the bars can be missed.
//
// The swing is a drift on top: 10 % up and down, slow against a round, and not
// slow against an experiment.
func TestNull(t *testing.T) {
	falseClaims := false
	for _, loop := range noiseLoops {
		for _, swing := range []float64{0, 0.10} {
			noise := loop.clean(t)
			for i := range noise {
				noise[i] *= 1 + swing*math.Sin(2*math.Pi*float64(i)/400)
			}
			for _, rounds := range []int{MinPairs, 21} {
				series := fmt.Sprintf("%s loop, swing %2.0f %%, %d rounds", loop.name, 100*swing, rounds)
				shuffled, blocked := trial(t, noise, shuffledRounds, rounds), trial(t, noise, oneByOne, rounds)
				t.Logf("%s, shuffled rounds: %v", series, shuffled)
				t.Logf("%s, one by one:      %v", series, blocked)
				if !shuffled.honest() {
					t.Errorf("%s: shuffled rounds are not honest", series)
				}
				if rounds >= 21 && !shuffled.powerful() {
					t.Errorf("%s: shuffled rounds find too little", series)
				}
				if blocked.honest() {
					t.Errorf("%s: one by one is honest: the bars prove nothing", series)
				}
				falseClaims = falseClaims || blocked.falseSmall > 5 && blocked.falseLarge > 5
			}
		}
	}
	if !falseClaims {
		t.Error("one by one made no more false claims than allowed on any series: the bar on them proves nothing")
	}
}
