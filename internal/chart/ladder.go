package chart

import (
	"slices"

	"hotpath/internal/bench"
	"hotpath/internal/study"
)

// rungUnits are what the steps of a response path cost and move.
var rungUnits = []bench.Unit{bench.ServerCPU, bench.CopiedBytes, bench.PathAllocBytes}

// ladder draws, for the block of throughput with the most contestants that count
// the bytes they copy, those bytes, the bytes they allocate, and the CPU that they
// take, in the order of the plan: which step saves what.
func ladder(d *drawing) []figure {
	var of *study.Block
	var most []*study.Row
	for _, b := range d.Blocks {
		if b.Mode() != bench.Throughput {
			continue
		}
		// The control is no step.
		rungs := slices.DeleteFunc(slices.Clone(b.Rows), func(r *study.Row) bool {
			return r.Role == bench.Control || slices.ContainsFunc(rungUnits, func(u bench.Unit) bool { return !r.Figure(u).Counts() })
		})
		if len(rungs) > max(len(most), 1) {
			of, most = b, rungs
		}
	}
	if of == nil {
		return nil
	}
	fig := costFigure(of, most, d.costs(of, rungUnits))
	fig.title = ladderTitle(most)
	fig.note = of.Describe() + ". Per call, in the order of the steps; " + ofCosts
	return []figure{fig}
}

// ladderTitle tells the first path, which is not the floor, from the best.
func ladderTitle(rungs []*study.Row) string {
	var cpu []*study.Figure
	for _, r := range rungs {
		cpu = append(cpu, r.Figure(bench.ServerCPU))
	}
	steps := study.Contenders(cpu)
	first, best := steps[0], study.ByMedian(steps)[0]
	of := func(f *study.Figure, unit bench.Unit) string {
		return unit.Quantity.Print(f.Figure(unit).Median.Estimate)
	}
	return "a call of " + best.Impl() + " copies " + of(best, bench.CopiedBytes) + " and takes " + of(best, bench.ServerCPU) + " of the server's CPU, one of " +
		first.Impl() + " " + of(first, bench.CopiedBytes) + " and " + of(first, bench.ServerCPU)
}
