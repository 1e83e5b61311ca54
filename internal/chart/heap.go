package chart

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"hotpath/internal/bench"
	"hotpath/internal/results"
)

// course is the heap over time of one fork of a contestant.
type course struct {
	impl   string
	fork   *results.Fork // in the middle of the clean ones by its time
	forks  int           // clean ones to choose it from
	time   float64       // seconds
	peak   float64       // bytes
	cycles int64         // of the collector
}

// heaps draws, for each block whose forks recorded it, the heap over time of
// one fork of each contestant, all to one scale.
func heaps(s *study) ([]figure, error) {
	var figures []figure
	for _, block := range s.Blocks() {
		var courses []course
		for _, cell := range s.Block(block) {
			// A second look at the same code shows nothing new.
			if cv, ok := s.course(cell); ok && cell.Role != bench.Control {
				courses = append(courses, cv)
			}
		}
		if len(courses) > 0 {
			figures = append(figures, s.heapFigure(block, courses))
		}
	}
	return figures, nil
}

func (s *study) course(cell bench.Cell) (course, bool) {
	time := func(f *results.Fork) float64 { v, _ := f.Value(bench.Real); return v }
	forks := slices.DeleteFunc(s.Clean(cell), func(f *results.Fork) bool { return len(f.Heap) < 2 || f.Heap[len(f.Heap)-1].MS == 0 || time(f) == 0 })
	if len(forks) == 0 {
		return course{}, false
	}
	slices.SortStableFunc(forks, func(a, b *results.Fork) int { return cmp.Compare(time(a), time(b)) })
	f := forks[(len(forks)-1)/2]
	cv := course{impl: cell.Impl(), fork: f, forks: len(forks), time: time(f)}
	for _, sample := range f.Heap {
		cv.peak = max(cv.peak, float64(sample.Bytes))
	}
	cv.cycles = f.Heap[len(f.Heap)-1].Cycles - f.Heap[0].Cycles
	return cv, true
}

func (s *study) heapFigure(block bench.Block, courses []course) figure {
	const (
		panelHeight vg.Length = 74
		head        vg.Length = 23
	)
	last, highest := 0.0, 1.0
	var peaks, alts []string
	for _, cv := range courses {
		last = max(last, cv.fork.Heap[len(cv.fork.Heap)-1].MS)
		highest = max(highest, cv.peak)
		peaks = append(peaks, fmt.Sprintf("%s in %s", size(cv.peak), cv.impl))
		alts = append(alts, fmt.Sprintf("%s: at most %s, %s, %s, fork %d of n=%d clean ones",
			cv.impl, size(cv.peak), plural(int(cv.cycles), "collection"), seconds(cv.time), cv.fork.ID, cv.forks))
	}
	x := linearAxis(last, 8, func(ms float64) string { return shortTime(ms * 1e6) })
	y := linearAxis(highest, 3, shortSize)

	fig := figure{block: block, height: vg.Length(len(courses))*(panelHeight+head) + 2*tickGap + 4}
	if len(peaks) > 4 {
		by := func(a, b course) int { return cmp.Compare(a.peak, b.peak) }
		lo, hi := slices.MinFunc(courses, by), slices.MaxFunc(courses, by)
		fig.title = fmt.Sprintf("The heap reaches from %s (%s) to %s (%s)", size(lo.peak), lo.impl, size(hi.peak), hi.impl)
	} else {
		fig.title = "The heap reaches " + strings.Join(peaks, ", ")
	}
	fig.note = describe(block) + ": bytes occupied by objects, dead ones that are not swept yet included, over the measured work of one fork of each contestant, " +
		"the one in the middle by its time; a sample about every " + seconds(period(courses)) + ". One scale for all."
	fig.keys = []key{{func(c *canvas, x, y vg.Length) {
		c.line(c.ink, 0.8, nil, vg.Point{X: x, Y: y - 3}, vg.Point{X: x, Y: y + 3})
	}, "at least one garbage collection ended since the sample before"}}
	fig.alt = "Heap over time of " + describe(block) + ". " + strings.Join(alts, "; ") + "."
	fig.body = func(c *canvas) {
		top := c.Max.Y
		for i, cv := range courses {
			f := frame{vg.Rectangle{
				Min: vg.Point{X: margin + y.labelWidth() + 6, Y: top - head - panelHeight},
				Max: vg.Point{X: pageWidth - margin - 6, Y: top - head},
			}, x, y}
			c.ticksY(f)
			if i == len(courses)-1 {
				c.ticksX(f)
			} else {
				unlabelled := f
				unlabelled.x.ticks = slices.Clone(x.ticks)
				for j := range unlabelled.x.ticks {
					unlabelled.x.ticks[j].text = ""
				}
				c.ticksX(unlabelled)
			}
			c.text(strong, c.ink, draw.XLeft, f.Min.X, f.Max.Y+7, fit(strong, cv.impl, nameMax))
			c.text(small, c.muted, draw.XLeft, f.Min.X+min(textWidth(strong, cv.impl), nameMax)+10, f.Max.Y+7,
				fmt.Sprintf("%s; at most %s; %s; n=%d", plural(int(cv.cycles), "collection"), size(cv.peak), seconds(cv.time), cv.forks))
			s.drawCourse(c, f, cv)
			top -= panelHeight + head
		}
	}
	return fig
}

// drawCourse draws a heap over time, and a rug of collections below it.
func (s *study) drawCourse(c *canvas, f frame, cv course) {
	const rug vg.Length = 5
	col := lookOf(s.roles[cv.impl]).colour(c.theme)
	var path []vg.Point
	for i, sample := range cv.fork.Heap {
		p := vg.Point{X: f.atX(sample.MS), Y: f.atY(float64(sample.Bytes))}
		path = append(path, p)
		if i > 0 && sample.Cycles > cv.fork.Heap[i-1].Cycles {
			c.line(c.ink, 0.6, nil, vg.Point{X: p.X, Y: f.Min.Y - 1}, vg.Point{X: p.X, Y: f.Min.Y - 1 - rug})
		}
	}
	c.line(col, 1.1, nil, path...)
}

// period is the middle of the distances between two samples, in seconds.
func period(courses []course) float64 {
	var gaps []float64
	for _, cv := range courses {
		for i := 1; i < len(cv.fork.Heap); i++ {
			gaps = append(gaps, (cv.fork.Heap[i].MS-cv.fork.Heap[i-1].MS)/1e3)
		}
	}
	slices.Sort(gaps)
	return gaps[len(gaps)/2]
}
