package chart

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"

	"hotpath/internal/bench"
	"hotpath/internal/study"
)

// throughput draws, for each block of mode thrpt, the time per operation of
// each contestant, sorted, with every fork.
func throughput(d *drawing) []figure {
	var figures []figure
	for _, b := range d.Blocks {
		if b.Mode() != bench.Throughput {
			continue
		}
		if times := study.ByMedian(d.figures(b, bench.TimePerOp)); len(times) > 0 {
			figures = append(figures, throughputFigure(b, times))
		}
	}
	return figures
}

func throughputFigure(b *study.Block, times []*study.Figure) figure {
	print := bench.TimePerOp.Quantity.Print
	medians, intervals, forks := aside{title: "median"}, aside{title: "95 % interval"}, aside{title: "clean forks"}
	var values []float64
	var alt strings.Builder
	fmt.Fprintf(&alt, "Time per operation of %s, fastest first, median with 95 %% interval.", b.Describe())
	gated := 0
	for _, f := range times {
		median, bounds := "–", "no clean fork"
		if f.Counts() {
			median, bounds = print(f.Median.Estimate), "too few forks"
		}
		if f.Counts() && f.Median.Level > 0 {
			bounds = print(f.Median.Low) + " to " + print(f.Median.High)
		}
		values = append(append(values, f.Clean...), f.Gated...)
		gated += len(f.Gated)
		medians.cells = append(medians.cells, median)
		intervals.cells = append(intervals.cells, bounds)
		forks.cells = append(forks.cells, "n="+strconv.Itoa(len(f.Clean)))
		fmt.Fprintf(&alt, " %s %s (%s, n=%d);", f.Impl(), median, bounds, len(f.Clean))
	}
	fmt.Fprintf(&alt, " %s gated.", bench.Plural(gated, "fork"))

	rows := study.Rows(times)
	g := lineup(rows, 17)
	g.asides = []aside{medians, intervals, forks}
	g.panels = []panel{{
		x:    logAxis(values, 7, bench.Nanos.Tick),
		mark: func(c *canvas, f frame, row int, y vg.Length) { c.forks(f, times[row], y) },
	}}
	fig := g.figure(b.Block, rows)
	fig.title = throughputTitle(times)
	fig.note = b.Describe() + ", time per operation over all threads (log scale); " + each(cleanForks(times), "clean fork") + "."
	fig.alt = alt.String()
	fig.keys = append(fig.keys, cleanKey)
	if gated > 0 {
		fig.keys = append(fig.keys, gatedKey)
	}
	return fig
}

// forks draws a figure on an axis of log10: its forks, and over them the median
// with its interval, hollow where no fork is clean.
func (c *canvas) forks(f frame, fig *study.Figure, y vg.Length) {
	l := lookOf(fig.Role)
	col := l.colour(c.theme)
	for _, v := range fig.Gated {
		c.hollow(disc, c.muted, f.atX(log10(v)), y, 2)
	}
	var dots vg.Path
	for _, v := range fig.Clean {
		dots = append(dots, disc.path(f.atX(log10(v)), y, 1.9)...)
	}
	c.SetColor(faint(col))
	c.Fill(dots)
	if !fig.Counts() {
		c.hollow(l.shape, col, f.atX(log10(fig.Median.Estimate)), y, 4)
		return
	}
	c.estimate(f, l.shape, col, fig.Median, y)
}

// throughputTitle compares the fastest with the best peer, or with the slowest
// where that says nothing. Figures are sorted, the fastest first.
func throughputTitle(figures []*study.Figure) string {
	ranked := study.Contenders(figures)
	if len(ranked) == 0 {
		return noneCounts(figures)
	}
	print := bench.Nanos.Print
	best := ranked[0]
	first := best.Impl() + " takes " + print(best.Median.Estimate) + " per operation"
	if len(ranked) == 1 {
		return first
	}
	other, what := ranked[len(ranked)-1], "the slowest"
	if peer := slices.IndexFunc(ranked, func(f *study.Figure) bool { return f.Role == bench.Peer }); peer > 0 {
		other, what = ranked[peer], "the fastest other library"
	}
	return fmt.Sprintf("%s; %s, %s, takes %s, %s as much", first, other.Impl(), what,
		print(other.Median.Estimate), times(other.Median.Estimate/best.Median.Estimate))
}
