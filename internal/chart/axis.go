package chart

import (
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// axis is a linear scale with its ticks. For logarithmic data it holds log10
// of the values.
type axis struct {
	lo, hi float64
	ticks  []tick
	ratio  bool // of ratios: 1, whose logarithm is 0, has a line of its own
}

type tick struct {
	at   float64
	text string // empty where another axis below has the labels
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
	return axis{lo: lo - pad, hi: hi + pad, ticks: logTicks(lo-pad, hi+pad, most, text)}
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
	for _, at := range steps(0, a.hi, most+1) {
		t := tick{at: at, text: "0"}
		if at > 0 {
			t.text = text(at)
		}
		a.ticks = append(a.ticks, t)
	}
	return a
}

// steps are the multiples of 1, 2 or 5 times a power of ten from one value to
// another: of the least of these numbers that has at most most of them there.
func steps(from, to float64, most int) (all []float64) {
	for size := math.Pow(10, math.Floor(log10(to-from))-2); ; size *= 10 {
		for _, m := range []float64{1, 2, 5} {
			first, last := math.Ceil(from/(m*size)), math.Floor(to/(m*size))
			if int(last-first) >= most {
				continue
			}
			for i := first; i <= last; i++ {
				all = append(all, i*m*size)
			}
			return all
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
		if decade >= lo && decade <= hi && math.Mod(decade, every) == 0 {
			ticks = append(ticks, tick{decade, text(math.Pow(10, decade))})
		}
	}
	return ticks
}

// unlabelled is the axis with its lines alone.
func (a axis) unlabelled() axis {
	a.ticks = slices.Clone(a.ticks)
	for i := range a.ticks {
		a.ticks[i].text = ""
	}
	return a
}

// labelWidth is the room that the labels of a y axis take.
func (a axis) labelWidth() vg.Length {
	var w vg.Length
	for _, t := range a.ticks {
		w = max(w, textWidth(plain, t.text))
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

const tickGap vg.Length = 10 // from the frame to the middle of the labels below it

// ticksX draws the lines of the x axis with their labels below the frame, but for
// those whose label would run into the next one.
func (c *canvas) ticksX(f frame) {
	free := pageWidth
	for _, t := range slices.Backward(f.x.ticks) {
		x, half := f.atX(t.at), textWidth(plain, t.text)/2
		at := min(max(x, f.Min.X+half-4), pageWidth-2-half)
		if t.text != "" && at+half > free {
			continue
		}
		c.line(c.grid, 0.7, nil, vg.Point{X: x, Y: f.Min.Y}, vg.Point{X: x, Y: f.Max.Y})
		if t.text != "" {
			c.text(plain, c.muted, draw.XCenter, at, f.Min.Y-tickGap, t.text)
			free = at - half - 4
		}
	}
}

// one draws the line where a ratio is 1.
func (c *canvas) one(f frame) {
	if f.x.ratio {
		c.line(c.muted, 0.9, nil, vg.Point{X: f.atX(0), Y: f.Min.Y}, vg.Point{X: f.atX(0), Y: f.Max.Y})
	}
}

// ticksY draws the lines of the y axis, and its labels left of the frame.
func (c *canvas) ticksY(f frame) {
	for _, t := range f.y.ticks {
		y := f.atY(t.at)
		c.line(c.grid, 0.7, nil, vg.Point{X: f.Min.X, Y: y}, vg.Point{X: f.Max.X, Y: y})
		c.text(plain, c.muted, draw.XRight, f.Min.X-5, y, t.text)
	}
}

// stackHead is the room of the line of text over a frame.
const stackHead vg.Length = 20

// stack is n frames of a height below one another, each with room for a line of
// text over it. The last alone has the labels of the x axis.
func (c *canvas) stack(n int, height, left vg.Length, x axis) []frame {
	frames := make([]frame, n)
	for i := range frames {
		top := c.Max.Y - stackHead - vg.Length(i)*(stackHead+height)
		frames[i] = frame{vg.Rectangle{Min: vg.Point{X: margin + left, Y: top - height + 6}, Max: vg.Point{X: pageWidth - margin - 6, Y: top}}, x.unlabelled(), axis{}}
	}
	frames[n-1].x = x
	return frames
}

// stackHeight is what n frames with the labels of the last take.
func stackHeight(n int, height vg.Length) vg.Length {
	return vg.Length(n)*(stackHead+height) + 2*tickGap
}

// over writes a contestant's name over a frame, and words behind it.
func (c *canvas) over(f frame, name, words string) {
	name = fit(strong, name, f.Max.X-f.Min.X-textWidth(plain, words)-6)
	c.text(strong, c.ink, draw.XLeft, f.Min.X, f.Max.Y+9, name)
	c.text(plain, c.muted, draw.XLeft, f.Min.X+textWidth(strong, name)+6, f.Max.Y+9, words)
}

// spread moves places apart until neighbours are gap from one another and all
// lie within lo and hi where they fit, those that are too near to both sides
// alike. Places must be in ascending order.
func spread(places []vg.Length, gap, lo, hi vg.Length) []vg.Length {
	n := len(places)
	up, down := make([]vg.Length, n), make([]vg.Length, n)
	bound := func(i int, at vg.Length) vg.Length {
		return min(max(at, lo+vg.Length(i)*gap), hi-vg.Length(n-1-i)*gap)
	}
	for i, at := range places {
		if i > 0 {
			at = max(at, up[i-1]+gap)
		}
		up[i] = bound(i, at)
	}
	for i, at := range slices.Backward(places) {
		if i < n-1 {
			at = min(at, down[i+1]-gap)
		}
		down[i] = bound(i, at)
		up[i] = (up[i] + down[i]) / 2
	}
	return up
}
