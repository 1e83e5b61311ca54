package claims

import (
	"fmt"
	"slices"
	"strings"

	"hotpath/internal/bench"
	"hotpath/internal/stats"
)

// Word is a verdict in one word or two.
type Word string

const (
	Reproduced    Word = "reproduced"
	DirectionOnly Word = "direction only"
	NotReproduced Word = "not reproduced"
	Inconclusive  Word = "inconclusive"
	// The verdict is another one where the CPUs are near each other than where
	// they are far apart.
	DependsOnDistance Word = "depends on distance"
)

// Words lists the verdicts in the order in which they are told.
var Words = []Word{Reproduced, DirectionOnly, NotReproduced, DependsOnDistance, Inconclusive}

// fromBest orders verdicts for a claim of several comparisons. A comparison
// that contradicts the claim settles it, so that is worse than an open one.
var fromBest = []Word{Reproduced, DirectionOnly, DependsOnDistance, Inconclusive, NotReproduced}

// Measure returns the ratio of a metric of two contestants of a block at a level.
type Measure func(block bench.Block, metric bench.Unit, baseline, candidate string, level float64) Measured

// Measured is what a run tells of a ratio.
type Measured struct {
	stats.Interval                // over the heats, widened by the control; Level 0 where it has no bounds
	Counting       int            // heats that count; fewer than N where others had to be taken to show anything
	Near, Far      stats.Interval // of the laps in which the CPUs were near each other, and far apart; Level 0 where these are too few
	Bias           float64        // of the control: |log| of its ratio where its interval does not hold 1
	Err            error          // why it decides nothing, where that is neither the number of heats nor the bias
	Spoilt         string         // which gates took heats, where too few are left
}

// Comparison is one measured ratio of a claim; an order has several.
type Comparison struct {
	Baseline, Candidate string
	Measured
	Published float64    // ratio; 0 for a range, which is its own Band, and where no magnitude is published
	Smallest  float64    // ratio that counts as an effect
	Band      [2]float64 // ratios that reproduce it; the higher may be +Inf
	Verdict   Word
	Reason    string // in plain words; empty when reproduced
}

// Verdict is the outcome of one claim: the worst of its comparisons.
type Verdict struct {
	Claim       Claim
	Level       float64 // asked of each comparison's interval
	Comparisons []Comparison
	Word        Word
	Reason      string // in plain words; empty when reproduced
}

// Judgement is the outcome of a claims file on one run.
type Judgement struct {
	Verdicts []Verdict // one for each claim, in the file's order
}

// Judge applies the rule of the package comment to a run on a machine with so
// many CPUs.
func Judge(f *File, cpus int, measure Measure) Judgement {
	var j Judgement
	for _, claim := range f.Claims {
		v := Verdict{Claim: claim, Level: f.Level(claim.Lane)}
		hardware := missing(claim.Needs, cpus)
		for _, p := range claim.pairs() {
			c := Comparison{
				Baseline:  p[0],
				Candidate: p[1],
				Published: claim.Published,
				Smallest:  claim.smallest(),
				Band:      claim.band(),
			}
			c.Measured = measure(claim.Block, claim.Metric, c.Baseline, c.Candidate, v.Level)
			c.Verdict, c.Reason = c.verdict(hardware)
			v.Comparisons = append(v.Comparisons, c)
		}
		v.Word, v.Reason = worst(v.Comparisons)
		j.Verdicts = append(j.Verdicts, v)
	}
	return j
}

// worst is the verdict of a claim by its comparisons, with the reasons of
// those that decide it.
func worst(cs []Comparison) (Word, string) {
	word := slices.MaxFunc(cs, func(a, b Comparison) int {
		return slices.Index(fromBest, a.Verdict) - slices.Index(fromBest, b.Verdict)
	}).Verdict
	var reasons, pairs []string // parallel
	for _, c := range cs {
		if c.Verdict == word && c.Reason != "" {
			reasons = append(reasons, c.Reason)
			pairs = append(pairs, c.Baseline+" / "+c.Candidate)
		}
	}
	if len(slices.Compact(slices.Clone(reasons))) == 1 && len(reasons) == len(cs) {
		return word, reasons[0]
	}
	for i := range reasons {
		reasons[i] = pairs[i] + ": " + reasons[i]
	}
	return word, strings.Join(reasons, "; ")
}

// missing says what a machine lacks of the needs, and is empty where it lacks
// nothing.
func missing(n Needs, cpus int) string {
	if cpus >= n.CPUs {
		return ""
	}
	return fmt.Sprintf("hardware: needs %d CPUs, this machine has %d", n.CPUs, cpus)
}
