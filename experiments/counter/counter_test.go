package counter_test

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"testing"

	"hotpath/internal/bench"
	"hotpath/internal/contest"
	"hotpath/internal/measure"
)

func TestMain(m *testing.M) {
	os.Exit(measure.Main(m, measure.Suite{Benchmark: "BenchmarkAdd", Cases: cases()}))
}

func BenchmarkAdd(b *testing.B) { measure.Run(b, cases()) }

// counters are all contestants, ours first.
func counters() []contest.Counter { return slices.Concat(contest.Counters, peers) }

// cases lists every contestant in every mode. The claims are decided on the
// sampled cells of the published contestants.
func cases() []measure.Case {
	var all []measure.Case
	for _, c := range counters() {
		all = append(all, throughput(c)...)
		if c.Judged() {
			all = append(all, add(c, bench.Sample, 32, measure.Placement{Reading: bench.PerThread, Tier: bench.Judged, Startup: perThread}))
		}
	}
	return all
}

// Expected seconds until each of many workers has had its first turn.
const (
	numCPU    = 0.3
	perThread = 0.15
)

func throughput(c contest.Counter) []measure.Case {
	return []measure.Case{
		add(c, bench.Throughput, 1, measure.Placement{Reading: bench.One, Tier: bench.Peers}),
		add(c, bench.Throughput, 32,
			measure.Placement{Reading: bench.NumCPU, Tier: bench.Peers, Startup: numCPU},
			measure.Placement{Reading: bench.PerThread, Tier: bench.Peers, Startup: perThread}),
	}
}

func add(c contest.Counter, mode bench.Mode, threads int, runs ...measure.Placement) measure.Case {
	return measure.Case{
		Name:    fmt.Sprintf("impl=%s/mode=%s/threads=%d", c.Name, mode, threads),
		Role:    c.Role,
		Mode:    mode,
		Threads: threads,
		Batch:   1024,
		Seconds: 0.5,
		Parks:   c.Parks,
		Runs:    runs,
		New: func() measure.Subject {
			s := c.New()
			subject := measure.Subject{Worker: func() (func(int), func()) {
				w := s.Worker()
				return w.Loop, w.Done
			}}
			subject.Metrics = func() map[bench.Unit]float64 {
				m := map[bench.Unit]float64{}
				if s.Cells != nil {
					m[bench.CountedCells] = float64(s.Cells())
				}
				if c.Make != nil {
					m[bench.BytesPerCounter] = footprint(c.Make) / float64(max(1, s.Size))
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
