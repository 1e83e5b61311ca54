package study

import (
	"cmp"
	"slices"

	"hotpath/internal/bench"
	"hotpath/internal/results"
)

// Course is the heap over time of one fork of a contestant.
type Course struct {
	*Row
	Fork   *results.Fork // in the middle of the clean ones by its time
	Forks  int           // clean ones to choose it from
	Time   float64       // of its work, in seconds
	Peak   float64       // bytes
	Cycles int64         // of the collector
}

// Courses are those of the contestants that recorded their heap. The control is
// left out: a second look at the same code shows nothing new.
func (b *Block) Courses() []Course {
	time := func(f *results.Fork) float64 { v, _ := f.Value(bench.Real); return v }
	var courses []Course
	for _, r := range b.Rows {
		forks := slices.DeleteFunc(slices.Clone(r.Clean), func(f *results.Fork) bool {
			return len(f.Heap) < 2 || f.Heap[len(f.Heap)-1].MS == 0 || time(f) == 0
		})
		if len(forks) == 0 || r.Role == bench.Control {
			continue
		}
		slices.SortStableFunc(forks, func(a, b *results.Fork) int { return cmp.Compare(time(a), time(b)) })
		f := forks[(len(forks)-1)/2]
		c := Course{Row: r, Fork: f, Forks: len(forks), Time: time(f)}
		for _, s := range f.Heap {
			c.Peak = max(c.Peak, float64(s.Bytes))
		}
		c.Cycles = f.Heap[len(f.Heap)-1].Cycles - f.Heap[0].Cycles
		courses = append(courses, c)
	}
	return courses
}

// Period is the middle of the distances between two samples, in seconds.
func Period(courses []Course) float64 {
	var gaps []float64
	for _, c := range courses {
		for i := 1; i < len(c.Fork.Heap); i++ {
			gaps = append(gaps, (c.Fork.Heap[i].MS-c.Fork.Heap[i-1].MS)/1e3)
		}
	}
	slices.Sort(gaps)
	return gaps[len(gaps)/2]
}
