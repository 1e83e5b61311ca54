package report

import (
	"fmt"
	"slices"
	"strings"

	"hotpath/internal/bench"
	"hotpath/internal/claims"
	"hotpath/internal/results"
	"hotpath/internal/stats"
)

// timesTable is what a block of fixed work took, as a shell's time tells it,
// beside what the study published.
func timesTable(e *results.Experiment, block bench.Block, f *claims.File) *table {
	if !has(e, block, bench.Real) {
		return nil
	}
	baseline := f.Control.Baseline
	t := &table{Head: []string{"contestant", "forks", "operations", "real, s", "user, s", "sys, s", "user + sys, s", "GC share", "real: " + code(baseline) + " / it"}, Left: 1}
	var first *claims.Published
	for i, p := range f.Published {
		if p.Block == block && len(p.Times) > 0 {
			first = &f.Published[i]
			t.Head = append(t.Head, "published runs", "operations", "real, s", "user, s", "sys, s", "real: "+code(p.Impl)+" / it")
			break
		}
	}
	for _, c := range e.Block(block) {
		row := []string{code(c.Impl()), fmt.Sprint(len(e.Values(c, bench.Real)))}
		for _, unit := range []bench.Unit{bench.Operations, bench.Real, bench.User, bench.System, bench.CPUSeconds, bench.GCShare} {
			iv, _ := stats.Median(e.Values(c, unit), level)
			switch {
			case iv.N == 0:
				row = append(row, "n/a")
			case unit == bench.Operations:
				row = append(row, commas(fmt.Sprintf("%.0f", iv.Estimate)))
			case unit == bench.GCShare:
				row = append(row, percent(iv.Estimate))
			default:
				row = append(row, number(iv.Estimate))
			}
		}
		row = append(row, pairedRatio(e, block, bench.Real, baseline, c.Impl()))
		if first != nil {
			row = append(row, publishedTimes(f, c, first)...)
		}
		t.add(row...)
	}
	return t
}

// publishedTimes are the means of a contestant's published runs, and how their
// real time compares with the first published one's.
func publishedTimes(f *claims.File, c bench.Cell, first *claims.Published) []string {
	for _, p := range f.Published {
		if p.Impl != c.Impl() || p.Block != c.Block || len(p.Times) == 0 {
			continue
		}
		mean := meanTime(p.Times)
		return []string{fmt.Sprint(len(p.Times)), commas(fmt.Sprint(p.Count)), number(mean.Real), number(mean.User), number(mean.Sys), ratioNumber(meanTime(first.Times).Real / mean.Real)}
	}
	return make([]string, 6)
}

func meanTime(ts []claims.PublishedTime) claims.PublishedTime {
	var sum claims.PublishedTime
	for _, t := range ts {
		sum.Real += t.Real
		sum.User += t.User
		sum.Sys += t.Sys
	}
	n := float64(len(ts))
	return claims.PublishedTime{Real: sum.Real / n, User: sum.User / n, Sys: sum.Sys / n}
}

// runsTable is a block of fixed work run by run: real, user and sys of each
// clean fork, by round, and of each published run.
func runsTable(e *results.Experiment, block bench.Block, f *claims.File) *table {
	if !has(e, block, bench.Real) {
		return nil
	}
	three := func(real, user, sys float64) string { return fmt.Sprintf("%.3f · %.3f · %.3f", real, user, sys) }
	t := &table{Head: []string{"run"}, Left: 1}
	var columns []map[int]string
	last := 0
	for _, c := range e.Block(block) {
		byRound := map[int]string{}
		for _, fork := range e.Clean(c) {
			real, _ := fork.Value(bench.Real)
			user, _ := fork.Value(bench.User)
			sys, _ := fork.Value(bench.System)
			byRound[fork.Round] = three(real, user, sys)
			last = max(last, fork.Round)
		}
		t.Head = append(t.Head, code(c.Impl()))
		columns = append(columns, byRound)
		for _, p := range f.Published {
			if p.Impl != c.Impl() || p.Block != block || len(p.Times) == 0 {
				continue
			}
			byRun := map[int]string{}
			for i, r := range p.Times {
				byRun[i+1] = three(r.Real, r.User, r.Sys)
			}
			last = max(last, len(p.Times))
			t.Head = append(t.Head, code(c.Impl())+" published")
			columns = append(columns, byRun)
		}
	}
	for n := 1; n <= last; n++ {
		row := []string{fmt.Sprint(n)}
		for _, c := range columns {
			row = append(row, c[n])
		}
		if strings.Join(row[1:], "") != "" {
			t.add(row...)
		}
	}
	return t
}

