package chart

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"hotpath/internal/bench"
	"hotpath/internal/study"
)

// percentileAt is the inverse of study.Depth.
func percentileAt(depth float64) float64 { return 100 * (1 - math.Pow(10, -depth)) }

// nines are the percentiles that the axis names.
var nines = []float64{50, 90, 99, 99.9, 99.99, 99.999, 99.9999, 99.99999}

// Curves are drawn between these depths, p10 and p99.9. What few operations take,
// the least and the scheduler's pauses, would squeeze all else; beyond the tail
// there is a panel with a scale of its own.
const head, tail = 0.045, 3

// curve is the latency of one contestant by percentile.
type curve struct {
	*study.Row
	points []point
}

// point is a latency at the depth of a percentile.
type point struct{ depth, ns float64 }

func (cv curve) last() float64 { return cv.points[len(cv.points)-1].ns }

// between is the curves' points from one depth to another.
func between(curves []curve, from, to float64) (some []curve) {
	for _, cv := range curves {
		cv.points = slices.DeleteFunc(slices.Clone(cv.points), func(p point) bool { return p.depth < from || p.depth > to })
		if len(cv.points) > 0 {
			some = append(some, cv)
		}
	}
	return some
}

// percentiles draws, for each block in which latencies were sampled, latency
// by percentile of each contestant, and the published percentiles below; in a block
// of a lane, each original beside its re-creation.
func percentiles(d *drawing) []figure {
	var figures []figure
	for _, b := range d.Blocks {
		if b.Lane() != "" {
			figures = append(figures, d.sideBySide(b)...)
		} else if curves := d.measured(b); len(between(curves, head, tail)) > 0 {
			figures = append(figures, d.percentileFigure(b, curves, published(b)))
		}
	}
	return figures
}

// measured returns the curves of the contestants of a block that were sampled, as
// far as enough samples lie above.
func (d *drawing) measured(b *study.Block) []curve {
	const step = 1. / 32 // between two depths: about a point on the page, and one is the tail
	var curves []curve
	for _, r := range b.Rows {
		l := r.Latencies()
		if l == nil || l.Samples() <= study.Above {
			continue
		}
		if most := float64(l.At(100)); most > largest {
			d.refuse(r.ID(), r.Clean[0].ID, "largest latency in ns", most)
			continue
		}
		cv := curve{Row: r}
		for depth := 0.0; depth < l.End(); depth += step {
			cv.points = append(cv.points, point{depth, max(float64(l.At(percentileAt(depth))), 1)})
		}
		cv.points = append(cv.points, point{l.End(), max(float64(l.At(percentileAt(l.End()))), 1)})
		curves = append(curves, cv)
	}
	return curves
}

// published returns the published percentiles of the contestants of a block.
func published(b *study.Block) []curve {
	var curves []curve
	for _, p := range b.Published {
		cv := curve{Row: b.Row(p.Impl)}
		for _, q := range p.Percentiles {
			cv.points = append(cv.points, point{study.Depth(q.Percentile), max(q.Value, 1)})
		}
		if cv.Row != nil {
			curves = append(curves, cv)
		}
	}
	return between(curves, head, tail)
}

// cut is a part of the percentiles in a panel of its own.
type cut struct {
	what   string
	curves []curve
	from   float64 // depth at the left
	joined bool    // by lines: all that lies between is known
	height vg.Length
}

func (d *drawing) percentileFigure(b *study.Block, measured, published []curve) figure {
	what := "every operation timed"
	if b.Mode() == bench.Open {
		what = "latency from the intended start"
	}
	cuts := []cut{{"latency, p10 to p99.9", between(measured, head, tail), head, true, 230}}
	if rest := between(measured, tail, math.Inf(1)); len(rest) > 0 {
		cuts = append(cuts, cut{"the tail, as far as " + strconv.Itoa(study.Above) + " samples lie above", rest, tail, true, 120})
	}
	if len(published) > 0 {
		cuts = append(cuts, cut{"as published, on another machine", published, head, false, 130})
	}
	fig := figure{block: b.Block, title: percentileTitle(measured), n: heatsOfLatencies(measured)}
	fig.note = b.Describe() + ": " + what + "; samples of all heats together."
	for _, ct := range cuts {
		fig.height += ct.height
	}
	fig.height += lead
	fig.body = func(c *canvas) {
		top := c.Max.Y
		for _, ct := range cuts {
			d.drawCut(c, ct, top)
			top -= ct.height
		}
		c.text(plain, c.muted, draw.XLeft, margin, c.Min.Y+lead/2, "percentile of the operations")
	}
	return fig
}

