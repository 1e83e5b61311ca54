package chart

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"hotpath/internal/bench"
	"hotpath/internal/study"
)

// sequence draws, for each block that claims are judged on, the value of each
// fork in the order of running, so that drift, steps and gated forks show.
func sequence(d *drawing) []figure {
	var figures []figure
	for _, b := range d.Blocks {
		unit := b.Score()
		if strips := d.figures(b, unit); len(strips) > 0 && b.Judged() {
			figures = append(figures, sequenceFigure(b, unit, strips))
		}
	}
	return figures
}

// A strip is the forks of one contestant in the order of running.
const stripHeight, stripGap vg.Length = 38, 4

func sequenceFigure(b *study.Block, unit bench.Unit, strips []*study.Figure) figure {
	gated, all := 0, 0
	for _, st := range strips {
		gated += len(st.Gated)
		all += len(st.Points)
	}
	y := stripAxis(strips)
	fig := figure{block: b.Block, height: stripHeight*vg.Length(len(strips)) + 38, title: sequenceTitle(strips, gated, all), alt: sequenceAlt(b, unit, strips)}
	fig.note = b.Describe() + ": " + unit.Words + " of each fork over the median of its contestant's clean forks (log scale), in the order of running."
	fig.keys = []key{{func(c *canvas, x, y vg.Length) { c.mark(disc, c.series[1], x, y, 2.4) }, "clean fork"}}
	if gated > 0 {
		fig.keys = append(fig.keys, gatedKey)
	}
	leaves := func(st *study.Figure) bool {
		return slices.ContainsFunc(st.Points, func(p study.Point) bool { return !y.holds(stripPlace(st, p.Value)) })
	}
	if slices.ContainsFunc(strips, leaves) {
		fig.keys = append(fig.keys, key{func(c *canvas, x, y vg.Length) { c.hollow(down, c.muted, x, y, 3) }, "gated fork beyond the strip"})
	}
	fig.body = func(c *canvas) { c.strips(unit, strips, y) }
	return fig
}

// stripPlace is where a value is on a strip's axis.
func stripPlace(st *study.Figure, v float64) float64 { return log10(v / st.Median.Estimate) }

// bands are the pairs of lines of which each strip has one.
var bands = [][2]float64{{0.98, 1.02}, {0.95, 1.05}, {0.9, 1.1}, {0.8, 1.25}, {0.5, 2}, {0.2, 5}, {0.1, 10}, {0.01, 100}, {1e-4, 1e4}}

// stripAxis is that of all strips. Clean forks set the scale: a gated one may lie
// anywhere.
func stripAxis(strips []*study.Figure) axis {
	lo, hi := log10(bands[0][0]), log10(bands[0][1])
	for _, st := range strips {
		for _, v := range st.Clean {
			lo, hi = min(lo, stripPlace(st, v)), max(hi, stripPlace(st, v))
		}
	}
	y := axis{lo: lo - (hi-lo)*0.15, hi: hi + (hi-lo)*0.15}
	for _, b := range slices.Backward(bands) {
		apart := (stripHeight - stripGap) * (y.at(log10(b[1])) - y.at(log10(b[0])))
		// The next strip's upper line must not come too near either.
		if y.holds(log10(b[0])) && y.holds(log10(b[1])) && min(apart, stripHeight-apart) > lead*0.8 {
			y.ticks = []tick{{log10(b[0]), shortTimes(b[0])}, {log10(b[1]), shortTimes(b[1])}}
			break
		}
	}
	return y
}

// forkAxis holds the numbers of all forks.
func forkAxis(strips []*study.Figure) axis {
	first, last := math.MaxInt, 0
	for _, st := range strips {
		for _, p := range st.Points {
			first, last = min(first, p.Fork), max(last, p.Fork)
		}
	}
	pad := max(float64(last-first)*0.02, 0.5)
	return axis{float64(first) - pad, float64(last) + pad, steps(first, last, 8)}
}