// collectorTable is what garbage a block of fixed work made and what collecting
// it took.
func collectorTable(e *results.Experiment, block bench.Block) *table {
	if !has(e, block, bench.GCShare) {
		return nil
	}
	return medians(e, block, e.Block(block), []figures{
		{bench.BytesPerOp, "B/op", number},
		{bench.AllocsPerOp, "allocs/op", number},
		{bench.CopiedBytes, "copied, B/op", number},
		{bench.PathAllocBytes, "allocated by the path, B/op", number},
		{bench.GCShare, "GC share of the CPU", percent},
		{bench.GCCycles, "collections/op", number},
		{bench.GCPauseP50, "p50 of the pauses, µs", micros},
		{bench.GCPauseP99, "p99 of the pauses, µs", micros},
		{bench.GCPauseMax, "longest pause, µs", micros},
		{bench.PeakHeap, "peak heap, B", number},
	})
}

// serverTable is what a server in a process of its own took for a call.
func serverTable(e *results.Experiment, block bench.Block) *table {
	var unit = bench.ServerCPU
	if !has(e, block, unit) || e.Block(block)[0].Mode() != bench.Throughput {
		return nil
	}
	cells := byScore(e, e.Block(block), unit)
	t := medians(e, block, cells, []figures{
		{unit, "server CPU, µs", micros},
		{bench.ServerUser, "user", micros},
		{bench.ServerSystem, "sys", micros},
		{bench.CopiedBytes, "copied, B", number},
		{bench.PathAllocBytes, "allocated by the path, B", number},
		{bench.ServerBytes, "by the server, B", number},
		{bench.ServerAllocs, "allocs", number},
		{bench.Reads, "reads", number},
		{bench.Writes, "writes", number},
		{bench.ServerGCShare, "GC share", percent},
		{bench.ServerGCCycles, "collections", number},
		{bench.ServerGCPause, "p99 of the pauses, µs", micros},
	})
	if peer := bestPeer(e, block, unit); peer != "" {
		t.Head = slices.Insert(t.Head, 2, "/ "+code(peer))
		for i := range t.Rows {
			t.Rows[i] = slices.Insert(t.Rows[i], 2, pairedRatio(e, block, unit, strings.Trim(t.Rows[i][0], "`"), peer))
		}
	}
	return t
}

// recorderTable is how accurate the quantiles of a histogram are, and what it
// and its snapshot take, the fastest first.
func recorderTable(e *results.Experiment, block bench.Block) *table {
	var unit = bench.TimePerUpdate
	if e.Block(block)[0].Mode() != bench.Throughput || !has(e, block, bench.QuantileError(99)) {
		return nil
	}
	t := medians(e, block, byScore(e, e.Block(block), unit), []figures{
		{unit, unit.Name, number},
		{bench.QuantileError(50), "p50 off by", percent},
		{bench.QuantileError(99), "p99", percent},
		{bench.QuantileError(99.9), "p99.9", percent},
		{bench.QuantileError(99.99), "p99.99", percent},
		{bench.BytesPerHistogram, "heap, B/histogram", number},
		{bench.SnapshotTime, "snapshot, µs", micros},
		{bench.SnapshotAllocs, "its allocations", number},
		{bench.SnapshotBytes, "and bytes", number},
	})
	// One that has no quantiles, as the floor, has nothing to choose by.
	t.Rows = slices.DeleteFunc(t.Rows, func(row []string) bool { return strings.Join(row[2:], "") == "" })
	return t
}

// openTable sets service time and response time of an open loop side by side.
func openTable(e *results.Experiment, block bench.Block) *table {
	if e.Block(block)[0].Mode() != bench.Open {
		return nil
	}
	columns := []figures{{bench.AchievedRate, "operations/s", number}}
	for _, p := range []float64{50, 90, 99, 99.9, 99.99} {
		head := fmt.Sprintf("p%v", p)
		columns = append(columns, figures{bench.Service(p), head + " service", micros}, figures{bench.Latency(p), head + " response", micros})
	}
	return medians(e, block, byScore(e, e.Block(block), bench.Latency(99)), columns)
}

// peersTable sets the best of ours against the best of other libraries, for
// each block of throughput in which both are.
func peersTable(xs []*experiment) *table {
	t := &table{Head: []string{"experiment", "measured", "in", "ours", "", "best other library", "", "ours / it"}, Left: 3}
	for _, x := range xs {
		for _, block := range x.Blocks() {
			if x.Block(block)[0].Mode() != bench.Throughput {
				continue
			}
			for _, unit := range []bench.Unit{bench.TimePerOp, bench.ServerCPU} {
				ours, peer := best(x.Experiment, block, unit, bench.Ours), bestPeer(x.Experiment, block, unit)
				if ours == "" || peer == "" {
					continue
				}
				a, _ := medianOf(x.Experiment, block, ours, unit)
				b, _ := medianOf(x.Experiment, block, peer, unit)
				t.add(x.Name, "`"+strings.Replace(blockName(block), "/mode=thrpt", "", 1)+"`", unit.Name, code(ours), number(a), code(peer), number(b),
					pairedRatio(x.Experiment, block, unit, ours, peer))
			}
		}
	}
	return t
}
