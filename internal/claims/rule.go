package claims

import (
	"fmt"
	"math"
	"slices"

	"hotpath/internal/bench"
	"hotpath/internal/stats"
)

// Requirements of the rule that no claim can change.
const (
	MinHeats         = 12   // behind a verdict
	MinGroup         = 6    // behind the ratio of a group of laps
	ControlLevel     = 0.99 // confidence of a control's interval
	ControlHalfWidth = 0.05 // of a control's interval, from which on it widens all others
	ControlBias      = 0.05 // of a control, above which nothing is decided
)

// Line is one line of the rule, in words and as it is applied.
type Line struct {
	Test    string
	Verdict string
	fits    func(c *Comparison, hardware string) bool
	decide  func(c *Comparison, hardware string) (Word, string)
}

// Rule gives the verdict on a ratio with its interval [lo, hi]: that of the
// first line whose test is met. hardware says what of the claim's needs the
// machine lacks, if it does.
var Rule = slices.Concat([]Line{
	{
		fmt.Sprintf("fewer than %d heats, no control, or one that is off by more than %.0f %%", MinHeats, 100*ControlBias), "inconclusive",
		func(c *Comparison, _ string) bool { return c.obstacle() != "" },
		func(c *Comparison, _ string) (Word, string) { return Inconclusive, c.obstacle() },
	},
	{
		"near and far CPUs give different verdicts by the lines below, by intervals that do not overlap", "depends on distance",
		func(c *Comparison, hardware string) bool {
			near, far := c.alone(c.Near), c.alone(c.Far)
			return near != nil && far != nil && near.word(hardware) != far.word(hardware) && !near.Overlaps(far.Interval)
		},
		func(c *Comparison, hardware string) (Word, string) {
			return DependsOnDistance, fmt.Sprintf("near %s, far %s", c.alone(c.Near).told(hardware), c.alone(c.Far).told(hardware))
		},
	},
}, byInterval)

// byInterval are the lines that look at the interval alone.
var byInterval = []Line{
	{
		"hi below the smallest effect that counts",
		`not reproduced ("opposite" if hi < 1); where the machine lacks what the claim needs: inconclusive`,
		func(c *Comparison, _ string) bool { return c.High < c.Smallest },
		func(c *Comparison, hardware string) (Word, string) {
			if hardware != "" {
				return Inconclusive, fmt.Sprintf("%s; %s here", hardware, c.absence())
			}
			return NotReproduced, c.absence()
		},
	},
	{
		"lo not above the smallest effect", "inconclusive",
		func(c *Comparison, _ string) bool { return c.Low <= c.Smallest },
		func(c *Comparison, _ string) (Word, string) {
			return Inconclusive, fmt.Sprintf("the interval holds %.4g, the smallest ratio that counts; %s",
				c.Smallest, wouldDecide(stats.HeatsNeeded(c.Interval, c.Bias, c.Smallest)))
		},
	},
	{
		"the machine lacks what the claim needs", "direction only",
		func(_ *Comparison, hardware string) bool { return hardware != "" },
		func(_ *Comparison, hardware string) (Word, string) { return DirectionOnly, hardware },
	},
	{
		"[lo, hi] within the published value's tolerance", "reproduced",
		func(c *Comparison, _ string) bool { return c.Band[0] <= c.Low && c.High <= c.Band[1] },
		func(*Comparison, string) (Word, string) { return Reproduced, "" },
	},
	{
		"else", "direction only",
		func(*Comparison, string) bool { return true },
		func(c *Comparison, _ string) (Word, string) {
			switch {
			case c.High < c.Band[0]:
				return DirectionOnly, "smaller than published"
			case c.Low > c.Band[1]:
				return DirectionOnly, "larger than published"
			}
			return DirectionOnly, "magnitude unresolved: the interval reaches beyond the band"
		},
	},
}

// verdict applies the rule.
func (c *Comparison) verdict(hardware string) (Word, string) { return c.apply(Rule, hardware) }

func (c *Comparison) apply(rule []Line, hardware string) (Word, string) {
	for _, l := range rule {
		if l.fits(c, hardware) {
			return l.decide(c, hardware)
		}
	}
	panic("claims: the rule has no last line")
}

// alone is the comparison on a group of laps; nil where the group is too small,
// or leaves open whether there is an effect.
func (c *Comparison) alone(group stats.Interval) *Comparison {
	if group.N < MinGroup || group.Level == 0 || group.Holds(c.Smallest) {
		return nil
	}
	of := *c
	of.Measured = Measured{Interval: group, Counting: group.N}
	return &of
}

// word is the verdict by the interval alone.
func (c *Comparison) word(hardware string) Word {
	word, _ := c.apply(byInterval, hardware)
	return word
}

// told is the interval with what it alone would say.
func (c *Comparison) told(hardware string) string {
	says := string(c.word(hardware))
	if c.High < c.Smallest {
		says = c.absence()
	}
	return fmt.Sprintf("%s (%s)", between(c.Interval), says)
}

// absence is what is said of an interval below the smallest effect.
func (c *Comparison) absence() string {
	if c.High < 1 {
		return "opposite"
	}
	return fmt.Sprintf("no effect of %.4g or more", c.Smallest)
}

// obstacle says why nothing can be decided; it is empty where there is no reason.
func (c *Comparison) obstacle() string {
	switch {
	case c.Bias > ControlBias:
		return fmt.Sprintf("the control is off by %.2g %%: equals did not come out as equal", 100*math.Expm1(c.Bias))
	case c.Counting < MinHeats:
		why := fmt.Sprintf("%d heats count, at least %d are needed", c.Counting, MinHeats)
		if c.Spoilt != "" {
			why += "; turns were thrown away for " + c.Spoilt
		}
		return why
	case c.Err != nil:
		return c.Err.Error()
	}
	return ""
}

// between is an interval in words.
func between(iv stats.Interval) string {
	return fmt.Sprintf("%s [%s, %s]", bench.Significant(iv.Estimate), bench.Significant(iv.Low), bench.Significant(iv.High))
}

func wouldDecide(heats int) string {
	if heats == 0 {
		return "too near to it for any run to decide"
	}
	return fmt.Sprintf("about %d heats would decide", heats)
}
