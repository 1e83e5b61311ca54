package chart

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"hotpath/internal/bench"
	"hotpath/internal/stats"
)

// errorUnits are how far off the quantiles of a histogram are, relative to the
// exact ones. Zero is an answer here.
var errorUnits = []measure{
	{bench.QuantileError(50), "p50", share, shortShare},
	{bench.QuantileError(99), "p99", share, shortShare},
	{bench.QuantileError(99.9), "p99.9", share, shortShare},
	{bench.QuantileError(99.99), "p99.99", share, shortShare},
}

// What an accurate quantile is bought with.
var (
	updateUnit    = measure{bench.TimePerUpdate, "time per update", nanoseconds, shortTime}
	histogramUnit = measure{bench.BytesPerHistogram, "heap per histogram", size, shortSize}
)

// trade is what a contestant gives and takes.
type trade struct {
	impl  string
	time  float64 // ns per update
	error float64 // the largest of its quantiles: one alone may be right by luck
	each  string  // quantile's error
	heap  string  // per histogram, or empty
	n     int     // clean forks
	best  bool    // all that are faster are less accurate
}

// accuracy draws, for each block of mode thrpt whose contestants tell their
// errors, the largest of them against the time of an update.
func accuracy(s *study) ([]figure, error) {
	var figures []figure
	for _, block := range s.Blocks() {
		if block.Mode() != bench.Throughput {
			continue
		}
		if trades := s.trades(block); len(trades) > 1 {
			figures = append(figures, s.accuracyFigure(block, trades))
		}
	}
	return figures, nil
}

// moreAccurate is the largest share of another's error that is a difference:
// where in a bucket a quantile happens to lie makes less.
const moreAccurate = 0.5

// trades are the contestants of a block to choose from, the fastest first.
func (s *study) trades(block bench.Block) []trade {
	var trades []trade
	for _, cell := range s.Block(block) {
		value := func(m measure) (float64, int) {
			values := s.Values(cell, m.unit)
			iv, _ := stats.Median(values, level)
			return iv.Estimate, len(values)
		}
		t := trade{impl: cell.Impl()}
		t.time, t.n = value(updateUnit)
		var errors []string
		for _, m := range errorUnits {
			if v, n := value(m); n > 0 {
				t.error = max(t.error, v)
				errors = append(errors, m.text+" "+share(v))
			}
		}
		t.each = strings.Join(errors, ", ")
		if t.n == 0 || len(errors) == 0 || t.time <= 0 || !s.ranked(t.impl) {
			continue
		}
		if heap, n := value(histogramUnit); n > 0 {
			t.heap = size(heap)
		}
		trades = append(trades, t)
	}
	slices.SortStableFunc(trades, func(a, b trade) int { return cmp.Compare(a.time, b.time) })
	for i := range trades {
		trades[i].best = !slices.ContainsFunc(trades[:i], func(faster trade) bool { return trades[i].error >= moreAccurate*faster.error })
	}
	return trades
}

