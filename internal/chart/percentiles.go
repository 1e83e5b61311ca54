package chart

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"hotpath/internal/bench"
	"hotpath/internal/study"
)

// percentileAt is the inverse of study.Depth.
func percentileAt(depth float64) float64 { return 100 * (1 - math.Pow(10, -depth)) }

// nines are the percentiles that the axis names.
var nines = []float64{0, 50, 90, 99, 99.9, 99.99, 99.999, 99.9999, 99.99999, 99.999999}

func percent(p float64) string { return strconv.FormatFloat(p, 'f', -1, 64) + bench.NBSP + "%" }

// latency prints a sample: a histogram holds whole nanoseconds.
func latency(ns float64) string {
	if ns < 1000 {
		return bench.Nanos.Tick(ns)
	}
	return bench.Nanos.Print(ns)
}

// curve is the latency of one contestant by percentile.
type curve struct {
	impl     string
	role     bench.Role
	samples  int64
	end      float64 // depth up to which it is shown
	points   []study.Quantile
	measured *study.Latencies // nil of a published curve
}

// at is the latency of a measured curve at a percentile.
func (cv curve) at(percentile float64) float64 { return max(float64(cv.measured.At(percentile)), 1) }

// percentiles draws, for each block in which latencies were sampled, latency
// by percentile of each contestant, and the published percentiles beside.
func percentiles(d *drawing) []figure {
	var figures []figure
	for _, b := range d.Blocks {
		if curves := d.measured(b); len(curves) > 0 {
			figures = append(figures, d.percentileFigure(b, curves, published(b)))
		}
	}
	return figures
}

// measured returns the curves of the contestants of a block that were sampled.
func (d *drawing) measured(b *study.Block) []curve {
	const step = 0.03 // depth between two points: about a point on the page
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
		cv := curve{impl: r.Impl(), role: r.Role, samples: l.Samples(), end: l.End(), measured: l}
		for i := 0; float64(i)*step < cv.end; i++ {
			p := percentileAt(float64(i) * step)
			cv.points = append(cv.points, study.Quantile{Percentile: p, Value: cv.at(p)})
		}
		p := percentileAt(cv.end)
		cv.points = append(cv.points, study.Quantile{Percentile: p, Value: cv.at(p)})
		curves = append(curves, cv)
	}
	return curves
}

// published returns the published percentiles of the contestants of a block,
// but for the largest value of all, which has no place on the axis.
func published(b *study.Block) []curve {
	var curves []curve
	for _, p := range b.Published {
		cv := curve{impl: p.Impl, samples: p.Count}
		if r := b.Row(p.Impl); r != nil {
			cv.role = r.Role
		}
		for _, q := range p.Percentiles {
			if q.Percentile < 100 {
				cv.points = append(cv.points, study.Quantile{Percentile: q.Percentile, Value: max(q.Value, 1)})
			}
		}
		if n := len(cv.points); n > 0 {
			cv.end = study.Depth(cv.points[n-1].Percentile)
			curves = append(curves, cv)
		}
	}
	return curves
}

func (d *drawing) percentileFigure(b *study.Block, measured, published []curve) figure {
	what := "every operation timed"
	if b.Mode() == bench.Open {
		what = "latency from the intended start"
	}
	fig := figure{block: b.Block, height: 330, title: percentileTitle(measured), alt: percentileAlt(b.Block, measured, published)}
	fig.note = b.Describe() + ": " + what + "; samples of the clean forks merged. " +
		"A curve ends where fewer than " + strconv.Itoa(study.Above) + " samples lie above it."
	if slices.ContainsFunc(measured, func(cv curve) bool { return cv.role == bench.Floor }) {
		fig.note += " The floor is the least that can be done, and the clock."
	}
	if len(published) > 0 {
		fig.note += " Hollow: published, another machine."
	}
	fig.body = func(c *canvas) { d.drawCurves(c, slices.Concat(measured, published)) }
	return fig
}

// percentileAxes hold all points of some curves.
func percentileAxes(curves []curve) (x, y axis) {
	end := 1.0
	var values []float64
	for _, cv := range curves {
		end = max(end, cv.end)
		for _, q := range cv.points {
			values = append(values, q.Value)
		}
	}
	x = axis{lo: 0, hi: min(end, 9) + 0.05}
	for _, p := range nines {
		if at := study.Depth(p); x.holds(at) {
			x.ticks = append(x.ticks, tick{at, percent(p)})
		}
	}
	return x, logAxis(values, 9, bench.Nanos.Tick)
}