// strips draws a strip for each contestant, with its median at the left and its
// forks counted at the right.
func (c *canvas) strips(unit bench.Unit, strips []*study.Figure, y axis) {
	var notes, names, counts []string
	for _, st := range strips {
		note := "median " + unit.Quantity.Print(st.Median.Estimate)
		if !st.Counts() {
			note = "gated " + note
		}
		names, notes, counts = append(names, st.Impl()), append(notes, note), append(counts, stripCount(st))
	}
	nameWidth := min(max(widest(strong, names), widest(small, notes)), nameMax)
	f := frame{vg.Rectangle{
		Min: vg.Point{X: margin + nameWidth + y.labelWidth() + 8, Y: c.Min.Y + 32},
		Max: vg.Point{X: pageWidth - margin - widest(small, counts) - columnGap, Y: c.Max.Y - 4},
	}, forkAxis(strips), y}
	c.ticksX(f)
	c.text(small, c.muted, draw.XLeft, f.Min.X, f.Min.Y-tickGap-lead, "fork, in the order of the whole run")
	top := f.Max.Y
	for i, st := range strips {
		f.Max.Y = top - stripHeight*vg.Length(i)
		f.Min.Y = f.Max.Y - stripHeight + stripGap
		c.strip(f, st)
		middle := f.atY(0)
		c.text(plain, c.ink, draw.XLeft, margin, middle+lead/2, fit(plain, names[i], nameMax))
		c.text(small, c.muted, draw.XLeft, margin, middle-lead/2, notes[i])
		c.text(small, c.muted, draw.XLeft, f.Max.X+columnGap, middle, counts[i])
	}
}

// stripCount tells what became of a contestant's forks.
func stripCount(st *study.Figure) string {
	count := "n=" + strconv.Itoa(len(st.Clean))
	if g := len(st.Gated); g > 0 {
		count += fmt.Sprintf(", %d gated", g)
	}
	if n := st.Missing(); n > 0 {
		count += fmt.Sprintf(", %d failed", n)
	}
	return count
}

func (c *canvas) strip(f frame, st *study.Figure) {
	c.ticksY(f)
	c.line(c.muted, 0.7, nil, vg.Point{X: f.Min.X, Y: f.atY(0)}, vg.Point{X: f.Max.X, Y: f.atY(0)})
	for _, p := range st.Points {
		x, at := f.atX(float64(p.Fork)), stripPlace(st, p.Value)
		switch {
		case p.Clean:
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
func sequenceTitle(strips []*study.Figure, gated, all int) string {
	most, worst := 0.0, ""
	for _, st := range strips {
		if len(st.Clean) < 2 {
			continue
		}
		if spread := slices.Max(st.Clean) / slices.Min(st.Clean); spread > most {
			most, worst = spread, st.Impl()
		}
	}
	title := strconv.Itoa(gated) + " of " + bench.Plural(all, "fork") + " gated"
	if worst == "" {
		return title
	}
	return fmt.Sprintf("Clean forks of one contestant differ by up to %s (%s); %s", times(most), worst, title)
}

func sequenceAlt(b *study.Block, unit bench.Unit, strips []*study.Figure) string {
	var alt strings.Builder
	fmt.Fprintf(&alt, "%s of each fork in the order of running, %s.", sentence(unit.Words), b.Describe())
	for _, st := range strips {
		fmt.Fprintf(&alt, " %s:", st.Impl())
		if st.Counts() {
			print := unit.Quantity.Print
			fmt.Fprintf(&alt, " median %s, clean forks from %s to %s,", print(st.Median.Estimate), print(slices.Min(st.Clean)), print(slices.Max(st.Clean)))
		}
		fmt.Fprintf(&alt, " n=%d, %d gated", len(st.Clean), len(st.Gated))
		if n := st.Missing(); n > 0 {
			fmt.Fprintf(&alt, ", %d failed", n)
		}
		alt.WriteString(".")
	}
	return alt.String()
}
