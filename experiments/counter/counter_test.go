package counter_test

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"testing"

	"hotpath/internal/contest"
	"hotpath/internal/measure"
)

// roles are those of the contestants in contest.Counters that are not ours
// alone. A mutex is what a program has without any library.
var roles = map[string]measure.Role{
	"floor": measure.Floor, "atomic": measure.Published, "hbase": measure.Published, "hbase_tl": measure.Published,
	"longadder": measure.Published, "atomic_again": measure.Control, "mutex": measure.Peer,
}

// parking are the contestants whose workers sleep while they wait.
var parking = []string{"mutex"}

func TestMain(m *testing.M) {
	os.Exit(measure.Main(m, measure.Suite{Benchmark: "BenchmarkAdd", Cases: cases()}))
}

func BenchmarkAdd(b *testing.B) { measure.Run(b, cases()) }

// cases lists every contestant in every mode. The claims are decided on the
// sampled cells of the published contestants.
func cases() []measure.Case {
	var all []measure.Case
	for _, c := range contest.Counters {
		role, ok := roles[c.Name]
		if !ok {
			role = measure.Ours
		}
		all = append(all, throughput(c, role)...)
		if ok && role != measure.Peer {
			all = append(all, add(c, role, measure.Sample, 32, measure.Placement{Reading: measure.PerThread, Tier: measure.Judged, Startup: perThread}))
		}
	}
	for _, c := range peers {
		all = append(all, throughput(c, measure.Peer)...)
	}
	return all
}

// Expected seconds until each of many workers has had its first turn.
const (
	numCPU    = 0.3
	perThread = 0.15
)

func throughput(c contest.Counter, role measure.Role) []measure.Case {
	return []measure.Case{
		add(c, role, measure.Throughput, 1, measure.Placement{Reading: measure.One, Tier: measure.Peers}),
		add(c, role, measure.Throughput, 32,
			measure.Placement{Reading: measure.NumCPU, Tier: measure.Peers, Startup: numCPU},
			measure.Placement{Reading: measure.PerThread, Tier: measure.Peers, Startup: perThread}),
	}
}

func add(c contest.Counter, role measure.Role, mode measure.Mode, threads int, runs ...measure.Placement) measure.Case {
	return measure.Case{
		Name:    fmt.Sprintf("impl=%s/mode=%s/threads=%d", c.Name, mode, threads),
		Role:    role,
		Mode:    mode,
		Threads: threads,
		Batch:   1024,
		Seconds: 0.5,
		Parks:   slices.Contains(parking, c.Name),
		Runs:    runs,
		New: func() measure.Subject {
			s := c.New()
			subject := measure.Subject{Worker: func() (func(int), func()) {
				w := s.Worker()
				return w.Loop, w.Done
			}}
			subject.Metrics = func() map[string]float64 {
				m := map[string]float64{}
				if s.Cells != nil {
					m["cells"] = float64(s.Cells())
				}
				if c.Make != nil {
					m["B/counter"] = footprint(c.Make) / float64(max(1, s.Size))
				}
				return m
			}
			return subject
		},
	}
}

// footprint is the memory that a call of build allocates and its result keeps
// or has given up since, on average over many.
func footprint(build func() any) float64 {
	kept := make([]any, 256)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for i := range kept {
		kept[i] = build()
	}
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(kept)
	return float64(after.TotalAlloc-before.TotalAlloc) / float64(len(kept))
}