// drawCurves draws the axes, the curves, and their labels at the right.
func (d *drawing) drawCurves(c *canvas, curves []curve) {
	x, y := percentileAxes(curves)
	last := func(cv curve) float64 { return log10(cv.points[len(cv.points)-1].Value) }
	slices.SortStableFunc(curves, func(a, b curve) int { return cmp.Compare(last(a), last(b)) })
	var labels []string
	for _, cv := range curves {
		labels = append(labels, fit(small, cv.label(), 190))
	}
	f := frame{vg.Rectangle{
		Min: vg.Point{X: margin + y.labelWidth() + 6, Y: c.Min.Y + 30},
		Max: vg.Point{X: pageWidth - margin - widest(small, labels) - 44, Y: c.Max.Y - 16},
	}, x, y}
	c.ticksX(f)
	c.ticksY(f)
	c.text(small, c.muted, draw.XLeft, margin, f.Max.Y+10, "latency")
	c.text(small, c.muted, draw.XLeft, f.Min.X, f.Min.Y-tickGap-lead, "percentile of the operations")
	var places []vg.Length
	for _, cv := range curves {
		places = append(places, f.atY(last(cv)))
	}
	places = spread(places, lead, f.Min.Y, f.Max.Y)
	for i, cv := range curves {
		col, width, dash := d.stroke(c.theme, cv.impl, cv.role)
		if cv.measured == nil {
			width, dash = 0.6, nil
		}
		// From the curve's end to its label.
		from := vg.Point{X: f.atX(min(cv.end, x.hi)), Y: f.atY(last(cv))}
		to := vg.Point{X: f.Max.X + 12, Y: places[i]}
		c.line(faint(col), 0.5, nil, from, vg.Point{X: max(from.X, f.Max.X), Y: from.Y}, to)
		c.line(col, width, dash, to, vg.Point{X: to.X + 24, Y: to.Y})
		if cv.measured == nil {
			c.hollow(disc, col, to.X+12, to.Y, 2.4)
		}
		c.text(small, c.ink, draw.XLeft, to.X+29, to.Y, labels[i])
		c.curve(f, cv, col, width, dash)
	}
}

// curve draws a measured curve as steps and a published one as points.
func (c *canvas) curve(f frame, cv curve, col color.NRGBA, width vg.Length, dash []vg.Length) {
	var path []vg.Point
	for i, q := range cv.points {
		p := vg.Point{X: f.atX(min(study.Depth(q.Percentile), f.x.hi)), Y: f.atY(log10(q.Value))}
		if cv.measured != nil && i > 0 {
			before := path[len(path)-1]
			// Steps too small to see are left out.
			if math.Abs(float64(p.Y-before.Y)) < 0.25 && i < len(cv.points)-1 {
				continue
			}
			path = append(path, vg.Point{X: p.X, Y: before.Y})
		}
		path = append(path, p)
	}
	c.line(col, width, dash, path...)
	if cv.measured == nil {
		for _, p := range path {
			c.hollow(disc, col, p.X, p.Y, 2.4)
		}
	}
}

func (cv curve) label() string {
	what := ""
	if cv.measured == nil {
		what = " published"
	}
	return cv.impl + what + ", n=" + bench.Number.Print(float64(cv.samples))
}

// percentileTitle names the extremes in the middle and in the tail.
func percentileTitle(curves []curve) string {
	ranked := slices.DeleteFunc(slices.Clone(curves), func(cv curve) bool { return !cv.role.Ranked() })
	if len(ranked) == 0 {
		ranked = curves
	}
	tail := 0.0
	for _, p := range []float64{90, 99, 99.9} {
		if !slices.ContainsFunc(ranked, func(cv curve) bool { return cv.end < study.Depth(p) }) {
			tail = p
		}
	}
	extremes := func(p float64) (lo, hi curve) {
		by := func(a, b curve) int { return cmp.Compare(a.at(p), b.at(p)) }
		return slices.MinFunc(ranked, by), slices.MaxFunc(ranked, by)
	}
	of := func(cv curve, p float64) string { return cv.impl + " (" + latency(cv.at(p)) + ")" }
	lo, hi := extremes(50)
	if lo.at(50) == hi.at(50) {
		who := "all contestants"
		if len(ranked) == 1 {
			who = lo.impl
		}
		return "The median latency of " + who + " is " + latency(lo.at(50))
	}
	title := "At the median " + of(lo, 50) + " is fastest and " + of(hi, 50) + " slowest"
	if tail > 0 {
		lo, hi = extremes(tail)
		title += fmt.Sprintf("; at %s %s and %s", percent(tail), of(lo, tail), of(hi, tail))
	}
	return title
}

func percentileAlt(block bench.Block, measured, published []curve) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Latency by percentile of %s.", block.Describe())
	for _, cv := range measured {
		fmt.Fprintf(&b, " %s:", cv.impl)
		for _, p := range nines[1:] {
			if study.Depth(p) <= cv.end {
				fmt.Fprintf(&b, " %s %s,", percent(p), latency(cv.at(p)))
			}
		}
		fmt.Fprintf(&b, " n=%s in %s.", bench.Number.Print(float64(cv.samples)), bench.Plural(cv.measured.Forks, "fork"))
	}
	for _, cv := range published {
		fmt.Fprintf(&b, " %s as published:", cv.impl)
		for _, q := range cv.points {
			fmt.Fprintf(&b, " %s %s,", percent(q.Percentile), latency(q.Value))
		}
		fmt.Fprintf(&b, " n=%s.", bench.Number.Print(float64(cv.samples)))
	}
	return b.String()
}
