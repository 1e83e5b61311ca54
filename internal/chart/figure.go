package chart

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"image/color"
	"math"
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"hotpath/internal/bench"
)

// A page is 560 CSS pixels wide, so that text of 12 points is still 11 pixels
// high where a phone's screen of 390 pixels makes the whole smaller. What does not
// fit side by side is stacked.
const (
	pageWidth vg.Length = 420
	margin    vg.Length = 10
	lead      vg.Length = 15 // from one line of text to the next
)

var (
	faces   = font.NewCache(liberation.Collection())
	heading = face("LiberationSans-Bold", 14)
	strong  = face("LiberationSans-Bold", 12)
	plain   = face("LiberationSans-Regular", 12)
)

func face(name string, size vg.Length) font.Face {
	for _, f := range liberation.Collection() {
		if f.Name() == name {
			return faces.Lookup(f.Font, size)
		}
	}
	panic("chart: no font " + name)
}

func textWidth(f font.Face, s string) vg.Length { return f.Width(printable(s)) }

// widest is the width of the widest of some texts.
func widest(f font.Face, texts []string) (w vg.Length) {
	for _, s := range texts {
		w = max(w, textWidth(f, s))
	}
	return w
}

// fit shortens text that is wider than w.
func fit(f font.Face, s string, w vg.Length) string {
	s = printable(s)
	if f.Width(s) <= w {
		return s
	}
	runes := []rune(s)
	for len(runes) > 0 && f.Width(string(runes)+"…") > w {
		runes = runes[:len(runes)-1]
	}
	return string(runes) + "…"
}

// wrap breaks text between words into lines of at most w.
func wrap(f font.Face, s string, w vg.Length) []string {
	var lines []string
	line := ""
	for _, word := range strings.Split(printable(s), " ") {
		word = fit(f, word, w)
		if line != "" && f.Width(line+" "+word) > w {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// canvas is where a figure is drawn in the colours of a theme. Its origin is
// at the bottom left, as everywhere in gonum.
type canvas struct {
	draw.Canvas
	theme
	widths []vg.Length // of the texts, in the order of drawing
}

// text draws one line, vertically centred on y.
func (c *canvas) text(f font.Face, col color.Color, align draw.XAlignment, x, y vg.Length, s string) {
	if s = printable(s); s == "" {
		return
	}
	w := f.Width(s)
	c.widths = append(c.widths, w)
	c.SetColor(col)
	c.FillString(f, vg.Point{X: x + vg.Length(align)*w, Y: y - 0.36*f.Font.Size}, s)
}

// line draws a line through points, without dashes unless given.
func (c *canvas) line(col color.Color, width vg.Length, dashes []vg.Length, points ...vg.Point) {
	c.StrokeLines(draw.LineStyle{Color: col, Width: width, Dashes: dashes}, points)
}

// fill fills a rectangle.
func (c *canvas) fill(col color.Color, x0, y0, x1, y1 vg.Length) {
	c.FillPolygon(col, []vg.Point{{X: x0, Y: y0}, {X: x1, Y: y0}, {X: x1, Y: y1}, {X: x0, Y: y1}})
}

// figure is a chart before it is drawn.
type figure struct {
	block  bench.Block
	part   string // stands in the name of a chart of several blocks
	title  string // the finding
	n      string // what it rests on
	note   string // what is shown and how, under the title
	keys   []key
	height vg.Length // of the body
	body   func(c *canvas)
}

// key is an entry of the lines that explain marks.
type key struct {
	sample func(c *canvas, x, y vg.Length)
	text   string
}

const (
	keySample vg.Length = 10 // room for the mark
	keyGap    vg.Length = 12
)

// svg draws the figure under its title, note and keys.
func (f figure) svg(t theme, alt string) []byte {
	inner := pageWidth - 2*margin
	titles := wrap(heading, f.title, inner)
	notes := wrap(plain, f.note, inner)
	rows := f.keyRows(inner)
	height := margin + 18*vg.Length(len(titles)) + lead*vg.Length(len(notes)+len(rows)) + 6 + f.height + margin/2
	height = 3 * vg.Length(math.Ceil(float64(height)/3)) // whole CSS pixels: 3 pt are 4

	out := vgsvg.New(pageWidth, height)
	c := &canvas{Canvas: draw.New(out), theme: t}
	c.fill(t.background, 0, 0, pageWidth, height)
	y := height - margin - 5
	for _, s := range titles {
		c.text(heading, t.ink, draw.XLeft, margin, y, s)
		y -= 18
	}
	for _, s := range notes {
		c.text(plain, t.muted, draw.XLeft, margin, y, s)
		y -= lead
	}
	for _, row := range rows {
		x := margin
		for _, k := range row {
			k.sample(c, x+keySample/2, y)
			c.text(plain, t.muted, draw.XLeft, x+keySample+4, y, k.text)
			x += k.width()
		}
		y -= lead
	}
	c.Max.Y = margin/2 + f.height
	c.Min.Y = margin / 2
	f.body(c)

	var b bytes.Buffer
	out.WriteTo(&b) // a bytes.Buffer takes everything
	return finish(b.Bytes(), c.widths, onOneLine(f.title), alt)
}

func (k key) width() vg.Length { return keySample + 4 + textWidth(plain, k.text) + keyGap }

func (f figure) keyRows(w vg.Length) [][]key {
	var rows [][]key
	x := w
	for _, k := range f.keys {
		if x+k.width()-keyGap > w {
			rows = append(rows, nil)
			x = 0
		}
		rows[len(rows)-1] = append(rows[len(rows)-1], k)
		x += k.width()
	}
	return rows
}

// finish adds what gonum's SVG lacks: a role, a title and a description for those
// who do not see it; fonts to fall back on; and the width of each text, which a
// viewer with other letters then keeps.
func finish(svg []byte, widths []vg.Length, title, desc string) []byte {
	var b bytes.Buffer
	head, rest, _ := bytes.Cut(svg, []byte("<svg "))
	tag, body, _ := bytes.Cut(rest, []byte(">"))
	b.Write(head)
	b.WriteString(`<svg role="img" `)
	b.Write(tag)
	b.WriteString(">\n<title>")
	xml.EscapeText(&b, []byte(title)) // a bytes.Buffer takes everything
	b.WriteString("</title>\n<desc>")
	xml.EscapeText(&b, []byte(desc))
	b.WriteString("</desc>")
	for i, part := range bytes.Split(body, []byte("<text ")) {
		if i > 0 {
			fmt.Fprintf(&b, `<text textLength="%.2f" lengthAdjust="spacingAndGlyphs" `, widths[i-1])
		}
		b.Write(bytes.ReplaceAll(part,
			[]byte("font-family:Liberation Sans;"),
			[]byte("font-family:Liberation Sans,Arial,Helvetica,sans-serif;")))
	}
	return b.Bytes()
}
