package report

import (
	"fmt"
	"slices"
	"strings"

	"hotpath/internal/bench"
	"hotpath/internal/study"
)

// These tables set what was measured beside what was published.

// percentiles are the rows of a percentile table, as JMH prints them.
var percentiles = []float64{0, 50, 90, 95, 99, 99.9, 99.99, 99.999, 99.9999, 100}

// widest is how many columns of percentiles stand side by side; more
// contestants get a row each instead.
const widest = 10

// percentileTable has a column for each sampled contestant of a block, and the
// published column beside it where there is one.
func percentileTable(b *study.Block) *table {
	t := &table{Head: []string{"contestant"}, Left: 1}
	for _, p := range percentiles {
		t.Head = append(t.Head, fmt.Sprintf("p(%.4f)", p))
	}
	t.Head = append(t.Head, "samples")
	for _, r := range b.Rows {
		l := r.Latencies()
		if l == nil {
			continue
		}
		var clock int64 // the median of the floor
		if floor := b.FloorOf(r); floor != nil && floor.Latencies() != nil {
			clock = floor.Latencies().At(50)
		}
		row := []string{code(r.Impl())}
		for _, p := range percentiles {
			row = append(row, quantile(l, p, clock))
		}
		t.add(append(row, bench.Count(l.Samples()))...)
		if p, ok := b.PublishedOf(r.Impl(), func(p study.Published) bool { return len(p.Percentiles) > 0 }); ok {
			t.add(publishedQuantiles(p)...)
		}
	}
	if len(t.Rows) > 0 && len(t.Rows) <= widest {
		return t.transposed()
	}
	return t
}

// quantile prints a latency. One that is not above the clock's is marked: it is
// the clock's.
func quantile(l *study.Latencies, p float64, clock int64) string {
	if !l.Shows(p) {
		return "—"
	}
	s := nanos(float64(l.At(p)))
	if l.At(p) <= clock {
		s += " †"
	}
	return s
}

func publishedQuantiles(of study.Published) []string {
	row := []string{code(of.Impl) + " published"}
	for _, p := range percentiles {
		text := ""
		for _, q := range of.Percentiles {
			if q.Percentile == p {
				text = nanos(q.Value)
			}
		}
		row = append(row, text)
	}
	return append(row, "")
}

// What is asked for of what was published: whatever there is, or the times of
// its runs.
func anything(study.Published) bool { return true }
func timed(p study.Published) bool  { return len(p.Times) > 0 }

// publishedOf is a column of what was published of each contestant.
func publishedOf(b *study.Block, head string, has func(study.Published) bool, print func(study.Published) string) column {
	return column{head, func(r *study.Row) string {
		p, ok := b.PublishedOf(r.Impl(), has)
		if !ok {
			return ""
		}
		return print(p)
	}}
}

// baseline is the contestant of a block that its control is a second time; nil where
// it has none.
func baseline(b *study.Block) *study.Row { return b.Row(b.Control(b.Score()).Baseline) }

// judgedTable compares the contestants of a judged block with the baseline, beside
// what the study published.
func judgedTable(b *study.Block) *table {
	first := baseline(b)
	if !b.Judged() || first == nil || !b.Has(bench.MeanLatency) {
		return nil
	}
	baseline := first.Impl()
	base, _ := b.PublishedOf(baseline, anything)
	return contestants(b.Rows, []column{
		median(bench.MeanLatency, "mean", nanos, "n/a"),
		median(bench.Latency(50), "p50", nanos, "n/a"),
		median(bench.Latency(99), "p99", nanos, "n/a"),
		median(bench.Latency(99.9), "p99.9", nanos, "n/a"),
		{"mean beyond the floor's", func(r *study.Row) string { return beyondFloor(b, r) }},
		{code(baseline) + " / it", func(r *study.Row) string { return paired(b, bench.MeanLatency, baseline, r.Impl()) }},
		{"the same beyond the floor's", func(r *study.Row) string {
			net, ok := b.Net(bench.MeanLatency, baseline, r.Impl())
			if !ok || r == first {
				return ""
			}
			return ratio(net)
		}},
		publishedOf(b, "published mean", anything, func(p study.Published) string { return bench.Exact(p.Score) }),
		publishedOf(b, "published ratio", anything, func(p study.Published) string {
			if base.Score == 0 {
				return ""
			}
			return bench.Ratio(base.Score / p.Score)
		}),
	})
}

// beyondFloor is what a contestant's mean has that the floor's has not; empty where it
// has no more.
func beyondFloor(b *study.Block, r *study.Row) string {
	floor, f := b.FloorOf(r), r.Figure(bench.MeanLatency)
	if floor == nil || floor == r || !f.Counts() || !floor.Figure(bench.MeanLatency).Counts() {
		return ""
	}
	beyond := f.Median.Estimate - floor.Figure(bench.MeanLatency).Median.Estimate
	if beyond <= 0 {
		return ""
	}
	return nanos(beyond)
}

