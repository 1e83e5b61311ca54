package chart

import (
	"image/color"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"hotpath/internal/bench"
	"hotpath/internal/study"
)

// grid is a chart with a row for each thing compared, in stages below one
// another.
type grid struct {
	above     bool // names stand over their rows, and not left of them
	rowHeight vg.Length
	stages    []stage
}

// stage has panels that share its rows, and columns of text right of them.
type stage struct {
	rows   []row
	panels []panel
	asides []aside
}

type row struct {
	look   *look // ahead of the name; nil for none
	name   string
	strong bool
	right  string // at the right end of a name that stands over its row
	bare   bool   // such a name has no marks
}

type panel struct {
	head []string // lines above the frame
	x    axis
	mark func(c *canvas, f frame, row int, y vg.Length) // of a row
}

// aside is a column of text.
type aside struct {
	title string
	cells []string
	faint []bool // of each cell: few heats stand behind it
}

func (a *aside) add(cell string, faint bool) {
	a.cells, a.faint = append(a.cells, cell), append(a.faint, faint)
}

// lineup is a row for each contestant.
func lineup(rows []*study.Row) (all []row) {
	for _, r := range rows {
		l := lookOf(r.Role)
		all = append(all, row{look: &l, name: named(r), strong: r.Role == bench.Ours})
	}
	return all
}

// figure is the grid as the body of a figure.
func (g grid) figure(block bench.Block) figure {
	return figure{block: block, height: g.height(), body: g.draw}
}

const (
	rowHeight vg.Length = 17
	panelGap  vg.Length = 18
	columnGap vg.Length = 9
	nameMax   vg.Length = 130
	markRoom  vg.Length = 13
	nameGap   vg.Length = 8
)

func (g grid) height() (h vg.Length) {
	for _, s := range g.stages {
		h += g.heightOf(s)
	}
	return h
}

func (g grid) heightOf(s stage) vg.Length {
	h := g.headHeight(s) + 6
	for _, r := range s.rows {
		h += g.heightOfRow(r)
	}
	if slices.ContainsFunc(s.panels, func(p panel) bool { return p.x.labelWidth() > 0 }) {
		h += 2 * tickGap
	}
	return h
}

func (g grid) heightOfRow(r row) vg.Length {
	if r.bare {
		return lead + 4
	}
	return g.rowHeight
}

// headHeight is the room above the rows for the titles of panels and columns.
func (g grid) headHeight(s stage) vg.Length {
	lines := 0
	for _, p := range s.panels {
		lines = max(lines, len(p.lines(g.panelWidth(s))))
	}
	for _, a := range s.asides {
		if a.title != "" {
			lines = max(lines, 1)
		}
	}
	return lead*vg.Length(lines) + 4
}

// left is the room of the names that stand left of their rows.
func (g grid) left() (w vg.Length) {
	if g.above {
		return 0
	}
	for _, s := range g.stages {
		for _, r := range s.rows {
			w = max(w, min(textWidth(strong, r.name), nameMax)+r.indent()+nameGap)
		}
	}
	return w
}

func (r row) indent() vg.Length {
	if r.look == nil {
		return 0
	}
	return markRoom
}

func (a aside) width() vg.Length {
	return widest(plain, append([]string{a.title}, a.cells...)) + columnGap
}

// panelWidth is that of a stage's panels, which end where those of the others do.
func (g grid) panelWidth(s stage) vg.Length {
	var asides vg.Length
	for _, s := range g.stages {
		var w vg.Length
		for _, a := range s.asides {
			w += a.width()
		}
		asides = max(asides, w)
	}
	n := vg.Length(len(s.panels))
	return (pageWidth - 2*margin - g.left() - asides - (n-1)*panelGap) / n
}

func (p panel) lines(w vg.Length) (lines []string) {
	for _, s := range p.head {
		lines = append(lines, wrap(plain, s, w)...)
	}
	return lines
}

// draw fills the canvas with the grid.
func (g grid) draw(c *canvas) {
	top := c.Max.Y
	for _, s := range g.stages {
		g.drawStage(c, s, top)
		top -= g.heightOf(s)
	}
}

func (g grid) drawStage(c *canvas, s stage, top vg.Length) {
	top -= g.headHeight(s)
	tops, middles := []vg.Length{top}, []vg.Length(nil) // of the rows, and of their marks
	for i, r := range s.rows {
		bottom := tops[i] - g.heightOfRow(r)
		middle := (tops[i] + bottom) / 2
		if g.above {
			middle = bottom + 12
		}
		tops, middles = append(tops, bottom), append(middles, middle)
	}
	x, w := margin+g.left(), g.panelWidth(s)
	for _, p := range s.panels {
		f := frame{vg.Rectangle{Min: vg.Point{X: x, Y: tops[len(s.rows)]}, Max: vg.Point{X: x + w, Y: top}}, p.x, axis{}}
		if !g.above {
			c.rules(f, middles)
		}
		p.draw(c, f, middles)
		x += w + panelGap
	}
	x += columnGap - panelGap
	for _, a := range s.asides {
		c.text(plain, c.ink, draw.XLeft, x, top+lead/2+4, a.title)
		for i, text := range a.cells {
			col := c.ink
			if a.faint[i] {
				col = c.muted
			}
			c.text(plain, col, draw.XLeft, x, middles[i], text)
		}
		x += a.width()
	}
	for i, r := range s.rows {
		if g.above {
			y := tops[i] - lead/2
			r.draw(c, y, pageWidth-2*margin-textWidth(plain, r.right)-nameGap)
			c.text(plain, c.ink, draw.XRight, pageWidth-margin, y, r.right)
		} else {
			r.draw(c, middles[i], nameMax)
		}
	}
}

