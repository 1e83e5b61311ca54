package results

import (
	"math"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"hotpath/internal/bench"
)

// Fork is one fresh process that held one cell through one heat.
type Fork struct {
	ID     int          `json:"id"` // in the order of starting, from 1, over all experiments of the run
	Cell   bench.CellID `json:"cell"`
	Heat   int          `json:"heat"`
	Start  time.Time    `json:"start"`
	State  bench.State  `json:"state"`
	Tail   string       `json:"tail,omitempty"` // last words of a fork that failed
	Usage  bench.Usage  `json:"usage"`
	Kept   int          `json:"kept"`   // turns that met every gate
	Gated  int          `json:"gated"`  // turns that did not
	Enough bool         `json:"enough"` // kept turns for the fork to count

	// Seal sets these.
	Line      int `json:"line,omitempty"`       // in <experiment>.txt, from 1, of its kept turns; 0 without a result
	GatedLine int `json:"gated_line,omitempty"` // of the line over the others; 0 without one
	HeapRows  int `json:"heap_rows,omitempty"`  // of its heap over time

	Metrics []Metric                `json:"-"` // over the kept turns, as printed, in the order of the line
	Hist    *hdrhistogram.Histogram `json:"-"` // latencies in ns of the kept turns, where the fork sampled
	Heap    []HeapSample            `json:"-"` // heap over time, where the fork recorded it
}

// Metric is one number of a result line with its unit as printed, such as "ns/op".
type Metric struct {
	Value float64
	Unit  string
}

// Value returns the fork's value of a unit, over its kept turns.
func (f *Fork) Value(unit bench.Unit) (float64, bool) {
	for _, m := range f.Metrics {
		if m.Unit == unit.Name {
			return m.Value, true
		}
	}
	return 0, false
}

// Clean reports whether the fork counts: it is complete and kept enough turns.
func (f *Fork) Clean() bool { return f.State == bench.Complete && f.Enough }

// Heat is the forks of a block, or of a part of it, that were alive side by
// side.
type Heat struct {
	ID         int           `json:"id"` // in the order of running, from 1
	Block      bench.Block   `json:"block"`
	Part       int           `json:"part"`          // of the block, from 0; see LeftPart
	Number     int           `json:"number"`        // of the part's heats, from 1: those of equal number are compared across parts
	Try        int           `json:"try,omitempty"` // how many heats of that number were spoilt before it
	Layout     int           `json:"layout"`        // of the test binary: the N of -randlayout=N
	Start      time.Time     `json:"start"`
	Seconds    float64       `json:"seconds"`
	Windows    []bench.Noise `json:"windows"`              // what was beside it, window after window of laps
	Incomplete string        `json:"incomplete,omitempty"` // why it ended early, if it did

	Forks []*Fork `json:"-"` // by ID
	Laps  []Lap   `json:"-"`
}

// Lap is one turn of each fork of a heat.
type Lap struct {
	N      int
	Before bench.Probe // of the runner's threads
	After  bench.Probe
	Turns  []Turn // in the order of running
}

// HandOff is how far apart the CPUs were in the lap: the geometric mean of the
// hand-offs before and after it; bench.Unseen where one is not visible.
func (l Lap) HandOff() float64 {
	if !(l.Before.HandOff > 0 && l.After.HandOff > 0) {
		return bench.Unseen
	}
	return math.Sqrt(l.Before.HandOff * l.After.HandOff)
}

// Turn is what one fork did in a lap. Times are nanoseconds.
type Turn struct {
	Fork    int // ID
	Ops     int64
	Wall    int64
	CPU     int64
	Server  int64 // CPU of a server in a process of its own
	Latency int64 // sum of the operations' latencies, where they are timed
	Workers int   // that ran
	Unmet   bench.GateSet
}

// Kept reports whether the turn counts.
func (t Turn) Kept() bool { return t.Unmet == 0 }

// PerOp is the turn's value of a unit that every turn has: the time or CPU time
// per operation, or the mean latency. It reports false for other units, and
// where there is nothing to divide.
func (t Turn) PerOp(unit bench.Unit) (float64, bool) {
	var sum int64
	switch unit {
	case bench.TimePerOp, bench.Real:
		sum = t.Wall
	case bench.CPUPerOp, bench.CPUSeconds:
		sum = t.CPU
	case bench.ServerCPU:
		sum = t.Server
	case bench.MeanLatency:
		sum = t.Latency
	}
	return float64(sum) / float64(t.Ops), sum > 0 && t.Ops > 0
}

// Manifest describes a sealed run and carries the checksum of each of its files.
type Manifest struct {
	Schema   int               `json:"schema"`
	Start    time.Time         `json:"start"`
	End      time.Time         `json:"end"`
	Machine  bench.Machine     `json:"machine"`
	Go       []bench.Fact      `json:"go"` // version, GOGC, GOAMD64, …
	Modules  []bench.Fact      `json:"modules"`
	Lanes    []bench.Fact      `json:"lanes,omitempty"` // versions of what contestants beside Go's run on, or why there are none
	Revision string            `json:"revision"`        // of the measured code; "unknown" outside git
	Dirty    bool              `json:"dirty"`
	Quick    bool              `json:"quick,omitempty"` // a look, not a run to keep
	Seed     uint64            `json:"seed"`
	Budget   string            `json:"budget"`
	Layouts  int               `json:"layouts"`
	Gates    bench.Thresholds  `json:"gates"`
	Memory   int64             `json:"memory_bytes"` // most that the forks of a heat may hold together
	Plan     []Plan            `json:"plan"`
	Binaries []bench.Fact      `json:"binaries"`         // SHA-256 of each test binary
	Claims   map[string]string `json:"claims,omitempty"` // SHA-256 of each experiment's claims.toml
	Files    map[string]string `json:"files"`            // SHA-256 of each file of the run
	Sum      string            `json:"sum"`              // SHA-256 of all of the above
}

// Plan is what was to be run of one experiment.
type Plan struct {
	Experiment string             `json:"experiment"`
	Heats      map[bench.Tier]int `json:"heats"` // of each part of each block
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
	Heats []*Heat // by ID
	Forks []*Fork // of all heats, by ID
}

// Clean is the forks of a cell that count, in the order of their heats.
func (e *Experiment) Clean(cell bench.CellID) []*Fork {
	var clean []*Fork
	for _, f := range e.Forks {
		if f.Cell == cell && f.Clean() {
			clean = append(clean, f)
		}
	}
	return clean
}

// Blocks lists the blocks of the plan, in its order.
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

// Block is the planned cells of a block, in the order of the plan.
func (e *Experiment) Block(block bench.Block) []bench.Cell {
	var cells []bench.Cell
	for _, c := range e.Plan.Cells {
		if c.Block == block {
			cells = append(cells, c)
		}
	}
	return cells
}

// HeatsOf is the heats of a block, all of its parts, in the order of running.
func (e *Experiment) HeatsOf(block bench.Block) []*Heat {
	var heats []*Heat
	for _, h := range e.Heats {
		if h.Block == block {
			heats = append(heats, h)
		}
	}
	return heats
}

// Fork is the heat's fork of a contestant, or nil where it took no part.
func (h *Heat) Fork(impl string) *Fork {
	for _, f := range h.Forks {
		if f.Cell.Impl() == impl {
			return f
		}
	}
	return nil
}

// Turn is the lap's turn of a fork, if it has one.
func (l Lap) Turn(fork int) (Turn, bool) {
	for _, t := range l.Turns {
		if t.Fork == fork {
			return t, true
		}
	}
	return Turn{}, false
}
