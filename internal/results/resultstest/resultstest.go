// Package resultstest makes runs up, for the tests of what reads them. All of a
// made-up run follows from a fixed seed.
package resultstest

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"hotpath/internal/bench"
	"hotpath/internal/results"
)

// Value is what each fork of a cell measures in a unit, but for noise.
type Value struct {
	Unit  bench.Unit
	Value float64
}

// Cell is a contestant of a block.
type Cell struct {
	Impl    string
	Role    bench.Role
	Values  []Value
	Latency float64              // mean of the sampled operations in ns; 0 where none is sampled
	Heap    []results.HeapSample // the same in each fork
}

// Block is the cells that are compared with one another.
type Block struct {
	Name  string // as bench.Block prints it
	Tier  bench.Tier
	Cells []Cell
}

// New makes an experiment in memory, with one clean fork of each cell in each
// round. Noise moves all values of a fork alike, by 3 % or so.
func New(name string, rounds int, blocks ...Block) *results.Experiment {
	e := &results.Experiment{Name: name}
	e.Plan = results.Plan{Experiment: name, Rounds: map[bench.Tier]int{bench.Judged: rounds, bench.Peers: rounds}}
	var cells []Cell // as those of the plan
	for _, b := range blocks {
		for _, c := range b.Cells {
			e.Plan.Cells = append(e.Plan.Cells, b.cell(c))
			cells = append(cells, c)
		}
	}
	random := rand.New(rand.NewPCG(16146, 5945))
	for round := 1; round <= rounds; round++ {
		for i, c := range cells {
			noise := math.Exp(0.03 * random.NormFloat64())
			f := &results.Fork{
				ID: len(e.Forks) + 1, Cell: e.Plan.Cells[i].ID(), Round: round, Order: 1, Layout: 1 + (round-1)%3, Attempt: 1,
				State: bench.Complete, Heap: slices.Clone(c.Heap),
			}
			for _, v := range c.Values {
				f.Metrics = append(f.Metrics, results.Metric{Value: v.Value * noise, Unit: v.Unit.Name})
			}
			if c.Latency > 0 {
				f.Hist = Latencies(c.Latency * noise)
				f.Metrics = append(f.Metrics, results.Metric{Value: float64(f.Hist.TotalCount()), Unit: bench.Operations.Name})
			}
			e.Forks = append(e.Forks, f)
		}
	}
	return e
}

// cell is the block's cell of a contestant.
func (b Block) cell(c Cell) bench.Cell {
	benchmark, rest, _ := strings.Cut(b.Name, "/")
	id := bench.CellID{}
	if err := id.UnmarshalText([]byte(benchmark + "/impl=" + c.Impl + "/" + rest)); err != nil {
		panic(err)
	}
	threads, err := strconv.Atoi(id.Name.Params.Get("threads"))
	if err != nil {
		threads = 2
	}
	return bench.Cell{Name: id.Name, Reading: id.Reading, Threads: threads, Role: c.Role, Seconds: 0.5, Tier: b.Tier, Block: id.Block()}
}

// Latencies is a fork's histogram of four million samples: a narrow body and a
// tail that reaches milliseconds, as where threads wait for a CPU.
func Latencies(mean float64) *hdrhistogram.Histogram {
	const samples = 4e6
	h := hdrhistogram.New(1, 60e9, 3)
	for d := 0.0; d < 6.6; d += 0.01 {
		value := mean * (0.75 + 0.4*d)
		if d > 3.2 {
			value += 60 * math.Pow(10, 1.6*(d-3.2)) * math.Pow(mean/50, 0.3)
		}
		n := samples * (math.Pow(10, -d) - math.Pow(10, -d-0.01))
		if err := h.RecordValues(int64(value), int64(math.Round(n))); err != nil {
			panic(err)
		}
	}
	return h
}

// Manifest is that of a run of two CPUs that took an hour.
func Manifest() results.Manifest {
	return results.Manifest{
		Start:    time.Date(2026, 11, 30, 9, 12, 0, 0, time.UTC),
		Machine:  bench.Machine{CPU: "Test CPU", CPUs: 2},
		Go:       []bench.Fact{{Name: "version", Value: "go1.26"}},
		Revision: "0123abc", Seed: 7, Budget: "30m", Layouts: 3, Attempts: 3, Patience: 1, Distance: 240,
		Gates:  bench.DefaultThresholds,
		Claims: map[string]string{},
	}
}

// Write makes the folder of a run below dir, with the experiments as its plan.
// Forks are numbered anew.
func Write(t testing.TB, dir, name string, m results.Manifest, es ...*results.Experiment) {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	root, err := os.OpenRoot(dir)
	must(err)
	defer root.Close()
	for _, e := range es {
		m.Plan = append(m.Plan, e.Plan)
	}
	p, err := results.Create(root, name, m)
	must(err)
	id := 0
	for _, e := range es {
		for _, f := range e.Forks {
			id++
			r, err := record(e.Name, *f, id)
			must(err)
			must(p.Commit(r))
		}
	}
	must(p.Seal(m.Start.Add(time.Hour)))
}

// record is a fork as the runner commits it.
func record(experiment string, f results.Fork, id int) (results.Record, error) {
	f.ID = id
	r := results.Record{Experiment: experiment, Fork: f}
	if f.State != bench.Complete {
		return r, nil
	}
	r.Config = []string{"goos: linux", "cpu: Test CPU"}
	var units bytes.Buffer
	if err := bench.WriteUnits(&units); err != nil {
		return r, err
	}
	r.Units = strings.Split(strings.TrimSpace(units.String()), "\n")
	r.Result = f.Cell.Name.String() + "-2\t1"
	for _, m := range f.Metrics {
		r.Result += fmt.Sprintf("\t%.9g %s", m.Value, m.Unit)
	}
	if f.Hist != nil {
		var log bytes.Buffer
		if err := hdrhistogram.NewHistogramLogWriter(&log).OutputIntervalHistogram(f.Hist); err != nil {
			return r, err
		}
		r.Hlog = strings.TrimSpace(log.String())
	}
	for _, s := range f.Heap {
		r.Heap = append(r.Heap, fmt.Sprintf("%.3f,%d,%d", s.MS, s.Bytes, s.Cycles))
	}
	return r, nil
}
