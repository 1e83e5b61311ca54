package claims

import (
	"fmt"
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
		fmt.Sprintf("fewer than %d heats, or a control that is off by more than %.0f %%", MinHeats, 100*ControlBias), "inconclusive",
		func(c *Comparison, _ string) bool {
			return c.Bias > ControlBias || c.Measured.N < MinHeats || c.Err != nil
		},
		func(c *Comparison, _ string) (Word, string) { return Inconclusive, c.obstacle() },
	},
	{
		"near and far CPUs give different verdicts by the lines below", "depends on distance",
		func(c *Comparison, hardware string) bool {
			near, far := c.of(c.Near, hardware), c.of(c.Far, hardware)
			return near != far && near != Inconclusive && far != Inconclusive
		},
		func(c *Comparison, hardware string) (Word, string) {
			return DependsOnDistance, fmt.Sprintf("near %s (%s), far %s (%s)",
				between(c.Near), c.of(c.Near, hardware), between(c.Far), c.of(c.Far, hardware))
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
			here := fmt.Sprintf("no effect of %.4g or more", c.Smallest)
			if c.High < 1 {
				here = "opposite"
			}
			if hardware != "" {
				return Inconclusive, fmt.Sprintf("%s; %s here", hardware, here)
			}
			return NotReproduced, here
		},
	},
	{
		"lo not above the smallest effect", "inconclusive",
		func(c *Comparison, _ string) bool { return c.Low <= c.Smallest },
		func(c *Comparison, _ string) (Word, string) {
			return Inconclusive, fmt.Sprintf("the interval holds %.4g, the smallest ratio that counts; %s",
				c.Smallest, wouldDecide(stats.PairsNeeded(c.Measured.Interval, c.Smallest)))
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

// of is the verdict that a group of laps alone would give.
func (c *Comparison) of(group stats.Interval, hardware string) Word {
	if group.Level == 0 || group.N < MinGroup {
		return Inconclusive
	}
	alone := *c
	alone.Measured = Measured{Interval: group}
	word, _ := alone.apply(byInterval, hardware)
	return word
}

// obstacle says why nothing can be decided.
func (c *Comparison) obstacle() string {
	switch {
	case c.Bias > ControlBias:
		return fmt.Sprintf("the control is off by %.2g %%: equals did not come out as equal", 100*c.Bias)
	case c.Measured.N < MinHeats:
		why := fmt.Sprintf("%d heats count, at least %d are needed", c.Measured.N, MinHeats)
		if c.Spoilt != "" {
			why += "; gates not met: " + c.Spoilt
		}
		return why
	}
	return c.Err.Error()
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
