package claims

import (
	"fmt"

	"hotpath/internal/stats"
)

// Requirements of the rule that no claim can change.
const (
	MinPairs         = 12   // clean pairs behind a verdict, and behind the control
	ControlLevel     = 0.99 // confidence of the control's interval
	ControlHalfWidth = 0.05 // of the control's interval, at most
)

// Line is one line of the rule, in words and as it is applied.
type Line struct {
	Test    string
	Verdict string
	fits    func(c *Comparison, at circumstances) bool
	decide  func(c *Comparison, at circumstances) (Word, string)
}

// circumstances are what a verdict depends on beside the interval.
type circumstances struct {
	obstacle string // nothing can be decided on this run: why
	hardware string // the machine lacks what the claim needs: what
	err      error  // there is no interval at the level: why
}

// Rule gives the verdict on a ratio with its interval [lo, hi]: that of the
// first line whose test is met.
var Rule = []Line{
	{
		fmt.Sprintf("fewer than %d clean pairs, or the control is out", MinPairs), "inconclusive",
		func(c *Comparison, at circumstances) bool {
			return at.obstacle != "" || c.Measured.N < MinPairs || at.err != nil
		},
		func(c *Comparison, at circumstances) (Word, string) {
			switch {
			case at.obstacle != "":
				return Inconclusive, at.obstacle
			case c.Measured.N < MinPairs:
				return Inconclusive, tooFew(c.Measured.N)
			}
			return Inconclusive, at.err.Error()
		},
	},
	{
		"hi below the smallest effect that counts",
		`not reproduced ("opposite" if hi < 1); where the machine lacks what the claim needs: inconclusive`,
		func(c *Comparison, at circumstances) bool { return c.Measured.High < c.Smallest },
		func(c *Comparison, at circumstances) (Word, string) {
			here := fmt.Sprintf("no effect of %.4g or more", c.Smallest)
			if c.Measured.High < 1 {
				here = "opposite"
			}
			if at.hardware != "" {
				return Inconclusive, fmt.Sprintf("%s; %s here", at.hardware, here)
			}
			return NotReproduced, here
		},
	},
	{
		"lo not above the smallest effect", "inconclusive",
		func(c *Comparison, at circumstances) bool { return c.Measured.Low <= c.Smallest },
		func(c *Comparison, at circumstances) (Word, string) {
			return Inconclusive, fmt.Sprintf("the interval holds %.4g, the smallest ratio that counts; %s",
				c.Smallest, wouldDecide(stats.PairsNeeded(c.Measured, c.Smallest)))
		},
	},
	{
		"the machine lacks what the claim needs", "direction only",
		func(c *Comparison, at circumstances) bool { return at.hardware != "" },
		func(c *Comparison, at circumstances) (Word, string) { return DirectionOnly, at.hardware },
	},
	{
		"[lo, hi] within the published value's tolerance", "reproduced",
		func(c *Comparison, at circumstances) bool {
			return c.Band[0] <= c.Measured.Low && c.Measured.High <= c.Band[1]
		},
		func(*Comparison, circumstances) (Word, string) { return Reproduced, "" },
	},
	{
		"else", "direction only",
		func(*Comparison, circumstances) bool { return true },
		func(c *Comparison, at circumstances) (Word, string) {
			switch {
			case c.Measured.High < c.Band[0]:
				return DirectionOnly, "smaller than published"
			case c.Measured.Low > c.Band[1]:
				return DirectionOnly, "larger than published"
			}
			return DirectionOnly, "magnitude unresolved: the interval reaches beyond the band"
		},
	},
}

// verdict applies the rule.
func (c *Comparison) verdict(at circumstances) (Word, string) {
	for _, l := range Rule {
		if l.fits(c, at) {
			return l.decide(c, at)
		}
	}
	panic("claims: the rule has no last line")
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
