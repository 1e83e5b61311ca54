// Package claims judges published statements by what was measured.
//
// A claim is a statement about a ratio, baseline / candidate, of one metric:
// the candidate is said to need less. It is written down, with the numbers
// that judge it, in an experiment's claims.toml before the run that it judges.
//
// # What counts as reproduced
//
// Each kind of claim has a band of ratios, and a smallest ratio that counts as
// an effect at all:
//
//	ratio     the published ratio, divided and multiplied by the tolerance
//	range     between the two published ratios
//	at-least  the published ratio or more
//	less      the smallest ratio or more: no magnitude was published
//	order     each contestant against the one before it, as in less
//
// Unless the claim says otherwise, a ratio of 2 or more has a tolerance of 1.5
// and 1.05 for its smallest ratio; a ratio below 2, and a claim without one,
// has 1.1 and 1.02.
//
// # The rule
//
// A ratio is measured heat by heat and comes with a confidence interval
// [lo, hi], to which the control of its block has added what it showed. The first
// line that fits gives the verdict:
//
//	1  fewer than 12 heats, no control, or one that is off by more than 5 %:
//	   inconclusive
//	2  near and far CPUs give different verdicts by the lines below, by
//	   intervals that do not overlap: depends on distance
//	3  hi below the smallest effect that counts: not reproduced ("opposite"
//	   if hi < 1); where the machine lacks what the claim needs: inconclusive
//	4  lo not above the smallest effect: inconclusive
//	5  the machine lacks what the claim needs: direction only
//	6  [lo, hi] within the published value's tolerance: reproduced
//	7  else: direction only
//
// Each verdict but "reproduced" comes with its reason. "Direction only" means
// that the candidate needs less, and that its ratio is smaller or larger than
// published, or not resolved by this many heats, or not to be judged on this
// hardware. "Depends on distance" means that the claim holds where the CPUs are
// far apart and not where they are near each other, or the other way round: a
// group of laps enters with 6 heats or more, and only where its own interval
// does not hold the smallest effect. An order is a statement about all of its
// comparisons, so its verdict is the worst of theirs: one that fails refutes it,
// whatever the others say.
//
// # Confidence
//
// All intervals of the claims of one lane of a file together hold their true
// ratios with a confidence of 95 %: with m comparisons each is taken at
// 1 - 0.05/m (Bonferroni), where an order of k contestants counts as k-1. A lane
// is the claims about contestants of one kind, such as those in another
// language; most claims have none and share the lane without a name. Claims of
// other lanes and of other experiments do not enter, so adding them changes no
// verdict.
//
// # The control
//
// One contestant of each block runs a second time under another name. Its ratio
// to itself is 1. What the measured one says of a metric widens every interval of
// that metric in that block: by its bias, the distance to 1 of a ratio whose 99 %
// interval does not hold 1, and by what its interval is wider than 5 % to each
// side. So a bad control takes small effects away and leaves large ones. With a
// bias of more than 5 % nothing is decided. Metrics that are counted, such as
// bytes allocated, depend on no clock and so on no control.
package claims

import (
	"math"

	"hotpath/internal/bench"
	"hotpath/internal/stats"
)

// Kind says which numbers a claim predicts for a ratio baseline / candidate.
type Kind string

const (
	Ratio   Kind = "ratio"    // the published ratio, within a tolerance either way
	Range   Kind = "range"    // between two published ratios
	AtLeast Kind = "at-least" // the published ratio or more
	Less    Kind = "less"     // the candidate needs less; no magnitude is published
	Order   Kind = "order"    // each contestant needs less than the one before it
)

// Needs is what a machine must have for a claim's magnitude to be judged on it.
type Needs struct {
	CPUs int `toml:"cpus"`
}

// Claim is one published statement with the rule that judges it, as written in
// a claims file. Ratios are baseline / candidate, oriented so that the
// published one is above 1: the candidate is the one said to need less.
type Claim struct {
	ID        string      `toml:"id"`
	Lane      string      `toml:"lane"` // empty for most: see the package comment
	Kind      Kind        `toml:"kind"`
	Text      string      `toml:"text"`   // the statement in the report's words
	Source    string      `toml:"source"` // where it was published
	Metric    bench.Unit  `toml:"metric"` // unit as printed by the benchmark
	Block     bench.Block `toml:"block"`  // benchmark name without /impl=, and @reading
	Baseline  string      `toml:"baseline"`
	Candidate string      `toml:"candidate"`
	Order     []string    `toml:"order"`     // kind order: from the most expensive down
	Published float64     `toml:"published"` // kinds ratio and at-least
	Low       float64     `toml:"low"`       // kind range
	High      float64     `toml:"high"`      // kind range
	Tolerance float64     `toml:"tolerance"` // kind ratio; 0 means the default for the size of the ratio
	Smallest  float64     `toml:"smallest"`  // smallest ratio that counts as an effect; 0 means the default
	Needs     Needs       `toml:"needs"`
	Reading   string      `toml:"reading"` // how an ambiguous statement was read, if it was
}

