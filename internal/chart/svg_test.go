package chart

import (
	"encoding/xml"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// phone is the width of a phone's screen in CSS pixels, and legible the least
// height of letters on it.
const phone, legible = 390, 11

// drawn is a chart as far as its layout goes.
type drawn struct {
	Role  string `xml:"role,attr"`
	Box   string `xml:"viewBox,attr"`
	Title string `xml:"title"`
	Desc  string `xml:"desc"`
	Texts []text `xml:"g>text"`

	width, height float64
}

// text is one of a chart, which is drawn upright in a group that is upside down.
type text struct {
	X      float64 `xml:"x,attr"`
	Y      float64 `xml:"y,attr"`
	Length float64 `xml:"textLength,attr"`
	Style  string  `xml:"style,attr"`
	String string  `xml:",chardata"`
}

var (
	fontSize = regexp.MustCompile(`font-size:([0-9.]+)px`)
	tags     = regexp.MustCompile(`<([a-z]+)`)
)

func (t text) size() float64 {
	size, _ := strconv.ParseFloat(fontSize.FindStringSubmatch(t.Style)[1], 64)
	return size
}

// width is that of the letters here.
func (t text) width() float64 {
	f := plain
	if strings.Contains(t.Style, "font-weight:bold") {
		f = strong
	}
	return float64(f.Width(t.String)/f.Font.Size) * t.size()
}

// overlaps reports whether two texts run into one another.
func (t text) overlaps(u text) bool {
	return t.X < u.X+u.width() && u.X < t.X+t.width() && t.Y-0.74*t.size() < u.Y+0.2*u.size() && u.Y-0.74*u.size() < t.Y+0.2*t.size()
}

// read takes a chart apart.
func read(t *testing.T, name string, svg []byte) (d drawn) {
	t.Helper()
	if err := xml.Unmarshal(svg, &d); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	box := strings.Fields(d.Box)
	d.width, _ = strconv.ParseFloat(box[2], 64)
	d.height, _ = strconv.ParseFloat(box[3], 64)
	return d
}

// checkSVG fails where text of a chart leaves the page, runs into other text, is
// too small for a phone, or may be wider in a viewer than it is here.
func checkSVG(t *testing.T, name string, svg []byte, c Chart) {
	t.Helper()
	d := read(t, name, svg)
	if d.Role != "img" || d.Title != c.Title || d.Desc != c.Alt || d.Title == "" || d.Desc == "" {
		t.Errorf("%s: role %q, title %q, description %q", name, d.Role, d.Title, d.Desc)
	}
	for _, tag := range tags.FindAllStringSubmatch(string(svg), -1) {
		if !slices.Contains([]string{"svg", "title", "desc", "g", "path", "text"}, tag[1]) {
			t.Errorf("%s: element %s", name, tag[1])
		}
	}
	for i, a := range d.Texts {
		if a.X < 0 || a.X+a.width() > d.width || d.height+a.Y-0.74*a.size() < 0 || a.Y+0.2*a.size() > 0 {
			t.Errorf("%s: %q leaves the page", name, a.String)
		}
		if high := a.size() * phone / d.width; high < legible {
			t.Errorf("%s: %q is %.1f pixels high on a phone", name, a.String, high)
		}
		if math.Abs(a.Length-a.width()) > 0.1 {
			t.Errorf("%s: %q is %.1f wide, and viewers are told %.1f", name, a.String, a.width(), a.Length)
		}
		for _, b := range d.Texts[:i] {
			if a.overlaps(b) {
				t.Errorf("%s: %q runs into %q", name, a.String, b.String)
			}
		}
	}
}
