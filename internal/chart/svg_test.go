package chart

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"
)

// checkSVG parses a chart and fails where text leaves the page or runs into
// other text, even in a viewer with wider letters.
func checkSVG(t *testing.T, name string, svg []byte, c Chart) {
	t.Helper()
	const wider = 1.2 // than Liberation Sans, as DejaVu Sans is
	type box struct {
		text           string
		x0, x1, y0, y1 float64
	}
	var boxes []box
	var text struct {
		XMLName struct{} `xml:"text"`
		X       float64  `xml:"x,attr"`
		Y       float64  `xml:"y,attr"`
		Style   string   `xml:"style,attr"`
		Text    string   `xml:",chardata"`
	}
	var title, desc, role string
	var width, height float64
	d := xml.NewDecoder(bytes.NewReader(svg))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		switch start.Name.Local {
		case "svg":
			for _, a := range start.Attr {
				switch a.Name.Local {
				case "role":
					role = a.Value
				case "viewBox":
					box := strings.Fields(a.Value)
					width, height = parse(t, box[2]), parse(t, box[3])
				}
			}
		case "title":
			err = d.DecodeElement(&title, &start)
		case "desc":
			err = d.DecodeElement(&desc, &start)
		case "text":
			text.Text = ""
			err = d.DecodeElement(&text, &start)
			size := parse(t, regexp.MustCompile(`font-size:([0-9.]+)px`).FindStringSubmatch(text.Style)[1])
			f := small
			if strings.Contains(text.Style, "font-weight:bold") {
				f = strong
			}
			w := float64(f.Width(text.Text)/f.Font.Size) * size * wider
			baseline := height + text.Y // text is drawn upright in a group that is upside down
			boxes = append(boxes, box{text.Text, text.X, text.X + w, baseline - 0.74*size, baseline + 0.2*size})
		case "g", "path":
		default:
			t.Errorf("%s: element %s", name, start.Name.Local)
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	if role != "img" || title != c.Title || desc != c.Alt || title == "" || desc == "" {
		t.Errorf("%s: role %q, title %q, description %q", name, role, title, desc)
	}
	for i, a := range boxes {
		if a.x0 < 0 || a.x1 > width || a.y0 < 0 || a.y1 > height {
			t.Errorf("%s: %q leaves the page: %v", name, a.text, a)
		}
		for _, b := range boxes[:i] {
			if a.x0 < b.x1 && b.x0 < a.x1 && a.y0 < b.y1 && b.y0 < a.y1 {
				t.Errorf("%s: %q runs into %q", name, a.text, b.text)
			}
		}
	}
}