// Unjudged is a published statement that no run can decide, with the reason.
type Unjudged struct {
	Text   string `toml:"text"`
	Source string `toml:"source"`
	Reason string `toml:"reason"`
}

// Published is one row of a published result table.
type Published struct {
	Name        string              `toml:"name"` // as printed, such as IncrementBenchmark.testCounter
	Impl        string              `toml:"impl"`
	Block       bench.Block         `toml:"block"`
	Mode        bench.Mode          `toml:"mode"`
	Count       int64               `toml:"count"`
	Score       float64             `toml:"score"`
	Error       float64             `toml:"error"` // half the published interval
	Units       string              `toml:"units"`
	Percentiles []PublishedQuantile `toml:"percentiles"`
	Times       []PublishedTime     `toml:"times"` // one for each run, where the score is their mean
}

// PublishedTime is what a shell's time printed after one published run, in
// seconds.
type PublishedTime struct {
	Real float64 `toml:"real"`
	User float64 `toml:"user"`
	Sys  float64 `toml:"sys"`
}

// MeanTime is the mean of the published runs, of which there must be some.
func (p Published) MeanTime() PublishedTime {
	var sum PublishedTime
	for _, t := range p.Times {
		sum.Real += t.Real
		sum.User += t.User
		sum.Sys += t.Sys
	}
	n := float64(len(p.Times))
	return PublishedTime{sum.Real / n, sum.User / n, sum.Sys / n}
}

// PublishedQuantile is one line of a published percentile table.
type PublishedQuantile struct {
	Percentile float64 `toml:"p"` // 0 to 100
	Value      float64 `toml:"v"`
}

// File is an experiment's claims.toml.
type File struct {
	Claims    []Claim     `toml:"claim"`
	Unjudged  []Unjudged  `toml:"unjudged"`
	Published []Published `toml:"published"`
	SHA256    string      `toml:"-"` // of the file's bytes, in hexadecimal
}

// Comparisons is the number of ratios that the file's claims of a lane are judged
// by.
func (f *File) Comparisons(lane string) int {
	m := 0
	for _, c := range f.Claims {
		if c.Lane == lane {
			m += len(c.pairs())
		}
	}
	return m
}

// Level is the confidence at which each comparison of a lane that has claims is
// measured.
func (f *File) Level(lane string) float64 { return stats.Bonferroni(f.Comparisons(lane)) }

// pairs lists the claim's comparisons, each as baseline and candidate.
func (c *Claim) pairs() [][2]string {
	if c.Kind != Order {
		return [][2]string{{c.Baseline, c.Candidate}}
	}
	var pairs [][2]string
	for i := 1; i < len(c.Order); i++ {
		pairs = append(pairs, [2]string{c.Order[i-1], c.Order[i]})
	}
	return pairs
}

// magnitude is the ratio whose size chooses the claim's defaults; 0 where no
// magnitude was published.
func (c *Claim) magnitude() float64 { return max(c.Published, c.Low) }

// What a claim has that does not say otherwise: a ratio of Large or more, and
// any other.
const (
	Large          = 2
	LargeSmallest  = 1.05
	LargeTolerance = 1.5
	SmallSmallest  = 1.02
	SmallTolerance = 1.1
)

func (c *Claim) smallest() float64 {
	switch {
	case c.Smallest != 0:
		return c.Smallest
	case c.magnitude() >= Large:
		return LargeSmallest
	default:
		return SmallSmallest
	}
}

func (c *Claim) tolerance() float64 {
	switch {
	case c.Tolerance != 0:
		return c.Tolerance
	case c.magnitude() >= Large:
		return LargeTolerance
	default:
		return SmallTolerance
	}
}

// band is the lowest and the highest ratio that reproduce the claim.
func (c *Claim) band() [2]float64 {
	switch c.Kind {
	case Ratio:
		return [2]float64{c.Published / c.tolerance(), c.Published * c.tolerance()}
	case Range:
		return [2]float64{c.Low, c.High}
	case AtLeast:
		return [2]float64{c.Published, math.Inf(1)}
	default:
		return [2]float64{c.smallest(), math.Inf(1)}
	}
}
