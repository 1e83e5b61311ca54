package study

import (
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
	Widen    float64        // by which every interval of the unit in the block is widened, in logarithms

	// The standard deviations between heats of the logarithm of the control's
	// ratio: of what stands here, and of the ratio of the sums over the same laps.
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
	heats := b.controlHeats(c.Unit)
	ratios := ratiosOf(heats)
	level := min(claims.ControlLevel, stats.HighestLevel(len(ratios)))
	c.Measured, _ = stats.RatioOf(ratios, level)
	if c.Measured.Level > 0 {
		if !c.Measured.Holds(1) {
			c.Bias = math.Abs(math.Log(c.Measured.Estimate))
		}
		c.Widen = c.Bias + max(0, c.Measured.LogHalfWidth()-claims.ControlHalfWidth)
	}
	var sums []float64
	for _, h := range heats {
		if h.Sums > 0 {
			sums = append(sums, h.Sums)
		}
	}
	c.Deviation, c.SumsDeviation = stats.Deviation(ratios), stats.Deviation(sums)
}

// controlHeats are the ratios of the control in every heat of every part: each is
// an observation of its own.
func (b *Block) controlHeats(unit bench.Unit) []HeatRatio {
	var all []HeatRatio
	for _, h := range b.heats {
		one := &Block{Block: b.Block, Rows: b.Rows, heats: b.heats[:0:0], gates: b.gates}
		one.heats = append(one.heats, h)
		if r, ok := one.direct(unit, h.Number, b.baseline, b.control, nil); ok {
			all = append(all, r)
		}
	}
	return all
}

// Resolution is the smallest difference that the block tells apart in a unit, as
// a share: half the width of the control's interval and its bias.
func (c Control) Resolution() float64 { return math.Expm1(c.Bias + c.Measured.LogHalfWidth()) }
