package results

import (
	"fmt"
	"strings"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Reading names how GOMAXPROCS of a cell follows from the machine. The number
// that Go prints behind a benchmark's name differs from machine to machine;
// the reading does not.
type Reading string

const (
	One       Reading = "one"       // GOMAXPROCS=1
	NumCPU    Reading = "numcpu"    // one P for each CPU: how Go programs run
	PerThread Reading = "perthread" // one P, and so one OS thread, for each worker
)

// Tier orders the cells of an experiment by how much depends on them.
type Tier string

const (
	Judged Tier = "judged" // claims and the control are decided on these cells
	Peers  Tier = "peers"  // everything that is shown beside them
)

// Role says why a contestant takes part.
type Role string

const (
	Floor     Role = "floor"     // does nothing, or as little as nobody can avoid
	Published Role = "published" // of the study that is re-created
	Control   Role = "control"   // a published one a second time
	Ours      Role = "ours"      // of impl/, beyond the published ones
	Peer      Role = "peer"      // of another library
)

// Cell is one benchmark under one reading of GOMAXPROCS: what a fork measures.
// A test binary describes its cells in this form when HOTPATH_PLAN=1.
type Cell struct {
	Name    string            `json:"name"`    // without Go's -GOMAXPROCS suffix
	Reading Reading           `json:"reading"` // of GOMAXPROCS
	Threads int               `json:"threads"` // worker goroutines
	Role    Role              `json:"role"`
	Env     map[string]string `json:"env,omitempty"`
	Seconds float64           `json:"seconds"`           // measured by each fork
	Startup float64           `json:"startup,omitempty"` // expected seconds before the measuring starts
	Tier    Tier              `json:"tier"`
	Block   string            `json:"block"`           // cells of one block are compared with one another
	Parks   bool              `json:"parks,omitempty"` // workers sleep by design: parallelism is no gate
}

// Key identifies a cell within its experiment.
func (c Cell) Key() string { return c.Name + "@" + string(c.Reading) }

// Param returns the value of /key= in the cell's name, or "".
func (c Cell) Param(key string) string {
	for part := range strings.SplitSeq(c.Name, "/") {
		if v, ok := strings.CutPrefix(part, key+"="); ok {
			return v
		}
	}
	return ""
}

// Impl is the contestant that the cell measures.
func (c Cell) Impl() string { return c.Param("impl") }

// Mode is what the cell measures: thrpt, sample, fixed or open.
func (c Cell) Mode() string { return c.Param("mode") }

// ScoreUnit is the unit that sums up a fork of the cell's mode.
func (c Cell) ScoreUnit() string {
	switch c.Mode() {
	case "sample", "open":
		return "mean-latency-ns"
	case "fixed":
		return "real-sec"
	default:
		return "ns/op"
	}
}

// BlockOf is the block of a benchmark name under a reading: the name without
// its contestant, and the reading.
func BlockOf(name string, r Reading) string {
	var kept []string
	for part := range strings.SplitSeq(name, "/") {
		if !strings.HasPrefix(part, "impl=") {
			kept = append(kept, part)
		}
	}
	return strings.Join(kept, "/") + "@" + string(r)
}

// State is how a fork ended.
type State string

const (
	Complete State = "complete"
	Failed   State = "failed"    // ended by itself, without exactly one line of the expected name
	TimedOut State = "timed out" // killed at its deadline
)

// Fork is one fresh process that measured one cell once.
type Fork struct {
	ID      int       `json:"id"` // in the order of running, from 1
	Cell    string    `json:"cell"`
	Round   int       `json:"round"`   // from 1
	Order   int       `json:"order"`   // place within the block's round, from 1
	Layout  int       `json:"layout"`  // of the test binary: the N of -randlayout=N
	Attempt int       `json:"attempt"` // from 1; a gated fork is tried again
	Start   time.Time `json:"start"`
	State   State     `json:"state"`
	Tail    string    `json:"tail,omitempty"` // end of the output of a fork that failed
	Line    int       `json:"line,omitempty"` // in <experiment>.txt, from 1; 0 without a result
	CPU     CPU       `json:"cpu"`
	Noise   Noise     `json:"noise"`
	Gated   []string  `json:"gated,omitempty"` // gates not met; empty for a clean fork

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
func (f *Fork) Value(unit string) (float64, bool) {
	for _, m := range f.Metrics {
		if m.Unit == unit {
			return m.Value, true
		}
	}
	return 0, false
}

// Block is the block of the fork's cell.
func (f *Fork) Block() string { return BlockOf(nameOf(f.Cell), readingOf(f.Cell)) }

// Clean reports whether the fork counts: it is complete and met every gate.
func (f *Fork) Clean() bool { return f.State == Complete && len(f.Gated) == 0 }

// CPU is what a fork's process tree used from its start to its end, in seconds.
type CPU struct {
	Wall   float64 `json:"wall_s"`
	User   float64 `json:"user_s"`
	System float64 `json:"sys_s"`
	MaxRSS int64   `json:"max_rss_bytes"`
}

// Noise is what the machine did beside a fork, over the fork's life. What the
// machine does not show is -1.
type Noise struct {
	Foreign     float64 `json:"foreign_cpu"`    // CPU used by others, as a share of all CPUs
	Steal       float64 `json:"steal"`          // CPU taken by the hypervisor, as a share of all CPUs
	Pressure    float64 `json:"cpu_pressure"`   // share of the time some task waited for a CPU
	HiccupP99   float64 `json:"hiccup_p99_ns"`  // how late a sleeper in the runner woke up
	Calibration float64 `json:"calibration_ns"` // fastest pass of a fixed arithmetic loop, ahead of the fork
}

// Fact is one named property of a machine or of a run.
type Fact struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Machine is where a run was made. It names no host, user or path.
type Machine struct {
	CPU   string `json:"cpu"`
	CPUs  int    `json:"cpus"`
	Facts []Fact `json:"facts"`
}

// Gates are the physical conditions that a fork must meet to count, fixed
// before the run's first fork.
type Gates struct {
	Foreign     float64 `json:"foreign_cpu_max"`
	Steal       float64 `json:"steal_max"`
	Parallelism float64 `json:"parallelism_min"` // of min(threads, CPUs), for workers that never park
	HandOff     float64 `json:"handoff_share"`   // least at both ends of a fork, of the run's distance; the inverse is the most
}

// Manifest describes a sealed run and carries the checksum of each of its files.
type Manifest struct {
	Schema   int               `json:"schema"`
	Start    time.Time         `json:"start"`
	End      time.Time         `json:"end"`
	Machine  Machine           `json:"machine"`
	Go       []Fact            `json:"go"` // version, GOGC, GOAMD64, …
	Modules  []Fact            `json:"modules"`
	Revision string            `json:"revision"` // of the measured code; "unknown" outside git
	Dirty    bool              `json:"dirty"`
	Quick    bool              `json:"quick,omitempty"` // a look, not a run: nothing is decided on it
	Seed     uint64            `json:"seed"`
	Budget   string            `json:"budget"`
	Layouts  int               `json:"layouts"`
	Gates    Gates             `json:"gates"`
	Attempts int               `json:"attempts,omitempty"`   // most in one round for a fork that is gated; 0 in a run that does not tell
	Patience float64           `json:"patience_s,omitempty"` // most that a fork waits, in seconds, for the CPUs to be apart; 0 in a run that does not tell
	Distance float64           `json:"distance_ns"`          // a cache line between two CPUs where the machine puts them most of the time; -1 where not visible
	Plan     []Plan            `json:"plan"`
	Binaries []Fact            `json:"binaries"`         // SHA-256 of each test binary
	Claims   map[string]string `json:"claims,omitempty"` // SHA-256 of each experiment's claims.toml
	Files    map[string]string `json:"files"`            // SHA-256 of each file of the run
}

// Plan is what was to be run of one experiment.
type Plan struct {
	Experiment string       `json:"experiment"`
	Rounds     map[Tier]int `json:"rounds"`
	Cells      []Cell       `json:"cells"`
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
func (e *Experiment) Clean(cell Cell) []*Fork {
	var forks []*Fork
	key := cell.Key()
	seen := map[int]bool{}
	for _, f := range e.Forks {
		if f.Cell == key && f.Clean() && !seen[f.Round] {
			seen[f.Round] = true
			forks = append(forks, f)
		}
	}
	return forks
}

// Block returns the cells of a block in the order of the plan.
func (e *Experiment) Block(block string) []Cell {
	var cells []Cell
	for _, c := range e.Plan.Cells {
		if c.Block == block {
			cells = append(cells, c)
		}
	}
	return cells
}

// Blocks lists the blocks of the experiment in the order of the plan.
func (e *Experiment) Blocks() []string {
	var blocks []string
	seen := map[string]bool{}
	for _, c := range e.Plan.Cells {
		if !seen[c.Block] {
			seen[c.Block] = true
			blocks = append(blocks, c.Block)
		}
	}
	return blocks
}

// Values returns a unit's value in each clean fork of a cell, by round.
func (e *Experiment) Values(cell Cell, unit string) []float64 {
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
func (e *Experiment) Pairs(block, unit, baseline, candidate string) (b, c []float64) {
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
func (e *Experiment) Merged(cell Cell) *hdrhistogram.Histogram {
	var sum *hdrhistogram.Histogram
	for _, f := range e.Clean(cell) {
		if f.Hist == nil {
			continue
		}
		if sum == nil {
			sum = hdrhistogram.New(f.Hist.LowestTrackableValue(), f.Hist.HighestTrackableValue(), int(f.Hist.SignificantFigures()))
		}
		if dropped := sum.Merge(f.Hist); dropped > 0 {
			panic(fmt.Sprintf("%s: %d samples out of the histogram's range", cell.Key(), dropped))
		}
	}
	return sum
}
