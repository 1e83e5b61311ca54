package chart

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"

	"hotpath/internal/bench"
)

// openPercentiles are those at which service and response are set side by side.
var openPercentiles = []float64{50, 99, 99.9, 99.99}

// pth names a percentile.
func pth(percentile float64) string { return "p" + short(percentile) }

// wait is a percentile of a block's contestants, from when an operation began
// and from when it was to begin.
type wait struct {
	percentile        string
	service, response cost
}

// waits draws, for each open loop, what an operation takes once it has begun
// beside what it takes from the moment at which it was to begin.
func waits(s *study) ([]figure, error) {
	var figures []figure
	for _, block := range s.Blocks() {
		if block.Mode() != bench.Open {
			continue
		}
		var panels []wait
		for _, p := range openPercentiles {
			w := wait{pth(p), s.timesOf(block, bench.Service(p)), s.timesOf(block, bench.Latency(p))}
			if len(w.service.scores) > 0 && len(w.response.scores) > 0 {
				panels = append(panels, w)
			}
		}
		if len(panels) > 0 {
			figures = append(figures, s.waitFigure(block, panels))
		}
	}
	return figures, nil
}

// timesOf are the contestants with a clean fork that has the unit.
func (s *study) timesOf(block bench.Block, unit bench.Unit) cost {
	scores := slices.DeleteFunc(s.scores(block, unit), func(sc score) bool { return len(sc.clean) == 0 || sc.median.Estimate <= 0 })
	return cost{measure{unit, unit.Name, nanoseconds, shortTime}, scores}
}

func (s *study) waitFigure(block bench.Block, panels []wait) figure {
	t := table{rowHeight: 24}
	var impls []string
	var counts []int
	for _, cell := range s.Block(block) {
		if sc, ok := panels[0].response.of(cell.Impl()); ok && cell.Role != bench.Control {
			impls = append(impls, sc.impl)
			counts = append(counts, len(sc.clean))
			t.rows = append(t.rows, s.row(sc.impl))
		}
	}
	var values []float64
	for _, w := range panels {
		for _, sc := range append(slices.Clip(w.service.scores), w.response.scores...) {
			values = append(values, sc.median.Estimate)
		}
	}
	x := logAxis(values, 3, shortTime)
	var alt strings.Builder
	fmt.Fprintf(&alt, "Service time and response time by percentile of %s, medians of the clean forks.", describe(block))
	for _, w := range panels {
		t.panels = append(t.panels, panel{
			head:  []string{w.percentile},
			x:     x,
			marks: func(c *canvas, f frame) { s.drawWaits(c, f, w, impls) },
		})
		fmt.Fprintf(&alt, " %s:", w.percentile)
		for _, impl := range impls {
			if service, response, ok := w.of(impl); ok {
				fmt.Fprintf(&alt, " %s %s once begun, %s from when it was due;", impl, nanoseconds(service), nanoseconds(response))
			}
		}
	}
	fmt.Fprintf(&alt, " n=%s clean forks.", span(counts))

	fig := figure{block: block, height: t.height(), body: t.draw, alt: alt.String()}
	fig.title = s.waitTitle(panels, impls)
	fig.note = describe(block) + ": operations begin at a fixed rate, whether or not those before have ended; medians of the clean forks by percentile (log scale, the same in all panels), n=" +
		span(counts) + ". A loop that waits for each answer before it asks again sees the hollow marks alone."
	fig.keys = append(s.roleKeys(impls),
		key{func(c *canvas, x, y vg.Length) { c.hollow(disc, c.ink, x, y, 3.2) }, "service: from when an operation began"},
		key{func(c *canvas, x, y vg.Length) { c.mark(disc, c.ink, x, y, 3.2) }, "response: from when it was to begin"})
	return fig
}

// of returns a contestant's service and response times in ns.
func (w wait) of(impl string) (service, response float64, ok bool) {
	a, okA := w.service.of(impl)
	b, okB := w.response.of(impl)
	return a.median.Estimate, b.median.Estimate, okA && okB
}

func (s *study) drawWaits(c *canvas, f frame, w wait, impls []string) {
	for i, impl := range impls {
		service, response, ok := w.of(impl)
		if !ok {
			continue
		}
		l, y := lookOf(s.roles[impl]), f.atY(-float64(i))
		col := l.colour(c.theme)
		from, to := f.atX(log10(service)), f.atX(log10(response))
		c.line(col, 1.4, nil, vg.Point{X: from, Y: y}, vg.Point{X: to, Y: y})
		c.mark(l.shape, col, to, y, 3.4)
		c.hollow(l.shape, col, from, y, 3.4)
		c.beside(f, min(from, to), max(from, to), y, nanoseconds(response))
	}
}

// waitTitle names the contestant whose operations wait longest at p99, or at
// the nearest percentile there is.
func (s *study) waitTitle(panels []wait, impls []string) string {
	w := panels[0]
	for _, other := range panels {
		if other.percentile == "p99" {
			w = other
		}
	}
	ranked := slices.DeleteFunc(slices.Clone(impls), func(impl string) bool { _, _, ok := w.of(impl); return !ok })
	if some := slices.DeleteFunc(slices.Clone(ranked), func(impl string) bool { return !s.ranked(impl) }); len(some) > 0 {
		ranked = some
	}
	if len(ranked) == 0 {
		return "No contestant has both times at " + w.percentile
	}
	times := func(impl string) float64 { a, b, _ := w.of(impl); return b / a }
	worst := slices.MaxFunc(ranked, func(a, b string) int { return cmp.Compare(times(a), times(b)) })
	service, response, _ := w.of(worst)
	return fmt.Sprintf("At %s an operation of %s takes %s once it has begun, and %s from when it was due",
		w.percentile, worst, nanoseconds(service), nanoseconds(response))
}
