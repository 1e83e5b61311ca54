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
			all = append(all, add(c, bench.Sample, threads, sampled))
		}
	}
	if os.Getenv(bench.EnvLane) == bench.JVM {
		all = append(all, lane()...)
	}
	return all
}

// threads is how many workers contend.
const threads = 32

// perThread is the expected seconds until each of many threads has had its first
// turn.
const perThread = 0.05

// A short turn is enough for what is in a cache at once. One that times every
// operation of 32 threads must hold several rounds of all of them: the mean holds
// the wait for a CPU.
var (
	short  = bench.TurnLength{Millis: 10, LeadIn: 1}
	rounds = bench.TurnLength{Millis: 250, LeadIn: 60}
)

// shortLaps is how many short turns a fork takes in a heat.
const shortLaps = 24

// The published study gave each worker a thread of its own.
var (
	sampled   = measure.Placement{Reading: bench.PerThread, Tier: bench.Judged, Turn: rounds, Laps: 8, Startup: perThread}
	contended = measure.Placement{Reading: bench.PerThread, Tier: bench.Peers, Turn: short, Laps: shortLaps, Startup: perThread}
)

func throughput(c contest.Counter) []measure.Case {
	return []measure.Case{
		add(c, bench.Throughput, 1, measure.Placement{Reading: bench.One, Tier: bench.Peers, Turn: short, Laps: shortLaps}),
		add(c, bench.Throughput, threads,
			measure.Placement{Reading: bench.NumCPU, Tier: bench.Peers, Turn: short, Laps: shortLaps},
			contended),
	}
}

func name(impl string, mode bench.Mode, threads int) string {
	return fmt.Sprintf("impl=%s/mode=%s/threads=%d", impl, mode, threads)
}

func add(c contest.Counter, mode bench.Mode, threads int, runs ...measure.Placement) measure.Case {
	return measure.Case{
		Name:    name(c.Name, mode, threads),
		Role:    c.Role,
		Twin:    c.Again,
		Rival:   c.Rival,
		About:   c.About,
		Holds:   c.Holds,
		Mode:    mode,
		Threads: threads,
		Batch:   1024,
		Parks:   c.Parks,
		Runs:    runs,
		New: func() measure.Subject {
			s := c.New()
			subject := measure.Subject{
				Worker: func() (func(int), func()) {
					w := s.Worker()
					return w.Loop, w.Done
				},
				Total: s.Value,
			}
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
