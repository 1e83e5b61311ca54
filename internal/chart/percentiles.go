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
)

// above is how many samples must lie above a quantile for it to be shown.
const above = 10

// depth is where a percentile lies on the axis: the number of nines, -log10 of
// the share of samples above it.
func depth(percentile float64) float64 { return -log10(1 - percentile/100) }

// percentileAt is the inverse of depth.
func percentileAt(depth float64) float64 { return 100 * (1 - math.Pow(10, -depth)) }

// nines are the percentiles that the axis names.
var nines = []float64{0, 50, 90, 99, 99.9, 99.99, 99.999, 99.9999, 99.99999, 99.999999}

func percent(p float64) string { return strconv.FormatFloat(p, 'f', -1, 64) + nbsp + "%" }

// latency prints a sample: a histogram holds whole nanoseconds.
func latency(ns float64) string {
	if ns < 1000 {
		return shortTime(ns)
	}
	return nanoseconds(ns)
}

// curve is the latency of one contestant by percentile.
type curve struct {
	impl      string
	samples   int64
	forks     int
	end       float64 // depth up to which it is shown
	points    []quantile
	published bool
	at        func(percentile float64) float64 // only of a measured curve
}

type quantile struct {
	percentile, ns float64
}

// percentiles draws, for each block in which latencies were sampled, latency
// by percentile of each contestant, and the published percentiles beside.
func percentiles(s *study) ([]figure, error) {
	var figures []figure
	for _, block := range s.Blocks() {
		curves := s.measured(block)
		if len(curves) == 0 {
			continue
		}
		published, err := s.published(block)
		if err != nil {
			return nil, err
		}
		figures = append(figures, s.percentileFigure(block, curves, published))
	}
	return figures, nil
}

// measured returns the curves of the contestants of a block that were sampled.
func (s *study) measured(block bench.Block) []curve {
	const step = 0.03 // depth between two points: about a point on the page
	var curves []curve
	for _, cell := range s.Block(block) {
		h := s.Merged(cell)
		if h == nil || h.TotalCount() <= above {
			continue
		}
		cv := curve{
			impl:    cell.Impl(),
			samples: h.TotalCount(),
			end:     log10(float64(h.TotalCount()) / above),
			at:      func(p float64) float64 { return max(float64(h.ValueAtPercentile(p)), 1) },
		}
		for _, f := range s.Clean(cell) {
			if f.Hist != nil {
				cv.forks++
			}
		}
		var ps []float64
		for i := 0; float64(i)*step < cv.end; i++ {
			ps = append(ps, percentileAt(float64(i)*step))
		}
		ps = append(ps, percentileAt(cv.end))
		for i, ns := range h.ValueAtPercentilesSlice(ps) {
			cv.points = append(cv.points, quantile{ps[i], max(float64(ns), 1)})
		}
		curves = append(curves, cv)
	}
	return curves
}

// published returns the published percentiles of the contestants of a block.
func (s *study) published(block bench.Block) ([]curve, error) {
	var curves []curve
	for _, p := range s.ctx.Claims.Published {
		if p.Block != block {
			continue
		}
		cv := curve{impl: p.Impl, samples: p.Count, published: true}
		for _, q := range p.Percentiles {
			if !(q.Percentile >= 0 && q.Percentile <= 100) || !drawable(q.Value) {
				return nil, fmt.Errorf("%s: published percentile %v of %v ns: no chart can show it", clean(p.Name), q.Percentile, q.Value)
			}
			if q.Percentile < 100 {
				cv.points = append(cv.points, quantile{q.Percentile, max(q.Value, 1)})
			}
		}
		if len(cv.points) == 0 {
			continue
		}
		slices.SortStableFunc(cv.points, func(a, b quantile) int { return cmp.Compare(a.percentile, b.percentile) })
		cv.end = depth(cv.points[len(cv.points)-1].percentile)
		curves = append(curves, cv)
	}
	return curves, nil
}

