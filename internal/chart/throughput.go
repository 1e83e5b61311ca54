package chart

import (
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"

	"hotpath/internal/bench"
)

// throughput draws, for each block of mode thrpt, the time per operation of
// each contestant, sorted, with every fork.
func throughput(s *study) ([]figure, error) {
	var unit = bench.TimePerOp
	var figures []figure
	for _, block := range s.Blocks() {
		if block.Mode() != bench.Throughput {
			continue
		}
		if scores := byMedian(s.scores(block, unit)); len(scores) > 0 {
			figures = append(figures, s.throughputFigure(block, scores))
		}
	}
	return figures, nil
}

func (s *study) throughputFigure(block bench.Block, scores []score) figure {
	t := table{rowHeight: 17}
	medians := column{title: "median"}
	intervals := column{title: "95 % interval"}
	forks := column{title: "clean forks"}
	var impls []string
	var values []float64
	var counts []int
	gated := 0
	for _, sc := range scores {
		impls = append(impls, sc.impl)
		t.rows = append(t.rows, s.row(sc.impl))
		values = append(append(values, sc.clean...), sc.gated...)
		counts = append(counts, len(sc.clean))
		gated += len(sc.gated)
		median := "–"
		if len(sc.clean) > 0 {
			median = nanoseconds(sc.median.Estimate)
		}
		medians.cells = append(medians.cells, median)
		intervals.cells = append(intervals.cells, sc.bounds(nanoseconds))
		forks.cells = append(forks.cells, "n="+number(len(sc.clean)))
	}
	t.columns = []column{medians, intervals, forks}
	t.panels = []panel{{
		x: logAxis(values, 7, shortTime),
		marks: func(c *canvas, f frame) {
			for i, sc := range scores {
				s.drawScore(c, f, sc, f.atY(-float64(i)))
			}
		},
	}}

	fig := figure{block: block, height: t.height(), body: t.draw}
	fig.title = s.throughputTitle(scores)
	fig.note = describe(block) + ", time per operation over all threads (log scale); " + each(counts, "clean fork") + "."
	fig.keys = append(s.roleKeys(impls), cleanKey)
	if gated > 0 {
		fig.keys = append(fig.keys, gatedKey)
	}
	var alt strings.Builder
	fmt.Fprintf(&alt, "Time per operation of %s, fastest first, median with 95 %% interval.", describe(block))
	for i, sc := range scores {
		fmt.Fprintf(&alt, " %s %s (%s, n=%d);", sc.impl, medians.cells[i], intervals.cells[i], len(sc.clean))
	}
	fmt.Fprintf(&alt, " %s gated.", plural(gated, "fork"))
	fig.alt = alt.String()
	return fig
}

// row is a table's row for a contestant.
func (s *study) row(impl string) row {
	return row{look: lookOf(s.roles[impl]), name: impl, strong: s.roles[impl] == bench.Ours}
}

// bounds prints the interval of a score's median.
func (sc score) bounds(print func(float64) string) string {
	switch {
	case len(sc.clean) == 0:
		return "no clean fork"
	case sc.median.Level == 0:
		return "too few forks"
	}
	return print(sc.median.Low) + " to " + print(sc.median.High)
}

// drawScore draws a score on an axis of log10: its forks, and over them the
// median with its interval, hollow where no fork is clean.
func (s *study) drawScore(c *canvas, f frame, sc score, y vg.Length) {
	l := lookOf(s.roles[sc.impl])
	col := l.colour(c.theme)
	for _, v := range sc.gated {
		c.hollow(disc, c.muted, f.atX(log10(v)), y, 2)
	}
	var dots vg.Path
	for _, v := range sc.clean {
		dots = append(dots, disc.path(f.atX(log10(v)), y, 1.9)...)
	}
	c.SetColor(faint(col))
	c.Fill(dots)
	if len(sc.clean) == 0 {
		c.hollow(l.shape, col, f.atX(log10(sc.median.Estimate)), y, 4)
		return
	}
	c.estimate(f, l.shape, col, sc.median, y)
}

// throughputTitle compares the fastest with the best peer, or with the slowest
// where that says nothing. Scores are sorted, the fastest first.
func (s *study) throughputTitle(scores []score) string {
	ranked := s.contenders(scores)
	if len(ranked) == 0 {
		return noClean(scores)
	}
	best := ranked[0]
	first := best.impl + " takes " + nanoseconds(best.median.Estimate) + " per operation"
	if len(ranked) == 1 {
		return first
	}
	other, what := ranked[len(ranked)-1], "the slowest"
	peer := slices.IndexFunc(ranked, func(sc score) bool { return s.roles[sc.impl] == bench.Peer })
	if peer > 0 {
		other, what = ranked[peer], "the fastest other library"
	}
	return fmt.Sprintf("%s; %s, %s, takes %s, %s as much", first, other.impl, what,
		nanoseconds(other.median.Estimate), ratio(other.median.Estimate/best.median.Estimate))
}