func (s *study) accuracyFigure(block bench.Block, trades []trade) figure {
	var times, errors []float64
	var impls, best []string
	var counts []int
	zero := false
	var alt strings.Builder
	fmt.Fprintf(&alt, "Largest error of a quantile against time per update of %s, fastest first.", describe(block))
	for _, t := range trades {
		times = append(times, t.time)
		impls = append(impls, t.impl)
		counts = append(counts, t.n)
		if t.error > 0 {
			errors = append(errors, t.error)
		} else {
			zero = true
		}
		if t.best {
			best = append(best, fmt.Sprintf("%s (%s per update, off by %s)", t.impl, nanoseconds(t.time), share(t.error)))
		}
		fmt.Fprintf(&alt, " %s %s, off by %s (%s)", t.impl, nanoseconds(t.time), share(t.error), t.each)
		if t.heap != "" {
			fmt.Fprintf(&alt, ", %s", t.heap)
		}
		alt.WriteString(";")
	}
	x, y := logAxis(times, 8, shortTime), logAxis(errors, 8, shortShare)
	if zero {
		y.lo -= (y.hi - y.lo) * 0.12
	}

	fig := figure{block: block, height: 380}
	if more := len(best) - 3; more > 0 {
		best = append(best[:3], number(more)+" more")
	}
	fig.title = "Nothing is both faster and as accurate as " + best[0]
	if last := len(best) - 1; last > 0 {
		fig.title += strings.Join(append([]string{""}, best[1:last]...), ", ") + " and " + best[last]
	}
	fig.note = describe(block) + ": by how much the worst of p50, p99, p99.9 and p99.99 is off the exact one, against the time of an update over all threads (log scales); " +
		"behind each name the heap of one histogram. Medians of the clean forks; n=" + span(counts) + "."
	fig.keys = append(s.roleKeys(impls), key{func(c *canvas, x, y vg.Length) {
		c.line(c.ink, 1, []vg.Length{3, 2}, vg.Point{X: x - 5, Y: y}, vg.Point{X: x + 5, Y: y})
	}, "all that are faster are off by more than twice as much"})
	fmt.Fprintf(&alt, " n=%s clean forks.", span(counts))
	fig.alt = alt.String()

	fig.body = func(c *canvas) {
		f := frame{vg.Rectangle{
			Min: vg.Point{X: margin + y.labelWidth() + 6, Y: c.Min.Y + 30},
			Max: vg.Point{X: pageWidth - margin, Y: c.Max.Y - 16},
		}, x, y}
		c.ticksX(f)
		c.ticksY(f)
		c.text(small, c.muted, draw.XLeft, margin, f.Max.Y+10, "error of a quantile, less is better")
		c.text(small, c.muted, draw.XLeft, f.Min.X, f.Min.Y-tickGap-lead, updateUnit.text+", less is better")
		if zero {
			c.text(small, c.muted, draw.XRight, f.Min.X-6, f.Min.Y+4, "0")
		}
		s.drawTrades(c, f, trades)
	}
	return fig
}

// drawTrades draws the line of the best, the marks, and the labels around them.
func (s *study) drawTrades(c *canvas, f frame, trades []trade) {
	labels := make([]label, len(trades))
	texts := make([]string, len(trades))
	var front []vg.Point
	for i, t := range trades {
		p := vg.Point{X: f.atX(log10(t.time)), Y: f.Min.Y + 4}
		if t.error > 0 {
			p.Y = f.atY(log10(t.error))
		}
		texts[i] = fit(small, t.impl, nameMax)
		if t.heap != "" {
			texts[i] += ", " + t.heap
		}
		labels[i] = label{mark: p, width: textWidth(small, texts[i])}
		if t.best {
			if len(front) > 0 {
				front = append(front, vg.Point{X: p.X, Y: front[len(front)-1].Y})
			}
			front = append(front, p)
		}
	}
	place(labels, f.Rectangle)
	if len(front) > 0 {
		front = append(front, vg.Point{X: f.Max.X, Y: front[len(front)-1].Y})
		c.line(c.ink, 1, []vg.Length{3, 2}, front...)
	}
	for i, t := range trades {
		l, mark := labels[i], lookOf(s.roles[t.impl])
		end := edge(l.box, l.mark)
		c.line(faint(c.muted), 0.5, nil, l.mark, end)
		c.fill(c.background, l.box.Min.X+1, l.box.Min.Y+1, l.box.Min.X+l.width/slack+1, l.box.Max.Y-1)
		mark.draw(c, l.mark.X, l.mark.Y, 4)
	}
	for i, t := range trades {
		l := labels[i]
		col := c.muted
		if t.best {
			col = c.ink
		}
		c.text(small, col, draw.XLeft, l.box.Min.X+1, (l.box.Min.Y+l.box.Max.Y)/2, texts[i])
	}
}