func (s *study) percentileFigure(block bench.Block, measured, published []curve) figure {
	all := append(slices.Clip(measured), published...)
	end := 1.0
	var values []float64
	for _, cv := range all {
		end = max(end, cv.end)
		for _, q := range cv.points {
			values = append(values, q.ns)
		}
	}
	x := axis{lo: 0, hi: min(end, 9) + 0.05}
	for _, p := range nines {
		if at := depth(p); x.holds(at) {
			x.ticks = append(x.ticks, tick{at, percent(p)})
		}
	}
	y := logAxis(values, 9, shortTime)

	fig := figure{block: block, height: 330}
	fig.title = s.percentileTitle(measured)
	what := "every operation timed"
	if block.Mode() == bench.Open {
		what = "latency from the intended start"
	}
	fig.note = describe(block) + ": " + what + "; samples of the clean forks merged. " +
		"A curve ends where fewer than " + number(above) + " samples lie above it."
	if slices.ContainsFunc(measured, func(cv curve) bool { return s.roles[cv.impl] == bench.Floor }) {
		fig.note += " The floor is the least that can be done, and the clock."
	}
	if len(published) > 0 {
		fig.note += " Hollow: published, another machine."
	}
	fig.alt = percentileAlt(block, measured, published)

	labels := make([]string, len(all))
	for i, cv := range all {
		labels[i] = fit(small, cv.label(), 190)
	}
	fig.body = func(c *canvas) {
		right := pageWidth - margin - widest(small, labels) - 44
		f := frame{vg.Rectangle{
			Min: vg.Point{X: margin + y.labelWidth() + 6, Y: c.Min.Y + 30},
			Max: vg.Point{X: right, Y: c.Max.Y - 16},
		}, x, y}
		c.ticksX(f)
		c.ticksY(f)
		c.text(small, c.muted, draw.XLeft, margin, f.Max.Y+10, "latency")
		c.text(small, c.muted, draw.XLeft, f.Min.X, f.Min.Y-tickGap-lead, "percentile of the operations")

		order := make([]int, len(all))
		for i := range all {
			order[i] = i
		}
		last := func(i int) float64 { return log10(all[i].points[len(all[i].points)-1].ns) }
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(last(a), last(b)) })
		places := make([]vg.Length, len(all))
		for i, j := range order {
			places[i] = f.atY(last(j))
		}
		places = spread(places, lead, f.Min.Y, f.Max.Y)
		for i, j := range order {
			cv := all[j]
			col, width, dash := s.stroke(c.theme, cv.impl)
			if cv.published {
				width, dash = 0.6, nil
			}
			// From the curve's end to its label.
			from := vg.Point{X: f.atX(min(cv.end, x.hi)), Y: f.atY(last(j))}
			to := vg.Point{X: f.Max.X + 12, Y: places[i]}
			c.line(faint(col), 0.5, nil, from, vg.Point{X: max(from.X, f.Max.X), Y: from.Y}, to)
			c.line(col, width, dash, to, vg.Point{X: to.X + 24, Y: to.Y})
			if cv.published {
				c.hollow(disc, col, to.X+12, to.Y, 2.4)
			}
			c.text(small, c.ink, draw.XLeft, to.X+29, to.Y, labels[j])
			cv.draw(c, f, col, width, dash)
		}
	}
	return fig
}

func (cv curve) draw(c *canvas, f frame, col color.NRGBA, width vg.Length, dash []vg.Length) {
	var path []vg.Point
	for i, q := range cv.points {
		p := vg.Point{X: f.atX(min(depth(q.percentile), f.x.hi)), Y: f.atY(log10(q.ns))}
		if !cv.published && i > 0 {
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
	if cv.published {
		for _, p := range path {
			c.hollow(disc, col, p.X, p.Y, 2.4)
		}
	}
}

func (cv curve) label() string {
	if cv.published {
		return cv.impl + " published, n=" + amount(float64(cv.samples))
	}
	return cv.impl + ", n=" + amount(float64(cv.samples))
}

// percentileTitle names the extremes in the middle and in the tail.
func (s *study) percentileTitle(curves []curve) string {
	ranked := slices.Collect(func(yield func(curve) bool) {
		for _, cv := range curves {
			if s.ranked(cv.impl) && !yield(cv) {
				return
			}
		}
	})
	if len(ranked) == 0 {
		ranked = curves
	}
	tail := 0.0
	for _, p := range []float64{90, 99, 99.9} {
		if !slices.ContainsFunc(ranked, func(cv curve) bool { return cv.end < depth(p) }) {
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
		title := "The median latency of "
		if len(ranked) == 1 {
			title += lo.impl
		} else {
			title += "all contestants"
		}
		return title + " is " + latency(lo.at(50))
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
	fmt.Fprintf(&b, "Latency by percentile of %s.", describe(block))
	for _, cv := range measured {
		fmt.Fprintf(&b, " %s:", cv.impl)
		for _, p := range nines[1:] {
			if depth(p) <= cv.end {
				fmt.Fprintf(&b, " %s %s,", percent(p), latency(cv.at(p)))
			}
		}
		fmt.Fprintf(&b, " n=%s in %s.", amount(float64(cv.samples)), plural(cv.forks, "fork"))
	}
	for _, cv := range published {
		fmt.Fprintf(&b, " %s as published:", cv.impl)
		for _, q := range cv.points {
			fmt.Fprintf(&b, " %s %s,", percent(q.percentile), latency(q.ns))
		}
		fmt.Fprintf(&b, " n=%s.", amount(float64(cv.samples)))
	}
	return b.String()
}
