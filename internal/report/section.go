package report

import (
	"fmt"
	"slices"
	"strings"

	"hotpath/internal/bench"
	"hotpath/internal/chart"
	"hotpath/internal/study"
)

// section is one experiment's part of the report.
type section struct {
	*study.Experiment
	Prose     prose
	Benchstat []console
	Files     []rawFile
	charts    []chart.Chart
}

// Charts are the experiment's charts of some kinds, in their order.
func (x *section) Charts(kinds ...string) ([]chart.Chart, error) {
	var cs []chart.Chart
	for _, kind := range kinds {
		if !slices.ContainsFunc(chart.Kinds, func(k chart.Kind) bool { return k.Name == kind }) {
			return nil, fmt.Errorf("no chart is of the kind %q", kind)
		}
		for _, c := range x.charts {
			if c.Kind == kind {
				cs = append(cs, c)
			}
		}
	}
	return cs, nil
}

// part is what the report shows of one block in some section.
type part struct {
	*study.Block
	Open   bool // shown without a click
	Charts []chart.Chart
	Table  *table
	x      *section
}

// Title is the block's name for readers.
func (p part) Title() string { return p.Short("") }

// Heap are the charts of the block's heap over time.
func (p part) Heap() ([]chart.Chart, error) {
	charts, err := p.x.Charts("heap")
	return slices.DeleteFunc(charts, func(c chart.Chart) bool { return c.Block != p.Block.Block }), err
}

// Collector and Runs are further tables of a block of fixed work.
func (p part) Collector() *table { return collectorTable(p.Block) }
func (p part) Runs() *table      { return runsTable(p.Block) }

// openBlocks is how many blocks a section shows without a click; of more, the
// judged one or the first alone.
const openBlocks = 4

// parts are those blocks that have a table or a chart of a kind.
func (x *section) parts(of func(*study.Block) *table, kinds ...string) ([]part, error) {
	charts, err := x.Charts(kinds...)
	var ps []part
	for _, b := range x.Blocks {
		p := part{Block: b, Table: of(b), x: x}
		for _, c := range charts {
			if c.Block == b.Block {
				p.Charts = append(p.Charts, c)
			}
		}
		if p.Table.String() != "" || len(p.Charts) > 0 {
			ps = append(ps, p)
		}
	}
	judged := slices.IndexFunc(ps, func(p part) bool { return p.Block == x.Claimed() })
	for i := range ps {
		ps[i].Open = len(ps) <= openBlocks || i == max(judged, 0)
	}
	return ps, err
}

// The parts of each section, and its tables of all blocks.
func (x *section) Latencies() ([]part, error) { return x.parts(percentileTable, "percentiles") }
func (x *section) Times() ([]part, error)     { return x.parts(x.timesTable) }
func (x *section) OpenLoops() ([]part, error) { return x.parts(openTable, "latency") }
func (x *section) Recorders() ([]part, error) { return x.parts(recorderTable, "accuracy") }
func (x *section) Servers() ([]part, error)   { return x.parts(serverTable, "ladder") }
func (x *section) Scores() ([]part, error)    { return x.parts(x.scoreTable, "throughput") }
func (x *section) Facts() ([]part, error)     { return x.parts(x.factsTable) }
func (x *section) Costs() ([]part, error) {
	return x.parts(func(*study.Block) *table { return nil }, "costs")
}
func (x *section) Noise() *table { return gateTable(x.Experiment) }

// Planned is how many rounds of a tier were planned.
func (x *section) Planned(tier bench.Tier) int { return x.Rounds[tier] }

// Readings are the claims that say how an ambiguous statement was read.
func (x *section) Readings() []study.Claim {
	return slices.DeleteFunc(slices.Clone(x.Claims.Claims), func(c study.Claim) bool { return c.Reading == "" })
}

// Trouble lists the forks that gave no result.
func (x *section) Trouble() *table {
	t := &table{Head: []string{"fork", "cell", "round", "ended", "last words"}, Left: 5}
	for _, f := range x.Forks {
		if f.State == bench.Complete {
			continue
		}
		lines := strings.Split(strings.TrimSpace(f.Tail), "\n")
		t.add(fmt.Sprint(f.ID), code(f.Cell.String()), fmt.Sprint(f.Round), string(f.State), escape(strings.Join(lines[:min(3, len(lines))], " · ")))
	}
	return t
}

// rawFile is a file of the run with its checksum.
type rawFile struct{ Name, Path, Sum string }

// rawFiles lists the files that an experiment has in a run at a path.
func rawFiles(run *study.Run, path, experiment string) []rawFile {
	var fs []rawFile
	for name, sum := range run.Manifest.Files {
		if strings.HasPrefix(name, experiment+".") {
			fs = append(fs, rawFile{name, path + "/" + name, sum})
		}
	}
	slices.SortFunc(fs, func(a, b rawFile) int { return strings.Compare(a.Name, b.Name) })
	return fs
}
