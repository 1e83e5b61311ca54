package run

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"hotpath/internal/bench"
	"hotpath/internal/host"
	"hotpath/internal/stats"
)

// BenchmarkTurnLength checks the turns of the study's plan: in each block some
// contestants take part twice, with the plan's turns and with turns several times
// as long, and what an operation costs in the two is compared lap by lap, heat by
// heat. A turn that is too short for caches, collector or scheduler gives another
// ratio than 1.
//
//	go test -run '^$' -bench TurnLength//BenchmarkAdd -benchtime 1x -timeout 1h ./internal/run
func BenchmarkTurnLength(b *testing.B) {
	const dir = "../../experiments"
	ps, err := Find(dir, "")
	if err != nil {
		b.Fatal(err)
	}
	for i := range ps {
		b.Run(ps[i].Name, func(b *testing.B) {
			p := &ps[i]
			if len(p.binaries) == 0 {
				if p.Dir, err = filepath.Abs(p.Dir); err != nil {
					b.Fatal(err)
				}
				if err := p.build(b.Context(), b.TempDir(), 2); err != nil {
					b.Fatal(err)
				}
				if err := p.Ask(b.Context(), p.binaries[0]); err != nil {
					b.Fatal(err)
				}
			}
			for _, cells := range blocks(p.Cells) {
				b.Run(cells[0].Block.String(), func(b *testing.B) { compareTurns(b, p, cells) })
			}
		})
	}
}

// twice is some contestants of a block, each with the plan's turns and with long
// ones.
func twice(cells []bench.Cell) []bench.Cell {
	times := 8
	if cells[0].Mode() == bench.Sample {
		times = 2
	}
	var both []bench.Cell
	for _, c := range slices.Concat(anchors(cells), cells) {
		if len(both) == most || c.Role == bench.Control || slices.ContainsFunc(both, func(d bench.Cell) bool { return d.ID() == c.ID() }) {
			continue
		}
		long := c
		long.Turn.Millis *= float64(times)
		long.Turn.Ops *= times
		long.Turn.Takes *= float64(times)
		both = append(both, c, long)
	}
	for i := range both {
		both[i].Laps = max(both[i].Turn.LeastTurns(), both[i].Laps/2)
	}
	return both
}

func compareTurns(b *testing.B, p *Program, cells []bench.Cell) {
	both := twice(cells)
	c := newConductor(bench.DefaultThresholds, runtime.NumCPU(), host.FreeMemory()/2, b.TempDir())
	defer c.Close()
	ratios := make([][]float64, len(both)/2)
	for n := range 8 {
		var contestants []Contestant
		for _, cell := range both {
			contestants = append(contestants, Contestant{Cell: cell, Dir: p.Dir, Binary: p.binaries[n%2]})
		}
		rec, err := c.Hold(b.Context(), 1, contestants)
		if err != nil {
			b.Fatal(err)
		}
		for i := range ratios {
			var laps []float64
			for _, lap := range rec.Laps {
				short, okS := lap.Turn(1 + 2*i)
				long, okL := lap.Turn(2 + 2*i)
				if okS && okL && short.Kept() && long.Kept() {
					s, _ := short.PerOp(unitOf(both[0]))
					l, _ := long.PerOp(unitOf(both[0]))
					laps = append(laps, l/s)
				}
			}
			if len(laps) >= 4 {
				ratios[i] = append(ratios[i], stats.Middle(laps))
			}
		}
	}
	for i, rs := range ratios {
		iv, err := stats.RatioOf(rs, 0.95)
		fmt.Fprintf(os.Stderr, "%-70s %-14s long / plan's %.3f [%.3f, %.3f] n=%d %v\n", both[0].Block, both[2*i].Impl(), iv.Estimate, iv.Low, iv.High, iv.N, err)
	}
	b.ReportMetric(0, "ns/op")
}

// unitOf is what a turn of the cell tells of the cost of an operation.
func unitOf(c bench.Cell) bench.Unit {
	if unit := c.Mode().Score(); unit == bench.MeanLatency {
		return unit
	}
	return bench.TimePerOp
}
