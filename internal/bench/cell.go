package bench

import (
	"fmt"
	"slices"
	"strings"
)

// CellID identifies a cell within its experiment.
type CellID struct {
	Name    Name
	Reading Reading
}

// String is the name, @ and the reading.
func (id CellID) String() string { return id.Name.String() + "@" + string(id.Reading) }

// Impl is the contestant that the cell measures.
func (id CellID) Impl() string { return id.Name.Impl() }

// Mode is what the cell measures.
func (id CellID) Mode() Mode { return id.Name.Mode() }

// Block is what the cell shares with those that it is compared with.
func (id CellID) Block() Block {
	return Block{id.Name.Benchmark, id.Name.Params.without("impl"), id.Reading}
}

func (id CellID) MarshalText() ([]byte, error) { return []byte(id.String()), nil }

func (id *CellID) UnmarshalText(text []byte) error {
	name, reading, _ := strings.Cut(string(text), "@")
	n, err := ParseName(name)
	*id = CellID{n, Reading(reading)}
	return err
}

// Cell is one benchmark under one reading of GOMAXPROCS: what a fork measures.
// A test binary describes its cells in this form when EnvPlan is set. The cells
// of a block have the same Turn, Laps and Tier.
type Cell struct {
	Name       Name              `json:"name"`
	Reading    Reading           `json:"reading"`
	Threads    int               `json:"threads"` // worker goroutines
	Role       Role              `json:"role"`
	Twin       string            `json:"twin,omitempty"`       // of a control: the contestant that it is a second time
	Recreation string            `json:"recreation,omitempty"` // of an original in another language: the contestant of its block that re-creates it
	Rival      bool              `json:"rival,omitempty"`      // the peer to beat, which takes part in every part of a block
	About      string            `json:"about,omitempty"`      // what the contestant is, for readers
	Holds      string            `json:"holds,omitempty"`      // what its caller must have in hand; empty where a reference is enough
	Env        map[string]string `json:"env,omitempty"`
	Command    []string          `json:"command,omitempty"` // that a fork is, in the experiment's folder; none is the test binary itself
	Turn       TurnLength        `json:"turn"`
	Laps       int               `json:"laps"`              // turns of each fork in a heat
	Startup    float64           `json:"startup,omitempty"` // expected seconds from the start of a fork until it is ready
	Tier       Tier              `json:"tier"`
	Block      Block             `json:"block"`
	Parks      bool              `json:"parks,omitempty"` // workers sleep by design: their CPU time shows no parallelism
}

// TurnLength is how long a turn is: a time, or a number of operations.
type TurnLength struct {
	Millis float64 `json:"ms,omitempty"`      // counted, of a turn that is a time
	LeadIn float64 `json:"lead-ms,omitempty"` // run ahead of what is counted, in the same units
	Ops    int     `json:"ops,omitempty"`     // counted, of a turn that is work
	Lead   int     `json:"lead-ops,omitempty"`
	Takes  float64 `json:"takes-ms,omitempty"` // expected of a turn that is work, lead-in included
}

// Expected is how long a turn takes, in seconds.
func (t TurnLength) Expected() float64 {
	if t.Ops > 0 {
		return t.Takes / 1e3
	}
	return (t.Millis + t.LeadIn) / 1e3
}

// Long reports whether a turn is so long that fewer of them suffice.
func (t TurnLength) Long() bool { return t.Expected() > 0.5 }

// LeastTurns is how many kept turns make a fork clean.
func (t TurnLength) LeastTurns() int {
	if t.Long() {
		return 6
	}
	return 8
}

// ID identifies the cell.
func (c Cell) ID() CellID { return CellID{c.Name, c.Reading} }

// Impl is the contestant that the cell measures.
func (c Cell) Impl() string { return c.Name.Impl() }

// Mode is what the cell measures.
func (c Cell) Mode() Mode { return c.Name.Mode() }

// Contends reports whether a fork of the cell keeps more than one CPU busy on a
// machine with so many, so that it matters where they are. A worker that waits
// waits for somebody: a server, with threads of its own.
func (c Cell) Contends(cpus int) bool {
	return c.Reading.Procs(c.Threads, cpus) > 1 && (c.Threads > 1 || c.Parks)
}

// Check refuses a cell that contradicts itself or that no run can hold.
func (c Cell) Check() error {
	switch {
	case CheckName(c.Name.String()) != nil:
		return CheckName(c.Name.String())
	case c.Impl() == "":
		return fmt.Errorf("%s has no /impl=", c.Name)
	case !slices.Contains(Readings, c.Reading):
		return fmt.Errorf("%s: reading %q is none of one, numcpu, perthread", c.Name, c.Reading)
	case !slices.Contains(Tiers, c.Tier):
		return fmt.Errorf("%s: tier %q is neither judged nor peers", c.Name, c.Tier)
	case !slices.Contains(Roles, c.Role):
		return fmt.Errorf("%s: role %q is none of %q", c.Name, c.Role, Roles)
	case c.Block != c.ID().Block():
		return fmt.Errorf("%s: block %q, want %q", c.Name, c.Block, c.ID().Block())
	case c.Threads < 1 || c.Threads > 1<<16 || !(c.Startup >= 0 && c.Startup < 3600):
		return fmt.Errorf("%s: threads %d, startup %v", c.Name, c.Threads, c.Startup)
	case c.Laps < 1 || c.Laps > 1e5 || !(c.Turn.Expected() > 0 && c.Turn.Expected() < 3600):
		return fmt.Errorf("%s: %d laps with turns of %v s", c.Name, c.Laps, c.Turn.Expected())
	case (c.Role == Control) != (c.Twin != ""):
		return fmt.Errorf("%s: role %q with twin %q: a control, and no other, names its twin", c.Name, c.Role, c.Twin)
	}
	return nil
}