// rules draws the lines that lead from the names to the marks.
func (c *canvas) rules(f frame, middles []vg.Length) {
	for _, y := range middles {
		c.line(c.grid, 0.7, nil, vg.Point{X: f.Min.X, Y: y}, vg.Point{X: f.Max.X, Y: y})
	}
}

// draw draws a panel with the marks of its rows.
func (p panel) draw(c *canvas, f frame, middles []vg.Length) {
	lines := p.lines(f.Max.X - f.Min.X)
	for i, s := range lines {
		c.text(plain, c.ink, draw.XLeft, f.Min.X, f.Max.Y+4+lead/2+lead*vg.Length(len(lines)-1-i), s)
	}
	c.ticksX(f)
	c.one(f)
	for i, y := range middles {
		p.mark(c, f, i, y)
	}
}

// draw draws a row's name.
func (r row) draw(c *canvas, y, most vg.Length) {
	f := plain
	if r.strong {
		f = strong
	}
	x := margin + r.indent()
	name := fit(f, r.name, most-r.indent())
	c.fill(c.background, x-1, y-6, x+f.Width(name)+2, y+6)
	if r.look != nil {
		r.look.draw(c, margin+4, y, 3.8)
	}
	c.text(f, c.ink, draw.XLeft, x, y, name)
}

// estimate draws a value on an axis of log10 with its interval; without one,
// which is of few heats, it is faint. A bound beyond the frame ends in an arrow.
func (c *canvas) estimate(f frame, s shape, col color.NRGBA, iv study.Interval, y vg.Length) {
	x := f.atX(log10(iv.Estimate))
	if iv.Level == 0 {
		c.mark(s, faint(col), x, y, 3.4)
		return
	}
	for _, bound := range []float64{log10(iv.Low), log10(iv.High)} {
		end := f.atX(min(max(bound, f.x.lo), f.x.hi))
		c.line(col, 1.4, nil, vg.Point{X: x, Y: y}, vg.Point{X: end, Y: y})
		switch {
		case bound < f.x.lo:
			c.mark(left, col, end, y, 4)
		case bound > f.x.hi:
			c.mark(right, col, end, y, 4)
		default:
			c.line(col, 1.4, nil, vg.Point{X: end, Y: y - 5}, vg.Point{X: end, Y: y + 5})
		}
	}
	c.mark(s, col, x, y, 2.9)
}

// reach is how far an estimate's drawing goes to each side.
func reach(f frame, iv study.Interval) (from, to vg.Length) {
	at := func(v float64) vg.Length { return f.atX(min(max(log10(v), f.x.lo), f.x.hi)) }
	if iv.Level == 0 {
		return at(iv.Estimate), at(iv.Estimate)
	}
	return at(iv.Low), at(iv.High)
}

// estimateAxis holds what estimates reach, and some values.
func estimateAxis(ivs []study.Interval, most int, text func(float64) string, others ...float64) axis {
	return logAxis(reached(ivs, others...), most, text)
}

// reached are some values, and estimates with as much of their intervals as three
// quarters of these reach beyond all estimates: one wide interval would squeeze all
// else.
func reached(ivs []study.Interval, others ...float64) []float64 {
	values, arms := slices.Clone(others), []float64{1.3}
	for _, iv := range ivs {
		values = append(values, iv.Estimate)
		if iv.Level > 0 {
			arms = append(arms, iv.High/iv.Estimate, iv.Estimate/iv.Low)
		}
	}
	values = slices.DeleteFunc(values, func(v float64) bool { return !drawable(v) })
	slices.Sort(arms)
	lo, hi, reach := slices.Min(values), slices.Max(values), min(arms[len(arms)*3/4], 10)
	for _, iv := range ivs {
		if iv.Level > 0 {
			values = append(values, max(iv.Low, lo/reach), min(iv.High, hi*reach))
		}
	}
	return values
}

// ratioAxis is an axis of estimates that are ratios.
func ratioAxis(ivs []study.Interval, most int, others ...float64) axis {
	a := estimateAxis(ivs, most, shortTimes, append(others, 1)...)
	a.ratio = true
	return a
}

// beside writes a mark's value right of it, or left of it where the frame ends or
// the line at 1 is in the way. Where that leaves no room at either side, it is over
// the bar.
func (c *canvas) beside(f frame, from, to, y vg.Length, col color.Color, s string) {
	const gap = 6
	w := textWidth(plain, s)
	end := min(f.Max.X+panelGap-6, pageWidth-3)
	x, other := to+gap, from-gap-w
	if one := f.atX(0); x+w > end || f.x.ratio && x < one && one < x+w && other >= f.Min.X {
		x = other
	}
	if x < f.Min.X {
		x = end - w
	}
	c.fill(c.background, x-1.5, y-5.5, x+w+1.5, y+5.5)
	c.text(plain, col, draw.XLeft, x, y, s)
}
