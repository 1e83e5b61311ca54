package explorer

import (
	"math"
	"slices"
	"strings"

	"hotpath/internal/bench"
	"hotpath/internal/study"
)

// blockData is a block. What belongs to forks and turns is in the order of heats:
// a number for each fork of each heat, and for each turn of each lap of it.
type blockData struct {
	Name     string     `json:"name"`
	Title    string     `json:"title"`
	Judged   bool       `json:"judged"`
	Open     bool       `json:"open"`     // latency counts from when an operation was to begin
	Rows     []int      `json:"rows"`     // contestants
	Baseline int        `json:"baseline"` // row; -1 without one
	Control  int        `json:"control"`  // row; -1 without one
	Least    int        `json:"least"`    // kept turns of a fork that counts
	Score    int        `json:"score"`    // unit
	Heats    []heatData `json:"heats"`
	Places   string     `json:"places"` // a letter for each lap: near, between, far, or . where it is not visible
	Unmet    string     `json:"unmet"`  // a character for each turn: its gates, by bits; empty where all turns were kept
	Laps     []lapsData `json:"laps"`
	Units    []inUnit   `json:"units"`
	Curves   []curve    `json:"curves,omitempty"`
	Courses  []course   `json:"courses,omitempty"`
}

type heatData struct {
	Part   int    `json:"part"`
	Number int    `json:"number"`
	Rows   []int  `json:"rows"`   // of its forks
	States string `json:"states"` // of its forks: clean, few turns, or x for no result
	Laps   int    `json:"laps"`
}

// lapsData is what turns cost in a unit.
type lapsData struct {
	Unit  int    `json:"unit"`
	Costs series `json:"costs"`
}

// inUnit is what the block's forks measured in a unit.
type inUnit struct {
	Unit       int       `json:"unit"`
	Controlled bool      `json:"controlled"` // by the block's control
	Figures    []*figure `json:"figures"`    // of the rows; null for one that has none
	Values     series    `json:"values"`     // of the forks
}

// block is a block and its data.
type block struct {
	of *study.Block
	blockData
}

func newBlock(b *study.Block) *block {
	d := &block{b, blockData{
		Name: b.Block.String(), Title: b.Describe(), Judged: b.Judged(), Open: b.Mode() == bench.Open,
		Baseline: -1, Control: -1, Least: b.Rows[0].Turn.LeastTurns(), Score: indexOf(b.Score()),
	}}
	for i, r := range b.Rows {
		switch {
		case r.Impl() == b.Baseline():
			d.Baseline = i
		case r.Role == bench.Control:
			d.Control = i
		}
	}
	return d
}

// row is the place of a contestant.
func (d *block) row(impl string) int {
	return slices.IndexFunc(d.of.Rows, func(r *study.Row) bool { return r.Impl() == impl })
}

// places are the letters of placements.
var places = map[bench.Placement]byte{bench.Near: 'n', bench.Between: 'b', bench.Far: 'f', bench.Nowhere: '.'}

// heats has the heats, their laps, and which gates turns did not meet.
func (d *block) heats(gates bench.Thresholds) {
	var placed, unmet strings.Builder
	kept := true
	for _, h := range d.of.Measured() {
		of := heatData{Part: h.Part, Number: h.Number, Laps: len(h.Laps)}
		for _, f := range h.Forks {
			of.Rows = append(of.Rows, d.row(f.Cell.Impl()))
			switch {
			case f.Clean():
				of.States += "c"
			case f.State == bench.Complete:
				of.States += "f"
			default:
				of.States += "x"
			}
		}
		d.Heats = append(d.Heats, of)
		for _, lap := range h.Laps {
			placed.WriteByte(places[gates.Placement(lap.HandOff())])
			for _, f := range h.Forks {
				t, _ := lap.Turn(f.ID)
				unmet.WriteByte(characters[t.Unmet])
				kept = kept && t.Kept()
			}
		}
	}
	d.Places = placed.String()
	if !kept {
		d.Unmet = unmet.String()
	}
}

// units has each unit that tells contestants apart and is not zero everywhere, and
// the costs of turns that ratios in these are paired by.
func (d *block) units() {
	for i, u := range bench.Units() {
		values, some := d.values(u)
		if u.Better == "" || !some {
			continue
		}
		of := inUnit{Unit: i, Controlled: d.of.Control(u).Twin != "", Values: encode(values)}
		for _, r := range d.of.Rows {
			f := r.Figure(u)
			of.Figures = append(of.Figures, figureOf(f.Median, f.Counts()))
		}
		d.Units = append(d.Units, of)
		if lap, ok := study.PerLap(u); ok {
			d.laps(lap)
		}
	}
}

// values are those of the forks that ran to their end; some reports whether one of
// them is above 0.
func (d *block) values(u bench.Unit) (values []float64, some bool) {
	for _, h := range d.of.Measured() {
		for _, f := range h.Forks {
			v, ok := f.Value(u)
			if !ok {
				v = math.NaN()
			}
			values, some = append(values, v), some || v > 0
		}
	}
	return values, some
}

// laps has what turns cost in a unit, once.
func (d *block) laps(u bench.Unit) {
	at := indexOf(u)
	if slices.ContainsFunc(d.Laps, func(l lapsData) bool { return l.Unit == at }) {
		return
	}
	var costs []float64
	for _, h := range d.of.Measured() {
		for _, lap := range h.Laps {
			for _, f := range h.Forks {
				t, _ := lap.Turn(f.ID)
				cost, ok := t.PerOp(u)
				if !ok {
					cost = math.NaN()
				}
				costs = append(costs, cost)
			}
		}
	}
	d.Laps = append(d.Laps, lapsData{at, encode(costs)})
}
