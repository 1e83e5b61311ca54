package chart

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// shape is the outline of a mark, as corners on the unit circle in turns
// counter-clockwise from the right; a disc has none.
type shape []float64

var (
	disc    = shape{}
	square  = shape{0.125, 0.375, 0.625, 0.875}
	diamond = shape{0, 0.25, 0.5, 0.75}
	up      = shape{0.25, 0.25 + 1./3, 0.25 + 2./3}
	down    = shape{0.75, 0.75 + 1./3, 0.75 + 2./3}
	right   = shape{0, 1. / 3, 2. / 3}
	left    = shape{0.5, 0.5 + 1./3, 0.5 + 2./3}
)

func (s shape) path(x, y, r vg.Length) vg.Path {
	var p vg.Path
	if len(s) == 0 {
		p.Move(vg.Point{X: x + r, Y: y})
		p.Arc(vg.Point{X: x, Y: y}, r, 0, 2*math.Pi)
	}
	if len(s) == 3 {
		r *= 1.3 // triangles look small
	}
	for i, turn := range s {
		sin, cos := math.Sincos(2 * math.Pi * turn)
		pt := vg.Point{X: x + r*vg.Length(cos), Y: y + r*vg.Length(sin)}
		if i == 0 {
			p.Move(pt)
		} else {
			p.Line(pt)
		}
	}
	p.Close()
	return p
}

// mark draws a filled mark.
func (c *canvas) mark(s shape, col color.Color, x, y, r vg.Length) {
	c.SetColor(col)
	c.Fill(s.path(x, y, r))
}

// hollow draws the outline of a mark over whatever lies below it.
func (c *canvas) hollow(s shape, col color.Color, x, y, r vg.Length) {
	c.mark(s, c.background, x, y, r)
	c.SetLineStyle(draw.LineStyle{Color: col, Width: 1.1})
	c.Stroke(s.path(x, y, r))
}
