package chart

import (
	"strconv"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"hotpath/internal/bench"
	"hotpath/internal/study"
)

// accuracy draws, for the busiest block of throughput, the largest error of a
// contestant's quantiles against the time of an update: its errors are the same
// in every block.
func accuracy(d *drawing) []figure {
	b := d.Busiest()
	if b == nil {
		return nil
	}
	for _, p := range bench.ErrorPercentiles {
		d.figures(b, bench.QuantileError(p))
	}
	d.figures(b, bench.TimePerUpdate)
	if trades := b.Trades(); len(trades) > 1 && d.err == nil {
		return []figure{accuracyFigure(b, trades)}
	}
	return nil
}

var dotted = []vg.Length{3, 2}

func accuracyFigure(b *study.Block, trades []study.Trade) figure {
	var rows []*study.Row
	var counts []int
	for _, t := range trades {
		rows, counts = append(rows, t.Row), append(counts, t.Forks)
	}
	fig := figure{block: b.Block, height: 430, title: accuracyTitle(trades), n: inHeats(counts)}
	fig.note = b.Describe() + ". How far the worst of p50, p99, p99.9 and p99.99 is off the exact one, against the time of an update (log scales)."
	fig.keys = append(roleKeys(rows), key{func(c *canvas, x, y vg.Length) {
		c.line(c.ink, 1.2, dotted, vg.Point{X: x - 5, Y: y}, vg.Point{X: x + 5, Y: y})
	}, "best trade-off: all faster ones are off by more than twice as much"})
	fig.body = func(c *canvas) { c.accuracy(trades) }
	return fig
}

// accuracyTitle names the first few of the best.
func accuracyTitle(trades []study.Trade) string {
	var best []string
	for _, t := range trades {
		if t.Best {
			best = append(best, named(t.Row)+" ("+bench.Nanos.Print(t.Time)+", "+bench.Percent(t.Error, 2)+")")
		}
	}
	if more := len(best) - 3; more > 0 {
		best = append(best[:3], strconv.Itoa(more)+" more")
	}
	return "the best trade-offs of time and error are " + bench.List(best)
}

// accuracy draws the axes and the trades.
func (c *canvas) accuracy(trades []study.Trade) {
	var times, errors []float64
	for _, t := range trades {
		times = append(times, t.Time)
		if t.Error > 0 {
			errors = append(errors, t.Error)
		}
	}
	zero := len(errors) < len(trades)
	x, y := logAxis(times, 6, bench.Nanos.Tick), logAxis(errors, 8, bench.Share.Tick).withZero(zero)
	f := frame{vg.Rectangle{
		Min: vg.Point{X: margin + y.labelWidth() + 6, Y: c.Min.Y + 2*tickGap + lead},
		Max: vg.Point{X: pageWidth - margin, Y: c.Max.Y - lead - 4},
	}, x, y}
	c.ticksX(f)
	c.ticksY(f)
	c.text(plain, c.muted, draw.XLeft, margin, f.Max.Y+10, "error of a quantile, less is better")
	c.text(plain, c.muted, draw.XLeft, f.Min.X, c.Min.Y+lead/2, bench.TimePerUpdate.Words+", less is better")
	if zero {
		c.text(plain, c.muted, draw.XRight, f.Min.X-5, f.Min.Y+5, "0")
	}
	c.trades(f, trades)
}

// trades draws the line of the best, the marks, and the labels around them.
func (c *canvas) trades(f frame, trades []study.Trade) {
	labels := make([]label, len(trades))
	var front []vg.Point
	for i, t := range trades {
		p := vg.Point{X: f.atX(log10(t.Time)), Y: f.Min.Y + 5}
		if t.Error > 0 {
			p.Y = f.atY(log10(t.Error))
		}
		labels[i] = label{mark: p, text: fit(plain, named(t.Row), nameMax)}
		if t.Best {
			if len(front) > 0 {
				front = append(front, vg.Point{X: p.X, Y: front[len(front)-1].Y})
			}
			front = append(front, p)
		}
	}
	place(labels, f.Rectangle)
	if len(front) > 0 {
		front = append(front, vg.Point{X: f.Max.X, Y: front[len(front)-1].Y})
		c.line(c.ink, 1.2, dotted, front...)
	}
	for _, l := range labels {
		c.line(faint(c.muted), 0.7, nil, l.mark, edge(l.box, l.mark))
		c.fill(c.background, l.box.Min.X, l.box.Min.Y+1, l.box.Max.X, l.box.Max.Y-1)
	}
	for i, l := range labels {
		t := trades[i]
		look := lookOf(t.Role)
		col, ink := look.colour(c.theme), c.muted
		if t.Forks < study.Method.MinGroup {
			col = faint(col)
		}
		if t.Best {
			ink = c.ink
		}
		c.mark(look.shape, col, l.mark.X, l.mark.Y, 4)
		c.text(plain, ink, draw.XLeft, l.box.Min.X+1, (l.box.Min.Y+l.box.Max.Y)/2, l.text)
	}
}
