package chart

import (
	"bytes"
	"encoding/xml"
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

const (
	pageWidth vg.Length = 660 // 880 CSS pixels, what GitHub gives a page
	margin    vg.Length = 14
	lead      vg.Length = 12.5 // from one line of small text to the next
)

// slack is how much wider than Liberation Sans a viewer's letters may be.
// Arial and Helvetica are as wide, DejaVu Sans is wider by a sixth, and bold by
// up to a fifth and a little more.
const slack = 1.22

// A theme is the colours of one version of a chart.
type theme struct {
	background, ink, muted, grid, band color.NRGBA
	// series are the colours of Okabe and Ito, which people who confuse red and
	// green tell apart; lighter ones on dark.
	series []color.NRGBA
}

func rgb(hex uint32) color.NRGBA {
	return color.NRGBA{R: uint8(hex >> 16), G: uint8(hex >> 8), B: uint8(hex), A: 255}
}

// faint is a colour for many marks that lie over one another.
func faint(c color.NRGBA) color.NRGBA {
	c.A = 110
	return c
}

var light = theme{
	background: rgb(0xFFFFFF), ink: rgb(0x1F2328), muted: rgb(0x59636E), grid: rgb(0xE7EAED), band: rgb(0xDCEAF5),
	series: []color.NRGBA{rgb(0xD55E00), rgb(0x0072B2), rgb(0x009E73), rgb(0xCC79A7), rgb(0xE69F00), rgb(0x56B4E9), rgb(0x1F2328)},
}

var dark = theme{
	background: rgb(0x0D1117), ink: rgb(0xE6EDF3), muted: rgb(0x9198A1), grid: rgb(0x23292F), band: rgb(0x1B3145),
	series: []color.NRGBA{rgb(0xFF8F4A), rgb(0x58A6E8), rgb(0x2FC79B), rgb(0xE7A5CB), rgb(0xF2C14E), rgb(0xA8DCFF), rgb(0xE6EDF3)},
}

var (
	faces   = font.NewCache(liberation.Collection())
	heading = face("LiberationSans-Bold", 12.5)
	strong  = face("LiberationSans-Bold", 9.5)
	plain   = face("LiberationSans-Regular", 9.5)
	small   = face("LiberationSans-Regular", 9)
)

func face(name string, size vg.Length) font.Face {
	for _, f := range liberation.Collection() {
		if f.Name() == name {
			return faces.Lookup(f.Font, size)
		}
	}
	panic("chart: no font " + name)
}

// textWidth is the room that text takes, slack included.
func textWidth(f font.Face, s string) vg.Length { return f.Width(printable(s)) * slack }

// widest is the room of the widest of some texts.
func widest(f font.Face, texts []string) vg.Length {
	var w vg.Length
	for _, s := range texts {
		w = max(w, textWidth(f, s))
	}
	return w
}

// fit shortens text that is wider than w.
func fit(f font.Face, s string, w vg.Length) string {
	s = printable(s)
	if textWidth(f, s) <= w {
		return s
	}
	runes := []rune(s)
	for len(runes) > 0 && textWidth(f, string(runes)+"…") > w {
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
		if line != "" && textWidth(f, line+" "+word) > w {
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
}

// text draws one line, vertically centred on y. Left-aligned text is the rule:
// wider letters then grow to the side where layouts leave room.
func (c *canvas) text(f font.Face, col color.Color, align draw.XAlignment, x, y vg.Length, s string) {
	if s = printable(s); s == "" {
		return
	}
	c.SetColor(col)
	x += vg.Length(align) * f.Width(s)
	c.FillString(f, vg.Point{X: x, Y: y - 0.36*f.Font.Size}, s)
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
	title  string
	note   string // what is shown and how, under the title
	alt    string
	keys   []key
	height vg.Length // of the body
	body   func(c *canvas)
}

// key is an entry of the line that explains marks.
type key struct {
	sample func(c *canvas, x, y vg.Length)
	text   string
}

const (
	keySample vg.Length = 8 // room for the mark
	keyGap    vg.Length = 14
)

// svg draws the figure under its title, note and keys.
func (f figure) svg(t theme) []byte {
	inner := pageWidth - 2*margin
	titles := wrap(heading, f.title, inner)
	notes := wrap(small, f.note, inner)
	rows := f.keyRows(inner)
	height := margin + 16*vg.Length(len(titles)) + lead*vg.Length(len(notes)+len(rows)) + 8 + f.height + margin/2
	height = 3 * vg.Length(math.Ceil(float64(height)/3)) // whole CSS pixels: 3 pt are 4

	out := vgsvg.New(pageWidth, height)
	c := &canvas{draw.New(out), t}
	c.fill(t.background, 0, 0, pageWidth, height)
	y := height - margin - 4
	for _, s := range titles {
		c.text(heading, t.ink, draw.XLeft, margin, y, s)
		y -= 16
	}
	for _, s := range notes {
		c.text(small, t.muted, draw.XLeft, margin, y, s)
		y -= lead
	}
	for _, row := range rows {
		x := margin
		for _, k := range row {
			k.sample(c, x+keySample/2, y)
			c.text(small, t.muted, draw.XLeft, x+keySample+4, y, k.text)
			x += k.width()
		}
		y -= lead
	}
	c.Max.Y = margin/2 + f.height
	c.Min.Y = margin / 2
	f.body(c)

	var b bytes.Buffer
	out.WriteTo(&b) // a bytes.Buffer takes everything
	return describeSVG(b.Bytes(), onOneLine(f.title), onOneLine(f.alt))
}

func (k key) width() vg.Length { return keySample + 4 + textWidth(small, k.text) + keyGap }

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

// describeSVG adds what gonum's SVG lacks: a role, a title and a description
// for those who do not see it, and fonts to fall back on.
func describeSVG(svg []byte, title, desc string) []byte {
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
	b.Write(bytes.ReplaceAll(body,
		[]byte("font-family:Liberation Sans;"),
		[]byte("font-family:Liberation Sans,Arial,Helvetica,sans-serif;")))
	return b.Bytes()
}
