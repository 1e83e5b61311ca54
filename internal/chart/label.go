package chart

import (
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
)

// label is text beside a mark in a frame.
type label struct {
	mark  vg.Point
	width vg.Length
	box   vg.Rectangle // set by place
}

const (
	labelHeight vg.Length = 12
	markReach   vg.Length = 6 // room that a mark takes to each side
)

// place finds a place for each label, next to its mark where that is free,
// farther off where it is not: within bounds, over no mark and no other label,
// and, as long as there is such a place, without a line to its mark that crosses
// a label. Where nothing is free the label stays right of its mark.
func place(labels []label, bounds vg.Rectangle) {
	for i := range labels {
		labels[i].box = labels[i].at(offsets[0].X, offsets[0].Y)
		for _, apart := range []bool{true, false} {
			if labels[i].find(labels[:i], labels, bounds, apart) {
				break
			}
		}
	}
}

// find takes the first free place for a label, and reports false where there is
// none. The labels before it have their places.
func (l *label) find(placed, all []label, bounds vg.Rectangle, apart bool) bool {
	for _, at := range offsets {
		box := l.at(at.X, at.Y)
		if !within(box, bounds) ||
			slices.ContainsFunc(all, func(other label) bool { return overlap(box, other.reach()) }) ||
			slices.ContainsFunc(placed, func(other label) bool {
				return overlap(box, other.box) || apart &&
					(crosses(l.mark, edge(box, l.mark), other.box) || crosses(other.mark, edge(other.box, other.mark), box))
			}) {
			continue
		}
		l.box = box
		return true
	}
	return false
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
func (l *label) at(dx, dy vg.Length) vg.Rectangle {
	x, y := l.mark.X+dx, l.mark.Y+dy-labelHeight/2
	switch {
	case math.Abs(float64(dx)) < 1:
		x -= l.width / 2
	case dx < 0:
		x -= l.width
	}
	return vg.Rectangle{Min: vg.Point{X: x, Y: y}, Max: vg.Point{X: x + l.width, Y: y + labelHeight}}
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

// crosses reports whether the line between two points enters a box.
func crosses(a, b vg.Point, box vg.Rectangle) bool {
	const points = 24
	for i := range points + 1 {
		t := vg.Length(i) / points
		x, y := a.X+t*(b.X-a.X), a.Y+t*(b.Y-a.Y)
		if x > box.Min.X && x < box.Max.X && y > box.Min.Y && y < box.Max.Y {
			return true
		}
	}
	return false
}
