package bench

import (
	"fmt"
	"strings"
)

// Gate is a physical condition, fixed before the run, that a measurement must
// meet to count.
type Gate string

const (
	GateForeign     Gate = "foreign CPU"      // others used little of the CPUs
	GateSteal       Gate = "steal"            // the hypervisor took little of them
	GateParallelism Gate = "parallelism"      // busy workers kept the CPUs busy that they could use
	GateMoved       Gate = "CPUs moved"       // the CPUs were as far apart as they mostly are
	GateWorkers     Gate = "workers that ran" // every worker ran
)

// Gates lists all of them, in the order in which they are told.
var Gates = []Gate{GateForeign, GateSteal, GateParallelism, GateMoved, GateWorkers}

// Thresholds are the limits of the gates. That every worker ran is a gate
// without a limit.
type Thresholds struct {
	Foreign     float64 `json:"foreign_cpu_max"` // most CPU used by others, as a share of all CPUs
	Steal       float64 `json:"steal_max"`       // most CPU taken by the hypervisor, as a share of all CPUs
	Parallelism float64 `json:"parallelism_min"` // least CPU time per wall time, as a share of what is possible
	HandOff     float64 `json:"handoff_share"`   // least hand-off at a fork's ends, as a share of the run's distance; its inverse is the most
}

// DefaultThresholds hold for every run that has no reason for others, known
// before it began.
var DefaultThresholds = Thresholds{Foreign: 0.05, Steal: 0.01, Parallelism: 0.95, HandOff: 0.7}

// Conditions are what the gates judge: how one fork ran, never what it measured.
type Conditions struct {
	Foreign, Steal   float64 // see [Noise]
	Workers, Threads int     // workers that ran an operation, of how many

	// Parallelism is the CPU seconds used per second of wall time, and Possible
	// the most that the fork can reach: the least of its threads, its GOMAXPROCS
	// and the CPUs of the [Machine]. Possible is 0 where workers wait by design,
	// so that their parallelism says nothing.
	Parallelism float64
	Possible    int

	// HandOffs are the nanoseconds of a hand-off at the fork's ends, and Distance
	// is the run's; Distance is 0 where a fork keeps one CPU busy, so that it does
	// not matter where the others are.
	HandOffs []float64
	Distance float64
}

// Unmet is a gate that was not met, with what was found. Got is Unseen where the
// machine does not show it: what cannot be seen cannot be vouched for.
type Unmet struct {
	Gate        Gate
	Got         float64
	Least, Most float64 // the limits; one of them may be 0 for none
}

// Unmet returns the gates that the fork does not meet: none for a clean fork.
func (t Thresholds) Unmet(c Conditions) []Unmet {
	var unmet []Unmet
	for _, u := range []Unmet{
		{Gate: GateForeign, Got: c.Foreign, Most: t.Foreign},
		{Gate: GateSteal, Got: c.Steal, Most: t.Steal},
	} {
		if !(u.Got >= 0) || u.Got > u.Most { // NaN too
			unmet = append(unmet, u)
		}
	}
	if c.Possible > 0 {
		least := t.Parallelism * float64(c.Possible)
		if !(c.Parallelism >= least) {
			unmet = append(unmet, Unmet{Gate: GateParallelism, Got: c.Parallelism, Least: least})
		}
	}
	if c.Distance > 0 {
		for _, h := range c.HandOffs {
			if !t.InPlace(h, c.Distance) {
				unmet = append(unmet, Unmet{GateMoved, h, t.HandOff * c.Distance, c.Distance / t.HandOff})
				break
			}
		}
	}
	if c.Workers != c.Threads {
		unmet = append(unmet, Unmet{Gate: GateWorkers, Got: float64(c.Workers), Least: float64(c.Threads)})
	}
	return unmet
}

// InPlace reports whether a hand-off is that of CPUs in the places that they have
// most of the time.
func (t Thresholds) InPlace(handOff, distance float64) bool {
	return handOff >= t.HandOff*distance && handOff <= distance/t.HandOff
}

// String says in words which gate was not met.
func (u Unmet) String() string {
	if !(u.Got >= 0) {
		return string(u.Gate) + " " + NotVisible
	}
	switch u.Gate {
	case GateForeign, GateSteal:
		got, limit := apart(100*u.Got, 100*u.Most, 1)
		return fmt.Sprintf("%s %s %% > %s %%", u.Gate, got, limit)
	case GateParallelism:
		got, limit := apart(u.Got, u.Least, 2)
		return fmt.Sprintf("%s %s < %s", u.Gate, got, limit)
	case GateMoved:
		return fmt.Sprintf("%s: hand-off %.0f ns, not %.0f to %.0f ns", u.Gate, u.Got, u.Least, u.Most)
	default:
		return fmt.Sprintf("%s %.0f of %.0f", u.Gate, u.Got, u.Least)
	}
}

func (u Unmet) MarshalText() ([]byte, error) { return []byte(u.String()), nil }

// UnmarshalText knows the gate again, not what was found.
func (u *Unmet) UnmarshalText(text []byte) error {
	for _, g := range Gates {
		if strings.HasPrefix(string(text), string(g)) {
			*u = Unmet{Gate: g}
			return nil
		}
	}
	return fmt.Errorf("%.40q is no gate", text)
}

// apart writes a number that is beyond a limit, and the limit, with as many
// decimals as it takes to tell them apart.
func apart(got, limit float64, decimals int) (string, string) {
	g, l := Decimal(got, decimals), Decimal(limit, decimals)
	for d := decimals + 1; g == l && d < decimals+4; d++ {
		g, l = Decimal(got, d), Decimal(limit, d)
	}
	return g, l
}
