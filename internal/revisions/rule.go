package revisions

import (
	"fmt"
	"math"

	"hotpath/internal/bench"
	"hotpath/internal/stats"
)

// Outcome is what is said of one comparison of two revisions.
type Outcome int

const (
	Open   Outcome = iota // cannot tell
	Alike                 // no difference beyond the margin
	Slower                // B takes more, and maybe more than the margin
	Faster                // B takes less, and maybe less than the margin
)

// String is the outcome in words.
func (o Outcome) String() string {
	return [...]string{"cannot tell", "no difference", "slower", "faster"}[o]
}

// contest is the comparison of one unit of one benchmark, heat after heat.
type contest struct {
	alpha    float64   // how often it may be wrong, over all looks
	margin   float64   // a difference up to this share is none
	ratios   []float64 // B / A, of each heat that counts
	controls []float64 // A again / A, of the same heats

	looks   int
	seen    int            // heats at the last look
	ratio   stats.Interval // at the last look, widened by the control's bias
	control stats.Interval // at the last look
	outcome Outcome
}

// fewest is the number of heats below which nothing is said of a benchmark.
const fewest = 6

// familyError is how often any of the verdicts of a trial may be wrong.
const familyError = 0.05

// spend is the share of the error that the k-th look may use, k from 1. However
// many looks there are, their shares add up to less than 1.
func spend(k int) float64 { return 1 / float64(k*(k+1)) }

// level is that of the interval at the next look.
func (c *contest) level() float64 { return 1 - c.alpha*spend(c.looks+1) }

// due is how many heats the next look takes: a quarter more than the last one had,
// and as many as an interval takes.
func (c *contest) due() int {
	n := max(fewest, c.seen+max(2, c.seen/4))
	for stats.HighestLevel(n) < c.level() {
		n++
	}
	return n
}

// add takes what a heat tells, and looks where a look is due.
func (c *contest) add(ratio, control float64) {
	c.ratios, c.controls = append(c.ratios, ratio), append(c.controls, control)
	if len(c.ratios) >= c.due() {
		c.look()
	}
}

// end takes a last look at the heats since the one before, where they are enough
// for an interval.
func (c *contest) end() {
	if c.outcome == Open && len(c.ratios) > c.seen && stats.HighestLevel(len(c.ratios)) >= c.level() && len(c.ratios) >= fewest {
		c.look()
	}
}

// look decides what the heats so far decide.
func (c *contest) look() {
	level := c.level()
	c.looks, c.seen = c.looks+1, len(c.ratios)
	c.control, _ = stats.RatioOf(c.controls, level)
	c.ratio, _ = stats.RatioOf(c.ratios, level)
	c.ratio = c.ratio.Widened(c.bias())
	switch iv := c.ratio; {
	case iv.Level == 0:
	case iv.High <= 1+c.margin && iv.Low >= 1/(1+c.margin):
		c.outcome = Alike
	case iv.Low > 1:
		c.outcome = Slower
	case iv.High < 1:
		c.outcome = Faster
	}
}

// bias is by how much the control comes out as unequal, in logarithms: 0 where its
// interval holds 1.
func (c *contest) bias() float64 {
	if c.control.Level == 0 || c.control.Holds(1) {
		return 0
	}
	return math.Abs(math.Log(c.control.Estimate))
}

// needed is about how many heats would decide, and 0 where no number would: to
// tell the ratio from 1, or to see that it lies within the margin.
func (c *contest) needed() int {
	apart := stats.HeatsNeeded(c.ratio, c.bias(), 1)
	low := stats.HeatsNeeded(c.ratio, c.bias(), 1/(1+c.margin))
	high := stats.HeatsNeeded(c.ratio, c.bias(), 1+c.margin)
	within := max(low, high)
	if low == 0 || high == 0 || c.ratio.Estimate > 1+c.margin || c.ratio.Estimate < 1/(1+c.margin) {
		within = 0
	}
	if apart == 0 || within > 0 && within < apart {
		return within
	}
	return apart
}

// words are the outcome, and where there is none how far the heats went. Of each
// heat there are so many of a noun.
func (c *contest) words(each int, noun string) string {
	if c.outcome != Open {
		return c.outcome.String()
	}
	if c.looks == 0 {
		return fmt.Sprintf("%v: %s would be a beginning", c.outcome, bench.Plural(each*c.due(), noun))
	}
	words := fmt.Sprintf("%v: it takes %s to be seen", c.outcome, bench.Percent(math.Expm1(c.ratio.LogHalfWidth()), 2))
	if n := c.needed(); n > 0 {
		return words + fmt.Sprintf("; about %s would decide", bench.Plural(each*max(n, c.seen+1), noun))
	}
	return words + "; more of them would not decide"
}
