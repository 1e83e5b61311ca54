package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/HdrHistogram/hdrhistogram-go"

	"hotpath/internal/claims"
	"hotpath/internal/results"
	"hotpath/internal/stats"
)

// level is the confidence of the intervals in tables; verdicts have their own.
const level = 0.95

// percentiles are the rows of a percentile table, as JMH prints them.
var percentiles = []float64{0, 50, 90, 95, 99, 99.9, 99.99, 99.999, 99.9999, 100}

// code is a contestant's name in Markdown. Names have been checked by the
// reader of the run.
func code(s string) string { return "`" + s + "`" }

// percentileTable has a column for each sampled contestant of a block, and the
// published column beside it where there is one.
func percentileTable(e *results.Experiment, block string, f *claims.File) *table {
	t := &table{Head: []string{"ns/op"}, Left: 1}
	var columns []column
	var clock int64
	for _, c := range e.Block(block) {
		h := e.Merged(c)
		if h == nil {
			continue
		}
		if c.Role == results.Floor {
			clock = h.ValueAtQuantile(50)
		}
		t.Head = append(t.Head, code(c.Impl()))
		columns = append(columns, column{hist: h})
		for _, p := range f.Published {
			if p.Impl == c.Impl() && p.Block == block && len(p.Percentiles) > 0 {
				t.Head = append(t.Head, code(c.Impl())+" published")
				columns = append(columns, column{published: p.Percentiles})
			}
		}
	}
	if len(columns) == 0 {
		return nil
	}
	for _, p := range percentiles {
		row := []string{fmt.Sprintf("p(%.4f)", p)}
		for _, c := range columns {
			row = append(row, c.quantile(p, clock))
		}
		t.add(row...)
	}
	n := []string{"samples"}
	for _, c := range columns {
		if c.hist == nil {
			n = append(n, "")
		} else {
			n = append(n, commas(fmt.Sprint(c.hist.TotalCount())))
		}
	}
	t.add(n...)
	return t
}

// quantile prints one cell: p0 and p100 are the extremes, others need ten
// samples above them. A value at or below what the floor's median is, is the
// clock's.
func (c column) quantile(p float64, clock int64) string {
	if c.hist == nil {
		for _, q := range c.published {
			if q.Percentile == p {
				return published(q.Value)
			}
		}
		return ""
	}
	var v int64
	switch {
	case p == 0:
		v = c.hist.Min()
	case p == 100:
		v = c.hist.Max()
	case float64(c.hist.TotalCount())*(1-p/100) < 10:
		return "—"
	default:
		v = c.hist.ValueAtQuantile(p)
	}
	s := commas(fmt.Sprint(v))
	if v <= clock {
		s += " †"
	}
	return s
}

// column is a contestant's histogram, or the published percentiles of one.
type column struct {
	hist      *hdrhistogram.Histogram
	published []claims.PublishedQuantile
}

// scoreTable is what JMH prints at the end of a run, with the published row
// beside each sampled row.
func scoreTable(e *results.Experiment, f *claims.File) *table {
	t := &table{
		Head: []string{"Benchmark", "Mode", "Cnt", "Score", "Error", "Units", "Published as", "Cnt", "Score", "Error"},
		Left: 2,
	}
	for _, block := range e.Blocks() {
		for _, c := range e.Block(block) {
			mode := c.Mode()
			vs := e.Values(c, c.ScoreUnit())
			name, _ := strings.CutPrefix(c.Name, "Benchmark")
			row := []string{code(strings.Replace(name, "/mode="+mode, "", 1)) + " " + string(c.Reading), mode, fmt.Sprint(len(vs)), "n/a", "", units(mode)}
			if iv, err := stats.Median(vs, level); len(vs) > 0 {
				row[3] = number(iv.Estimate)
				if err == nil {
					row[4] = "± " + number((iv.High-iv.Low)/2)
				}
			}
			row = append(row, publishedCells(f, c)...)
			t.add(row...)
		}
	}
	return t
}

func publishedCells(f *claims.File, c results.Cell) []string {
	for _, p := range f.Published {
		if p.Impl == c.Impl() && p.Block == c.Block {
			return []string{escape(p.Name), commas(fmt.Sprint(p.Count)), published(p.Score), "± " + published(p.Error)}
		}
	}
	return []string{"", "", "", ""}
}

