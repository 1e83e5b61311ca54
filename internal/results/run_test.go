package results_test

import (
	"math"
	"os"
	"reflect"
	"testing"

	"hotpath/internal/bench"
	"hotpath/internal/results"
	"hotpath/internal/results/synthetic"
)

// small is an experiment with each kind of text: a throughput block, a sampled
// one and one of fixed work, with turns that are gated, a fork that keeps too
// few, one that keeps none, and one that fails.
func small() synthetic.Experiment {
	cells := synthetic.Cells("BenchmarkAdd/mode=thrpt/threads=2@numcpu", bench.Judged, "atomic", "longadder", "atomic_again")
	cells = append(cells, synthetic.Cells("BenchmarkAdd/mode=sample/threads=2@perthread", bench.Judged, "atomic", "longadder")...)
	cells = append(cells, synthetic.Cells("BenchmarkAdd/mode=fixed/threads=2@numcpu", bench.Peers, "atomic", "longadder")...)
	for i := range cells {
		cells[i].Laps = 9
		if cells[i].Turn.Millis > 0 {
			cells[i].Turn.Millis = 0.01
		}
	}
	return synthetic.Experiment{
		Name: "counter", Cells: cells, Heats: 2,
		Cost: func(c bench.Cell, heat, lap int) float64 {
			return map[string]float64{"atomic": 40, "atomic_again": 40, "longadder": 8}[c.Impl()] * synthetic.Noise(0.05, c.Impl(), heat, lap)
		},
		Unmet: func(c bench.Cell, heat, lap int) (s bench.GateSet) {
			switch {
			case c.Impl() == "longadder" && heat == 2 && (lap <= 3 || c.Mode() == bench.Throughput):
				return s.With(bench.GateForeign).With(bench.GateParallelism)
			case lap == 5 && c.Role != bench.Control:
				return s.With(bench.GateSteal)
			}
			return s
		},
		HandOff: func(b bench.Block, heat, lap int) float64 { return 50 * synthetic.Noise(0.3, heat, lap) },
		State: func(c bench.Cell, heat int) bench.State {
			if c.Role == bench.Control && heat == 2 {
				return bench.TimedOut
			}
			return bench.Complete
		},
		Heap: func(c bench.Cell, heat int) []results.HeapSample {
			if c.Mode() != bench.Fixed {
				return nil
			}
			return []results.HeapSample{{MS: 0.012, Bytes: 1 << 20}, {MS: 5.01, Bytes: 2 << 20, Cycles: 1}, {MS: 10.002, Bytes: int64(heat), Cycles: 3}}
		},
	}
}

// other is an experiment without anything but throughput.
func other() synthetic.Experiment {
	e := small()
	e.Name, e.Cells, e.Unmet = "other", e.Cells[:2], nil
	return e
}

// memory is a file system without a disk, where a sync takes no time.
const memory = "/dev/shm"

