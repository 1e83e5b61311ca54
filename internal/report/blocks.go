package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"hotpath/internal/bench"
	"hotpath/internal/chart"
	"hotpath/internal/claims"
	"hotpath/internal/results"
	"hotpath/internal/stats"
)

// blockPart is what the report shows of one block in some section.
type blockPart struct {
	Block  bench.Block
	Name   string // for readers: the benchmark with its parameters, and the reading
	Open   bool   // shown without a click
	Charts []chart.Chart
	Table  *table
}

// openBlocks is how many blocks a section shows without a click; of more, the
// judged one or the first alone.
const openBlocks = 4

// parts makes a section out of those blocks that have a table or a chart.
func (x *experiment) parts(of func(block bench.Block) *table, kinds ...string) []blockPart {
	var ps []blockPart
	for _, block := range x.Blocks() {
		p := blockPart{Block: block, Name: blockName(block)}
		if of != nil {
			p.Table = of(block)
		}
		for _, c := range x.chartsOf(kinds...) {
			if c.Block == block {
				p.Charts = append(p.Charts, c)
			}
		}
		if p.Table.String() != "" || len(p.Charts) > 0 {
			ps = append(ps, p)
		}
	}
	judged := slices.IndexFunc(ps, func(p blockPart) bool { return p.Block == x.claims.Control.Block })
	for i := range ps {
		ps[i].Open = len(ps) <= openBlocks || i == max(judged, 0)
	}
	return ps
}

// blockName is a block's name as it stands in headings: without the word that
// every benchmark begins with.
func blockName(block bench.Block) string {
	name := bench.Name{Benchmark: block.Benchmark, Params: block.Params}
	return strings.TrimPrefix(name.String(), "Benchmark") + ", " + string(block.Reading)
}

// scoreTable is what JMH prints at the end of a run, for one block: the fastest
// first, each with its ratio to the best peer and to the baseline, and with the
// published row beside it where there is one.
func scoreTable(e *results.Experiment, block bench.Block, f *claims.File) *table {
	cells := e.Block(block)
	mode, unit := cells[0].Mode(), cells[0].Mode().Score()
	peer, baseline := bestPeer(e, block, unit), f.Control.Baseline
	if _, ok := medianOf(e, block, baseline, unit); !ok {
		baseline = ""
	}
	isPublished := slices.ContainsFunc(f.Published, func(p claims.Published) bool { return p.Block == block })
	t := &table{Head: []string{"Benchmark", "", "Mode", "Cnt", "Score", "Error", "Units"}, Left: 3}
	if peer != "" {
		t.Head = append(t.Head, "/ "+code(peer))
	}
	if baseline != "" {
		t.Head = append(t.Head, code(baseline)+" / it")
	}
	if isPublished {
		t.Head = append(t.Head, "Published as", "Cnt", "Score", "Error")
	}
	for _, c := range byScore(e, cells, unit) {
		vs := e.Values(c, unit)
		row := []string{code(c.Impl()), string(c.Role), string(mode), fmt.Sprint(len(vs)), "n/a", "", units(mode)}
		if iv, err := stats.Median(vs, level); len(vs) > 0 {
			row[4] = number(iv.Estimate)
			if err == nil {
				row[5] = "± " + number((iv.High-iv.Low)/2)
			}
		}
		if peer != "" {
			row = append(row, pairedRatio(e, block, unit, c.Impl(), peer))
		}
		if baseline != "" {
			row = append(row, pairedRatio(e, block, unit, baseline, c.Impl()))
		}
		if isPublished {
			row = append(row, publishedCells(f, c)...)
		}
		t.add(row...)
	}
	return t
}

// byScore sorts cells by the median of a unit, the lowest first and those
// without a clean fork last.
func byScore(e *results.Experiment, cells []bench.Cell, unit bench.Unit) []bench.Cell {
	score := func(c bench.Cell) float64 {
		iv, _ := stats.Median(e.Values(c, unit), level)
		if iv.N == 0 {
			return math.Inf(1)
		}
		return iv.Estimate
	}
	return slices.SortedStableFunc(slices.Values(cells), func(a, b bench.Cell) int { return cmp.Compare(score(a), score(b)) })
}

func publishedCells(f *claims.File, c bench.Cell) []string {
	for _, p := range f.Published {
		if p.Impl == c.Impl() && p.Block == c.Block {
			plusMinus := ""
			if p.Error > 0 {
				plusMinus = "± " + published(p.Error)
			}
			return []string{escape(p.Name), commas(fmt.Sprint(p.Count)), published(p.Score), plusMinus}
		}
	}
	return []string{"", "", "", ""}
}

