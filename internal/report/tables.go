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
		col(bench.BytesPerOp, "allocated", bench.Bytes.Print),
		col(bench.AllocsPerOp, "allocations", bench.Number.Print),
		col(bench.CopiedBytes, "copied", bench.Bytes.Print),
		col(bench.PathAllocBytes, "by the path", bench.Bytes.Print),
		col(bench.GCShare, "GC share of the CPU", percent),
		col(bench.GCCycles, "collections", bench.Number.Print),
		col(bench.GCPauseP50, "p50 of the pauses", nanos),
		col(bench.GCPauseP99, "p99 of the pauses", nanos),
		col(bench.GCPauseMax, "longest pause", nanos),
		col(bench.PeakHeap, "peak heap", bench.Bytes.Print),
	)
}

// serverTable is what a server in a process of its own took for a call.
func serverTable(b *study.Block) *table {
	if !b.Has(bench.ServerCPU) || b.Mode() != bench.Throughput {
		return nil
	}
	columns := []column{col(bench.ServerCPU, "server's CPU", nanos)}
	if peer := b.Best(bench.ServerCPU, bench.Peer); peer != nil {
		columns = append(columns, column{"/ " + code(peer.Impl()), func(r *study.Row) string {
			return paired(b, bench.ServerCPU, r.Impl(), peer.Impl())
		}})
	}
	return medians(study.Rows(b.Sorted(bench.ServerCPU)), append(columns,
		col(bench.ServerUser, "user", nanos),
		col(bench.ServerSystem, "sys", nanos),
		col(bench.CopiedBytes, "copied", bench.Bytes.Print),
		col(bench.PathAllocBytes, "allocated by the path", bench.Bytes.Print),
		col(bench.ServerBytes, "by the server", bench.Bytes.Print),
		col(bench.ServerAllocs, "allocations", bench.Number.Print),
		col(bench.Reads, "reads", bench.Number.Print),
		col(bench.Writes, "writes", bench.Number.Print),
		col(bench.ServerGCShare, "GC share", percent),
		col(bench.ServerGCCycles, "collections", bench.Number.Print),
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
	columns := []column{col(bench.TimePerUpdate, "an update", nanos)}
	for _, p := range bench.ErrorPercentiles {
		columns = append(columns, col(bench.QuantileError(p), "p"+bench.Exact(p), percent))
	}
	columns[1].head += " off by"
	return medians(rows, append(columns,
		col(bench.BytesPerHistogram, "heap of one", bench.Bytes.Print),
		col(bench.SnapshotTime, "a snapshot", nanos),
		col(bench.SnapshotAllocs, "its allocations", bench.Number.Print),
		col(bench.SnapshotBytes, "and bytes", bench.Bytes.Print),
	)...)
}

// openTable sets service time and response time of an open loop side by side.
func openTable(b *study.Block) *table {
	if b.Mode() != bench.Open {
		return nil
	}
	columns := []column{col(bench.AchievedRate, "operations/s", bench.Number.Print)}
	for _, p := range []float64{50, 90, 99, 99.9, 99.99} {
		head := "p" + bench.Exact(p)
		columns = append(columns, col(bench.Service(p), head+" service", nanos), col(bench.Latency(p), head+" response", nanos))
	}
	return medians(study.Rows(b.Sorted(bench.Latency(99))), columns...)
}

// factsTable holds, for each cell of a block, what its forks were and what else
// they report: medians over the clean forks.
func factsTable(b *study.Block) *table {
	count := func(head string, of func(study.Tally) int) column {
		return column{head, func(r *study.Row) string {
			if n := of(r.Tally()); n > 0 {
				return fmt.Sprint(n)
			}
			return ""
		}}
	}
	columns := []column{
		{"heats that count", func(r *study.Row) string { return fmt.Sprintf("%d of %d", r.Tally().Clean, len(r.Forks)) }},
		count("kept too few turns", func(n study.Tally) int { return n.Few }),
		count("no result", func(n study.Tally) int { return n.Failed }),
		{"turns thrown away", func(r *study.Row) string { n := r.Tally(); return share(n.Gated, n.Kept+n.Gated) }},
	}
	for _, unit := range []bench.Unit{bench.CPUPerOp, bench.Parallelism, bench.AchievedRate, bench.BytesPerOp,
		bench.AllocsPerOp, bench.GCCycles, bench.GCCPU, bench.GCPauseP99, bench.CountedCells} {
		if b.Some(unit) {
			columns = append(columns, col(unit, unit.Words, unit.Quantity.Print))
		}
	}
	return contestants(b.Rows, columns).trimmed()
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
		columns = append(columns, column{workers(first.Threads, first.Reading), func(r *study.Row) string {
			if r = b.Row(r.Impl()); r == nil {
				return ""
			}
			return col(bench.BytesPerCounter, "", bench.Bytes.Print).cell(r)
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
