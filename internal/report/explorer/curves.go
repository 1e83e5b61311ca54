package explorer

import (
	"math"

	"hotpath/internal/study"
)

// curve is the latency of a contestant by percentile, over the samples of all its
// clean forks.
type curve struct {
	Row     int      `json:"row"`
	Samples int64    `json:"samples"`
	Heats   int      `json:"heats"`
	Step    float64  `json:"step"`  // nines between two points
	End     number   `json:"end"`   // nines of the last point: where too few samples lie above
	Curve   series   `json:"curve"` // ns, from no nines on
	Table   []number `json:"table"` // ns at the percentiles that tables have; null where too few samples lie above
}

// step is the nines between two points of a curve.
const step = 0.04

// tabled are the percentiles of the page's table.
var tabled = []float64{0, 50, 90, 95, 99, 99.9, 99.99, 99.999, 100}

// curves has those of the contestants that were sampled.
func (d *block) curves() {
	for i, r := range d.of.Rows {
		l := r.Latencies()
		if l == nil || l.Samples() <= study.Above {
			continue
		}
		c := curve{Row: i, Samples: l.Samples(), Heats: l.Forks, Step: step, End: number(l.End())}
		var ns []float64
		for k := 0; float64(k)*step < l.End(); k++ {
			ns = append(ns, float64(l.At(percentile(float64(k)*step))))
		}
		c.Curve = encode(append(ns, float64(l.At(percentile(l.End())))))
		for _, p := range tabled {
			at := math.NaN()
			if l.Shows(p) {
				at = float64(l.At(p))
			}
			c.Table = append(c.Table, number(at))
		}
		d.Curves = append(d.Curves, c)
	}
}

// percentile is the inverse of study.Depth.
func percentile(nines float64) float64 { return 100 * (1 - math.Pow(10, -nines)) }

// course is the heap over time of one fork of a contestant.
type course struct {
	Row    int    `json:"row"`
	Heats  int    `json:"heats"` // clean ones that the fork is the middle one of
	Peak   number `json:"peak"`  // bytes
	Cycles int64  `json:"cycles"`
	Time   series `json:"time"` // ms
	Heap   series `json:"heap"` // bytes
}

// courses has those of the contestants that recorded their heap.
func (d *block) courses() {
	for _, c := range d.of.Courses() {
		var ms, bytes []float64
		for _, s := range c.Fork.Heap {
			ms, bytes = append(ms, s.MS), append(bytes, float64(s.Bytes))
		}
		d.Courses = append(d.Courses, course{d.row(c.Impl()), c.Forks, number(c.Peak), c.Cycles, encode(ms), encode(bytes)})
	}
}
