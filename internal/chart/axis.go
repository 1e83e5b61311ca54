package chart

import (
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// axis is a linear scale with its ticks. For logarithmic data it holds log10
// of the values.
type axis struct {
	lo, hi float64
	ticks  []tick
}

type tick struct {
	at   float64
	text string // empty for a line without a label
}

// at is the place of a value on the axis, 0 to 1 within it.
func (a axis) at(v float64) vg.Length { return vg.Length((v - a.lo) / (a.hi - a.lo)) }

func (a axis) holds(v float64) bool { return v >= a.lo && v <= a.hi }

// logAxis is an axis of log10 from the smallest to the largest of values that
// are positive, with room at both ends and at most most labelled ticks. It
// spans half a decade at least: less would make much of little.
func logAxis(values []float64, most int, text func(float64) string) axis {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, v := range values {
		lo, hi = min(lo, log10(v)), max(hi, log10(v))
	}
	if lo > hi {
		lo, hi = 0, 0
	}
	pad := max((hi-lo)*0.06, (0.5-hi+lo)/2)
	return axis{lo - pad, hi + pad, logTicks(lo-pad, hi+pad, most, text)}
}

// withZero leaves room for zero ahead of the logarithms, where there is one.
func (a axis) withZero(zero bool) axis {
	if zero {
		a.lo -= (a.hi - a.lo) * 0.12
	}
	return a
}

// linearAxis is an axis from zero to the highest of some values that are
// positive, with at most most labelled ticks above zero.
func linearAxis(highest float64, most int, text func(float64) string) axis {
	a := axis{hi: highest * 1.04}
	for size := math.Pow(10, math.Floor(log10(highest))-2); ; size *= 10 {
		for _, m := range []float64{1, 2, 5} {
			n := int(a.hi / (m * size))
			if n > most {
				continue
			}
			for i := range n + 1 {
				t := tick{at: float64(i) * m * size, text: "0"}
				if i > 0 {
					t.text = text(t.at)
				}
				a.ticks = append(a.ticks, t)
			}
			return a
		}
	}
}

// logTicks chooses the densest of the usual steps that gives at most most
// labels.
func logTicks(lo, hi float64, most int, text func(float64) string) []tick {
	from, to := math.Floor(lo), math.Ceil(hi)
	for _, mantissas := range [][]float64{{1, 1.5, 2, 3, 5, 7}, {1, 2, 5}, {1, 3}, {1}} {
		var ticks []tick
		for decade := from; decade <= to; decade++ {
			for _, m := range mantissas {
				if at := decade + log10(m); at >= lo && at <= hi {
					ticks = append(ticks, tick{at, text(m * math.Pow(10, decade))})
				}
			}
		}
		if len(ticks) <= most {
			return ticks
		}
	}
	var ticks []tick
	every := math.Ceil((to - from) / float64(most))
	for decade := from; decade <= to; decade++ {
		if decade < lo || decade > hi {
			continue
		}
		t := tick{at: decade}
		if math.Mod(decade, every) == 0 {
			t.text = text(math.Pow(10, decade))
		}
		ticks = append(ticks, t)
	}
	return ticks
}

// steps are the multiples of a round number between two whole ones, at most
// most of them.
func steps(first, last int, most int) []tick {
	for size := 1; ; size *= 10 {
		for _, m := range []int{1, 2, 5} {
			step := m * size
			if last/step-(first-1)/step > most {
				continue
			}
			var ticks []tick
			for v := (first + step - 1) / step * step; v <= last; v += step {
				ticks = append(ticks, tick{float64(v), strconv.Itoa(v)})
			}
			return ticks
		}
	}
}

// labelWidth is the room that the labels of a y axis take.
func (a axis) labelWidth() vg.Length {
	var w vg.Length
	for _, t := range a.ticks {
		w = max(w, textWidth(small, t.text))
	}
	return w
}

// frame is the area of the data in a figure, with its two axes.
type frame struct {
	vg.Rectangle
	x, y axis
}

func (f frame) atX(v float64) vg.Length { return f.Min.X + f.x.at(v)*(f.Max.X-f.Min.X) }
func (f frame) atY(v float64) vg.Length { return f.Min.Y + f.y.at(v)*(f.Max.Y-f.Min.Y) }

const tickGap vg.Length = 9 // from the frame to the middle of the labels below it

// ticksX draws the lines of the x axis, and below the frame those of its
// labels that do not run into the next one.
func (c *canvas) ticksX(f frame) {
	free := pageWidth
	for _, t := range slices.Backward(f.x.ticks) {
		x := f.atX(t.at)
		c.line(c.grid, 0.6, nil, vg.Point{X: x, Y: f.Min.Y}, vg.Point{X: x, Y: f.Max.Y})
		// Wider letters grow to the right alone.
		end := x - small.Width(t.text)/2 + textWidth(small, t.text)
		if half := textWidth(small, t.text) / 2; x+half <= free && end <= pageWidth {
			c.text(small, c.muted, draw.XCenter, x, f.Min.Y-tickGap, t.text)
			free = x - half - 3
		}
	}
}

// ticksY draws the lines of the y axis, and its labels left of the frame.
func (c *canvas) ticksY(f frame) {
	for _, t := range f.y.ticks {
		y := f.atY(t.at)
		c.line(c.grid, 0.6, nil, vg.Point{X: f.Min.X, Y: y}, vg.Point{X: f.Max.X, Y: y})
		c.text(small, c.muted, draw.XRight, f.Min.X-6, y, t.text)
	}
}

// spread moves places apart until neighbours are gap from one another and all
// lie within lo and hi where they fit, each moved as little as that allows.
// Places must be in ascending order.
func spread(places []vg.Length, gap, lo, hi vg.Length) []vg.Length {
	// With i x gap taken off, the result has to be in ascending order only:
	// groups that are out of order share their mean.
	type group struct {
		sum vg.Length
		n   int
	}
	mean := func(g group) vg.Length { return g.sum / vg.Length(g.n) }
	var groups []group
	for i, p := range places {
		g := group{p - vg.Length(i)*gap, 1}
		for len(groups) > 0 && mean(groups[len(groups)-1]) > mean(g) {
			last := groups[len(groups)-1]
			groups = groups[:len(groups)-1]
			g = group{g.sum + last.sum, g.n + last.n}
		}
		groups = append(groups, g)
	}
	top := hi - vg.Length(len(places)-1)*gap
	var moved []vg.Length
	for _, g := range groups {
		at := max(min(mean(g), top), lo)
		for range g.n {
			moved = append(moved, at+vg.Length(len(moved))*gap)
		}
	}
	return moved
}
