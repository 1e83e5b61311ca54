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

// panelsEach is how many blocks one chart of ratios shows side by side.
const panelsEach = 3

// ratios draws the blocks of mode thrpt of one benchmark side by side, each
// contestant's time over that of the block's fastest peer, round by round.
func ratios(d *drawing) []figure {
	groups := map[string][]study.Relative{}
	var names []string
	for _, b := range d.Blocks {
		if b.Mode() != bench.Throughput {
			continue
		}
		d.figures(b, bench.TimePerOp)
		rel, ok := b.Relative(bench.TimePerOp)
		if !ok {
			continue
		}
		if groups[b.Benchmark] == nil {
			names = append(names, b.Benchmark)
		}
		groups[b.Benchmark] = append(groups[b.Benchmark], rel)
	}
	if d.err != nil {
		return nil
	}
	var figures []figure
	for _, name := range names {
		for part := range slices.Chunk(groups[name], panelsEach) {
			figures = append(figures, ratioFigure(part))
		}
	}
	return figures
}

func ratioFigure(rels []study.Relative) figure {
	rows := study.Rank(rels)
	bounds, counts := []float64{1}, []int(nil)
	what, common, own := tellApart(rels)
	var alt strings.Builder
	fmt.Fprintf(&alt, "Time per operation as a multiple of that of %s, with 95 %% intervals.", what)
	for _, rel := range rels {
		fmt.Fprintf(&alt, " %s (1x is %s, %s):", rel.Describe(), rel.Base.Impl(), bench.Nanos.Print(rel.Base.Median.Estimate))
		for _, r := range rows {
			iv, ok := rel.Ratios[r.Impl()]
			if !ok || r.Impl() == rel.Base.Impl() {
				continue
			}
			bounds = append(bounds, iv.Estimate)
			if iv.Level > 0 {
				bounds = append(bounds, iv.Low, iv.High)
			}
			counts = append(counts, iv.N)
			fmt.Fprintf(&alt, " %s %s,", r.Impl(), interval(iv))
		}
		alt.WriteString(" n=" + strconv.Itoa(rel.Base.Median.N) + ".")
	}
	x := logAxis(bounds, 5, shortTimes)
	g := lineup(rows, 17)
	for i, rel := range rels {
		g.panels = append(g.panels, panel{
			head:  append(own[i], "1x: "+rel.Base.Impl()+", "+bench.Nanos.Print(rel.Base.Median.Estimate)),
			x:     x,
			below: (*canvas).one,
			mark: func(c *canvas, f frame, i int, y vg.Length) {
				if iv, ok := rel.Ratios[rows[i].Impl()]; ok {
					c.ratio(f, rows[i], iv, rows[i].Impl() == rel.Base.Impl(), y)
				}
			},
		})
	}
	fig := g.figure(bench.Block{}, rows)
	if len(rels) == 1 {
		fig.block = rels[0].Block.Block
	} else {
		fig.part = rels[0].Benchmark
	}
	fig.title = ratioTitle(rels, what)
	fig.note = fmt.Sprintf("%s: time per operation as a multiple of that of %s, round by round (log scale), 95 %% intervals; %s.",
		strings.Join(common, ", "), what, each(counts, "pair"))
	fig.alt = alt.String()
	return fig
}

// ratio draws a contestant's ratio with its value; that of the base is 1 without
// measuring.
func (c *canvas) ratio(f frame, r *study.Row, iv study.Interval, base bool, y vg.Length) {
	l, x := lookOf(r.Role), f.atX(log10(iv.Estimate))
	if base {
		l.draw(c, x, y, 3.8)
		return
	}
	c.estimate(f, l.shape, l.colour(c.theme), iv, y)
	from, to := x, x
	if iv.Level > 0 {
		from, to = f.atX(log10(iv.Low)), f.atX(log10(iv.High))
	}
	c.beside(f, from, to, y, times(iv.Estimate))
}

// tellApart names what all are compared with, and parts the words for their
// blocks into those that they share and those of each.
func tellApart(rels []study.Relative) (what string, common []string, own [][]string) {
	peers, same := 0, true
	for _, rel := range rels {
		if rel.Base.Role == bench.Peer {
			peers++
		}
		same = same && rel.Base.Impl() == rels[0].Base.Impl()
	}
	switch peers {
	case len(rels):
		what = "the fastest other library"
	case 0:
		what = "the fastest contestant"
	default:
		what = "the fastest other library, or contestant where there is none"
	}
	if same {
		what = rels[0].Base.Impl() + ", " + what
	}
	apart := func(word string) bool {
		return slices.ContainsFunc(rels, func(rel study.Relative) bool { return !slices.Contains(rel.Words(), word) })
	}
	common = append([]string{rels[0].Func()}, slices.DeleteFunc(rels[0].Words(), apart)...)
	for _, rel := range rels {
		own = append(own, slices.DeleteFunc(rel.Words(), func(word string) bool { return !apart(word) }))
	}
	return what, common, own
}

// ratioTitle says how the foremost contestant compares in each block.
func ratioTitle(rels []study.Relative, what string) string {
	var parts []string
	before := ""
	for _, rel := range rels {
		best := rel.Foremost()
		if best == nil {
			continue
		}
		part := times(rel.Ratios[best.Impl()].Estimate)
		switch {
		case before == "":
			part = best.Impl() + " takes " + part
		case best.Impl() != before:
			part = best.Impl() + " " + part
		}
		before = best.Impl()
		parts = append(parts, part)
	}
	return bench.List(parts) + " the time of " + what
}
