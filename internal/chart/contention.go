package chart

import (
	"fmt"
	"slices"
	"strconv"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"hotpath/internal/bench"
	"hotpath/internal/contention"
)

const bandHeight vg.Length = 190

// tableShapes tell published tables apart, along with their letters.
var tableShapes = []shape{square, diamond, up, down}

// letterAt is where a letter stands beside its mark: the first place that is free of
// others' letters and marks.
func letterAt(mark vg.Point, taken []vg.Point) (at vg.Point) {
	for _, away := range []vg.Length{10, 20} {
		for _, side := range []vg.Point{{X: 1}, {X: -1}, {Y: 1}, {Y: -1}, {X: 1, Y: 1}, {X: -1, Y: 1}, {X: 1, Y: -1}, {X: -1, Y: -1}} {
			at = mark.Add(side.Scale(away))
			if !slices.ContainsFunc(taken, func(o vg.Point) bool {
				d := at.Sub(o)
				return o != mark && max(d.X, -d.X) < 9 && max(d.Y, -d.Y) < 10
			}) {
				return at
			}
		}
	}
	return mark.Add(vg.Point{X: 10})
}

// Contention draws the band of a model with the published tables on it: the time of an
// add of each thread against the number of threads.
func Contention(experiment string, b *contention.Band) Chart {
	f := figure{height: stackHeight(1, bandHeight) + lead}
	inside, all := 0, 0
	for _, c := range b.Checks {
		inside, all = inside+c.Inside(), all+len(c.Points)
	}
	f.title = fmt.Sprintf("%s: a model of one line under more threads holds %d of %s", experiment, inside, bench.Plural(all, "published figure"))
	f.note = "Not measured but for the dot. The band is from runs on the line as long as here (lower edge) to one add each (upper edge); letters are the tables below."
	f.keys = []key{
		{func(c *canvas, x, y vg.Length) { c.fill(c.band, x-5, y-5, x+5, y+5) }, "model"},
		{func(c *canvas, x, y vg.Length) { c.mark(disc, c.ink, x, y, 3.4) }, "measured here"},
		{func(c *canvas, x, y vg.Length) { c.hollow(square, c.shade(bench.Published, 0), x, y, 3) }, "published"},
	}
	f.body = func(c *canvas) { c.contention(b) }
	return Kind{Name: "contention", form: "A model of contention on one cache line"}.chart(slug(experiment+" contention"), f)
}

func (c *canvas) contention(b *contention.Band) {
	lowest, _ := b.Each(2)
	_, highest := b.Each(contention.MostThreads)
	values := []float64{lowest, highest, float64(b.CPUs) * b.Shared.Middle}
	for _, t := range b.Checks {
		for _, p := range t.Points {
			values = append(values, p.Each)
		}
	}
	x := logAxis([]float64{2, contention.MostThreads}, 0, bench.Short)
	x.ticks = nil
	for n := 2; n <= contention.MostThreads; n *= 2 {
		x.ticks = append(x.ticks, tick{log10(float64(n)), strconv.Itoa(n)})
	}
	f := c.stack(1, bandHeight, 46, x)[0]
	f.y = logAxis(values, 6, bench.Nanos.Tick)
	at := func(n, ns float64) vg.Point { return vg.Point{X: f.atX(log10(n)), Y: f.atY(log10(ns))} }
	few, least := b.Each(2)
	many, most := b.Each(contention.MostThreads)
	c.FillPolygon(c.band, []vg.Point{at(2, few), at(2, least), at(contention.MostThreads, most), at(contention.MostThreads, many)})
	c.ticksX(f)
	c.ticksY(f)
	c.over(f, "an add of each thread", "log scales")
	var taken, last []vg.Point
	for i, t := range b.Checks {
		for _, p := range t.Points {
			pt := at(float64(p.Threads), p.Each)
			c.hollow(tableShapes[i%len(tableShapes)], c.shade(bench.Published, 0), pt.X, pt.Y, 3)
			taken = append(taken, pt)
		}
		last = append(last, taken[len(taken)-1])
	}
	for i, mark := range last {
		letter := letterAt(mark, taken)
		taken = append(taken, letter)
		c.text(plain, c.ink, draw.XCenter, letter.X, letter.Y, contention.Letter(i))
	}
	own := at(float64(b.CPUs), float64(b.CPUs)*b.Shared.Middle)
	if b.CPUs <= contention.MostThreads {
		c.mark(disc, c.ink, own.X, own.Y, 3.4)
	}
	c.text(plain, c.muted, draw.XLeft, margin, c.Min.Y+lead/2, "threads that run at the same time")
}
