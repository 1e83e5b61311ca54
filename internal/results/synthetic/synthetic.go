// Package synthetic makes runs up, for the tests of what reads them: in memory,
// or as a run folder that is written as a real one is. All of a run follows from
// what it is asked for, so that it is the same each time.
package synthetic

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"hotpath/internal/bench"
	"hotpath/internal/results"
)

// Experiment says what a made-up experiment measures. Of its functions only Cost
// must be there. Heats are those of one part of a block, from 1, and laps count
// from 1.
type Experiment struct {
	Name  string
	Cells []bench.Cell // of all blocks, as [Cells] makes them
	Heats int          // of each part of each block

	// Cost is the nanoseconds of an operation in a turn: of wall time, or of its
	// latency where operations are timed.
	Cost func(c bench.Cell, heat, lap int) float64

	Server  func(c bench.Cell, heat, lap int) float64         // nanoseconds of CPU of a server in a process of its own, for an operation: none
	Unmet   func(c bench.Cell, heat, lap int) bench.GateSet   // none
	HandOff func(b bench.Block, heat, lap int) float64        // before and after the lap: 57 ns
	Parts   func(c bench.Cell) []int                          // of its block that the cell takes part in: 0
	State   func(c bench.Cell, heat int) bench.State          // complete; others take turns for half of the laps
	Metrics func(c bench.Cell, heat int) []results.Metric     // of the fork, beside and in place of those that follow from its turns
	Heap    func(c bench.Cell, heat int) []results.HeapSample // none
}

// Cells are the contestants of a block, which is written as its name is: with
// @ and the reading behind it. floor is the floor, one that ends in _again the
// control of the one without, and one that begins with jvm_ the original of the one
// without, whose fork is a command; the others are published. Turns take 20 ms, 20 to
// a heat.
func Cells(block string, tier bench.Tier, impls ...string) []bench.Cell {
	b, err := bench.ParseBlock(block)
	if err != nil {
		panic(err)
	}
	threads, err := strconv.Atoi(b.Params.Get("threads"))
	if err != nil {
		threads = 2
	}
	var cells []bench.Cell
	for _, impl := range impls {
		params := slices.Insert(slices.Collect(b.Params.All()), 0, bench.Param{Key: "impl", Value: impl})
		c := bench.Cell{
			Name: bench.NewName(b.Benchmark, params...), Reading: b.Reading, Threads: threads,
			Role: bench.Published, Turn: bench.TurnLength{Millis: 20, LeadIn: 2}, Laps: 20, Tier: tier, Block: b,
		}
		if b.Mode() == bench.Fixed {
			c.Turn = bench.TurnLength{Ops: 100, Takes: 20}
		}
		if twin, again := strings.CutSuffix(impl, "_again"); again {
			c.Role, c.Twin = bench.Control, twin
		}
		recreation, original := strings.CutPrefix(impl, "jvm_")
		if original {
			c.Command = []string{"java", impl}
		}
		if original && c.Role != bench.Control {
			c.Recreation = recreation
		}
		if recreation == "floor" {
			c.Role = bench.Floor
		}
		cells = append(cells, c)
	}
	return cells
}

// Noise is a factor around 1 whose logarithm has a normal distribution of that
// standard deviation. The same key gives the same factor.
func Noise(sd float64, key ...any) float64 {
	h := fnv.New64a()
	fmt.Fprintln(h, key...)
	return math.Exp(sd * rand.New(rand.NewPCG(h.Sum64(), 1)).NormFloat64())
}

// Manifest is that of a run on two CPUs, without a plan.
func Manifest() results.Manifest {
	return results.Manifest{
		Schema:   results.Schema,
		Start:    time.Date(2026, 11, 30, 9, 12, 0, 0, time.UTC),
		Machine:  bench.Machine{CPU: "Test CPU", CPUs: 2},
		Go:       []bench.Fact{{Name: "version", Value: "go1.26"}},
		Revision: "0123abc", Seed: 7, Budget: "30m", Layouts: 6,
		Gates: bench.DefaultThresholds,
	}
}

// Run is a run in memory.
func Run(m results.Manifest, es ...Experiment) *results.Run {
	run := &results.Run{Name: "20261130T0912Z-test-2cpu", Manifest: m}
	b := builder{start: m.Start, layouts: m.Layouts}
	for _, e := range es {
		x := &results.Experiment{Name: e.Name, Plan: e.plan(), Heats: b.heats(e)}
		for _, h := range x.Heats {
			x.Forks = append(x.Forks, h.Forks...)
		}
		run.Manifest.Plan = append(run.Manifest.Plan, x.Plan)
		run.Experiments = append(run.Experiments, x)
	}
	run.Manifest.End = b.start
	return run
}

// Write makes the folder of a run below the one that root is open on.
func Write(root *os.Root, name string, m results.Manifest, es ...Experiment) error {
	run := Run(m, es...)
	p, err := results.Create(root, name, run.Manifest)
	if err != nil {
		return err
	}
	defer p.Close()
	for _, r := range Records(run) {
		if err := p.Commit(r); err != nil {
			return err
		}
	}
	return p.Seal(run.Manifest.End)
}

func (e Experiment) plan() results.Plan {
	return results.Plan{Experiment: e.Name, Heats: map[bench.Tier]int{bench.Judged: e.Heats, bench.Peers: e.Heats}, Cells: e.Cells}
}
