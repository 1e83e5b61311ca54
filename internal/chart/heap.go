package chart

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"hotpath/internal/bench"
	"hotpath/internal/study"
)

// heaps draws, for each block whose forks recorded it, the heap over time of
// one fork of each contestant, all to one scale.
func heaps(d *drawing) []figure {
	var figures []figure
	for _, b := range d.Blocks {
		courses := b.Courses()
		for _, cv := range courses {
			for _, s := range cv.Fork.Heap {
				if s.MS != 0 && !drawable(s.MS) {
					d.refuse(cv.ID(), cv.Fork.ID, "a moment of the heap over time", s.MS)
				}
				if s.Bytes < 0 || float64(s.Bytes) > largest {
					d.refuse(cv.ID(), cv.Fork.ID, "the heap over time", float64(s.Bytes))
				}
			}
		}
		if len(courses) > 0 && d.err == nil {
			figures = append(figures, heapFigure(b, courses))
		}
	}
	return figures
}

// What one course takes of a figure.
const (
	courseHeight vg.Length = 74
	courseHead   vg.Length = 23
)

func heapFigure(b *study.Block, courses []study.Course) figure {
	var alts []string
	for _, cv := range courses {
		alts = append(alts, fmt.Sprintf("%s: at most %s, %s, %s, fork %d of n=%d clean ones",
			cv.Impl(), bench.Bytes.Print(cv.Peak), bench.Plural(int(cv.Cycles), "collection"), bench.Seconds.Print(cv.Time), cv.Fork.ID, cv.Forks))
	}
	fig := figure{block: b.Block, height: vg.Length(len(courses))*(courseHeight+courseHead) + 2*tickGap + 4, title: heapTitle(courses)}
	fig.note = b.Describe() + ": bytes occupied by objects, dead ones that are not swept yet included, over the measured work of one fork of each contestant, " +
		"the one in the middle by its time; a sample about every " + bench.Seconds.Print(study.Period(courses)) + ". One scale for all."
	fig.keys = []key{{func(c *canvas, x, y vg.Length) {
		c.line(c.ink, 0.8, nil, vg.Point{X: x, Y: y - 3}, vg.Point{X: x, Y: y + 3})
	}, "at least one garbage collection ended since the sample before"}}
	fig.alt = "Heap over time of " + b.Describe() + ". " + strings.Join(alts, "; ") + "."
	fig.body = func(c *canvas) { c.courses(courses) }
	return fig
}

// heapTitle tells the peaks, or the extremes of many.
func heapTitle(courses []study.Course) string {
	var peaks []string
	for _, cv := range courses {
		peaks = append(peaks, bench.Bytes.Print(cv.Peak)+" in "+cv.Impl())
	}
	if len(peaks) <= 4 {
		return "The heap reaches " + strings.Join(peaks, ", ")
	}
	by := func(a, b study.Course) int { return cmp.Compare(a.Peak, b.Peak) }
	lo, hi := slices.MinFunc(courses, by), slices.MaxFunc(courses, by)
	return fmt.Sprintf("The heap reaches from %s (%s) to %s (%s)", bench.Bytes.Print(lo.Peak), lo.Impl(), bench.Bytes.Print(hi.Peak), hi.Impl())
}

// courses draws a frame for each course, with the labels of the time below the
// last.
func (c *canvas) courses(courses []study.Course) {
	last, highest := 0.0, 1.0
	for _, cv := range courses {
		last, highest = max(last, cv.Fork.Heap[len(cv.Fork.Heap)-1].MS), max(highest, cv.Peak)
	}
	x := linearAxis(last, 8, func(ms float64) string { return bench.Nanos.Tick(ms * 1e6) })
	y := linearAxis(highest, 3, bench.Bytes.Tick)
	unlabelled := x
	unlabelled.ticks = slices.Clone(x.ticks)
	for i := range unlabelled.ticks {
		unlabelled.ticks[i].text = ""
	}
	top := c.Max.Y
	for i, cv := range courses {
		f := frame{vg.Rectangle{
			Min: vg.Point{X: margin + y.labelWidth() + 6, Y: top - courseHead - courseHeight},
			Max: vg.Point{X: pageWidth - margin - 6, Y: top - courseHead},
		}, unlabelled, y}
		if i == len(courses)-1 {
			f.x = x
		}
		c.ticksY(f)
		c.ticksX(f)
		c.text(strong, c.ink, draw.XLeft, f.Min.X, f.Max.Y+7, fit(strong, cv.Impl(), nameMax))
		c.text(small, c.muted, draw.XLeft, f.Min.X+min(textWidth(strong, cv.Impl()), nameMax)+10, f.Max.Y+7,
			fmt.Sprintf("%s; at most %s; %s; n=%d", bench.Plural(int(cv.Cycles), "collection"), bench.Bytes.Print(cv.Peak), bench.Seconds.Print(cv.Time), cv.Forks))
		c.course(f, cv)
		top -= courseHeight + courseHead
	}
}

// course draws a heap over time, and a rug of collections below it.
func (c *canvas) course(f frame, cv study.Course) {
	const rug vg.Length = 5
	col := lookOf(cv.Role).colour(c.theme)
	var path []vg.Point
	for i, sample := range cv.Fork.Heap {
		p := vg.Point{X: f.atX(sample.MS), Y: f.atY(float64(sample.Bytes))}
		path = append(path, p)
		if i > 0 && sample.Cycles > cv.Fork.Heap[i-1].Cycles {
			c.line(c.ink, 0.6, nil, vg.Point{X: p.X, Y: f.Min.Y - 1}, vg.Point{X: p.X, Y: f.Min.Y - 1 - rug})
		}
	}
	c.line(col, 1.1, nil, path...)
}
