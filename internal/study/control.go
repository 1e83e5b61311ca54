package study

import (
	"errors"
	"fmt"
	"math"

	"hotpath/internal/bench"
	"hotpath/internal/claims"
	"hotpath/internal/stats"
)

// Control is what a block's control tells of a unit: how well equals come out as
// equal.
type Control struct {
	Unit     bench.Unit
	Baseline string
	Twin     string         // the control's own name; empty where the block has none
	Measured stats.Interval // twin's ratio, at claims.ControlLevel or the highest that its heats allow; not widened
	Bias     float64        // |log| of the estimate where the interval does not hold 1, else 0
	Noisy    bool           // too few heats count: it is over what others kept, and vouches for nothing
	Widen    float64        // by which every interval of the unit in the block is widened, in logarithms

	// The standard deviations between heats of the logarithm of the control's
	// ratio: of what stands here, and of the ratio of the sums over the same laps,
	// which is 0 for units that are a fork's. NaN for fewer than two heats.
	Deviation, SumsDeviation float64
}

// Control measures a unit's control. Units that are counted have none: they
// depend on no clock.
func (b *Block) Control(unit bench.Unit) Control {
	if c, ok := b.controls[unit]; ok {
		return c
	}
	c := Control{Unit: unit, Baseline: b.baseline}
	if b.control != "" && timed(unit) {
		c.measure(b)
	}
	b.controls[unit] = c
	return c
}

func (c *Control) measure(b *Block) {
	c.Twin = b.control
	var heats []HeatRatio
	heats, c.Noisy = b.observe(c.Unit, b.baseline, b.control)
	ratios := ratiosOf(heats)
	level := min(claims.ControlLevel, stats.HighestLevel(len(ratios)))
	// Too few heats leave it without an interval, and what it would widen is not known.
	c.Measured, _ = stats.RatioOf(ratios, level)
	if c.Measured.Level > 0 {
		if !c.Measured.Holds(1) {
			c.Bias = math.Abs(math.Log(c.Measured.Estimate))
		}
		c.Widen = c.Bias + max(0, c.Measured.LogHalfWidth()-claims.ControlHalfWidth)
	}
	c.Deviation = stats.Deviation(ratios)
	if _, byLap := perLap[c.Unit]; byLap {
		c.SumsDeviation = stats.Deviation(sumsOf(heats))
	}
}

// missing says why nothing can be decided on the control's word; nil where
// something can.
func (c Control) missing() error {
	switch {
	case !timed(c.Unit):
		return nil
	case c.Twin == "":
		return errors.New("the block has no control: nothing shows that equals come out as equal")
	case c.Noisy:
		return errors.New("too few heats of the control count to show that equals come out as equal")
	case c.Measured.Level < claims.ControlLevel:
		return fmt.Errorf("the control has %s, too few to show that equals come out as equal", bench.Plural(c.Measured.N, "heat"))
	}
	return nil
}

// Resolution is the smallest difference that the block tells apart in a unit, as
// a share: half the width of the control's interval and its bias. It is +Inf
// where the control has no interval.
func (c Control) Resolution() float64 {
	if c.Measured.Level == 0 {
		return math.Inf(1)
	}
	return math.Expm1(c.Bias + c.Measured.LogHalfWidth())
}
