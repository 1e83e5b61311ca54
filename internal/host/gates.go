package host

import (
	"fmt"
	"strconv"
	"strings"
)

// Thresholds are the limits of the gates, fixed before a run. That every worker
// ran is a gate without a limit.
type Thresholds struct {
	Foreign     float64 // most CPU used by others, as a share of all CPUs
	Steal       float64 // most CPU taken by the hypervisor, as a share of all CPUs
	Parallelism float64 // least CPU time per wall time, as a share of what is possible
	HandOff     float64 // least HandOff at a fork's ends, as a share of the run's Distance; its inverse is the most
}

// DefaultThresholds hold for every run that has no reason for others, known
// before it began.
var DefaultThresholds = Thresholds{Foreign: 0.05, Steal: 0.01, Parallelism: 0.95, HandOff: 0.7}

// ForkFacts are what the gates judge: how one fork ran, never what it measured.
type ForkFacts struct {
	Foreign, Steal   float64 // see [Noise]
	Workers, Threads int     // workers that ran an operation, of how many

	// Parallelism is the CPU seconds used per second of wall time, and Possible
	// the most that the fork can reach: the least of its threads, its GOMAXPROCS
	// and the CPUs of the [Machine]. Possible is 0 where workers wait by design,
	// so that their parallelism says nothing.
	Parallelism float64
	Possible    int

	// HandOffs are readings of [HandOff] at the fork's ends, and Distance is the
	// run's; Distance is 0 where a fork keeps one CPU busy, so that it does not
	// matter where the others are.
	HandOffs []float64
	Distance float64
}

// Unmet says in words which gates the fork does not meet: none for a clean
// fork. A condition that the machine does not show is not met, for what cannot
// be seen cannot be vouched for.
func (t Thresholds) Unmet(f ForkFacts) []string {
	var unmet []string
	for _, s := range []struct {
		name       string
		got, limit float64
	}{
		{"foreign CPU", f.Foreign, t.Foreign},
		{"steal", f.Steal, t.Steal},
	} {
		switch {
		case !(s.got >= 0): // NaN too
			unmet = append(unmet, s.name+" "+NotVisible)
		case s.got > s.limit:
			got, limit := apart(100*s.got, 100*s.limit, 1)
			unmet = append(unmet, fmt.Sprintf("%s %s %% > %s %%", s.name, got, limit))
		}
	}
	if f.Possible > 0 {
		least := t.Parallelism * float64(f.Possible)
		switch {
		case !(f.Parallelism >= 0):
			unmet = append(unmet, "parallelism "+NotVisible)
		case f.Parallelism < least:
			got, limit := apart(f.Parallelism, least, 2)
			unmet = append(unmet, fmt.Sprintf("parallelism %s < %s", got, limit))
		}
	}
	if f.Distance > 0 {
		for _, h := range f.HandOffs {
			if !t.inPlace(h, f.Distance) {
				least, most := t.HandOff*f.Distance, f.Distance/t.HandOff
				unmet = append(unmet, fmt.Sprintf("CPUs moved: hand-off %.0f ns, not %.0f to %.0f ns", h, least, most))
				break
			}
		}
	}
	if f.Workers != f.Threads {
		unmet = append(unmet, fmt.Sprintf("workers that ran %d of %d", f.Workers, f.Threads))
	}
	return unmet
}

// inPlace reports whether a HandOff is that of CPUs in the places that they have
// most of the time.
func (t Thresholds) inPlace(handOff, distance float64) bool {
	return handOff >= t.HandOff*distance && handOff <= distance/t.HandOff
}

// apart writes a number that is beyond a limit, and the limit, with as many
// decimals as it takes to tell them apart.
func apart(got, limit float64, decimals int) (string, string) {
	g, l := figure(got, decimals), figure(limit, decimals)
	for d := decimals + 1; g == l && d < decimals+4; d++ {
		g, l = figure(got, d), figure(limit, d)
	}
	return g, l
}

func figure(v float64, decimals int) string {
	s := strconv.FormatFloat(v, 'f', decimals, 64)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}
