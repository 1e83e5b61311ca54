package results

import (
	"fmt"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"hotpath/internal/bench"
)

// Fork is one fresh process that measured one cell once.
type Fork struct {
	ID      int           `json:"id"` // in the order of running, from 1
	Cell    bench.CellID  `json:"cell"`
	Round   int           `json:"round"`   // from 1
	Order   int           `json:"order"`   // place within the block's round, from 1
	Layout  int           `json:"layout"`  // of the test binary: the N of -randlayout=N
	Attempt int           `json:"attempt"` // from 1; a gated fork is tried again
	Start   time.Time     `json:"start"`
	State   bench.State   `json:"state"`
	Tail    string        `json:"tail,omitempty"` // end of the output of a fork that failed
	Line    int           `json:"line,omitempty"` // in <experiment>.txt, from 1; 0 without a result
	CPU     bench.Usage   `json:"cpu"`
	Noise   bench.Noise   `json:"noise"`
	Gated   []bench.Unmet `json:"gated,omitempty"` // gates not met; empty for a clean fork

	Metrics []Metric                `json:"-"` // as printed, in the order of the line
	Hist    *hdrhistogram.Histogram `json:"-"` // latencies in ns, where the fork sampled
	Heap    []HeapSample            `json:"-"` // over the measured window, where the fork recorded it
}

// Metric is one number of a result line with its unit as printed, such as "ns/op".
type Metric struct {
	Value float64
	Unit  string
}

// Value returns the fork's value of a unit.
func (f *Fork) Value(unit bench.Unit) (float64, bool) {
	for _, m := range f.Metrics {
		if m.Unit == unit.Name {
			return m.Value, true
		}
	}
	return 0, false
}

// Clean reports whether the fork counts: it is complete and met every gate.
func (f *Fork) Clean() bool { return f.State == bench.Complete && len(f.Gated) == 0 }

// Manifest describes a sealed run and carries the checksum of each of its files.
type Manifest struct {
	Schema   int               `json:"schema"`
	Start    time.Time         `json:"start"`
	End      time.Time         `json:"end"`
	Machine  bench.Machine     `json:"machine"`
	Go       []bench.Fact      `json:"go"` // version, GOGC, GOAMD64, …
	Modules  []bench.Fact      `json:"modules"`
	Revision string            `json:"revision"` // of the measured code; "unknown" outside git
	Dirty    bool              `json:"dirty"`
	Quick    bool              `json:"quick,omitempty"` // a look, not a run: nothing is decided on it
	Seed     uint64            `json:"seed"`
	Budget   string            `json:"budget"`
	Layouts  int               `json:"layouts"`
	Gates    bench.Thresholds  `json:"gates"`
	Attempts int               `json:"attempts,omitempty"`   // most in one round for a fork that is gated; 0 in a run that does not tell
	Patience float64           `json:"patience_s,omitempty"` // most that a fork waits, in seconds, for the CPUs to be apart; 0 in a run that does not tell
	Distance float64           `json:"distance_ns"`          // a cache line between two CPUs where the machine puts them most of the time; -1 where not visible
	Plan     []Plan            `json:"plan"`
	Binaries []bench.Fact      `json:"binaries"`         // SHA-256 of each test binary
	Claims   map[string]string `json:"claims,omitempty"` // SHA-256 of each experiment's claims.toml
	Files    map[string]string `json:"files"`            // SHA-256 of each file of the run
}

// Plan is what was to be run of one experiment.
type Plan struct {
	Experiment string             `json:"experiment"`
	Rounds     map[bench.Tier]int `json:"rounds"`
	Cells      []bench.Cell       `json:"cells"`
}

// Run is one machine's run: a folder under results/.
type Run struct {
	Name        string // of the folder
	Manifest    Manifest
	ManifestSum string // SHA-256 of manifest.json
	Experiments []*Experiment
}

// Experiment is the part of a run that one Go benchmark package made.
type Experiment struct {
	Name  string
	Plan  Plan
	Forks []*Fork // by ID
}

// Clean returns the clean forks of a cell by round: the first clean attempt of
// each round.
func (e *Experiment) Clean(cell bench.Cell) []*Fork {
	var forks []*Fork
	id := cell.ID()
	seen := map[int]bool{}
	for _, f := range e.Forks {
		if f.Cell == id && f.Clean() && !seen[f.Round] {
			seen[f.Round] = true
			forks = append(forks, f)
		}
	}
	return forks
}

// Block returns the cells of a block in the order of the plan.
func (e *Experiment) Block(block bench.Block) []bench.Cell {
	var cells []bench.Cell
	for _, c := range e.Plan.Cells {
		if c.Block == block {
			cells = append(cells, c)
		}
	}
	return cells
}

// Blocks lists the blocks of the experiment in the order of the plan.
func (e *Experiment) Blocks() []bench.Block {
	var blocks []bench.Block
	seen := map[bench.Block]bool{}
	for _, c := range e.Plan.Cells {
		if !seen[c.Block] {
			seen[c.Block] = true
			blocks = append(blocks, c.Block)
		}
	}
	return blocks
}

// Values returns a unit's value in each clean fork of a cell, by round.
func (e *Experiment) Values(cell bench.Cell, unit bench.Unit) []float64 {
	var vs []float64
	for _, f := range e.Clean(cell) {
		if v, ok := f.Value(unit); ok {
			vs = append(vs, v)
		}
	}
	return vs
}

// Pairs returns a unit's values of two contestants of a block, round by round:
// only the rounds in which both have a clean fork.
func (e *Experiment) Pairs(block bench.Block, unit bench.Unit, baseline, candidate string) (b, c []float64) {
	values := func(impl string) map[int]float64 {
		byRound := map[int]float64{}
		for _, cell := range e.Block(block) {
			if cell.Impl() != impl {
				continue
			}
			for _, f := range e.Clean(cell) {
				if v, ok := f.Value(unit); ok {
					byRound[f.Round] = v
				}
			}
		}
		return byRound
	}
	bs, cs := values(baseline), values(candidate)
	rounds := 0
	for _, n := range e.Plan.Rounds {
		rounds = max(rounds, n)
	}
	for r := 1; r <= rounds; r++ {
		bv, okB := bs[r]
		cv, okC := cs[r]
		if okB && okC {
			b, c = append(b, bv), append(c, cv)
		}
	}
	return b, c
}

// Merged returns the latencies of all clean forks of a cell in one histogram,
// or nil where none was sampled. The reader has seen to it that the histograms
// of a cell have one range.
func (e *Experiment) Merged(cell bench.Cell) *hdrhistogram.Histogram {
	var sum *hdrhistogram.Histogram
	for _, f := range e.Clean(cell) {
		if f.Hist == nil {
			continue
		}
		if sum == nil {
			sum = hdrhistogram.New(f.Hist.LowestTrackableValue(), f.Hist.HighestTrackableValue(), int(f.Hist.SignificantFigures()))
		}
		if dropped := sum.Merge(f.Hist); dropped > 0 {
			panic(fmt.Sprintf("%s: %d samples out of the histogram's range", cell.ID(), dropped))
		}
	}
	return sum
}
