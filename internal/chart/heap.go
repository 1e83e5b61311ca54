package chart

import (
	"cmp"
	"fmt"
	"slices"

	"gonum.org/v1/plot/vg"

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

const courseHeight vg.Length = 84

func heapFigure(b *study.Block, courses []study.Course) figure {
	fig := figure{block: b.Block, height: stackHeight(len(courses), courseHeight), title: heapTitle(courses)}
	var rows []*study.Figure
	for _, cv := range courses {
		rows = append(rows, cv.Figure(bench.PeakHeap))
	}
	fig.n = heatsOf(rows)
	fig.note = b.Describe() + ". Occupied heap, dead objects included, over the measured time of the fork in the middle by its time; a dot each " +
		bench.Seconds.Tick(study.Period(courses)) + ", one scale."
	fig.body = func(c *canvas) { c.courses(courses) }
	return fig
}

// peak is the median of the peaks, or that of the fork that is drawn where forks
// did not tell theirs.
func peak(cv study.Course) float64 {
	if f := cv.Figure(bench.PeakHeap); f.Counts() {
		return f.Median.Estimate
	}
	return cv.Peak
}

// heapTitle tells the extremes of the peaks.
func heapTitle(courses []study.Course) string {
	by := func(a, b study.Course) int { return cmp.Compare(peak(a), peak(b)) }
	lo, hi := slices.MinFunc(courses, by), slices.MaxFunc(courses, by)
	return fmt.Sprintf("the heap's peak is %s (%s) to %s (%s)", bench.Bytes.Print(peak(lo)), lo.Impl(), bench.Bytes.Print(peak(hi)), hi.Impl())
}

// courses draws a frame for each course, with the labels of the time below the
// last.
func (c *canvas) courses(courses []study.Course) {
	last, highest := 0.0, 1.0
	for _, cv := range courses {
		last, highest = max(last, cv.Fork.Heap[len(cv.Fork.Heap)-1].MS), max(highest, cv.Peak)
	}
	x := linearAxis(last, 6, func(ms float64) string { return bench.Nanos.Tick(ms * 1e6) })
	y := linearAxis(highest, 3, bench.Bytes.Tick)
	for i, f := range c.stack(len(courses), courseHeight, y.labelWidth()+6, x) {
		cv := courses[i]
		f.y = y
		c.ticksY(f)
		c.ticksX(f)
		c.over(f, cv.Impl(), "peak "+bench.Bytes.Print(peak(cv))+", "+bench.Plural(int(cv.Cycles), "collection"))
		c.course(f, cv)
	}
}

// course draws a heap over time as dots: the heap moves faster than it is looked
// at, so that a line between two of them would show what was not.
func (c *canvas) course(f frame, cv study.Course) {
	var dots vg.Path
	for _, s := range cv.Fork.Heap {
		dots = append(dots, square.path(f.atX(s.MS), f.atY(float64(s.Bytes)), 1.7)...)
	}
	c.SetColor(lookOf(cv.Role).colour(c.theme))
	c.Fill(dots)
}
