package chart

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"hotpath/internal/bench"
	"hotpath/internal/study"
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
)

func (s shape) path(x, y, r vg.Length) vg.Path {
	var p vg.Path
	if len(s) == 0 {
		p.Move(vg.Point{X: x + r, Y: y})
		p.Arc(vg.Point{X: x, Y: y}, r, 0, 2*math.Pi)
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
	c.SetLineStyle(draw.LineStyle{Color: col, Width: 1})
	c.Stroke(s.path(x, y, r))
}

// A look is how a contestant is drawn by its role, in shape and in colour.
type look struct {
	shape  shape
	colour func(theme) color.NRGBA
}

// roleMarks explains the looks in the order of the key line.
var roleMarks = []struct {
	role bench.Role
	text string
	look look
}{
	{bench.Ours, "ours", look{disc, func(t theme) color.NRGBA { return t.series[1] }}},
	{bench.Published, "published study's", look{square, func(t theme) color.NRGBA { return t.series[0] }}},
	{bench.Peer, "other libraries", look{up, func(t theme) color.NRGBA { return t.series[2] }}},
	{bench.Floor, "floor, the least that can be done", look{diamond, func(t theme) color.NRGBA { return t.muted }}},
	{bench.Control, "control, the same code a second time", look{down, func(t theme) color.NRGBA { return t.series[0] }}},
	{"", "not classed", look{disc, func(t theme) color.NRGBA { return t.ink }}},
}

func lookOf(r bench.Role) look {
	for _, m := range roleMarks {
		if m.role == r {
			return m.look
		}
	}
	return lookOf("")
}

func (l look) draw(c *canvas, x, y, r vg.Length) { c.mark(l.shape, l.colour(c.theme), x, y, r) }

// roleKeys explains the marks of those roles that are present.
func roleKeys(rows []*study.Row) []key {
	present := map[bench.Role]bool{}
	for _, r := range rows {
		present[r.Role] = true
	}
	var keys []key
	for _, m := range roleMarks {
		if present[m.role] {
			keys = append(keys, key{func(c *canvas, x, y vg.Length) { m.look.draw(c, x, y, 3.4) }, m.text})
		}
	}
	return keys
}

var (
	cleanKey = key{func(c *canvas, x, y vg.Length) { c.mark(disc, faint(c.muted), x, y, 1.9) }, "one fork"}
	gatedKey = key{func(c *canvas, x, y vg.Length) { c.hollow(disc, c.muted, x, y, 2) }, "gated fork: does not count"}
)

// dashes tell series apart where colours do not.
var dashes = [][]vg.Length{nil, {7, 2.5}, {2.5, 2}, {9, 2.5, 2, 2.5}, {12, 3}, {1, 2}}

// stroke is the colour, width and dashes of a contestant's own line.
func (d *drawing) stroke(t theme, impl string, role bench.Role) (color.NRGBA, vg.Length, []vg.Length) {
	tint, measured := d.tints[impl]
	switch {
	case role == bench.Floor, !measured:
		return t.muted, 1.1, []vg.Length{1, 2}
	case role == bench.Control:
		return t.series[tint%len(t.series)], 0.9, []vg.Length{1, 1.5}
	}
	return t.series[tint%len(t.series)], 1.7, dashes[tint%len(dashes)]
}

// verdictMark draws the symbol of a verdict: a tick, half a disc, a cross, a
// question mark.
func (c *canvas) verdictMark(w study.Word, x, y vg.Length) {
	const r vg.Length = 3.6
	at := func(dx, dy vg.Length) vg.Point { return vg.Point{X: x + dx*r, Y: y + dy*r} }
	switch w {
	case study.Reproduced:
		c.line(c.series[2], 1.8, nil, at(-1, 0), at(-0.3, -0.8), at(1, 0.9))
	case study.DirectionOnly:
		c.hollow(disc, c.series[1], x, y, r)
		var p vg.Path
		p.Move(at(0, 1))
		p.Arc(vg.Point{X: x, Y: y}, r, math.Pi/2, math.Pi)
		p.Close()
		c.SetColor(c.series[1])
		c.Fill(p)
	case study.NotReproduced:
		c.line(c.series[0], 1.8, nil, at(-0.8, -0.8), at(0.8, 0.8))
		c.line(c.series[0], 1.8, nil, at(-0.8, 0.8), at(0.8, -0.8))
	default:
		c.text(strong, c.muted, draw.XCenter, x, y, "?")
	}
}