// units are those of a mode's score, as JMH prints them.
func units(mode string) string {
	if mode == "fixed" {
		return "s"
	}
	return "ns/op"
}

// judgedTable compares the contestants of the judged block with the baseline,
// beside what the study published.
func judgedTable(e *results.Experiment, f *claims.File) *table {
	block, baseline := f.Control.Block, f.Control.Baseline
	t := &table{
		Head: []string{"contestant", "mean", "p50", "p99", "p99.9", code(baseline) + " / it", "published mean", "published ratio"},
		Left: 1,
	}
	var base claims.Published
	for _, p := range f.Published {
		if p.Block == block && p.Impl == baseline {
			base = p
		}
	}
	for _, c := range e.Block(block) {
		row := []string{code(c.Impl())}
		for _, unit := range []string{"mean-latency-ns", "p50-latency-ns", "p99-latency-ns", "p99.9-latency-ns"} {
			iv, _ := stats.Median(e.Values(c, unit), level)
			if iv.N == 0 {
				row = append(row, "n/a")
			} else {
				row = append(row, number(iv.Estimate))
			}
		}
		if c.Impl() == baseline {
			row = append(row, "1")
		} else {
			row = append(row, pairedRatio(e, block, "mean-latency-ns", baseline, c.Impl()))
		}
		score, against := "", ""
		for _, p := range f.Published {
			if p.Block == block && p.Impl == c.Impl() {
				score = published(p.Score)
				if base.Score > 0 {
					against = ratioNumber(base.Score / p.Score)
				}
			}
		}
		t.add(append(row, score, against)...)
	}
	return t
}

func pairedRatio(e *results.Experiment, block, unit, baseline, candidate string) string {
	b, c := e.Pairs(block, unit, baseline, candidate)
	if len(b) == 0 {
		return "n/a"
	}
	// Too few pairs leave an estimate without an interval, which ratio shows.
	iv, _ := stats.PairedRatio(b, c, level)
	return ratio(iv)
}

// throughputTable sets the throughput blocks side by side: for each contestant
// its time, and its ratio to the best peer of that block.
func throughputTable(e *results.Experiment, f *claims.File) *table {
	var blocks []string
	for _, b := range e.Blocks() {
		if e.Block(b)[0].Mode() == "thrpt" {
			blocks = append(blocks, b)
		}
	}
	t := &table{Head: []string{"contestant", ""}, Left: 2}
	best := make([]string, len(blocks))
	type row struct {
		cell  results.Cell
		order float64 // median in the block that Go programs run in
	}
	var rows []row
	for i, b := range blocks {
		cell := e.Block(b)[0]
		best[i] = bestPeer(e, b)
		t.Head = append(t.Head, fmt.Sprintf("threads=%d %s, ns/op", cell.Threads, cell.Reading), "/ "+codeOr(best[i], "best peer"), code(f.Control.Baseline)+" / it")
	}
	seen := map[string]bool{}
	for _, b := range blocks {
		for _, c := range e.Block(b) {
			if seen[c.Impl()] {
				continue
			}
			seen[c.Impl()] = true
			r := row{c, math.Inf(1)}
			for _, b := range blocks {
				if e.Block(b)[0].Reading == results.NumCPU {
					if m, ok := medianOf(e, b, c.Impl()); ok {
						r.order = m
					}
				}
			}
			rows = append(rows, r)
		}
	}
	slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(a.order, b.order) })
	for _, r := range rows {
		cells := []string{code(r.cell.Impl()), string(r.cell.Role)}
		for i, b := range blocks {
			m, ok := medianOf(e, b, r.cell.Impl())
			if !ok {
				cells = append(cells, "n/a", "", "")
				continue
			}
			cells = append(cells, number(m),
				ratioTo(e, b, r.cell.Impl(), best[i]),
				ratioFrom(e, b, f.Control.Baseline, r.cell.Impl()))
		}
		t.add(cells...)
	}
	return t
}

func codeOr(name, other string) string {
	if name == "" {
		return other
	}
	return code(name)
}

