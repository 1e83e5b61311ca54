package report

import (
	"fmt"

	"hotpath/internal/bench"
	"hotpath/internal/study"
)

// medians are columns of medians, but for the units that no contestant has.
func medians(rows []*study.Row, columns ...column) *table {
	return contestants(rows, columns).trimmed()
}

// col is a column of medians that leaves a contestant without any empty.
func col(unit bench.Unit, head string, print func(float64) string) column {
	return median(unit, head, print, "")
}

// collectorTable is what garbage a block of fixed work made and what collecting
// it took.
func collectorTable(b *study.Block) *table {
	if !b.Has(bench.GCShare) {
		return nil
	}
	return medians(b.Rows,
		col(bench.BytesPerOp, bench.BytesPerOp.Name, number),
		col(bench.AllocsPerOp, bench.AllocsPerOp.Name, number),
		col(bench.CopiedBytes, "copied, B/op", number),
		col(bench.PathAllocBytes, "allocated by the path, B/op", number),
		col(bench.GCShare, "GC share of the CPU", percent),
		col(bench.GCCycles, "collections/op", number),
		col(bench.GCPauseP50, "p50 of the pauses, µs", micros),
		col(bench.GCPauseP99, "p99 of the pauses, µs", micros),
		col(bench.GCPauseMax, "longest pause, µs", micros),
		col(bench.PeakHeap, "peak heap, B", number),
	)
}

// serverTable is what a server in a process of its own took for a call.
func serverTable(b *study.Block) *table {
	if !b.Has(bench.ServerCPU) || b.Mode() != bench.Throughput {
		return nil
	}
	columns := []column{col(bench.ServerCPU, "server CPU, µs", micros)}
	if peer := b.Best(bench.ServerCPU, bench.Peer); peer != nil {
		columns = append(columns, column{"/ " + code(peer.Impl()), func(r *study.Row) string {
			return paired(b, bench.ServerCPU, r.Impl(), peer.Impl())
		}})
	}
	return medians(study.Rows(b.Sorted(bench.ServerCPU)), append(columns,
		col(bench.ServerUser, "user", micros),
		col(bench.ServerSystem, "sys", micros),
		col(bench.CopiedBytes, "copied, B", number),
		col(bench.PathAllocBytes, "allocated by the path, B", number),
		col(bench.ServerBytes, "by the server, B", number),
		col(bench.ServerAllocs, "allocs", number),
		col(bench.Reads, "reads", number),
		col(bench.Writes, "writes", number),
		col(bench.ServerGCShare, "GC share", percent),
		col(bench.ServerGCCycles, "collections", number),
		col(bench.ServerGCPause, "p99 of the pauses, µs", micros),
	)...)
}

// recorderTable is how accurate the quantiles of a histogram are, and what it
// and its snapshot take, the fastest first.
func recorderTable(b *study.Block) *table {
	if b.Mode() != bench.Throughput || !b.Has(bench.QuantileError(99)) {
		return nil
	}
	var rows []*study.Row
	for _, f := range b.Sorted(bench.TimePerUpdate) {
		// One that has no quantiles, as the floor, has nothing to choose by.
		if f.Figure(bench.QuantileError(99)).Counts() {
			rows = append(rows, f.Row)
		}
	}
	columns := []column{col(bench.TimePerUpdate, bench.TimePerUpdate.Name, number)}
	for _, p := range bench.ErrorPercentiles {
		columns = append(columns, col(bench.QuantileError(p), "p"+bench.Exact(p), percent))
	}
	columns[1].head += " off by"
	return medians(rows, append(columns,
		col(bench.BytesPerHistogram, "heap, B/histogram", number),
		col(bench.SnapshotTime, "snapshot, µs", micros),
		col(bench.SnapshotAllocs, "its allocations", number),
		col(bench.SnapshotBytes, "and bytes", number),
	)...)
}

// openTable sets service time and response time of an open loop side by side.
func openTable(b *study.Block) *table {
	if b.Mode() != bench.Open {
		return nil
	}
	columns := []column{col(bench.AchievedRate, "operations/s", number)}
	for _, p := range []float64{50, 90, 99, 99.9, 99.99} {
		head := "p" + bench.Exact(p)
		columns = append(columns, col(bench.Service(p), head+" service", micros), col(bench.Latency(p), head+" response", micros))
	}
	return medians(study.Rows(b.Sorted(bench.Latency(99))), columns...)
}

// factsTable holds, for each cell of a block, what its forks were and what else
// they report: medians over the clean forks.
func (x *section) factsTable(b *study.Block) *table {
	count := func(head string, of func(study.Tally) int) column {
		return column{head, func(r *study.Row) string { return fmt.Sprint(of(r.Tally())) }}
	}
	columns := []column{
		{"clean", func(r *study.Row) string { return fmt.Sprintf("%d of %d", r.Tally().Clean, x.Rounds[r.Tier]) }},
		count("gated", func(n study.Tally) int { return n.Gated }),
		count("no result", func(n study.Tally) int { return n.Failed }),
		count("unsteady", func(n study.Tally) int { return n.Unsteady }),
	}
	for _, unit := range []bench.Unit{bench.CPUPerOp, bench.Parallelism, bench.QueueWait, bench.AchievedRate, bench.BytesPerOp,
		bench.AllocsPerOp, bench.GCCycles, bench.GCCPU, bench.GCPauseP99, bench.CountedCells} {
		if b.Some(unit) {
			columns = append(columns, col(unit, unit.Name, number))
		}
	}
	return contestants(b.Rows, columns)
}

// Memory is what a counter takes where a benchmark tells, by how many Ps
// there are.
func (x *section) Memory() *table {
	var columns []column
	var rows []*study.Row
	seen := map[string]bool{}
	for _, b := range x.Blocks {
		if b.Mode() != bench.Throughput || !b.Has(bench.BytesPerCounter) {
			continue
		}
		first := b.Rows[0]
		columns = append(columns, column{fmt.Sprintf("threads=%d %s", first.Threads, first.Reading), func(r *study.Row) string {
			if r = b.Row(r.Impl()); r == nil {
				return ""
			}
			return col(bench.BytesPerCounter, "", number).cell(r)
		}})
		for _, f := range b.Figures(bench.BytesPerCounter) {
			if f.Counts() && !seen[f.Impl()] {
				seen[f.Impl()] = true
				rows = append(rows, f.Row)
			}
		}
	}
	return contestants(rows, columns)
}

// peersTable sets the best of ours against the best of other libraries.
func peersTable(xs []*section) *table {
	t := &table{Head: []string{"experiment", "measured", "in", "ours", "", "best other library", "", "ours / it"}, Left: 3}
	for _, x := range xs {
		for _, c := range x.Contests() {
			t.add(x.Name, code(c.Short("mode")), c.Unit.Name, code(c.Ours.Impl()), number(c.Ours.Median.Estimate),
				code(c.Peer.Impl()), number(c.Peer.Median.Estimate), ratio(c.Ratio))
		}
	}
	return t
}

// gateTable counts the forks that did not meet a gate, by the gate.
func gateTable(x *study.Experiment) *table {
	t := &table{Head: []string{"gate not met", "forks"}, Left: 1}
	for _, g := range x.Gates() {
		t.add(escape(string(g.Gate)), fmt.Sprint(g.Forks))
	}
	return t
}
