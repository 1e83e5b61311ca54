package chart

import (
	"slices"

	"gonum.org/v1/plot/vg"

	"hotpath/internal/bench"
	"hotpath/internal/study"
)

// waits draws, for each open loop, what an operation takes once it has begun
// beside what it takes from the moment at which it was to begin.
func waits(d *drawing) []figure {
	var figures []figure
	for _, b := range d.Blocks {
		for _, p := range bench.Percentiles {
			d.figures(b, bench.Service(p))
			d.figures(b, bench.Latency(p))
		}
		if all := b.Waits(); len(all) > 0 && d.err == nil {
			figures = append(figures, waitFigure(b, all))
		}
	}
	return figures
}

// waitFigure has two percentiles side by side in each stage.
func waitFigure(b *study.Block, all []study.Wait) figure {
	var rows []*study.Row
	var responses []*study.Figure
	for _, r := range b.Rows {
		if f := all[0].Response[r.Impl()]; f != nil && r.Role != bench.Control {
			rows, responses = append(rows, r), append(responses, f)
		}
	}
	var values []float64
	for _, w := range all {
		for _, times := range []map[string]*study.Figure{w.Service, w.Response} {
			for _, f := range times {
				values = append(values, f.Median.Estimate)
			}
		}
	}
	x := logAxis(values, 4, bench.Nanos.Tick)
	g := grid{rowHeight: rowHeight + 4}
	for pair := range slices.Chunk(all, 2) {
		st := stage{rows: lineup(rows)}
		for _, w := range pair {
			st.panels = append(st.panels, panel{
				head: []string{pth(w.Percentile)},
				x:    x,
				mark: func(c *canvas, f frame, row int, y vg.Length) {
					c.wait(f, w.Service[rows[row].Impl()], w.Response[rows[row].Impl()], y)
				},
			})
		}
		g.stages = append(g.stages, st)
	}
	fig := g.figure(b.Block)
	fig.title, fig.n = waitTitle(all, rows), heatsOf(responses)
	fig.note = b.Describe() + ". Medians of the heats (log scale)."
	fig.keys = append(roleKeys(rows),
		key{func(c *canvas, x, y vg.Length) { c.hollow(disc, c.ink, x, y, 3.4) }, "service: from when a call began"},
		key{func(c *canvas, x, y vg.Length) { c.mark(disc, c.ink, x, y, 3.4) }, "response: from when it was due"})
	return fig
}

// wait draws a service time and the response time that it is part of, where both
// are known.
func (c *canvas) wait(f frame, service, response *study.Figure, y vg.Length) {
	if service == nil || response == nil {
		return
	}
	l := lookOf(response.Role)
	col := l.colour(c.theme)
	if response.Median.Level == 0 {
		col = faint(col)
	}
	from, to := f.atX(log10(service.Median.Estimate)), f.atX(log10(response.Median.Estimate))
	c.line(col, 1.4, nil, vg.Point{X: from, Y: y}, vg.Point{X: to, Y: y})
	c.mark(l.shape, col, to, y, 3.6)
	c.hollow(l.shape, col, from, y, 3.6)
	c.beside(f, min(from, to), max(from, to), y, c.sure(response.Median), bench.Nanos.Print(response.Median.Estimate))
}

// waitTitle names the contestant whose operations wait longest.
func waitTitle(all []study.Wait, rows []*study.Row) string {
	w, worst := study.LongestWait(all, rows)
	if worst == nil {
		return "no contestant has both times at " + pth(w.Percentile)
	}
	service, response, _ := w.Of(worst.Impl())
	return "at " + pth(w.Percentile) + " a call of " + worst.Impl() + " takes " + bench.Nanos.Print(service) + " once begun, and " +
		bench.Nanos.Print(response) + " from when it was due"
}
