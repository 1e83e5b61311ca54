package claims

import (
	"fmt"
	"slices"
	"strings"

	"hotpath/internal/bench"
	"hotpath/internal/stats"
)

// Requirements of the rule that no claim can change.
const (
	MinPairs         = 12   // clean pairs behind a verdict, and behind the control
	ControlLevel     = 0.99 // confidence of the control's interval
	ControlHalfWidth = 0.05 // of the control's interval, at most
)

// Word is a verdict in one word or two.
type Word string

const (
	Reproduced    Word = "reproduced"
	DirectionOnly Word = "direction only"
	NotReproduced Word = "not reproduced"
	Inconclusive  Word = "inconclusive"
)

// fromBest orders verdicts for a claim of several comparisons. A comparison
// that contradicts the claim settles it, so that is worse than an open one.
var fromBest = []Word{Reproduced, DirectionOnly, Inconclusive, NotReproduced}

// Pairs returns a metric of two contestants of a block, paired: b[i] and c[i]
// come from one round, in which both were clean.
type Pairs func(block bench.Block, metric bench.Unit, baseline, candidate string) (b, c []float64)

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
func Judge(f *File, cpus int, override string, pairs Pairs) Judgement {
	j := Judgement{
		Comparisons: f.Comparisons(),
		Level:       f.Level(),
		Control:     checkControl(f.Control, pairs),
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
			var err error
			b, cand := pairs(claim.Block, claim.Metric, c.Baseline, c.Candidate)
			c.Measured, err = stats.PairedRatio(b, cand, j.Level)
			switch {
			case obstacle != "":
				c.Verdict, c.Reason = Inconclusive, obstacle
			case c.Measured.N < MinPairs:
				c.Verdict, c.Reason = Inconclusive, tooFew(c.Measured.N)
			case err != nil:
				c.Verdict, c.Reason = Inconclusive, err.Error()
			default:
				c.Verdict, c.Reason = c.verdict(missing(claim.Needs, cpus))
			}
			v.Comparisons = append(v.Comparisons, c)
		}
		v.Word, v.Reason = worst(v.Comparisons)
		j.Verdicts = append(j.Verdicts, v)
	}
	return j
}

// verdict is the part of the rule that looks at the interval. hardware says
// what the machine lacks, if it does.
func (c *Comparison) verdict(hardware string) (Word, string) {
	m := c.Measured
	switch {
	case m.High < c.Smallest:
		here := fmt.Sprintf("no effect of %.4g or more", c.Smallest)
		if m.High < 1 {
			here = "opposite"
		}
		if hardware != "" {
			return Inconclusive, fmt.Sprintf("%s; %s here", hardware, here)
		}
		return NotReproduced, here
	case m.Low <= c.Smallest:
		return Inconclusive, fmt.Sprintf("the interval holds %.4g, the smallest ratio that counts; %s",
			c.Smallest, wouldDecide(stats.PairsNeeded(m, c.Smallest)))
	case hardware != "":
		return DirectionOnly, hardware
	case c.Band[0] <= m.Low && m.High <= c.Band[1]:
		return Reproduced, ""
	case m.High < c.Band[0]:
		return DirectionOnly, "smaller than published"
	case m.Low > c.Band[1]:
		return DirectionOnly, "larger than published"
	default:
		return DirectionOnly, "magnitude unresolved: the interval reaches beyond the band"
	}
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

func checkControl(c Control, pairs Pairs) ControlOutcome {
	b, cand := pairs(c.Block, c.Metric, c.Baseline, c.Candidate)
	m, err := stats.PairedRatio(b, cand, ControlLevel)
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

func tooFew(n int) string {
	return fmt.Sprintf("clean pairs: %d, at least %d are needed", n, MinPairs)
}

func wouldDecide(pairs int) string {
	if pairs == 0 {
		return "too near to it for any run to decide"
	}
	return fmt.Sprintf("about %d pairs would decide", pairs)
}
