package bench

import (
	"fmt"
	"strings"
)

// Gate is a physical condition, fixed before the run, that a turn must meet to
// count. Gates look at what the machine did and at how a turn ran, never at what
// it measured.
type Gate uint8

const (
	GateForeign     Gate = iota // others used little of the CPUs, over a window of laps
	GateSteal                   // the hypervisor took little of them, over a window of laps
	GateParked                  // parked forks used next to nothing, over a window of laps
	GateParallelism             // busy workers kept the CPUs busy that they could use
	GateProbe                   // the runner's own threads got all CPUs before and after
	GateWorkers                 // all workers ran, but for a few, in turns that must hold all of them
	gates
)

// gateWords are the names of the gates, and the letters that stand for them in
// files.
var gateWords = [gates]struct{ name, letter string }{
	{"foreign CPU", "f"},
	{"steal", "s"},
	{"parked forks", "k"},
	{"parallelism", "p"},
	{"CPUs got", "c"},
	{"workers that ran", "w"},
}

// Gates lists all of them, in the order in which they are told.
func Gates() []Gate {
	all := make([]Gate, gates)
	for i := range all {
		all[i] = Gate(i)
	}
	return all
}

// String is the gate's name for readers.
func (g Gate) String() string { return gateWords[g].name }

// GateSet is some gates: those that a turn did not meet. The zero value is none.
type GateSet uint8

// With is the set with one more gate.
func (s GateSet) With(g Gate) GateSet { return s | 1<<g }

// Has reports whether the gate is in the set.
func (s GateSet) Has(g Gate) bool { return s&(1<<g) != 0 }

// String is a letter for each gate, as files have it.
func (s GateSet) String() string {
	var b strings.Builder
	for _, g := range Gates() {
		if s.Has(g) {
			b.WriteString(gateWords[g].letter)
		}
	}
	return b.String()
}

// ParseGateSet reads what GateSet.String writes.
func ParseGateSet(letters string) (GateSet, error) {
	var s GateSet
	for _, r := range letters {
		known := false
		for _, g := range Gates() {
			if gateWords[g].letter == string(r) && !s.Has(g) {
				s, known = s.With(g), true
			}
		}
		if !known {
			return 0, fmt.Errorf("%.20q is no set of gates", letters)
		}
	}
	return s, nil
}

// Thresholds are the limits of the gates, and of the groups that laps are shown
// in by how far apart the CPUs were.
type Thresholds struct {
	Foreign     float64 `json:"foreign_cpu_max"`       // most CPU used by others, as a share of all CPUs
	Steal       float64 `json:"steal_max"`             // most CPU taken by the hypervisor, as a share of all CPUs
	Parked      float64 `json:"parked_max"`            // most CPU of a parked fork, as a share of one CPU
	Parallelism float64 `json:"parallelism_min"`       // least CPU time per wall time, as a share of what is possible; of the probes too
	Workers     float64 `json:"workers_min,omitempty"` // least share of the workers that ran in a turn that must hold them; 0, of runs that do not name it, is all
	Window      float64 `json:"window_s"`              // least seconds of consecutive laps that foreign CPU, steal and parked forks are read over
	Near        float64 `json:"near_ns"`               // hand-off below which a lap's CPUs were near each other
	Far         float64 `json:"far_ns"`                // hand-off from which they were far apart
}

// DefaultThresholds hold for every run that has no reason for others, known
// before it began.
var DefaultThresholds = Thresholds{
	Foreign: 0.05, Steal: 0.01, Parked: 0.005, Parallelism: 0.95, Workers: 0.95, Window: 2, Near: 80, Far: 150,
}

// TurnConditions are what the gates of one turn judge.
type TurnConditions struct {
	Busy     float64 // CPUs that the turn kept busy
	Possible int     // CPUs that the turn could keep busy: the least of its threads, its GOMAXPROCS and the machine's CPUs; 0 where workers park
	Workers  int     // that ran
	Threads  int     // that must have run; 0 where a turn need not hold all
	Probes   []Probe // before and after
	CPUs     int     // that a probe can get
}

// Turn returns the gates that a turn did not meet. What cannot be seen cannot be
// vouched for, so it is not met.
func (t Thresholds) Turn(c TurnConditions) GateSet {
	var unmet GateSet
	if c.Possible > 0 {
		if !(c.Busy >= t.Parallelism*float64(c.Possible)) { // NaN too
			unmet = unmet.With(GateParallelism)
		}
	} else {
		for _, p := range c.Probes {
			if !(p.Got >= t.Parallelism*float64(c.CPUs)) {
				unmet = unmet.With(GateProbe)
			}
		}
	}
	if float64(c.Workers) < t.WorkersMin()*float64(c.Threads) {
		unmet = unmet.With(GateWorkers)
	}
	return unmet
}

// WorkersMin is the least share of the workers that must run.
func (t Thresholds) WorkersMin() float64 {
	if t.Workers == 0 {
		return 1
	}
	return t.Workers
}

// Beside returns the gates that a window of laps did not meet. parked is the
// largest share of a CPU that a fork used while it was parked.
func (t Thresholds) Beside(n Noise) GateSet {
	var unmet GateSet
	if !(n.Foreign >= 0 && n.Foreign <= t.Foreign) {
		unmet = unmet.With(GateForeign)
	}
	if !(n.Steal >= 0 && n.Steal <= t.Steal) {
		unmet = unmet.With(GateSteal)
	}
	if !(n.Parked >= 0 && n.Parked <= t.Parked) {
		unmet = unmet.With(GateParked)
	}
	return unmet
}

// Placement is how far apart the CPUs were in a lap.
type Placement string

const (
	Near    Placement = "near"
	Between Placement = "between"
	Far     Placement = "far"
	Nowhere Placement = "" // not visible
)

// Placements lists those that can be seen.
var Placements = []Placement{Near, Between, Far}

// Placement is the group of a hand-off time.
func (t Thresholds) Placement(handOff float64) Placement {
	switch {
	case !(handOff >= 0):
		return Nowhere
	case handOff < t.Near:
		return Near
	case handOff < t.Far:
		return Between
	default:
		return Far
	}
}