// ratioTo is how much of a peer's time a contestant needs.
func ratioTo(e *results.Experiment, block, impl, peer string) string {
	switch peer {
	case "":
		return ""
	case impl:
		return "1"
	}
	return pairedRatio(e, block, "ns/op", impl, peer)
}

func ratioFrom(e *results.Experiment, block, baseline, impl string) string {
	switch baseline {
	case "":
		return ""
	case impl:
		return "1"
	}
	return pairedRatio(e, block, "ns/op", baseline, impl)
}

// bestPeer is the peer with the lowest median in a throughput block.
func bestPeer(e *results.Experiment, block string) string {
	best, lowest := "", math.Inf(1)
	for _, c := range e.Block(block) {
		if m, ok := medianOf(e, block, c.Impl()); ok && c.Role == results.Peer && m < lowest {
			best, lowest = c.Impl(), m
		}
	}
	return best
}

func medianOf(e *results.Experiment, block, impl string) (float64, bool) {
	for _, c := range e.Block(block) {
		if c.Impl() == impl {
			iv, _ := stats.Median(e.Values(c, "ns/op"), level)
			return iv.Estimate, iv.N > 0
		}
	}
	return 0, false
}

// memoryTable is what a counter takes where a benchmark tells, by how many Ps
// there are.
func memoryTable(e *results.Experiment) *table {
	const unit = "B/counter"
	t := &table{Head: []string{"contestant"}, Left: 1}
	var blocks []string
	for _, b := range e.Blocks() {
		cells := e.Block(b)
		if cells[0].Mode() == "thrpt" && slices.ContainsFunc(cells, func(c results.Cell) bool { return len(e.Values(c, unit)) > 0 }) {
			blocks = append(blocks, b)
			t.Head = append(t.Head, fmt.Sprintf("threads=%d %s", cells[0].Threads, cells[0].Reading))
		}
	}
	rows := map[string]int{}
	for i, b := range blocks {
		for _, c := range e.Block(b) {
			iv, _ := stats.Median(e.Values(c, unit), level)
			if iv.N == 0 {
				continue
			}
			at, ok := rows[c.Impl()]
			if !ok {
				at = len(t.Rows)
				rows[c.Impl()] = at
				t.add(append([]string{code(c.Impl())}, make([]string, len(blocks))...)...)
			}
			t.Rows[at][1+i] = number(iv.Estimate)
		}
	}
	return t
}

// factsTable holds, for each cell, what its forks were and what else they
// report: medians over the clean forks.
func factsTable(e *results.Experiment) *table {
	extra := []string{"cpu-ns/op", "parallelism", "queue-wait-sec", "B/op", "gc-cycles/op", "gc-cpu-ns/op", "gc-pause-p99-ns", "cells"}
	extra = slices.DeleteFunc(extra, func(unit string) bool {
		return !slices.ContainsFunc(e.Forks, func(f *results.Fork) bool { v, ok := f.Value(unit); return ok && v != 0 })
	})
	t := &table{Head: append([]string{"cell", "clean", "gated", "no result", "unsteady"}, extra...), Left: 1}
	for _, c := range e.Plan.Cells {
		n := count(e, c)
		row := []string{code(strings.TrimPrefix(c.Name, "Benchmark")) + " " + string(c.Reading), fmt.Sprintf("%d of %d", n.clean, e.Plan.Rounds[c.Tier]), fmt.Sprint(n.gated), fmt.Sprint(n.failed), fmt.Sprint(n.unsteady)}
		for _, unit := range extra {
			iv, _ := stats.Median(e.Values(c, unit), level)
			if iv.N == 0 {
				row = append(row, "")
			} else {
				row = append(row, number(iv.Estimate))
			}
		}
		t.add(row...)
	}
	return t
}

// tally counts what became of a cell's forks.
type tally struct{ clean, gated, failed, unsteady int }

func count(e *results.Experiment, c results.Cell) tally {
	var n tally
	n.clean = len(e.Clean(c))
	for _, f := range e.Forks {
		switch {
		case f.Cell != c.Key():
		case f.State != results.Complete:
			n.failed++
		case !f.Clean():
			n.gated++
		}
	}
	for _, f := range e.Clean(c) {
		if trend, ok := f.Value("trend"); ok && !stats.Steady(trend) {
			n.unsteady++
		}
	}
	return n
}
