package chart

import (
	"strings"

	"gonum.org/v1/plot/vg"

	"hotpath/internal/bench"
	"hotpath/internal/study"
)

// Overview draws what it brings to use one contestant instead of another, over
// all experiments: as many times as fast. It reports false where there is
// nothing to compare.
func Overview(xs []*study.Experiment) (Chart, bool) {
	var all []study.Gains
	var ivs []study.Interval
	var counts []int
	for _, x := range xs {
		g, ok := x.Gains()
		if !ok {
			continue
		}
		all = append(all, g)
		for _, gain := range g.All {
			ivs, counts = append(ivs, gain.Faster), append(counts, gain.Faster.N)
		}
	}
	if len(all) == 0 {
		return Chart{}, false
	}
	g := grid{above: true, rowHeight: lead + 18}
	x := ratioAxis(ivs, 5)
	var rows []*study.Row
	for i, gs := range all {
		if i < len(all)-1 {
			g.stages = append(g.stages, gainStage(gs, x.unlabelled()))
		} else {
			g.stages = append(g.stages, gainStage(gs, x))
		}
		for _, gain := range gs.All {
			rows = append(rows, gain.Use.Row)
		}
	}
	f := g.figure(bench.Block{})
	f.title, f.n = overviewTitle(all), inHeats(counts)
	f.note = "How many times as fast the first is as the second, with 95" + bench.NBSP + "% intervals (log scale); right of the line it is faster."
	f.keys = roleKeys(rows)
	return Kind{Name: "overview", form: "What to use instead of what"}.chart("overview", f), true
}

func gainStage(gs study.Gains, x axis) stage {
	st, words := stage{asides: []aside{{}}}, gs.Words() // the last is GOMAXPROCS, the same for all
	for _, gain := range gs.All {
		l := lookOf(gain.Use.Role)
		st.rows = append(st.rows, row{look: &l, name: named(gain.Use.Row) + " instead of " + named(gain.Instead.Row), strong: gain.Use.Role == bench.Ours})
		st.asides[0].add(interval(gain.Faster), gain.Faster.Level == 0)
	}
	st.panels = []panel{{
		head: []string{gs.Experiment + ": " + strings.Join(words[:len(words)-1], ", ")},
		x:    x,
		mark: func(c *canvas, f frame, row int, y vg.Length) {
			l := lookOf(gs.All[row].Use.Role)
			c.estimate(f, l.shape, l.colour(c.theme), gs.All[row].Faster, y)
		},
	}}
	return st
}

// overviewTitle tells the first experiments' greatest gains.
func overviewTitle(all []study.Gains) string {
	var parts []string
	for _, gs := range all {
		best := gs.All[0]
		for _, gain := range gs.All {
			if gain.Use.Role == bench.Ours && (best.Use.Role != bench.Ours || gain.Faster.Estimate > best.Faster.Estimate) {
				best = gain
			}
		}
		parts = append(parts, gs.Experiment+" "+bench.Ratio(best.Faster.Estimate)+"× ("+named(best.Use.Row)+" instead of "+best.Instead.Impl()+")")
	}
	return "How much faster: " + strings.Join(parts, ", ")
}
