package chart

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"hotpath/internal/bench"
)

// strip is the forks of one contestant in the order of running.
type strip struct {
	score
	points []point
	failed int
}

// point is a complete fork.
type point struct {
	id    int
	value float64
	clean bool
}

// sequence draws, for each block that claims are judged on, the value of each
// fork in the order of running, so that drift, steps and gated forks show.
func sequence(s *study) ([]figure, error) {
	var figures []figure
	for _, block := range s.Blocks() {
		m, ok := s.scored(block)
		if !ok || !slices.ContainsFunc(s.Block(block), func(c bench.Cell) bool { return c.Tier == bench.Judged }) {
			continue
		}
		var strips []strip
		for _, sc := range s.scores(block, m.unit) {
			st := strip{score: sc}
			for _, f := range s.forks[sc.cell.ID()] {
				if v, ok := f.Value(m.unit); ok && f.State == bench.Complete {
					st.points = append(st.points, point{f.ID, v, f.Clean()})
				} else {
					st.failed++
				}
			}
			strips = append(strips, st)
		}
		figures = append(figures, s.sequenceFigure(block, m, strips))
	}
	return figures, nil
}

// bands are the pairs of lines of which each strip has one.
var bands = [][2]float64{{0.98, 1.02}, {0.95, 1.05}, {0.9, 1.1}, {0.8, 1.25}, {0.5, 2}, {0.2, 5}, {0.1, 10}, {0.01, 100}, {1e-4, 1e4}}

func (s *study) sequenceFigure(block bench.Block, m measure, strips []strip) figure {
	const stripHeight, stripGap vg.Length = 38, 4
	var notes, names, counts []string
	first, last := math.MaxInt, 0
	lo, hi := log10(bands[0][0]), log10(bands[0][1])
	gated, all := 0, 0
	for _, st := range strips {
		count := "n=" + number(len(st.clean))
		if g := len(st.gated); g > 0 {
			count += ", " + number(g) + " gated"
			gated += g
		}
		if st.failed > 0 {
			count += ", " + number(st.failed) + " failed"
		}
		names = append(names, st.impl)
		note := "median " + m.print(st.median.Estimate)
		if len(st.clean) == 0 {
			note = "gated " + note
		}
		notes = append(notes, note)
		counts = append(counts, count)
		all += len(st.points)
		for _, p := range st.points {
			first, last = min(first, p.id), max(last, p.id)
		}
		// Clean forks set the scale: a gated one may lie anywhere.
		for _, v := range st.clean {
			at := log10(v / st.median.Estimate)
			lo, hi = min(lo, at), max(hi, at)
		}
	}
	pad := max(float64(last-first)*0.02, 0.5)
	x := axis{float64(first) - pad, float64(last) + pad, steps(first, last, 8)}
	y := axis{lo: lo - (hi-lo)*0.15, hi: hi + (hi-lo)*0.15}
	for _, b := range slices.Backward(bands) {
		apart := (stripHeight - stripGap) * (y.at(log10(b[1])) - y.at(log10(b[0])))
		// The next strip's upper line must not come too near either.
		if y.holds(log10(b[0])) && y.holds(log10(b[1])) && min(apart, stripHeight-apart) > lead*0.8 {
			y.ticks = []tick{{log10(b[0]), short(b[0]) + "x"}, {log10(b[1]), short(b[1]) + "x"}}
			break
		}
	}

	fig := figure{block: block, height: stripHeight*vg.Length(len(strips)) + 38}
	fig.title = sequenceTitle(strips, gated, all)
	fig.note = describe(block) + ": " + m.text + " of each fork over the median of its contestant's clean forks (log scale), in the order of running."
	fig.keys = []key{{func(c *canvas, x, y vg.Length) { c.mark(disc, c.series[1], x, y, 2.4) }, "clean fork"}}
	if gated > 0 {
		fig.keys = append(fig.keys, gatedKey)
	}
	if slices.ContainsFunc(strips, func(st strip) bool { return st.leaves(y) }) {
		fig.keys = append(fig.keys, key{func(c *canvas, x, y vg.Length) { c.hollow(down, c.muted, x, y, 3) }, "gated fork beyond the strip"})
	}
	fig.alt = sequenceAlt(block, m, strips)
	fig.body = func(c *canvas) {
		nameWidth := min(max(widest(strong, names), widest(small, notes)), nameMax)
		countWidth := widest(small, counts)
		f := frame{vg.Rectangle{
			Min: vg.Point{X: margin + nameWidth + y.labelWidth() + 8},
			Max: vg.Point{X: pageWidth - margin - countWidth - columnGap},
		}, x, y}
		f.Min.Y, f.Max.Y = c.Min.Y+32, c.Max.Y-4
		c.ticksX(f)
		c.text(small, c.muted, draw.XLeft, f.Min.X, f.Min.Y-tickGap-lead, "fork, in the order of the whole run")
		top := f.Max.Y
		for i, st := range strips {
			f.Max.Y = top - stripHeight*vg.Length(i)
			f.Min.Y = f.Max.Y - stripHeight + stripGap
			st.draw(c, f)
			middle := f.atY(0)
			c.text(plain, c.ink, draw.XLeft, margin, middle+lead/2, fit(plain, st.impl, nameMax))
			c.text(small, c.muted, draw.XLeft, margin, middle-lead/2, notes[i])
			c.text(small, c.muted, draw.XLeft, f.Max.X+columnGap, middle, counts[i])
		}
	}
	return fig
}

