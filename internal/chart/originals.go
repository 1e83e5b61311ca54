package chart

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"hotpath/internal/bench"
	"hotpath/internal/study"
)

// twins is an original's latency by percentile beside that of its re-creation.
type twins struct {
	original, recreation curve
	published            []point
}

// twinsOf are those of a lane's block of which both were sampled, in the order of the
// plan.
func (d *drawing) twinsOf(b *study.Block) []twins {
	measured := between(d.measured(b), head, tail)
	said := published(b)
	find := func(of []curve, impl string) (curve, bool) {
		i := slices.IndexFunc(of, func(cv curve) bool { return cv.Impl() == impl })
		if i < 0 {
			return curve{}, false
		}
		return of[i], true
	}
	var all []twins
	for _, original := range measured {
		recreation, ok := find(measured, original.Recreation)
		if !ok {
			continue
		}
		as, _ := find(said, original.Impl())
		all = append(all, twins{original, recreation, as.points})
	}
	return all
}

const (
	twinsHeight  = vg.Length(96)
	twinsAbreast = 2
)

// onJVM are the dashes of an original's curve, which has the colour of its
// re-creation.
var onJVM = []vg.Length{2.5, 2}

// sideBySide draws a block of a lane: a panel for each original with its re-creation,
// all on the same axes.
func (d *drawing) sideBySide(b *study.Block) []figure {
	all := d.twinsOf(b)
	if len(all) == 0 {
		return nil
	}
	var curves []curve
	for _, t := range all {
		curves = append(curves, t.original, t.recreation, curve{points: t.published})
	}
	x, y := cut{curves: curves, from: head, height: 5 * twinsHeight / 4}.axes()
	rows := (len(all) + twinsAbreast - 1) / twinsAbreast
	fig := figure{block: b.Block, title: twinsTitle(all), height: vg.Length(rows)*(twinsHeight+stackHead) + 2*tickGap + lead}
	var measured []curve
	for _, t := range all {
		measured = append(measured, t.original, t.recreation)
	}
	fig.n = heatsOfLatencies(measured)
	fig.note = b.Describe() + ": every operation timed; samples of all heats together, p10 to p99.9, by percentile of the operations."
	fig.keys = []key{
		{func(c *canvas, x, y vg.Length) { c.sample(1.7, nil, x, y) }, "in Go"},
		{func(c *canvas, x, y vg.Length) { c.sample(1.4, onJVM, x, y) }, "the original on the JVM, in the same heats"},
		{func(c *canvas, x, y vg.Length) { c.hollow(disc, c.ink, x, y, 2.8) }, "as published, on another machine"},
	}
	fig.body = func(c *canvas) {
		left := y.labelWidth() + 6
		w := (pageWidth - 2*margin - left - panelGap) / twinsAbreast
		for i, t := range all {
			at := vg.Point{X: margin + left + vg.Length(i%twinsAbreast)*(w+panelGap), Y: c.Max.Y - stackHead - vg.Length(i/twinsAbreast)*(twinsHeight+stackHead)}
			f := frame{vg.Rectangle{Min: vg.Point{X: at.X, Y: at.Y - twinsHeight + 6}, Max: vg.Point{X: at.X + w, Y: at.Y}}, x, y}
			if i+twinsAbreast < len(all) {
				f.x = x.unlabelled()
			}
			if i%twinsAbreast > 0 {
				f.y = y.unlabelled()
			}
			d.drawTwins(c, f, t)
		}
	}
	return []figure{fig}
}

// sample is the piece of a line in a key.
func (c *canvas) sample(width vg.Length, dashes []vg.Length, x, y vg.Length) {
	c.line(c.ink, width, dashes, vg.Point{X: x - 6, Y: y}, vg.Point{X: x + 6, Y: y})
}

func (d *drawing) drawTwins(c *canvas, f frame, t twins) {
	c.ticksX(f)
	c.ticksY(f)
	c.over(f, t.recreation.Impl(), "")
	col, _, _ := d.stroke(c.theme, t.recreation.Impl(), t.recreation.Role)
	for _, p := range t.published {
		c.hollow(disc, col, f.atX(p.depth), f.atY(log10(p.ns)), 2.8)
	}
	for _, of := range []struct {
		curve
		width  vg.Length
		dashes []vg.Length
	}{{t.original, 1.4, onJVM}, {t.recreation, 1.7, nil}} {
		shown := col
		if of.Latencies().Forks < study.Method.MinGroup {
			shown = faint(col)
		}
		c.curve(f, of.curve, draw.LineStyle{Color: shown, Width: of.width, Dashes: of.dashes})
	}
}

