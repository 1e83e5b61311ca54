// Package contention is a model of one cache line that many threads add to: what a
// machine's own figures for a single line say of more CPUs than it has. It is no
// measurement, judges no claim, and stands apart from what was measured.
//
// # The model
//
// A thread that has the line does a number of adds in a row, its run, before another
// one takes the line away. With h the time of an add that nobody contends for, T that
// of the line's way from one CPU to another, and k the length of a run, an add of all
// threads together takes
//
//	S = (T + (k-1) h) / k
//
// and so an add of each of n threads that run at the same time takes n S: the line
// serves one at a time. A machine tells h, T and S, and from these k. How k changes
// with n it does not tell, so the model gives a band, never a line: from n S, if runs
// stay as long as they are here, up to n T, if every add has to wait for the line. T
// and S differ with the distance of the CPUs; the band takes the quarter of the laps
// with the least S, and that with the greatest T.
//
// # Where it fails
//
// At the machine's own number of CPUs the upper edge is far too high: runs are longer
// than one add. Where CPUs come in clusters, T between clusters is many times that
// within, and the band of a machine with one cluster is too low. And T is that of one
// socket of one make: nothing says that another's is within the band.
package contention

import (
	"cmp"
	"math"
	"slices"

	"hotpath/internal/bench"
	"hotpath/internal/study"
)

// Band is the model of a run's machine.
type Band struct {
	CPUs   int     // of the machine
	Alone  float64 // h: ns of an add that nobody contends for
	Shared Range   // S: ns of an add of all threads together, over laps
	Way    Range   // T: ns of the line from CPU to CPU, over laps
	Run    Range   // k: adds in a row, over laps
	Laps   int
	Checks []Check
}

// Range is the quartiles of some values.
type Range struct{ Low, Middle, High float64 }

// Each is the least and the greatest time of an add of each of n threads, in ns.
func (b *Band) Each(n float64) (least, most float64) { return n * b.Shared.Low, n * b.Way.High }

// Overshoot is how many times too high the upper edge is where the machine itself was
// measured.
func (b *Band) Overshoot() float64 { return b.Way.High / b.Shared.Middle }

// Check is a published table beside the band.
type Check struct {
	*Table
	Points []Point
}

// Point is a published figure beside the band.
type Point struct {
	Threads int
	Each    float64 // ns of an add of each thread
	Off     float64 // times above the band; below 1 it lies below, and 1 is inside
}

// Inside is how many of the points are within the band.
func (c Check) Inside() int {
	n := 0
	for _, p := range c.Points {
		if p.Off == 1 {
			n++
		}
	}
	return n
}

// Worst is the point that is farthest from the band.
func (c Check) Worst() Point {
	return slices.MaxFunc(c.Points, func(a, b Point) int {
		return cmp.Compare(math.Abs(math.Log(a.Off)), math.Abs(math.Log(b.Off)))
	})
}

// minLaps is how many laps it takes to tell a quartile.
const minLaps = 12

// Of makes the band of a run; nil where the run does not tell enough for it, or the
// experiment has no such model.
func (f *File) Of(x *study.Experiment, cpus int) *Band {
	if f.Contestant == "" {
		return nil
	}
	alone, contended := x.Block(f.Alone), x.Block(f.Contended)
	if alone == nil || contended == nil || cpus < 2 {
		return nil
	}
	row := alone.Row(f.Contestant)
	if row == nil || !row.Figure(bench.TimePerOp).Counts() {
		return nil
	}
	b := &Band{CPUs: cpus, Alone: row.Figure(bench.TimePerOp).Median.Estimate}
	var shared, way, run []float64
	for _, l := range contended.LapCosts(bench.TimePerOp, f.Contestant) {
		if l.Cost > b.Alone && l.HandOff > l.Cost { // a lap in which the line moved, and runs were longer than one
			shared, way = append(shared, l.Cost), append(way, l.HandOff)
			run = append(run, (l.HandOff-b.Alone)/(l.Cost-b.Alone))
		}
	}
	if b.Laps = len(run); b.Laps < minLaps {
		return nil
	}
	b.Shared, b.Way, b.Run = quartiles(shared), quartiles(way), quartiles(run)
	for i := range f.Tables {
		b.Checks = append(b.Checks, b.check(&f.Tables[i]))
	}
	return b
}

func quartiles(values []float64) Range {
	slices.Sort(values)
	at := func(q float64) float64 { return values[int(q*float64(len(values)-1)+0.5)] }
	return Range{at(0.25), at(0.5), at(0.75)}
}

// check sets a table beside the band.
func (b *Band) check(t *Table) Check {
	c := Check{Table: t}
	for _, f := range t.Figures {
		p := Point{Threads: f.Threads, Each: f.Each(), Off: 1}
		least, most := b.Each(float64(f.Threads))
		switch {
		case p.Each < least:
			p.Off = p.Each / least
		case p.Each > most:
			p.Off = p.Each / most
		}
		c.Points = append(c.Points, p)
	}
	return c
}

// Letter names a table, in the order of the file.
func Letter(i int) string { return string(rune('A' + i%26)) }