// place is where a fork is on the strip's axis.
func (st strip) place(p point) float64 { return log10(p.value / st.median.Estimate) }

// leaves reports whether a fork lies beyond the axis.
func (st strip) leaves(y axis) bool {
	return slices.ContainsFunc(st.points, func(p point) bool { return !y.holds(st.place(p)) })
}

func (st strip) draw(c *canvas, f frame) {
	c.ticksY(f)
	c.line(c.muted, 0.7, nil, vg.Point{X: f.Min.X, Y: f.atY(0)}, vg.Point{X: f.Max.X, Y: f.atY(0)})
	for _, p := range st.points {
		x, at := f.atX(float64(p.id)), st.place(p)
		switch {
		case p.clean:
			c.mark(disc, c.series[1], x, f.atY(at), 2.4)
		case at < f.y.lo:
			c.hollow(down, c.muted, x, f.Min.Y+2, 3)
		case at > f.y.hi:
			c.hollow(up, c.muted, x, f.Max.Y-2, 3)
		default:
			c.hollow(disc, c.muted, x, f.atY(at), 2)
		}
	}
}

// sequenceTitle names the contestant whose clean forks differ most.
func sequenceTitle(strips []strip, gated, all int) string {
	most, worst := 0.0, ""
	for _, st := range strips {
		if len(st.clean) < 2 {
			continue
		}
		if spread := slices.Max(st.clean) / slices.Min(st.clean); spread > most {
			most, worst = spread, st.impl
		}
	}
	title := number(gated) + " of " + plural(all, "fork") + " gated"
	if worst == "" {
		return title
	}
	return fmt.Sprintf("Clean forks of one contestant differ by up to %s (%s); %s", ratio(most), worst, title)
}

func sequenceAlt(block bench.Block, m measure, strips []strip) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s of each fork in the order of running, %s.", sentence(m.text), describe(block))
	for _, st := range strips {
		fmt.Fprintf(&b, " %s:", st.impl)
		if len(st.clean) > 0 {
			fmt.Fprintf(&b, " median %s, clean forks from %s to %s,",
				m.print(st.median.Estimate), m.print(slices.Min(st.clean)), m.print(slices.Max(st.clean)))
		}
		fmt.Fprintf(&b, " n=%d, %d gated", len(st.clean), len(st.gated))
		if st.failed > 0 {
			fmt.Fprintf(&b, ", %d failed", st.failed)
		}
		b.WriteString(".")
	}
	return b.String()
}
