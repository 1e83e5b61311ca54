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
// A test binary describes its cells in this form when EnvPlan is set.
type Cell struct {
	Name    Name              `json:"name"`
	Reading Reading           `json:"reading"`
	Threads int               `json:"threads"` // worker goroutines
	Role    Role              `json:"role"`
	Env     map[string]string `json:"env,omitempty"`
	Seconds float64           `json:"seconds"`           // measured by each fork
	Startup float64           `json:"startup,omitempty"` // expected seconds before the measuring starts
	Tier    Tier              `json:"tier"`
	Block   Block             `json:"block"`
	Parks   bool              `json:"parks,omitempty"` // workers sleep by design: parallelism is no gate
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
		return fmt.Errorf("%s: role %q is none of floor, published, control, ours, peer", c.Name, c.Role)
	case c.Block != c.ID().Block():
		return fmt.Errorf("%s: block %q, want %q", c.Name, c.Block, c.ID().Block())
	case c.Threads < 1 || !(c.Seconds > 0 && c.Seconds < 3600) || !(c.Startup >= 0 && c.Startup < 3600):
		return fmt.Errorf("%s: threads %d, seconds %v, startup %v", c.Name, c.Threads, c.Seconds, c.Startup)
	}
	return nil
}
