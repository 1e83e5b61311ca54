package chart

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"hotpath/internal/stats"
)

// table is a chart with a row for each thing compared: names at the left,
// panels that share the rows, and columns of text at the right.
type table struct {
	rows      []row
	rowHeight vg.Length
	panels    []panel
	columns   []column
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
	marks func(c *canvas, f frame) // row i is at y = -i
}

type column struct {
	title string
	cells []string
	mark  func(c *canvas, row int, x, y vg.Length) // left of the text; nil where there is none
}

const (
	panelGap  vg.Length = 18
	columnGap vg.Length = 12
	nameMax   vg.Length = 175
	markRoom  vg.Length = 13
)

func (t table) height() vg.Length {
	return t.headHeight() + t.rowHeight*vg.Length(len(t.rows)) + 2*tickGap
}

// headHeight is the room above the rows for the titles of panels and columns.
func (t table) headHeight() vg.Length {
	lines := 0
	for _, p := range t.panels {
		lines = max(lines, len(p.lines(t.panelWidth())))
	}
	for _, col := range t.columns {
		if col.title != "" {
			lines = max(lines, 1)
		}
	}
	return lead*vg.Length(lines) + 4
}

func (t table) nameWidth() vg.Length {
	var names, notes []string
	for _, r := range t.rows {
		names, notes = append(names, r.name), append(notes, r.note)
	}
	return min(max(widest(strong, names), widest(small, notes)), nameMax) + t.lookRoom()
}

func (t table) lookRoom() vg.Length {
	if slices.ContainsFunc(t.rows, func(r row) bool { return r.look.colour != nil }) {
		return markRoom
	}
	return 0
}

func (col column) width() vg.Length {
	w := widest(small, append([]string{col.title}, col.cells...)) + columnGap
	if col.mark != nil {
		w += markRoom
	}
	return w
}

func (t table) panelWidth() vg.Length {
	w := pageWidth - 2*margin - t.nameWidth() - 10
	for _, col := range t.columns {
		w -= col.width()
	}
	n := vg.Length(len(t.panels))
	return (w - (n-1)*panelGap) / n
}

func (p panel) lines(w vg.Length) []string {
	var lines []string
	for _, s := range p.head {
		lines = append(lines, wrap(small, s, w)...)
	}
	return lines
}

// draw fills the canvas with the table.
func (t table) draw(c *canvas) {
	n := len(t.rows)
	top := c.Max.Y - t.headHeight()
	bottom := c.Min.Y + 2*tickGap
	y := axis{lo: 0.5 - float64(n), hi: 0.5}
	w := t.panelWidth()
	x := margin + t.nameWidth() + 10

	left := x
	for i := range t.panels {
		f := frame{vg.Rectangle{Min: vg.Point{X: x, Y: bottom}, Max: vg.Point{X: x + w, Y: top}}, t.panels[i].x, y}
		lines := t.panels[i].lines(w)
		for j, s := range lines {
			c.text(small, c.ink, draw.XLeft, x, top+4+lead/2+lead*vg.Length(len(lines)-1-j), s)
		}
		for j := range n {
			at := f.atY(-float64(j))
			c.line(c.grid, 0.6, nil, vg.Point{X: x, Y: at}, vg.Point{X: x + w, Y: at})
		}
		c.ticksX(f)
		t.panels[i].marks(c, f)
		x += w + panelGap
	}
	x += columnGap - panelGap
	rows := frame{vg.Rectangle{Min: vg.Point{X: left, Y: bottom}, Max: vg.Point{X: x, Y: top}}, axis{}, y}
	for _, col := range t.columns {
		c.text(small, c.ink, draw.XLeft, x, top+lead/2+4, col.title)
		for i, s := range col.cells {
			at, y := x, rows.atY(-float64(i))
			if col.mark != nil {
				col.mark(c, i, at+4, y)
				at += markRoom
			}
			c.text(small, c.ink, draw.XLeft, at, y, s)
		}
		x += col.width()
	}
	for i, r := range t.rows {
		at := rows.atY(-float64(i))
		f := plain
		if r.strong {
			f = strong
		}
		if r.note != "" {
			c.text(small, c.muted, draw.XLeft, margin+t.lookRoom(), at-lead/2, fit(small, r.note, nameMax))
			at += lead / 2
		}
		if r.look.colour != nil {
			r.look.draw(c, margin+4, at, 3.6)
		}
		c.text(f, c.ink, draw.XLeft, margin+t.lookRoom(), at, fit(f, r.name, nameMax))
	}
}

// estimate draws a value on an axis of log10 with its interval, if it has one.
// A bound beyond the frame has no end: the bar runs to the edge.
func (c *canvas) estimate(f frame, s shape, col color.NRGBA, iv stats.Interval, y vg.Length) {
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
