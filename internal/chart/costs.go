package chart

import (
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"

	"hotpath/internal/bench"
)

// costGroups are what an operation costs besides its time, and what the garbage
// collector takes and how long it stops the others, in the order of the panels.
// Zero is an answer here.
var costGroups = []struct {
	part  string // in the name of the chart
	what  string // the panels show
	each  int    // panels in one chart
	units []measure
}{
	{"", " per operation", panelsEach, []measure{
		{bench.ServerCPU, "server's CPU", nanoseconds, shortTime},
		{bench.ServerBytes, "allocated by the server", size, shortSize},
		{bench.CPUPerOp, "CPU", nanoseconds, shortTime},
		{bench.GCCPU, "garbage collector's CPU", nanoseconds, shortTime},
		{bench.BytesPerOp, "allocated", size, shortSize},
	}},
	{"gc", "", 4, []measure{
		{bench.GCShare, "garbage collector's share of the CPU", share, shortShare},
		{bench.ServerGCShare, "garbage collector's share of the server's CPU", share, shortShare},
		{bench.GCPauseP50, "pause, p50", nanoseconds, shortTime},
		{bench.GCPauseP99, "pause, p99", nanoseconds, shortTime},
		{bench.GCPauseMax, "pause, longest", nanoseconds, shortTime},
		{bench.ServerGCPause, "server's pause, p99", nanoseconds, shortTime},
	}},
}

// cost is one panel: a unit and its values for each contestant.
type cost struct {
	measure
	scores []score
}

// of finds a contestant's score.
func (k cost) of(impl string) (score, bool) {
	i := slices.IndexFunc(k.scores, func(sc score) bool { return sc.impl == impl })
	if i < 0 {
		return score{}, false
	}
	return k.scores[i], true
}

// costs draws, for each block that is not sampled, CPU and memory per operation,
// and the garbage collector's share and its pauses: the units in which some
// contestant is not at zero, and of a block with a server in a process of its
// own the server's alone. Sampling itself costs memory and time, so its blocks
// would show the harness.
func costs(s *study) ([]figure, error) {
	var figures []figure
	for _, block := range s.Blocks() {
		m, ok := s.scored(block)
		if !ok || block.Mode() == bench.Sample {
			continue
		}
		times := byMedian(s.scores(block, m.unit))
		served := len(s.scores(block, serverUnit.unit)) > 0
		for _, g := range costGroups {
			var panels []cost
			for _, m := range g.units {
				// Beside a server in a process of its own, the rest is the client's.
				if served && !strings.HasPrefix(m.unit.Name, "server-") {
					continue
				}
				scores := s.scores(block, m.unit)
				if slices.ContainsFunc(scores, func(sc score) bool { return sc.median.Estimate > 0 }) {
					panels = append(panels, cost{m, scores})
				}
			}
			for some := range slices.Chunk(panels, g.each) {
				fig := s.costFigure(block, times, some, g.what)
				fig.part = g.part
				figures = append(figures, fig)
			}
		}
	}
	return figures, nil
}

// costFigure has a row for each of the contestants, in the order of their
// times.
func (s *study) costFigure(block bench.Block, times []score, panels []cost, what string) figure {
	t := table{rowHeight: 17}
	var impls []string
	var counts []int
	for _, sc := range times {
		impls = append(impls, sc.impl)
		t.rows = append(t.rows, s.row(sc.impl))
		counts = append(counts, len(sc.clean))
	}
	var units []string
	for _, k := range panels {
		units = append(units, k.unit.Name)
		t.panels = append(t.panels, panel{
			head: []string{k.text, k.unit.Name},
			x:    k.axis(),
			marks: func(c *canvas, f frame) {
				for i, impl := range impls {
					if sc, ok := k.of(impl); ok {
						s.drawCost(c, f, k, sc, f.atY(-float64(i)))
					}
				}
			},
		})
	}

	fig := figure{block: block, height: t.height(), body: t.draw, keys: s.roleKeys(impls)}
	fig.title = s.costTitle(panels[0], what)
	fig.note = describe(block) + ": medians of " + strings.Join(units, ", ") +
		" (log scale, zero at the left edge), 95 % intervals, in the order of time per operation; " + each(counts, "clean fork") + "."
	fig.alt = costAlt(block, impls, panels, what) + " " + sentence(each(counts, "clean fork")) + "."
	return fig
}

// axis holds the medians with their intervals, and left of them zero where
// there is one.
func (k cost) axis() axis {
	var positive []float64
	zero := false
	for _, sc := range k.scores {
		values := []float64{sc.median.Estimate}
		if sc.median.Level > 0 {
			values = append(values, sc.median.Low, sc.median.High)
		}
		for _, v := range values {
			if v > 0 {
				positive = append(positive, v)
			} else {
				zero = true
			}
		}
	}
	x := logAxis(positive, 4, k.tick)
	if zero {
		x.lo -= (x.hi - x.lo) * 0.12
	}
	return x
}

func (s *study) drawCost(c *canvas, f frame, k cost, sc score, y vg.Length) {
	l := lookOf(s.roles[sc.impl])
	col := l.colour(c.theme)
	place := func(v float64) vg.Length {
		if v <= 0 {
			return f.Min.X + 4
		}
		return f.atX(log10(v))
	}
	x := place(sc.median.Estimate)
	if len(sc.clean) == 0 {
		c.hollow(l.shape, col, x, y, 3.6)
		return
	}
	from, to := x, x
	if sc.median.Level > 0 {
		from, to = place(sc.median.Low), place(sc.median.High)
		c.line(col, 1.4, nil, vg.Point{X: from, Y: y}, vg.Point{X: to, Y: y})
	}
	c.mark(l.shape, col, x, y, 3.6)
	text := "0"
	if sc.median.Estimate > 0 {
		text = k.print(sc.median.Estimate)
	}
	c.beside(f, from, to, y, text)
}

// costTitle names the extremes of the first panel.
func (s *study) costTitle(k cost, what string) string {
	ranked := s.contenders(byMedian(k.scores))
	if len(ranked) == 0 {
		return noClean(k.scores)
	}
	lo, hi := ranked[0], ranked[len(ranked)-1]
	of := func(sc score) string { return k.print(sc.median.Estimate) + " (" + sc.impl + ")" }
	title := sentence(k.text) + what + ": "
	if len(ranked) == 1 {
		return title + of(lo)
	}
	return title + "from " + of(lo) + " to " + of(hi)
}

func costAlt(block bench.Block, impls []string, panels []cost, what string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Costs%s of %s, medians.", what, describe(block))
	for _, k := range panels {
		fmt.Fprintf(&b, " %s (%s):", sentence(k.text), k.unit)
		zeros := 0
		for _, impl := range impls {
			switch sc, ok := k.of(impl); {
			case !ok || len(sc.clean) == 0:
			case sc.median.Estimate == 0:
				zeros++
			default:
				fmt.Fprintf(&b, " %s %s,", impl, k.print(sc.median.Estimate))
			}
		}
		fmt.Fprintf(&b, " 0 for %s.", plural(zeros, "contestant"))
	}
	return b.String()
}
