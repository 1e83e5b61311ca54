package chart

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"hotpath/internal/bench"
	"hotpath/internal/study"
)

// grid is a chart with a row for each thing compared: names at the left,
// panels that share the rows, and columns of text at the right.
type grid struct {
	rows      []row
	rowHeight vg.Length
	panels    []panel
	asides    []aside
}

type row struct {
	look   look
	name   string
	note   string // a second line, or empty
	strong bool
}

type panel struct {
	head  []string // lines above the frame
	x     axis
	below func(c *canvas, f frame)                       // ahead of the marks; nil for nothing
	mark  func(c *canvas, f frame, row int, y vg.Length) // of a row
}

// aside is a column of text.
type aside struct {
	title string
	cells []string
	mark  func(c *canvas, row int, x, y vg.Length) // left of the text; nil where there is none
}

// lineup is a grid with a row for each contestant.
func lineup(rows []*study.Row, rowHeight vg.Length) grid {
	g := grid{rowHeight: rowHeight}
	for _, r := range rows {
		g.rows = append(g.rows, row{look: lookOf(r.Role), name: r.Impl(), strong: r.Role == bench.Ours})
	}
	return g
}

// figure is the grid as the body of a figure, with the keys of the contestants.
func (g grid) figure(block bench.Block, rows []*study.Row) figure {
	return figure{block: block, height: g.height(), body: g.draw, keys: roleKeys(rows)}
}

const (
	panelGap  vg.Length = 18
	columnGap vg.Length = 12
	nameMax   vg.Length = 175
	markRoom  vg.Length = 13
)

func (g grid) height() vg.Length {
	return g.headHeight() + g.rowHeight*vg.Length(len(g.rows)) + 2*tickGap
}

// headHeight is the room above the rows for the titles of panels and columns.
func (g grid) headHeight() vg.Length {
	lines := 0
	for _, p := range g.panels {
		lines = max(lines, len(p.lines(g.panelWidth())))
	}
	for _, col := range g.asides {
		if col.title != "" {
			lines = max(lines, 1)
		}
	}
	return lead*vg.Length(lines) + 4
}

func (g grid) nameWidth() vg.Length {
	var names, notes []string
	for _, r := range g.rows {
		names, notes = append(names, r.name), append(notes, r.note)
	}
	return min(max(widest(strong, names), widest(small, notes)), nameMax) + g.lookRoom()
}

func (g grid) lookRoom() vg.Length {
	if slices.ContainsFunc(g.rows, func(r row) bool { return r.look.colour != nil }) {
		return markRoom
	}
	return 0
}

func (col aside) width() vg.Length {
	w := widest(small, append([]string{col.title}, col.cells...)) + columnGap
	if col.mark != nil {
		w += markRoom
	}
	return w
}

func (g grid) panelWidth() vg.Length {
	w := pageWidth - 2*margin - g.nameWidth() - 10
	for _, col := range g.asides {
		w -= col.width()
	}
	n := vg.Length(len(g.panels))
	return (w - (n-1)*panelGap) / n
}

func (p panel) lines(w vg.Length) []string {
	var lines []string
	for _, s := range p.head {
		lines = append(lines, wrap(small, s, w)...)
	}
	return lines
}

// draw fills the canvas with the grid.
func (g grid) draw(c *canvas) {
	n := len(g.rows)
	top, bottom := c.Max.Y-g.headHeight(), c.Min.Y+2*tickGap
	y := axis{lo: 0.5 - float64(n), hi: 0.5} // row i is at -i
	w := g.panelWidth()
	left := margin + g.nameWidth() + 10
	x := left
	for _, p := range g.panels {
		p.draw(c, frame{vg.Rectangle{Min: vg.Point{X: x, Y: bottom}, Max: vg.Point{X: x + w, Y: top}}, p.x, y}, n)
		x += w + panelGap
	}
	x += columnGap - panelGap
	rows := frame{vg.Rectangle{Min: vg.Point{X: left, Y: bottom}, Max: vg.Point{X: x, Y: top}}, axis{}, y}
	for _, a := range g.asides {
		c.text(small, c.ink, draw.XLeft, x, top+lead/2+4, a.title)
		for i, s := range a.cells {
			at, y := x, rows.atY(-float64(i))
			if a.mark != nil {
				a.mark(c, i, at+4, y)
				at += markRoom
			}
			c.text(small, c.ink, draw.XLeft, at, y, s)
		}
		x += a.width()
	}
	for i, r := range g.rows {
		r.draw(c, g.lookRoom(), rows.atY(-float64(i)))
	}
}

// draw draws a panel of so many rows.
func (p panel) draw(c *canvas, f frame, rows int) {
	lines := p.lines(f.Max.X - f.Min.X)
	for i, s := range lines {
		c.text(small, c.ink, draw.XLeft, f.Min.X, f.Max.Y+4+lead/2+lead*vg.Length(len(lines)-1-i), s)
	}
	for i := range rows {
		at := f.atY(-float64(i))
		c.line(c.grid, 0.6, nil, vg.Point{X: f.Min.X, Y: at}, vg.Point{X: f.Max.X, Y: at})
	}
	c.ticksX(f)
	if p.below != nil {
		p.below(c, f)
	}
	for i := range rows {
		p.mark(c, f, i, f.atY(-float64(i)))
	}
}

// draw draws a row's name, and its note below it.
func (r row) draw(c *canvas, lookRoom, y vg.Length) {
	f := plain
	if r.strong {
		f = strong
	}
	if r.note != "" {
		c.text(small, c.muted, draw.XLeft, margin+lookRoom, y-lead/2, fit(small, r.note, nameMax))
		y += lead / 2
	}
	if r.look.colour != nil {
		r.look.draw(c, margin+4, y, 3.6)
	}
	c.text(f, c.ink, draw.XLeft, margin+lookRoom, y, fit(f, r.name, nameMax))
}

// estimate draws a value on an axis of log10 with its interval, if it has one.
// A bound beyond the frame has no end: the bar runs to the edge.
func (c *canvas) estimate(f frame, s shape, col color.NRGBA, iv study.Interval, y vg.Length) {
	const r = 3.8
	x := f.atX(log10(iv.Estimate))
	if iv.Level > 0 {
		for _, bound := range []float64{log10(iv.Low), log10(iv.High)} {
			end := f.atX(min(max(bound, f.x.lo), f.x.hi))
			c.line(col, 1.4, nil, vg.Point{X: x, Y: y}, vg.Point{X: end, Y: y})
			if f.x.holds(bound) && math.Abs(float64(end-x)) > r {
				c.line(col, 1.4, nil, vg.Point{X: end, Y: y - 3}, vg.Point{X: end, Y: y + 3})
			}
		}
	}
	c.mark(s, col, x, y, r)
}

// beside writes a mark's value to the right of it, to the left where the frame
// ends, and over its bar where that leaves no room at either side.
func (c *canvas) beside(f frame, from, to, y vg.Length, s string) {
	const gap = 7
	w := textWidth(small, s)
	x, end := to+gap, f.Max.X+panelGap/2
	if x+w > end {
		x = from - gap - w
	}
	if x < f.Min.X {
		x = end - w
	}
	c.fill(c.background, x-1.5, y-4.5, x+w/slack+1.5, y+4.5)
	c.text(small, c.ink, draw.XLeft, x, y, s)
}

// one draws the line where a ratio is 1.
func (c *canvas) one(f frame) {
	c.line(c.muted, 0.9, nil, vg.Point{X: f.atX(0), Y: f.Min.Y}, vg.Point{X: f.atX(0), Y: f.Max.Y})
}