// units are those of a mode's score, as JMH prints them.
func units(mode bench.Mode) string {
	if mode == bench.Fixed {
		return "s"
	}
	return "ns/op"
}

// pairedRatio is baseline / candidate, paired by round.
func pairedRatio(e *results.Experiment, block bench.Block, unit bench.Unit, baseline, candidate string) string {
	if baseline == candidate {
		return "1"
	}
	b, c := e.Pairs(block, unit, baseline, candidate)
	if len(b) == 0 || slices.Contains(b, 0) || slices.Contains(c, 0) {
		return "n/a"
	}
	// Too few pairs leave an estimate without an interval, which ratio shows.
	iv, _ := stats.PairedRatio(b, c, level)
	return ratio(iv)
}

// best is the contestant of a role with the lowest median of a unit in a block,
// or "".
func best(e *results.Experiment, block bench.Block, unit bench.Unit, role bench.Role) string {
	best, lowest := "", math.Inf(1)
	for _, c := range e.Block(block) {
		if m, ok := medianOf(e, block, c.Impl(), unit); ok && c.Role == role && m < lowest {
			best, lowest = c.Impl(), m
		}
	}
	return best
}

func bestPeer(e *results.Experiment, block bench.Block, unit bench.Unit) string {
	return best(e, block, unit, bench.Peer)
}

func medianOf(e *results.Experiment, block bench.Block, impl string, unit bench.Unit) (float64, bool) {
	for _, c := range e.Block(block) {
		if c.Impl() == impl {
			iv, _ := stats.Median(e.Values(c, unit), level)
			return iv.Estimate, iv.N > 0
		}
	}
	return 0, false
}

// has reports whether any clean fork of a block has a unit.
func has(e *results.Experiment, block bench.Block, unit bench.Unit) bool {
	return slices.ContainsFunc(e.Block(block), func(c bench.Cell) bool { return len(e.Values(c, unit)) > 0 })
}

// figures is a column of a table of medians: a unit, its heading, and the way
// to print it.
type figures struct {
	unit  bench.Unit
	head  string
	print func(float64) string
}

// medians fills a table of a block with a row for each cell and those columns
// that some cell has. Cells without any of them are left out.
func medians(e *results.Experiment, block bench.Block, cells []bench.Cell, columns []figures) *table {
	columns = slices.DeleteFunc(slices.Clone(columns), func(f figures) bool { return !has(e, block, f.unit) })
	t := &table{Head: []string{"contestant"}, Left: 1}
	for _, f := range columns {
		t.Head = append(t.Head, f.head)
	}
	for _, c := range cells {
		row := []string{code(c.Impl())}
		some := false
		for _, f := range columns {
			text := ""
			if iv, _ := stats.Median(e.Values(c, f.unit), level); iv.N > 0 {
				text, some = f.print(iv.Estimate), true
			}
			row = append(row, text)
		}
		if some {
			t.add(row...)
		}
	}
	return t
}

// micros prints nanoseconds as microseconds.
func micros(ns float64) string { return number(ns / 1e3) }

// factsTable holds, for each cell of a block, what its forks were and what else
// they report: medians over the clean forks.
func factsTable(e *results.Experiment, block bench.Block) *table {
	extra := []bench.Unit{bench.CPUPerOp, bench.Parallelism, bench.QueueWait, bench.AchievedRate, bench.BytesPerOp, bench.AllocsPerOp, bench.GCCycles, bench.GCCPU, bench.GCPauseP99, bench.CountedCells}
	cells := e.Block(block)
	extra = slices.DeleteFunc(extra, func(unit bench.Unit) bool {
		return !slices.ContainsFunc(cells, func(c bench.Cell) bool {
			return slices.ContainsFunc(e.Values(c, unit), func(v float64) bool { return v != 0 })
		})
	})
	t := &table{Head: []string{"contestant", "clean", "gated", "no result", "unsteady"}, Left: 1}
	for _, unit := range extra {
		t.Head = append(t.Head, unit.Name)
	}
	for _, c := range cells {
		n := count(e, c)
		row := []string{code(c.Impl()), fmt.Sprintf("%d of %d", n.clean, e.Plan.Rounds[c.Tier]), fmt.Sprint(n.gated), fmt.Sprint(n.failed), fmt.Sprint(n.unsteady)}
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

func count(e *results.Experiment, c bench.Cell) tally {
	var n tally
	n.clean = len(e.Clean(c))
	for _, f := range e.Forks {
		switch {
		case f.Cell != c.ID():
		case f.State != bench.Complete:
			n.failed++
		case !f.Clean():
			n.gated++
		}
	}
	for _, f := range e.Clean(c) {
		if trend, ok := f.Value(bench.Trend); ok && !stats.Steady(trend) {
			n.unsteady++
		}
	}
	return n
}