// newRoot is an empty folder of runs, in memory where that is possible.
func newRoot(t testing.TB) (string, *os.Root) {
	t.Helper()
	dir, err := os.MkdirTemp(memory, "hotpath")
	if err != nil {
		dir = t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return dir, root
}

// sealed writes the folder of a run and returns the folder of runs.
func sealed(t testing.TB) (string, *os.Root) {
	t.Helper()
	dir, root := newRoot(t)
	if err := synthetic.Write(root, "run", synthetic.Manifest(), small(), other()); err != nil {
		t.Fatal(err)
	}
	return dir, root
}

func load(t testing.TB, root *os.Root) *results.Run {
	t.Helper()
	run, err := results.Load(root, "run")
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func TestRoundTrip(t *testing.T) {
	_, root := sealed(t)
	got := load(t, root)
	want := synthetic.Run(synthetic.Manifest(), small(), other())
	for i, e := range got.Experiments {
		w := want.Experiments[i]
		if e.Name != w.Name || !reflect.DeepEqual(e.Plan, w.Plan) || len(e.Heats) != len(w.Heats) || len(e.Forks) != len(w.Forks) {
			t.Fatalf("%s came back as %s with %d heats and %d forks, want %d and %d", w.Name, e.Name, len(e.Heats), len(e.Forks), len(w.Heats), len(w.Forks))
		}
		for j, h := range e.Heats {
			sameHeat(t, h, w.Heats[j])
		}
		for j, f := range e.Forks {
			sameFork(t, f, w.Forks[j])
		}
	}
}

// What a fork without a result printed is not of the text, and no reason to refuse
// the run.
func TestTextsWithoutResult(t *testing.T) {
	_, root := newRoot(t)
	run := synthetic.Run(synthetic.Manifest(), small())
	records := synthetic.Records(run)
	failed := &records[3].Forks[2]
	if failed.Fork.State == bench.Complete {
		t.Fatalf("%+v", failed.Fork)
	}
	failed.Config, failed.Units = []string{"goos: linux"}, []string{"Unit ops assume=nothing"}
	p, err := results.Create(root, "run", run.Manifest)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if err := rest(p, records); err != nil {
		t.Fatal(err)
	}
	load(t, root)
}

func sameHeat(t *testing.T, got, want *results.Heat) {
	t.Helper()
	for i, l := range want.Laps { // what is kept of a probe
		g := got.Laps[i]
		if g.Before.HandOff != math.Round(10*l.Before.HandOff)/10 || g.After.Got != 2 || g.HandOff() <= 0 {
			t.Errorf("heat %d, lap %d: hand-off %v came back as %v", want.ID, l.N, l.Before, g.Before)
		}
		if g.N != l.N || !reflect.DeepEqual(g.Turns, l.Turns) {
			t.Errorf("heat %d: lap %+v came back as %+v", want.ID, l, g)
		}
	}
	g, w := *got, *want
	g.Laps, g.Forks, w.Laps, w.Forks = nil, nil, nil, nil
	if len(got.Laps) != len(want.Laps) || !reflect.DeepEqual(g, w) {
		t.Errorf("heat %+v came back as %+v", w, g)
	}
}

func sameFork(t *testing.T, got, want *results.Fork) {
	t.Helper()
	g, w := *got, *want
	g.Line, g.GatedLine, g.HeapRows, g.Hist, w.Hist = 0, 0, 0, nil, nil
	if !reflect.DeepEqual(g, w) {
		t.Errorf("fork %+v\ncame back as %+v", w, g)
	}
	if (got.Hist == nil) != (want.Hist == nil) || got.Hist != nil && !got.Hist.Equals(want.Hist) {
		t.Errorf("the histogram of fork %d came back as another one", want.ID)
	}
}

func TestAccessors(t *testing.T) {
	e := synthetic.Run(synthetic.Manifest(), small()).Experiments[0]
	blocks := e.Blocks()
	if len(blocks) != 3 || len(e.Block(blocks[0])) != 3 || len(e.HeatsOf(blocks[0])) != 2 {
		t.Fatalf("blocks %v", blocks)
	}
	cell := func(impl string) bench.CellID { return e.HeatsOf(blocks[0])[0].Fork(impl).Cell }
	for impl, want := range map[string]int{"atomic": 2, "longadder": 1, "atomic_again": 1} {
		if n := len(e.Clean(cell(impl))); n != want {
			t.Errorf("%d clean forks of %s, want %d", n, impl, want)
		}
	}
	h := e.HeatsOf(blocks[0])[1]
	if h.Fork("nobody") != nil {
		t.Error("a fork of nobody")
	}
	if _, ok := h.Laps[8].Turn(h.Fork("atomic_again").ID); ok {
		t.Error("a turn after the end of its fork")
	}
	if turn, ok := h.Laps[0].Turn(h.Fork("longadder").ID); !ok || turn.Unmet.String() != "fp" {
		t.Errorf("turn %+v", turn)
	}
}