func heatsOfLatencies(measured []curve) string {
	var counts []int
	for _, cv := range measured {
		counts = append(counts, cv.Latencies().Forks)
	}
	return inHeats(counts)
}

// axes hold all points of the cut.
func (ct cut) axes() (x, y axis) {
	end := ct.from + 0.5
	var values []float64
	for _, cv := range ct.curves {
		for _, p := range cv.points {
			end = max(end, p.depth)
			values = append(values, p.ns)
		}
	}
	x = axis{lo: ct.from - 0.02, hi: end + 0.02}
	for _, p := range nines {
		if at := study.Depth(p); x.holds(at) {
			x.ticks = append(x.ticks, tick{at, pth(p)})
		}
	}
	return x, logAxis(values, int(ct.height/24), bench.Nanos.Tick)
}

// drawCut draws the axes, the curves, and their names in the order of their ends,
// each as near to its curve's end as the others leave room.
func (d *drawing) drawCut(c *canvas, ct cut, top vg.Length) {
	x, y := ct.axes()
	slices.SortStableFunc(ct.curves, func(a, b curve) int { return cmp.Compare(a.last(), b.last()) })
	var names []string
	for _, cv := range ct.curves {
		names = append(names, fit(plain, named(cv.Row), 100))
	}
	f := frame{vg.Rectangle{
		Min: vg.Point{X: margin + y.labelWidth() + 6, Y: top - ct.height + 2*tickGap},
		Max: vg.Point{X: pageWidth - margin - widest(plain, names) - 30, Y: top - lead - 4},
	}, x, y}
	c.ticksX(f)
	c.ticksY(f)
	c.text(plain, c.ink, draw.XLeft, f.Min.X, f.Max.Y+9, ct.what)
	var places []vg.Length
	for _, cv := range ct.curves {
		places = append(places, f.atY(log10(cv.last())))
	}
	places = spread(places, 13.5, f.Min.Y+4, f.Max.Y-4)
	for i, cv := range ct.curves {
		col, width, dash := d.stroke(c.theme, cv.Impl(), cv.Role)
		at := vg.Point{X: f.Max.X + 5, Y: places[i]}
		if ct.joined {
			if cv.Latencies().Forks < study.Method.MinGroup {
				col = faint(col)
			}
			c.curve(f, cv, draw.LineStyle{Color: col, Width: width, Dashes: dash})
			c.line(col, width, dash, at, vg.Point{X: at.X + 20, Y: at.Y})
		} else {
			for _, p := range cv.points {
				c.hollow(disc, col, f.atX(p.depth), f.atY(log10(p.ns)), 2.8)
			}
			c.hollow(disc, col, at.X+10, at.Y, 2.8)
		}
		c.text(plain, c.ink, draw.XLeft, at.X+24, at.Y, names[i])
	}
}

// curve draws a measured curve as steps.
func (c *canvas) curve(f frame, cv curve, style draw.LineStyle) {
	var path []vg.Point
	for i, of := range cv.points {
		p := vg.Point{X: f.atX(of.depth), Y: f.atY(log10(of.ns))}
		if i > 0 {
			before := path[len(path)-1]
			// Steps too small to see are left out.
			if math.Abs(float64(p.Y-before.Y)) < 0.25 && i < len(cv.points)-1 {
				continue
			}
			path = append(path, vg.Point{X: p.X, Y: before.Y})
		}
		path = append(path, p)
	}
	c.StrokeLines(style, path)
}

// latency prints a sample: a histogram holds whole nanoseconds.
func latency(ns float64) string {
	if ns < 1000 {
		return bench.Nanos.Tick(ns)
	}
	return bench.Nanos.Print(ns)
}

// percentileTitle names the extremes in the middle and at p99.
func percentileTitle(curves []curve) string {
	ranked := slices.DeleteFunc(slices.Clone(curves), func(cv curve) bool { return !cv.Role.Ranked() })
	if len(ranked) == 0 {
		ranked = curves
	}
	at := func(cv curve, p float64) float64 { return float64(cv.Latencies().At(p)) }
	tell := func(p float64) string {
		by := func(a, b curve) int { return cmp.Compare(at(a, p), at(b, p)) }
		lo, hi := slices.MinFunc(ranked, by), slices.MaxFunc(ranked, by)
		if at(lo, p) == at(hi, p) {
			return pth(p) + " is " + latency(at(lo, p))
		}
		return pth(p) + " is " + latency(at(lo, p)) + " (" + lo.Impl() + ") to " + latency(at(hi, p)) + " (" + hi.Impl() + ")"
	}
	title := tell(50)
	if !slices.ContainsFunc(ranked, func(cv curve) bool { return !cv.Latencies().Shows(99) }) {
		title += ", " + tell(99)
	}
	return title
}
