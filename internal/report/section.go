package report

import (
	"fmt"
	"slices"
	"strings"

	"hotpath/internal/advice"
	"hotpath/internal/bench"
	"hotpath/internal/chart"
	"hotpath/internal/study"
)

// section is one experiment's part of the report.
type section struct {
	*study.Experiment
	Prose     prose
	Advice    *advice.File
	Choices   []advice.Choice
	Benchstat []console
	Files     []rawFile
	charts    []chart.Chart
	Model     *model    // nil where there is none
	machines  *machines // nil where there is no other run
}

// Charts are the experiment's charts of some kinds, in their order.
func (x *section) Charts(kinds ...string) []chart.Chart {
	var cs []chart.Chart
	for _, kind := range kinds {
		for _, c := range x.charts {
			if c.Kind == kind {
				cs = append(cs, c)
			}
		}
	}
	return cs
}

// Across are the charts of a kind that show several blocks.
func (x *section) Across(kind string) []chart.Chart {
	return slices.DeleteFunc(x.Charts(kind), func(c chart.Chart) bool { return c.Block != bench.Block{} })
}

// part is what the report shows of one block in some section.
type part struct {
	*study.Block
	Open   bool // shown without a click
	Charts []chart.Chart
	Table  *table
	x      *section
}

// Title is the block in words, Name its name, both as plain text.
func (p part) Title() string { return words(p.Block.Block) + "; " + timing(p.Mode()) }
func (p part) Name() string  { return p.Block.Block.String() }

// Of are the block's charts of a kind.
func (p part) Of(kind string) []chart.Chart {
	return slices.DeleteFunc(p.x.Charts(kind), func(c chart.Chart) bool { return c.Block != p.Block.Block })
}

// Further tables of a block.
func (p part) Collector() *table { return collectorTable(p.Block) }
func (p part) Runs() *table      { return runsTable(p.Block) }
func (p part) Means() *table     { return judgedTable(p.Block) }

// openBlocks is how many blocks a section shows without a click; of more, the
// judged one or the first alone. Those of originals are not counted, and are shown
// with one.
const openBlocks = 4

// parts are those blocks that have a table or a chart of a kind.
func (x *section) parts(of func(*study.Block) *table, kinds ...string) []part {
	charts := x.Charts(kinds...)
	var ps []part
	for _, b := range x.Blocks {
		p := part{Block: b, Table: of(b), x: x}
		for _, c := range charts {
			if c.Block == b.Block && (b.Lane() == "" || !slices.Contains(ofLanes, c.Kind)) {
				p.Charts = append(p.Charts, c)
			}
		}
		if p.Table.String() != "" || len(p.Charts) > 0 {
			ps = append(ps, p)
		}
	}
	inGo := slices.Collect(func(yield func(*part) bool) {
		for i := range ps {
			if ps[i].Lane() == "" && !yield(&ps[i]) {
				return
			}
		}
	})
	judged := slices.IndexFunc(inGo, func(p *part) bool { return p.Block.Judged() })
	for i, p := range inGo {
		p.Open = len(inGo) <= openBlocks || i == max(judged, 0)
	}
	return ps
}

// none is no table of a block.
func none(*study.Block) *table { return nil }

// The parts of each section, and its tables of all blocks.
func (x *section) Latencies() []part { return x.parts(percentileTable, "percentiles") }
func (x *section) Times() []part     { return x.parts(timesTable) }
func (x *section) OpenLoops() []part { return x.parts(openTable, "latency") }
func (x *section) Recorders() []part { return x.parts(recorderTable, "accuracy") }
func (x *section) Servers() []part   { return x.parts(serverTable, "ladder") }
func (x *section) Scores() []part    { return x.parts(scoreTable, "throughput") }
func (x *section) Facts() []part     { return x.parts(factsTable) }
func (x *section) Costs() []part     { return x.parts(none, "costs") }

// placed are the kinds of charts that have a place on an experiment's page.
var placed = []string{"forest", "originals", "percentiles", "heap", "latency", "accuracy", "ladder", "throughput", "placement", "costs", "heats"}

