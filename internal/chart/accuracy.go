package chart

import (
	"fmt"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"hotpath/internal/bench"
	"hotpath/internal/study"
)

// accuracy draws, for each block of mode thrpt whose contestants tell their
// errors, the largest of them against the time of an update.
func accuracy(d *drawing) []figure {
	var figures []figure
	for _, b := range d.Blocks {
		for _, p := range bench.ErrorPercentiles {
			d.figures(b, bench.QuantileError(p))
		}
		d.figures(b, bench.TimePerUpdate)
		d.figures(b, bench.BytesPerHistogram)
		if trades := b.Trades(); len(trades) > 1 && d.err == nil {
			figures = append(figures, accuracyFigure(b, trades))
		}
	}
	return figures
}

var dotted = []vg.Length{3, 2}

func accuracyFigure(b *study.Block, trades []study.Trade) figure {
	var rows []*study.Row
	var counts []int
	var alt strings.Builder
	fmt.Fprintf(&alt, "Largest error of a quantile against time per update of %s, fastest first.", b.Describe())
	for _, t := range trades {
		rows, counts = append(rows, t.Row), append(counts, t.Forks)
		var each []string
		for _, q := range t.Errors {
			each = append(each, "p"+bench.Exact(q.Percentile)+" "+bench.Share.Print(q.Value))
		}
		fmt.Fprintf(&alt, " %s %s, off by %s (%s)", t.Impl(), bench.Nanos.Print(t.Time), bench.Share.Print(t.Error), strings.Join(each, ", "))
		if t.Heap > 0 {
			fmt.Fprintf(&alt, ", %s", bench.Bytes.Print(t.Heap))
		}
		alt.WriteString(";")
	}
	fmt.Fprintf(&alt, " n=%s clean forks.", span(counts))
	fig := figure{block: b.Block, height: 380, title: accuracyTitle(trades), alt: alt.String()}
	fig.note = b.Describe() + ": by how much the worst of p50, p99, p99.9 and p99.99 is off the exact one, against the time of an update over all threads (log scales); " +
		"behind each name the heap of one histogram. Medians of the clean forks; n=" + span(counts) + "."
	fig.keys = append(roleKeys(rows), key{func(c *canvas, x, y vg.Length) {
		c.line(c.ink, 1, dotted, vg.Point{X: x - 5, Y: y}, vg.Point{X: x + 5, Y: y})
	}, "all that are faster are off by more than twice as much"})
	fig.body = func(c *canvas) { c.accuracy(trades) }
	return fig
}

// accuracyTitle names the first few of the best.
func accuracyTitle(trades []study.Trade) string {
	var best []string
	for _, t := range trades {
		if t.Best {
			best = append(best, fmt.Sprintf("%s (%s per update, off by %s)", t.Impl(), bench.Nanos.Print(t.Time), bench.Share.Print(t.Error)))
		}
	}
	if more := len(best) - 3; more > 0 {
		best = append(best[:3], strconv.Itoa(more)+" more")
	}
	return "Nothing is both faster and as accurate as " + bench.List(best)
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
	x, y := logAxis(times, 8, bench.Nanos.Tick), logAxis(errors, 8, bench.Share.Tick).withZero(zero)
	f := frame{vg.Rectangle{
		Min: vg.Point{X: margin + y.labelWidth() + 6, Y: c.Min.Y + 30},
		Max: vg.Point{X: pageWidth - margin, Y: c.Max.Y - 16},
	}, x, y}
	c.ticksX(f)
	c.ticksY(f)
	c.text(small, c.muted, draw.XLeft, margin, f.Max.Y+10, "error of a quantile, less is better")
	c.text(small, c.muted, draw.XLeft, f.Min.X, f.Min.Y-tickGap-lead, bench.TimePerUpdate.Words+", less is better")
	if zero {
		c.text(small, c.muted, draw.XRight, f.Min.X-6, f.Min.Y+4, "0")
	}
	c.trades(f, trades)
}

// trades draws the line of the best, the marks, and the labels around them.
func (c *canvas) trades(f frame, trades []study.Trade) {
	labels := make([]label, len(trades))
	texts := make([]string, len(trades))
	var front []vg.Point
	for i, t := range trades {
		p := vg.Point{X: f.atX(log10(t.Time)), Y: f.Min.Y + 4}
		if t.Error > 0 {
			p.Y = f.atY(log10(t.Error))
		}
		texts[i] = fit(small, t.Impl(), nameMax)
		if t.Heap > 0 {
			texts[i] += ", " + bench.Bytes.Print(t.Heap)
		}
		labels[i] = label{mark: p, width: textWidth(small, texts[i])}
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
		c.line(c.ink, 1, dotted, front...)
	}
	for i, l := range labels {
		c.line(faint(c.muted), 0.5, nil, l.mark, edge(l.box, l.mark))
		c.fill(c.background, l.box.Min.X+1, l.box.Min.Y+1, l.box.Min.X+l.width/slack+1, l.box.Max.Y-1)
		lookOf(trades[i].Role).draw(c, l.mark.X, l.mark.Y, 4)
	}
	for i, l := range labels {
		col := c.muted
		if trades[i].Best {
			col = c.ink
		}
		c.text(small, col, draw.XLeft, l.box.Min.X+1, (l.box.Min.Y+l.box.Max.Y)/2, texts[i])
	}
}
