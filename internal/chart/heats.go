package chart

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"hotpath/internal/bench"
	"hotpath/internal/study"
)

// heats draws, for each block that claims are judged on, the ratio of each heat
// over the run, so that drift, steps and the CPUs' distance show.
func heats(d *drawing) []figure {
	var figures []figure
	for _, b := range d.Blocks {
		unit := b.Score()
		if len(d.figures(b, unit)) == 0 || !b.Judged() {
			continue
		}
		if series := d.Series(b, unit); len(series) > 0 {
			figures = append(figures, heatsFigure(b, unit, series))
		}
	}
	return figures
}

// placeMarks draw a heat by how far apart its CPUs were, and a heat that does not
// count.
var placeMarks = []struct {
	place bench.Placement
	shape shape
	text  string
}{
	{bench.Near, disc, "CPUs near"},
	{bench.Between, diamond, "between"},
	{bench.Far, up, "far apart"},
	{bench.Nowhere, square, "distance not visible"},
}

const stripHeight vg.Length = 61

func heatsFigure(b *study.Block, unit bench.Unit, series []study.Series) figure {
	fig := figure{block: b.Block, height: stackHeight(len(series), stripHeight) + lead}
	fig.title = heatsTitle(b, series)
	fig.note = b.Describe() + ". What " + b.Baseline() + " takes over what each takes (" + unit.Words + "), heat by heat (log scale)."
	places := map[bench.Placement]bool{}
	lost := false
	var counts []int
	for _, s := range series {
		counts = append(counts, s.Ratio.N)
		for _, p := range s.Points {
			places[p.Placement] = places[p.Placement] || p.Ratio > 0
			lost = lost || p.Ratio == 0
		}
	}
	for _, m := range placeMarks {
		if places[m.place] {
			fig.keys = append(fig.keys, key{func(c *canvas, x, y vg.Length) { c.mark(m.shape, c.ink, x, y, 3) }, m.text})
		}
	}
	if lost {
		fig.keys = append(fig.keys, key{func(c *canvas, x, y vg.Length) { c.hollow(disc, c.muted, x, y, 2.6) }, "gated: does not count"})
	}
	fig.n = inHeats(counts)
	fig.body = func(c *canvas) { c.strips(series) }
	return fig
}

// strips draws a strip for each contestant.
func (c *canvas) strips(series []study.Series) {
	last := 1.0
	for _, s := range series {
		for _, p := range s.Points {
			last = max(last, p.Minute)
		}
	}
	x := linearAxis(last, 8, bench.Short)
	x.lo = -0.02 * last
	for i, f := range c.stack(len(series), stripHeight, 46, x) {
		f.y = stripAxis(series[i])
		c.ticksX(f)
		c.ticksY(f)
		c.over(f, named(series[i].Row), interval(series[i].Ratio))
		c.strip(f, series[i])
	}
	c.text(plain, c.muted, draw.XLeft, margin, c.Min.Y+lead/2, "minutes of the run")
}

// stripAxis holds a contestant's ratios; a spread of a fifth at least: less would
// make much of little.
func stripAxis(s study.Series) axis {
	var ratios []float64
	for _, p := range s.Points {
		if p.Ratio > 0 {
			ratios = append(ratios, p.Ratio)
		}
	}
	lo, hi := log10(slices.Min(ratios)), log10(slices.Max(ratios))
	pad := max((hi-lo)*0.12, (0.1-hi+lo)/2)
	return axis{lo: lo - pad, hi: hi + pad, ticks: evenTicks(lo-pad, hi+pad)}
}

// evenTicks are two or three labels of a short logarithmic axis.
func evenTicks(lo, hi float64) []tick {
	var ticks []tick
	for _, at := range []float64{lo + (hi-lo)*0.15, (lo + hi) / 2, hi - (hi-lo)*0.15} {
		v, _ := strconv.ParseFloat(strconv.FormatFloat(math.Pow(10, at), 'g', 2, 64), 64)
		if at = log10(v); at > lo && at < hi && (len(ticks) == 0 || at-ticks[len(ticks)-1].at > (hi-lo)*0.28) {
			ticks = append(ticks, tick{at, bench.Short(v)})
		}
	}
	return ticks
}

func (c *canvas) strip(f frame, s study.Series) {
	col := lookOf(s.Role).colour(c.theme)
	if s.Ratio.Estimate > 0 {
		y := f.atY(log10(s.Ratio.Estimate))
		c.line(c.muted, 0.9, nil, vg.Point{X: f.Min.X, Y: y}, vg.Point{X: f.Max.X, Y: y})
	}
	for _, p := range s.Points {
		x := f.atX(p.Minute)
		if p.Ratio == 0 {
			c.hollow(disc, c.muted, x, f.Min.Y+4, 2.6)
			continue
		}
		for _, m := range placeMarks {
			if m.place == p.Placement {
				c.mark(m.shape, col, x, f.atY(log10(p.Ratio)), 3)
			}
		}
	}
}

// heatsTitle names the contestant whose ratio changes most from heat to heat, and
// how much the control's does.
func heatsTitle(b *study.Block, series []study.Series) string {
	most, worst, control := 0.0, "", ""
	for _, s := range series {
		lo, hi := math.Inf(1), 0.0
		for _, p := range s.Points {
			if p.Ratio > 0 {
				lo, hi = min(lo, p.Ratio), max(hi, p.Ratio)
			}
		}
		if s.Role == bench.Control {
			control = fmt.Sprintf("; the control's from %s to %s", bench.Ratio(lo), bench.Ratio(hi))
		} else if hi/lo > most {
			most, worst = hi/lo, fmt.Sprintf("heat by heat %s / %s goes from %s to %s", b.Baseline(), s.Impl(), bench.Ratio(lo), bench.Ratio(hi))
		}
	}
	if worst == "" {
		return "heat by heat" + control[1:]
	}
	return worst + control
}
