package chart

import (
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"

	"hotpath/internal/bench"
	"hotpath/internal/study"
)

// costGroups are what an operation costs besides its time, and what the garbage
// collector takes and how long it stops the others, in the order of the panels.
// Zero is an answer here.
var costGroups = []struct {
	part  string // in the name of the chart
	what  string // the panels show
	each  int    // panels in one chart
	units []bench.Unit
}{
	{"", " per operation", 3, []bench.Unit{bench.ServerCPU, bench.ServerBytes, bench.CPUPerOp, bench.GCCPU, bench.BytesPerOp}},
	{"gc", "", 4, []bench.Unit{bench.GCShare, bench.ServerGCShare, bench.GCPauseP50, bench.GCPauseP99, bench.GCPauseMax}},
}

// ofServer are the units of a server in a process of its own; beside it, the
// rest is the client's.
var ofServer = []bench.Unit{bench.ServerCPU, bench.ServerBytes, bench.ServerGCShare}

// cost is one panel: a unit and its figures.
type cost struct {
	bench.Unit
	figures []*study.Figure
}

// costs draws, for each block that is not sampled, CPU and memory per operation,
// and the garbage collector's share and its pauses: the units in which some
// contestant is not at zero, and of a block with a server in a process of its
// own the server's alone. Sampling itself costs memory and time, so its blocks
// would show the harness.
func costs(d *drawing) []figure {
	var figures []figure
	for _, b := range d.Blocks {
		times := study.ByMedian(d.figures(b, b.Score()))
		if len(times) == 0 || b.Mode() == bench.Sample {
			continue
		}
		served := len(b.Figures(bench.ServerCPU)) > 0
		for _, g := range costGroups {
			var panels []cost
			for _, unit := range g.units {
				if served && !slices.Contains(ofServer, unit) {
					continue
				}
				k := cost{unit, d.figures(b, unit)}
				if slices.ContainsFunc(k.figures, func(f *study.Figure) bool { return f.Median.Estimate > 0 }) {
					panels = append(panels, k)
				}
			}
			for some := range slices.Chunk(panels, g.each) {
				fig := costFigure(b, times, some, g.what)
				fig.part = g.part
				figures = append(figures, fig)
			}
		}
	}
	return figures
}

// costFigure has a row for each of the contestants, in the order of their
// times.
func costFigure(b *study.Block, order []*study.Figure, panels []cost, what string) figure {
	rows := study.Rows(order)
	g := lineup(rows, 17)
	var units []string
	var alt strings.Builder
	fmt.Fprintf(&alt, "Costs%s of %s, medians.", what, b.Describe())
	for _, k := range panels {
		units = append(units, k.Name)
		g.panels = append(g.panels, panel{
			head: []string{k.Words, k.Name},
			x:    k.axis(),
			mark: func(c *canvas, f frame, row int, y vg.Length) { c.cost(f, k.Unit, rows[row].Figure(k.Unit), y) },
		})
		fmt.Fprintf(&alt, " %s (%s):", sentence(k.Words), k.Unit)
		zeros := 0
		for _, r := range rows {
			switch f := r.Figure(k.Unit); {
			case !f.Counts():
			case f.Median.Estimate == 0:
				zeros++
			default:
				fmt.Fprintf(&alt, " %s %s,", r.Impl(), k.Quantity.Print(f.Median.Estimate))
			}
		}
		fmt.Fprintf(&alt, " 0 for %s.", bench.Plural(zeros, "contestant"))
	}
	forks := each(cleanForks(order), "clean fork")
	fig := g.figure(b.Block, rows)
	fig.title = costTitle(panels[0], what)
	fig.note = b.Describe() + ": medians of " + strings.Join(units, ", ") +
		" (log scale, zero at the left edge), 95 % intervals, in the order of time per operation; " + forks + "."
	fig.alt = alt.String() + " " + sentence(forks) + "."
	return fig
}

// axis holds the medians with their intervals, and left of them zero where
// there is one.
func (k cost) axis() axis {
	var positive []float64
	zero := false
	for _, f := range k.figures {
		values := []float64{f.Median.Estimate}
		if f.Median.Level > 0 {
			values = append(values, f.Median.Low, f.Median.High)
		}
		for _, v := range values {
			if v > 0 {
				positive = append(positive, v)
			} else {
				zero = true
			}
		}
	}
	return logAxis(positive, 4, k.Quantity.Tick).withZero(zero)
}

// cost draws a figure on an axis that may have a zero.
func (c *canvas) cost(f frame, unit bench.Unit, fig *study.Figure, y vg.Length) {
	if fig.Median.N == 0 {
		return
	}
	l := lookOf(fig.Role)
	col := l.colour(c.theme)
	place := func(v float64) vg.Length {
		if v <= 0 {
			return f.Min.X + 4
		}
		return f.atX(log10(v))
	}
	x := place(fig.Median.Estimate)
	if !fig.Counts() {
		c.hollow(l.shape, col, x, y, 3.6)
		return
	}
	from, to := x, x
	if fig.Median.Level > 0 {
		from, to = place(fig.Median.Low), place(fig.Median.High)
		c.line(col, 1.4, nil, vg.Point{X: from, Y: y}, vg.Point{X: to, Y: y})
	}
	c.mark(l.shape, col, x, y, 3.6)
	text := "0"
	if fig.Median.Estimate > 0 {
		text = unit.Quantity.Print(fig.Median.Estimate)
	}
	c.beside(f, from, to, y, text)
}

// costTitle names the extremes of a panel.
func costTitle(k cost, what string) string {
	ranked := study.Contenders(study.ByMedian(k.figures))
	if len(ranked) == 0 {
		return noneCounts(k.figures)
	}
	of := func(f *study.Figure) string { return k.Quantity.Print(f.Median.Estimate) + " (" + f.Impl() + ")" }
	title := sentence(k.Words) + what + ": "
	if len(ranked) == 1 {
		return title + of(ranked[0])
	}
	return title + "from " + of(ranked[0]) + " to " + of(ranked[len(ranked)-1])
}
