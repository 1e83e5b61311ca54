package chart

import (
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
)

// label is text beside a mark in a frame.
type label struct {
	mark vg.Point
	text string
	box  vg.Rectangle // set by place
}

const (
	labelHeight vg.Length = 14
	markReach   vg.Length = 6 // room that a mark takes to each side
)

// place finds a place for each label, next to its mark where that is free,
// farther off where it is not: within bounds, over no mark and no other label.
// Where nothing is free the label stays right of its mark.
func place(labels []label, bounds vg.Rectangle) {
	for i := range labels {
		l := &labels[i]
		free := func(box vg.Rectangle) bool {
			return within(box, bounds) &&
				!slices.ContainsFunc(labels, func(other label) bool { return overlap(box, other.reach()) }) &&
				!slices.ContainsFunc(labels[:i], func(other label) bool { return overlap(box, other.box) })
		}
		l.box = l.at(offsets[0])
		for _, at := range offsets {
			if box := l.at(at); free(box) {
				l.box = box
				break
			}
		}
	}
}

// reach is the room that the label's mark takes.
func (l label) reach() vg.Rectangle {
	return vg.Rectangle{
		Min: vg.Point{X: l.mark.X - markReach, Y: l.mark.Y - markReach},
		Max: vg.Point{X: l.mark.X + markReach, Y: l.mark.Y + markReach},
	}
}

// offsets are the places to try, as the distance from the mark to the middle
// of the nearest edge of the label: near ones first, and the right first.
var offsets = func() []vg.Point {
	var at []vg.Point
	for r := vg.Length(9); r < 260; r += 5 {
		for _, turn := range []float64{0, 0.5, 0.06, 0.94, 0.44, 0.56, 0.12, 0.88, 0.38, 0.62, 0.18, 0.82, 0.32, 0.68, 0.25, 0.75} {
			sin, cos := math.Sincos(2 * math.Pi * turn)
			at = append(at, vg.Point{X: r * vg.Length(cos), Y: r * vg.Length(sin)})
		}
	}
	return at
}()

// at is the label's box with its nearest edge at a distance from the mark.
func (l *label) at(d vg.Point) vg.Rectangle {
	x, y, w := l.mark.X+d.X, l.mark.Y+d.Y-labelHeight/2, textWidth(plain, l.text)+2
	switch {
	case math.Abs(float64(d.X)) < 1:
		x -= w / 2
	case d.X < 0:
		x -= w
	}
	return vg.Rectangle{Min: vg.Point{X: x, Y: y}, Max: vg.Point{X: x + w, Y: y + labelHeight}}
}

func within(r, bounds vg.Rectangle) bool {
	return r.Min.X >= bounds.Min.X && r.Max.X <= bounds.Max.X && r.Min.Y >= bounds.Min.Y && r.Max.Y <= bounds.Max.Y
}

func overlap(a, b vg.Rectangle) bool {
	return a.Min.X < b.Max.X && b.Min.X < a.Max.X && a.Min.Y < b.Max.Y && b.Min.Y < a.Max.Y
}

// edge is the point of a box that is nearest to another point.
func edge(box vg.Rectangle, to vg.Point) vg.Point {
	return vg.Point{X: min(max(to.X, box.Min.X), box.Max.X), Y: min(max(to.Y, box.Min.Y), box.Max.Y)}
}