// Unplaced are the charts of all other kinds.
func (x *section) Unplaced() []chart.Chart {
	return slices.DeleteFunc(slices.Clone(x.charts), func(c chart.Chart) bool { return slices.Contains(placed, c.Kind) })
}

// Planned is how many heats of a tier were planned.
func (x *section) Planned(tier bench.Tier) int { return x.Heats[tier] }

// Readings are the claims that say how an ambiguous statement was read.
func (x *section) Readings() []study.Claim {
	return slices.DeleteFunc(slices.Clone(x.Claims.Claims), func(c study.Claim) bool { return c.Reading == "" })
}

// Trouble lists the forks that gave no result.
func (x *section) Trouble() *table {
	t := &table{Head: []string{"fork", "cell", "heat", "ended", "last words"}, Left: 5}
	for _, f := range x.Forks {
		if f.State == bench.Complete {
			continue
		}
		lines := strings.Split(strings.TrimSpace(f.Tail), "\n")
		t.add(fmt.Sprint(f.ID), code(f.Cell.String()), fmt.Sprint(f.Heat), string(f.State), escape(strings.Join(lines[:min(3, len(lines))], " · ")))
	}
	return t
}

// rawFile is a file of the run with its checksum.
type rawFile struct{ Name, Sum string }

// rawFiles lists the files of a run whose names begin so.
func rawFiles(run *study.Run, prefix string) []rawFile {
	var fs []rawFile
	for name, sum := range run.Manifest.Files {
		if strings.HasPrefix(name, prefix) {
			fs = append(fs, rawFile{name, sum})
		}
	}
	slices.SortFunc(fs, func(a, b rawFile) int { return strings.Compare(a.Name, b.Name) })
	return fs
}

// Contestants has a row for each, in the order in which they first take part.
func (x *section) Contestants() *table {
	t := &table{Head: []string{"contestant", "role", "what it is", "its caller holds"}, Left: 4}
	seen := map[string]bool{}
	for _, b := range x.Blocks {
		for _, r := range b.Rows {
			if !seen[r.Impl()] {
				seen[r.Impl()] = true
				t.add(code(r.Impl()), string(r.Role), about(r), escape(r.Holds))
			}
		}
	}
	return t
}

// Peers sets the best of ours against the best of other libraries.
func (x *section) Peers() *table {
	t := &table{Head: []string{"with", "of", "ours", "", "best other library", "", "ours / it"}, Left: 3}
	for _, c := range x.Contests() {
		t.add(inWords(c.Block.Block), c.Unit.Words, code(c.Ours.Impl()), nanos(c.Ours.Median.Estimate),
			code(c.Peer.Impl()), nanos(c.Peer.Median.Estimate), ratio(c.Ratio))
	}
	return t
}

// ClaimFacts are the numbers that each comparison of the claims is judged by.
func (x *section) ClaimFacts() *table {
	t := &table{Head: []string{"comparison", "metric", "smallest effect", "reproduced within", "heats", "interval", "near", "far", "of the sums", "verdict"}, Left: 2}
	for _, v := range x.Judgement.Verdicts {
		for _, c := range v.Comparisons {
			group := func(iv study.Interval) string {
				if iv.Level == 0 {
					return ""
				}
				return ratio(iv)
			}
			sums := ""
			if b := x.Block(v.Claim.Block); b != nil {
				if s := b.Compare(v.Claim.Metric, c.Baseline, c.Candidate, study.Level).Sums; s > 0 {
					sums = bench.Ratio(s)
				}
			}
			t.add(code(c.Baseline)+" / "+code(c.Candidate), code(v.Claim.Metric.Name), bench.Exact(c.Smallest), bench.Ratio(c.Band[0])+" to "+bench.Ratio(c.Band[1]),
				fmt.Sprint(c.Measured.N), ratio(c.Measured.Interval), group(c.Near), group(c.Far), sums, verdict(c.Verdict))
		}
	}
	return t
}
