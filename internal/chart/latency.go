package chart

import (
	"fmt"
	"strings"

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
		if panels := b.Waits(); len(panels) > 0 && d.err == nil {
			figures = append(figures, waitFigure(b, panels))
		}
	}
	return figures
}

// pth names a percentile.
func pth(percentile float64) string { return "p" + bench.Short(percentile) }

func waitFigure(b *study.Block, panels []study.Wait) figure {
	var rows []*study.Row
	var responses []*study.Figure
	for _, r := range b.Rows {
		if f := panels[0].Response[r.Impl()]; f != nil && r.Role != bench.Control {
			rows, responses = append(rows, r), append(responses, f)
		}
	}
	forks := span(cleanForks(responses))
	print := bench.Nanos.Print
	var values []float64
	var alt strings.Builder
	fmt.Fprintf(&alt, "Service time and response time by percentile of %s, medians of the clean forks.", b.Describe())
	for _, w := range panels {
		fmt.Fprintf(&alt, " %s:", pth(w.Percentile))
		for _, times := range []map[string]*study.Figure{w.Service, w.Response} {
			for _, f := range times {
				values = append(values, f.Median.Estimate)
			}
		}
		for _, r := range rows {
			if service, response, ok := w.Of(r.Impl()); ok {
				fmt.Fprintf(&alt, " %s %s once begun, %s from when it was due;", r.Impl(), print(service), print(response))
			}
		}
	}
	fmt.Fprintf(&alt, " n=%s clean forks.", forks)
	g := lineup(rows, 24)
	x := logAxis(values, 3, bench.Nanos.Tick)
	for _, w := range panels {
		g.panels = append(g.panels, panel{
			head: []string{pth(w.Percentile)},
			x:    x,
			mark: func(c *canvas, f frame, row int, y vg.Length) {
				if service, response, ok := w.Of(rows[row].Impl()); ok {
					c.wait(f, lookOf(rows[row].Role), service, response, y)
				}
			},
		})
	}
	fig := g.figure(b.Block, rows)
	fig.title = waitTitle(panels, rows)
	fig.note = b.Describe() + ": operations begin at a fixed rate, whether or not those before have ended; medians of the clean forks by percentile (log scale, the same in all panels), n=" +
		forks + ". A loop that waits for each answer before it asks again sees the hollow marks alone."
	fig.alt = alt.String()
	fig.keys = append(fig.keys,
		key{func(c *canvas, x, y vg.Length) { c.hollow(disc, c.ink, x, y, 3.2) }, "service: from when an operation began"},
		key{func(c *canvas, x, y vg.Length) { c.mark(disc, c.ink, x, y, 3.2) }, "response: from when it was to begin"})
	return fig
}

// wait draws a service time and the response time that it is part of.
func (c *canvas) wait(f frame, l look, service, response float64, y vg.Length) {
	col := l.colour(c.theme)
	from, to := f.atX(log10(service)), f.atX(log10(response))
	c.line(col, 1.4, nil, vg.Point{X: from, Y: y}, vg.Point{X: to, Y: y})
	c.mark(l.shape, col, to, y, 3.4)
	c.hollow(l.shape, col, from, y, 3.4)
	c.beside(f, min(from, to), max(from, to), y, bench.Nanos.Print(response))
}

// waitTitle names the contestant whose operations wait longest.
func waitTitle(panels []study.Wait, rows []*study.Row) string {
	w, worst := study.LongestWait(panels, rows)
	if worst == nil {
		return "No contestant has both times at " + pth(w.Percentile)
	}
	service, response, _ := w.Of(worst.Impl())
	return fmt.Sprintf("At %s an operation of %s takes %s once it has begun, and %s from when it was due",
		pth(w.Percentile), worst.Impl(), bench.Nanos.Print(service), bench.Nanos.Print(response))
}
