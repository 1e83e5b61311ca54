package chart

import (
	"slices"

	"gonum.org/v1/plot/vg"

	"hotpath/internal/bench"
	"hotpath/internal/study"
)

// costUnits are what a contestant costs that its time does not say, in the order
// of the panels: of a server in a process of its own, and of others. Zero is an
// answer here.
var (
	costUnits   = []bench.Unit{bench.BytesPerOp, bench.PeakHeap, bench.GCShare, bench.BytesPerCounter, bench.BytesPerHistogram, bench.SnapshotTime}
	serverUnits = []bench.Unit{bench.ServerCPU, bench.ServerBytes}
)

var ofCosts = "medians of the heats with 95" + bench.NBSP + "% intervals (log scales; zero is at the left edge)."

// cost is one panel: a unit and its figures.
type cost struct {
	bench.Unit
	figures []*study.Figure
}

// costs draws memory and the server's CPU, for the busiest block of throughput
// and those of fixed work. Sampling itself costs memory and time, so its blocks
// would show the harness.
func costs(d *drawing) []figure {
	var figures []figure
	busiest := d.Busiest()
	for _, b := range d.Blocks {
		times := study.ByMedian(d.figures(b, b.Score()))
		if len(times) == 0 || b != busiest && b.Mode() != bench.Fixed {
			continue
		}
		units := costUnits
		if b.Has(bench.ServerCPU) {
			units = serverUnits
		}
		if panels := d.costs(b, units); len(panels) > 0 {
			fig := costFigure(b, study.Rows(times), panels)
			fig.title = costTitle(panels[0])
			fig.note = b.Describe() + ". The fastest contestant first; " + ofCosts
			figures = append(figures, fig)
		}
	}
	return figures
}

// costs are the units in which some contestants are not at zero.
func (d *drawing) costs(b *study.Block, units []bench.Unit) (panels []cost) {
	for _, unit := range units {
		k := cost{unit, d.figures(b, unit)}
		if some := slices.DeleteFunc(study.Contenders(k.figures), func(f *study.Figure) bool { return f.Median.Estimate == 0 }); len(some) > 1 {
			panels = append(panels, k)
		}
	}
	return panels
}

// costFigure has the contestants in their order, and two units side by side.
func costFigure(b *study.Block, rows []*study.Row, panels []cost) figure {
	g := grid{rowHeight: rowHeight}
	var shown []*study.Figure
	for pair := range slices.Chunk(panels, 2) {
		rows := slices.DeleteFunc(slices.Clone(rows), func(r *study.Row) bool {
			return !slices.ContainsFunc(pair, func(k cost) bool { return r.Figure(k.Unit).Counts() })
		})
		st := stage{rows: lineup(rows)}
		for _, k := range pair {
			st.panels = append(st.panels, panel{
				head: []string{k.Words},
				x:    k.axis(),
				mark: func(c *canvas, f frame, row int, y vg.Length) { c.cost(f, k.Unit, rows[row].Figure(k.Unit), y) },
			})
		}
		for _, r := range rows {
			shown = append(shown, r.Figure(pair[0].Unit))
		}
		g.stages = append(g.stages, st)
	}
	fig := g.figure(b.Block)
	fig.n, fig.keys = heatsOf(shown), roleKeys(rows)
	return fig
}

// axis holds the medians with their intervals, and left of them zero where there
// is one.
func (k cost) axis() axis {
	var positive []study.Interval
	for _, f := range k.figures {
		if f.Median.Estimate > 0 {
			positive = append(positive, f.Median)
		}
	}
	return estimateAxis(positive, 3, k.Quantity.Tick).withZero(len(positive) < len(k.figures))
}

// cost draws a figure on an axis that may have a zero.
func (c *canvas) cost(f frame, unit bench.Unit, fig *study.Figure, y vg.Length) {
	if !fig.Counts() {
		return
	}
	l, iv := lookOf(fig.Role), fig.Median
	if iv.Estimate == 0 {
		c.mark(l.shape, l.colour(c.theme), f.Min.X+4, y, 3.4)
		c.beside(f, f.Min.X+4, f.Min.X+4, y, c.sure(iv), "0")
		return
	}
	iv.Low = max(iv.Low, smallest)
	c.estimate(f, l.shape, l.colour(c.theme), iv, y)
	from, to := reach(f, iv)
	c.beside(f, from, to, y, c.sure(iv), unit.Quantity.Print(iv.Estimate))
}

// costTitle names the extremes of a panel.
func costTitle(k cost) string {
	ranked := study.Contenders(study.ByMedian(k.figures))
	of := func(f *study.Figure) string { return k.Quantity.Print(f.Median.Estimate) + " (" + f.Impl() + ")" }
	return k.Words + " is " + of(ranked[0]) + " to " + of(ranked[len(ranked)-1])
}
