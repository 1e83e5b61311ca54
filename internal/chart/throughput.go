package chart

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"gonum.org/v1/plot/vg"

	"hotpath/internal/bench"
	"hotpath/internal/study"
)

// fewBlocks is how many blocks of throughput have a chart each; more share one.
const fewBlocks = 4

// throughput draws how many times as fast as the fastest other library each
// contestant of each block of mode thrpt is, with its time. Originals are compared
// with their re-creations in a chart of their own.
func throughput(d *drawing) []figure {
	var standings []study.Standing
	for _, b := range d.Blocks {
		if b.Mode() != bench.Throughput || b.Lane() != "" {
			continue
		}
		d.figures(b, bench.TimePerOp)
		if s, ok := b.Standing(bench.TimePerOp); ok && d.err == nil {
			standings = append(standings, s)
		}
	}
	if len(standings) > fewBlocks {
		return []figure{standingsFigure(standings)}
	}
	var figures []figure
	for _, s := range standings {
		figures = append(figures, standingFigure(s))
	}
	return figures
}

var ofFactors = "from turns of the same lap, with 95" + bench.NBSP + "% intervals (log scale). Faint: fewer than " + strconv.Itoa(study.Method.MinGroup) + " heats."

func standingFigure(s study.Standing) figure {
	time, factor, n := aside{title: "time"}, aside{title: "factor"}, aside{title: "n"}
	for _, p := range s.Ranks {
		text, times := "–", "–"
		if p.Counts() {
			text = bench.Nanos.Print(p.Median.Estimate)
		}
		if drawable(p.Faster.Estimate) {
			times = bench.Ratio(p.Faster.Estimate)
		}
		few := p.Median.Level == 0 || !p.Counts()
		time.add(text, few)
		factor.add(times, p.Faster.Level == 0)
		n.add(strconv.Itoa(len(p.Clean)), few)
	}
	figures, factors := parts(s)
	rows := study.Rows(figures)
	g := grid{rowHeight: rowHeight, stages: []stage{{rows: lineup(rows), asides: []aside{time, factor, n}, panels: []panel{{
		x:    ratioAxis(factors, 4),
		mark: func(c *canvas, f frame, row int, y vg.Length) { c.place(f, &s.Ranks[row], y) },
	}}}}}
	fig := g.figure(s.Block.Block)
	fig.title, fig.n = standingTitle(s), heatsOf(figures)
	fig.note = s.Describe() + ". Time per operation over all threads; the factor is how many times as fast as " + s.Base.Impl() + ", " + ofFactors
	fig.keys = roleKeys(rows)
	return fig
}

// parts are a standing's figures and factors.
func parts(s study.Standing) (figures []*study.Figure, factors []study.Interval) {
	for _, r := range s.Ranks {
		figures, factors = append(figures, r.Figure), append(factors, r.Faster)
	}
	return figures, factors
}

// place draws a contestant's factor, and reports whether it has one.
func (c *canvas) place(f frame, p *study.Rank, y vg.Length) bool {
	if p == nil || !drawable(p.Faster.Estimate) {
		return false
	}
	l := lookOf(p.Role)
	c.estimate(f, l.shape, l.colour(c.theme), p.Faster, y)
	return true
}

// standingTitle compares the best of ours with the base, or the fastest of all
// where there is none.
func standingTitle(s study.Standing) string {
	base := s.Base.Impl()
	if s.Base.Role == bench.Peer {
		base += ", the fastest other library"
		if s.Open {
			base += " with enough heats"
		}
	}
	best, held := s.Foremost()
	switch {
	case best == nil && held == nil && slices.ContainsFunc(s.Ranks, func(r study.Rank) bool {
		return !r.Counts() && r.Median.N > 0 && r.Median.Estimate < s.Ranks[0].Median.Estimate
	}):
		return "too few heats count to say who is fastest"
	case best == nil && held == nil:
		return s.Ranks[0].Impl() + " is fastest with " + bench.Nanos.Print(s.Ranks[0].Median.Estimate) + " per operation"
	case best == nil:
		best, held = held, nil
	}
	title := named(best.Row) + " is " + faster(best.Faster.Estimate) + " as " + base
	if held != nil && held.Faster.Estimate > best.Faster.Estimate {
		title += ", " + named(held.Row) + " " + bench.Ratio(held.Faster.Estimate) + " times"
	}
	return title
}

// standingsFigure sets blocks side by side: the second half of them right of the
// first. A contestant of one block alone is left to that block's table.
func standingsFigure(standings []study.Standing) figure {
	var all []study.Interval
	var figures []*study.Figure
	var blocks []*study.Block
	for _, s := range standings {
		blocks = append(blocks, s.Block)
		of, factors := parts(s)
		all, figures = append(all, factors...), append(figures, of...)
	}
	half := (len(standings) + 1) / 2
	common, own := apart(blocks)
	x := ratioAxis(all, 4)
	g := grid{rowHeight: rowHeight}
	for i := range half {
		var st stage
		rows := shared(standings, standings[i])
		st.rows = lineup(rows)
		for j := i; j < len(standings); j += half {
			st.panels = append(st.panels, standingPanel(standings[j], own[j], rows, x))
		}
		g.stages = append(g.stages, st)
	}
	fig := g.figure(bench.Block{})
	fig.part = standings[0].Benchmark
	fig.title, fig.n = standingsTitle(standings), heatsOf(figures)
	fig.note = common + ". Times as fast as the fastest other library, " + ofFactors
	fig.keys = roleKeys(study.Rows(figures))
	return fig
}

func standingPanel(s study.Standing, own string, rows []*study.Row, x axis) panel {
	return panel{
		head: []string{own, "1× is " + s.Base.Impl() + ", " + bench.Nanos.Print(s.Base.Median.Estimate)},
		x:    x,
		mark: func(c *canvas, f frame, row int, y vg.Length) {
			p := s.Of(rows[row].Impl())
			if c.place(f, p, y) {
				from, to := reach(f, p.Faster)
				c.beside(f, from, to, y, c.sure(p.Faster), times(p.Faster.Estimate))
			}
		},
	}
}

// shared are the contestants of a standing that are in others too.
func shared(standings []study.Standing, of study.Standing) []*study.Row {
	figures, _ := parts(of)
	return slices.DeleteFunc(study.Rows(figures), func(r *study.Row) bool {
		n := 0
		for _, s := range standings {
			if s.Of(r.Impl()) != nil {
				n++
			}
		}
		return n < 2
	})
}

// standingsTitle tells between which factors the best of ours lies.
func standingsTitle(standings []study.Standing) string {
	var bests []*study.Rank
	for _, s := range standings {
		if best, _ := s.Foremost(); best != nil {
			bests = append(bests, best)
		}
	}
	if bests == nil {
		return "none of ours at " + bench.Plural(len(standings), "load")
	}
	by := func(a, b *study.Rank) int { return cmp.Compare(a.Faster.Estimate, b.Faster.Estimate) }
	lo, hi := slices.MinFunc(bests, by), slices.MaxFunc(bests, by)
	who := lo.Impl()
	if hi.Impl() != who {
		who += " or " + hi.Impl()
	}
	return fmt.Sprintf("%s, the best of ours, is %s to %s as the fastest other library, by load", who, bench.Ratio(lo.Faster.Estimate), faster(hi.Faster.Estimate))
}
