package report

import (
	"fmt"
	"slices"

	"github.com/HdrHistogram/hdrhistogram-go"

	"hotpath/internal/bench"
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

// widest is how many columns of percentiles stand side by side; more
// contestants get a row each instead.
const widest = 10

// percentileTable has a column for each sampled contestant of a block, and the
// published column beside it where there is one.
func percentileTable(e *results.Experiment, block bench.Block, f *claims.File) *table {
	t := &table{Head: []string{"ns/op"}, Left: 1}
	var columns []column
	var clock int64
	for _, c := range e.Block(block) {
		h := e.Merged(c)
		if h == nil {
			continue
		}
		if c.Role == bench.Floor {
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
	if len(columns) > widest {
		return t.transposed()
	}
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

// judgedTable compares the contestants of the judged block with the baseline,
// beside what the study published.
func judgedTable(e *results.Experiment, f *claims.File) *table {
	block, baseline := f.Control.Block, f.Control.Baseline
	if !has(e, block, bench.MeanLatency) {
		return nil
	}
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
		for _, unit := range []bench.Unit{bench.MeanLatency, bench.Latency(50), bench.Latency(99), bench.Latency(99.9)} {
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
			row = append(row, pairedRatio(e, block, bench.MeanLatency, baseline, c.Impl()))
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

// memoryTable is what a counter takes where a benchmark tells, by how many Ps
// there are.
func memoryTable(e *results.Experiment) *table {
	var unit = bench.BytesPerCounter
	t := &table{Head: []string{"contestant"}, Left: 1}
	var blocks []bench.Block
	for _, b := range e.Blocks() {
		cells := e.Block(b)
		if cells[0].Mode() == bench.Throughput && slices.ContainsFunc(cells, func(c bench.Cell) bool { return len(e.Values(c, unit)) > 0 }) {
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
