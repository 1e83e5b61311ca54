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
)

// Words lists the verdicts in the order in which they are told.
var Words = []Word{Reproduced, DirectionOnly, NotReproduced, Inconclusive}

// fromBest orders verdicts for a claim of several comparisons. A comparison
// that contradicts the claim settles it, so that is worse than an open one.
var fromBest = []Word{Reproduced, DirectionOnly, Inconclusive, NotReproduced}

// Measure returns the ratio of a metric of two contestants of a block, paired,
// with its interval at a level, as stats.PairedRatio does.
type Measure func(block bench.Block, metric bench.Unit, baseline, candidate string, level float64) (stats.Interval, error)

// Comparison is one measured ratio of a claim; an order has several.
type Comparison struct {
	Baseline, Candidate string
	Measured            stats.Interval // of the ratio; N is the number of clean pairs; Level 0 means without bounds
	Published           float64        // ratio; 0 for a range, which is its own Band, and where no magnitude is published
	Smallest            float64        // ratio that counts as an effect
	Band                [2]float64     // ratios that reproduce it; the higher may be +Inf
	Verdict             Word
	Reason              string // in plain words; empty when reproduced
}

// Verdict is the outcome of one claim: the worst of its comparisons.
type Verdict struct {
	Claim       Claim
	Comparisons []Comparison
	Word        Word
	Reason      string // in plain words; empty when reproduced
}

// ControlOutcome says whether equals came out as equal.
type ControlOutcome struct {
	Control  Control
	Measured stats.Interval // of the ratio, at ControlLevel; Level 0 means without bounds
	Holds    bool
	Reason   string // in plain words; empty when it holds
}

// Judgement is the outcome of a claims file on one run.
type Judgement struct {
	Comparisons int     // the file's
	Level       float64 // of each comparison's interval
	Control     ControlOutcome
	Verdicts    []Verdict // one for each claim, in the file's order
}

// Judge applies the rule of the package comment to a run on a machine with so
// many CPUs. A reason in override, such as that the run was only a quick look,
// makes every verdict inconclusive; the ratios are measured all the same.
func Judge(f *File, cpus int, override string, measure Measure) Judgement {
	j := Judgement{
		Comparisons: f.Comparisons(),
		Level:       f.Level(),
		Control:     checkControl(f.Control, measure),
	}
	obstacle := override
	if obstacle == "" && !j.Control.Holds {
		obstacle = "control is out: " + j.Control.Reason
	}
	for _, claim := range f.Claims {
		v := Verdict{Claim: claim}
		for _, p := range claim.pairs() {
			c := Comparison{
				Baseline:  p[0],
				Candidate: p[1],
				Published: claim.Published,
				Smallest:  claim.smallest(),
				Band:      claim.band(),
			}
			at := circumstances{obstacle: obstacle, hardware: missing(claim.Needs, cpus)}
			c.Measured, at.err = measure(claim.Block, claim.Metric, c.Baseline, c.Candidate, j.Level)
			c.Verdict, c.Reason = c.verdict(at)
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

func checkControl(c Control, measure Measure) ControlOutcome {
	m, err := measure(c.Block, c.Metric, c.Baseline, c.Candidate, ControlLevel)
	o := ControlOutcome{Control: c, Measured: m}
	switch {
	case m.N < MinPairs:
		o.Reason = tooFew(m.N)
	case err != nil:
		o.Reason = err.Error()
	case m.Low > 1 || m.High < 1:
		o.Reason = fmt.Sprintf("%s against itself is %.4g, and its interval [%.4g, %.4g] does not hold 1",
			c.Baseline, m.Estimate, m.Low, m.High)
	case m.HalfWidth() > ControlHalfWidth:
		o.Reason = fmt.Sprintf("the interval of %s against itself, [%.4g, %.4g], is wider than %.4g %% to each side",
			c.Baseline, m.Low, m.High, 100*ControlHalfWidth)
	default:
		o.Holds = true
	}
	return o
}

// missing says what a machine lacks of the needs, and is empty where it lacks
// nothing.
func missing(n Needs, cpus int) string {
	if cpus >= n.CPUs {
		return ""
	}
	return fmt.Sprintf("hardware: needs %d CPUs, this machine has %d", n.CPUs, cpus)
}