// scoreTable is what JMH prints at the end of a run, for one block: the fastest
// first, each with its ratio to the best peer and to the baseline, and with the
// published row beside it where there is one.
func scoreTable(b *study.Block) *table {
	unit := b.Mode().Score()
	units := bench.TimePerOp.Name
	if b.Mode() == bench.Fixed {
		units = "s"
	}
	columns := []column{
		{"", func(r *study.Row) string { return string(r.Role) }},
		{"Cnt", func(r *study.Row) string { return fmt.Sprint(len(r.Figure(unit).Clean)) }},
		median(unit, "Score, "+units, bench.Significant, "n/a"),
		{"Error", func(r *study.Row) string {
			f := r.Figure(unit)
			if !f.Counts() || f.Median.Level == 0 {
				return ""
			}
			return "± " + bench.Significant(f.Median.HalfWidth())
		}},
	}
	if peer := b.Best(unit, bench.Peer); peer != nil {
		columns = append(columns, column{"/ " + code(peer.Impl()), func(r *study.Row) string { return paired(b, unit, r.Impl(), peer.Impl()) }})
	}
	if base := baseline(b); base != nil && base.Figure(unit).Counts() {
		columns = append(columns, column{code(base.Impl()) + " / it", func(r *study.Row) string { return paired(b, unit, base.Impl(), r.Impl()) }})
	}
	t := contestants(study.Rows(b.Sorted(unit)), append(columns, publishedScores(b)...))
	t.Head[0], t.Left = "contestant", 2
	return t
}

// publishedScores are columns, if anything was published of the block.
func publishedScores(b *study.Block) []column {
	if len(b.Published) == 0 {
		return nil
	}
	of := func(head string, print func(study.Published) string) column {
		return publishedOf(b, head, anything, print)
	}
	return []column{
		of("published as", func(p study.Published) string { return escape(p.Name) }),
		of("published Cnt", func(p study.Published) string { return bench.Count(p.Count) }),
		of("published Score", func(p study.Published) string { return bench.Exact(p.Score) }),
		of("published Error", func(p study.Published) string {
			if p.Error == 0 {
				return ""
			}
			return "± " + bench.Exact(p.Error)
		}),
	}
}

// timesTable is what a block of fixed work took, as a shell's time tells it,
// beside what the study published.
func timesTable(b *study.Block) *table {
	first := baseline(b)
	if first == nil || !b.Has(bench.Real) {
		return nil
	}
	baseline := first.Impl()
	columns := []column{
		{"forks", func(r *study.Row) string { return fmt.Sprint(len(r.Figure(bench.Real).Clean)) }},
		median(bench.Operations, "operations", func(v float64) string { return bench.Full(v, 0) }, "n/a"),
		median(bench.Real, "real, s", bench.Significant, "n/a"),
		median(bench.User, "user, s", bench.Significant, "n/a"),
		median(bench.System, "sys, s", bench.Significant, "n/a"),
		median(bench.CPUSeconds, "user + sys, s", bench.Significant, "n/a"),
		median(bench.GCShare, "GC share", percent, "n/a"),
		{"real: " + code(baseline) + " / it", func(r *study.Row) string { return paired(b, bench.Real, baseline, r.Impl()) }},
	}
	return contestants(b.Rows, append(columns, publishedTimes(b)...))
}

// publishedTimes are columns of the means of a contestant's published runs, and
// of how their real time compares with the first published one's.
func publishedTimes(b *study.Block) []column {
	i := slices.IndexFunc(b.Published, timed)
	if i < 0 {
		return nil
	}
	first := b.Published[i]
	of := func(head string, print func(study.Published) string) column {
		return publishedOf(b, head, timed, print)
	}
	return []column{
		of("published runs", func(p study.Published) string { return fmt.Sprint(len(p.Times)) }),
		of("operations", func(p study.Published) string { return bench.Count(p.Count) }),
		of("real, s", func(p study.Published) string { return bench.Significant(p.MeanTime().Real) }),
		of("user, s", func(p study.Published) string { return bench.Significant(p.MeanTime().User) }),
		of("sys, s", func(p study.Published) string { return bench.Significant(p.MeanTime().Sys) }),
		of("real: "+code(first.Impl)+" / it", func(p study.Published) string {
			return bench.Ratio(first.MeanTime().Real / p.MeanTime().Real)
		}),
	}
}

// runsTable is a block of fixed work run by run: real, user and sys of each
// clean fork, by heat, and of each published run.
func runsTable(b *study.Block) *table {
	if !b.Has(bench.Real) {
		return nil
	}
	t := &table{Head: []string{"run"}, Left: 1}
	var columns []map[int]string // by run
	last := 0
	for _, r := range b.Rows {
		runs := map[int]string{}
		for _, f := range r.Clean {
			real, _ := f.Value(bench.Real)
			user, _ := f.Value(bench.User)
			sys, _ := f.Value(bench.System)
			runs[f.Heat] = threeTimes(real, user, sys)
			last = max(last, f.Heat)
		}
		t.Head = append(t.Head, code(r.Impl()))
		columns = append(columns, runs)
		if p, ok := b.PublishedOf(r.Impl(), timed); ok {
			runs := map[int]string{}
			for i, times := range p.Times {
				runs[i+1] = threeTimes(times.Real, times.User, times.Sys)
			}
			last = max(last, len(p.Times))
			t.Head = append(t.Head, code(r.Impl())+" published")
			columns = append(columns, runs)
		}
	}
	for n := 1; n <= last; n++ {
		row := []string{fmt.Sprint(n)}
		for _, runs := range columns {
			row = append(row, runs[n])
		}
		if strings.Join(row[1:], "") != "" {
			t.add(row...)
		}
	}
	return t
}

func threeTimes(real, user, sys float64) string {
	return fmt.Sprintf("%.3f · %.3f · %.3f", real, user, sys)
}