// twinsTitle names the re-creation that is farthest from its original in the
// middle, and the one that is at p99.
func twinsTitle(all []twins) string {
	ranked := slices.DeleteFunc(slices.Clone(all), func(t twins) bool { return !t.original.Role.Ranked() })
	if len(ranked) == 0 {
		ranked = all
	}
	ratio := func(t twins, p float64) float64 {
		return float64(t.recreation.Latencies().At(p)) / max(1, float64(t.original.Latencies().At(p)))
	}
	tell := func(p float64) string {
		far := slices.MaxFunc(ranked, func(a, b twins) int {
			return cmp.Compare(math.Abs(log10(ratio(a, p))), math.Abs(log10(ratio(b, p))))
		})
		return fmt.Sprintf("%s of %s in Go is %s times its original's", pth(p), far.recreation.Impl(), bench.Ratio(ratio(far, p)))
	}
	return tell(50) + ", " + tell(99)
}

// originals draws what each re-creation takes over what its original takes, in a panel
// for each block of the lane.
func originals(d *drawing) []figure {
	if d.Lane == nil {
		return nil
	}
	var st stage
	var pairs [][]study.Pair // by block, then by row
	var ns []int
	for _, b := range d.Lane.Blocks {
		all := slices.DeleteFunc(b.Pairs(), func(p study.Pair) bool { return !drawable(p.Ratio.Estimate) })
		if len(all) == 0 {
			continue
		}
		for _, p := range all {
			ns = append(ns, p.Ratio.N)
			if !slices.ContainsFunc(st.rows, func(r row) bool { return r.name == named(p.Recreation) }) {
				st.rows = append(st.rows, row{name: named(p.Recreation)})
			}
		}
		pairs = append(pairs, all)
		st.panels = append(st.panels, d.pairPanel(b, all, &st.rows))
	}
	if len(pairs) == 0 {
		return nil
	}
	fig := grid{rowHeight: 22, stages: []stage{st}}.figure(d.Lane.Blocks[0].Block)
	fig.title, fig.n = pairsTitle(slices.Concat(pairs...)), inHeats(ns)
	fig.note = "What a re-creation in Go takes over what its original on the JVM takes, in the same heats, with 95" + bench.NBSP + "% intervals (log scale)."
	fig.keys = []key{
		{func(c *canvas, x, y vg.Length) { c.mark(disc, c.shade(bench.Published, 0), x, y, 3) }, "all of it"},
		{func(c *canvas, x, y vg.Length) { c.mark(diamond, c.ink, x, y, 3) }, "beyond the floors of the two languages"},
	}
	return []figure{fig}
}

// pairPanel draws the pairs of a block at the rows that have their names.
func (d *drawing) pairPanel(b *study.Block, all []study.Pair, rows *[]row) panel {
	var ivs []study.Interval
	for _, p := range all {
		ivs = append(ivs, p.Ratio)
		if p.Net.Level > 0 {
			ivs = append(ivs, p.Net)
		}
	}
	what := "over all operations"
	if b.Mode() == bench.Sample {
		what = "every operation timed"
	}
	return panel{head: []string{what}, x: ratioAxis(ivs, 4), mark: func(c *canvas, f frame, row int, y vg.Length) {
		for _, p := range all {
			if named(p.Recreation) != (*rows)[row].name {
				continue
			}
			c.estimate(f, disc, c.shade(bench.Published, 0), p.Ratio, y+4)
			if p.Net.Level > 0 {
				c.estimate(f, diamond, c.ink, p.Net, y-4)
			}
		}
	}}
}

// pairsTitle names the re-creation that is farthest from its original.
func pairsTitle(all []study.Pair) string {
	far := slices.MaxFunc(all, func(a, b study.Pair) int {
		return cmp.Compare(math.Abs(log10(a.Ratio.Estimate)), math.Abs(log10(b.Ratio.Estimate)))
	})
	return fmt.Sprintf("%s in Go takes %s times what its original takes, the farthest of %s", named(far.Recreation), bench.Ratio(far.Ratio.Estimate), bench.Plural(len(all), "comparison"))
}
