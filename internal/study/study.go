// Package study turns a run and its claims into rows: each figure that charts
// and pages show is computed here, once, and they lay out what they read.
//
// An experiment has blocks, a block has a row for each contestant, and a row has
// a figure for each unit: the median over the clean forks with its interval. A
// ratio of two contestants is paired within laps, or by heat where a unit is a
// fork's, and has one interval wherever it is shown, but for its level: verdicts
// have their own, and all else has Level. No interval is better than what the
// block's control shows of equals.
//
// Rows keep what they computed and are for one goroutine at a time.
package study

import (
	"slices"

	"hotpath/internal/bench"
	"hotpath/internal/claims"
	"hotpath/internal/results"
)

// Level is the confidence of intervals that describe; those that decide have the
// level of their claims.
const Level = 0.95

// Experiment is one experiment of a run, with what it claims.
type Experiment struct {
	Name      string
	Heats     map[bench.Tier]int // planned, of each part of each block
	Forks     []*results.Fork    // in the order of running
	Blocks    []*Block           // in the order of the plan
	Claims    *claims.File       // empty where none is on file
	Changed   bool               // the claims are not those that the run was begun with
	Judgement claims.Judgement
	Lane      *Lane // the published contestants in another language; nil where they took no part

	run  *results.Experiment
	cpus int // of the machine
}

// Block is the contestants that are compared with one another.
type Block struct {
	bench.Block
	Rows      []*Row             // in the order of the plan
	Published []claims.Published // what was published of it

	gates    bench.Thresholds
	heats    []*results.Heat // in the order of running
	numbers  int             // the highest number of a heat
	baseline string
	control  string // the baseline a second time
	controls map[bench.Unit]Control
}

// Row is one contestant of a block: its cell and what came of it.
type Row struct {
	bench.Cell
	Forks []*results.Fork // in the order of running
	Clean []*results.Fork // that count, by heat

	figures   map[bench.Unit]*Figure
	latencies *Latencies
}

// New makes the rows of an experiment and judges it by its claims.
func New(m *results.Manifest, e *results.Experiment, f *claims.File) *Experiment {
	x := &Experiment{Name: e.Name, Heats: e.Plan.Heats, Forks: e.Forks, Claims: f, Changed: f.SHA256 != m.Claims[e.Name], run: e, cpus: m.Machine.CPUs}
	forks := map[bench.CellID][]*results.Fork{}
	for _, fork := range e.Forks {
		forks[fork.Cell] = append(forks[fork.Cell], fork)
	}
	for _, id := range e.Blocks() {
		b := &Block{Block: id, gates: m.Gates, heats: e.HeatsOf(id), controls: map[bench.Unit]Control{}}
		for _, h := range b.heats {
			b.numbers = max(b.numbers, h.Number)
		}
		for _, c := range e.Block(id) {
			b.Rows = append(b.Rows, &Row{Cell: c, Forks: forks[c.ID()], Clean: e.Clean(c.ID()), figures: map[bench.Unit]*Figure{}})
			if c.Role == bench.Control {
				b.baseline, b.control = c.Twin, c.Impl()
			}
		}
		b.published(f)
		x.Blocks = append(x.Blocks, b)
	}
	x.Judgement = x.judge(m, x.Claims)
	x.lane(m)
	return x
}

// published adds what a file says was published of the block.
func (b *Block) published(f *claims.File) {
	for _, p := range f.Published {
		if p.Block == b.Block {
			b.Published = append(b.Published, p)
		}
	}
}

// Block finds a block, or returns nil.
func (x *Experiment) Block(id bench.Block) *Block {
	i := slices.IndexFunc(x.Blocks, func(b *Block) bool { return b.Block == id })
	if i < 0 {
		return nil
	}
	return x.Blocks[i]
}

// Claimed is the block that the claims are about, the first of several; nil where
// there are no claims, or the run did not measure it.
func (x *Experiment) Claimed() *Block {
	if len(x.Claims.Claims) == 0 {
		return nil
	}
	return x.Block(x.Claims.Claims[0].Block)
}

// Baseline is the contestant that takes part in every heat of the block, and runs
// a second time as its control; empty where the plan names none.
func (b *Block) Baseline() string { return b.baseline }

// Row finds a contestant, or returns nil.
func (b *Block) Row(impl string) *Row {
	i := slices.IndexFunc(b.Rows, func(r *Row) bool { return r.Impl() == impl })
	if i < 0 {
		return nil
	}
	return b.Rows[i]
}

// PublishedOf finds what was published of a contestant, of all that has what is
// asked for.
func (b *Block) PublishedOf(impl string, has func(claims.Published) bool) (claims.Published, bool) {
	i := slices.IndexFunc(b.Published, func(p claims.Published) bool { return p.Impl == impl && has(p) })
	if i < 0 {
		return claims.Published{}, false
	}
	return b.Published[i], true
}

// Held are the heats that were held, in the order of running.
func (x *Experiment) Held() []*results.Heat { return x.run.Heats }

// Judged reports whether claims are judged on the block.
func (b *Block) Judged() bool {
	return slices.ContainsFunc(b.Rows, func(r *Row) bool { return r.Tier == bench.Judged })
}

// Tally is what became of a contestant's forks and of their turns.
type Tally struct {
	Clean       int // forks that count
	Few         int // gave a result over too few turns to count
	Failed      int // gave no result
	Kept, Gated int // turns
}

// Tally counts the row's forks.
func (r *Row) Tally() Tally {
	var n Tally
	for _, f := range r.Forks {
		n.Kept, n.Gated = n.Kept+f.Kept, n.Gated+f.Gated
		switch {
		case f.State != bench.Complete:
			n.Failed++
		case f.Clean():
			n.Clean++
		default:
			n.Few++
		}
	}
	return n
}
