package measure

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"hotpath/internal/bench"
)

// asked is a contestant that counts what it is asked to do.
type asked struct{ ops, workers, done atomic.Int64 }

func (c *asked) subject() Subject {
	return Subject{
		Worker: func() (func(int), func()) {
			c.workers.Add(1)
			return func(n int) {
				c.ops.Add(int64(n))
				runtime.Gosched()
			}, func() { c.done.Add(1) }
		},
		Total: c.ops.Load,
		Metrics: func() map[bench.Unit]float64 {
			return map[bench.Unit]float64{bench.CountedCells: float64(c.ops.Load())}
		},
	}
}

// plain runs a case as go test -bench does, with a benchtime.
func plain(t *testing.T, c Case, benchtime string) map[string]float64 {
	t.Helper()
	value := flag.Lookup("test.benchtime").Value
	old := value.String()
	if err := value.Set(benchtime); err != nil {
		t.Fatal(err)
	}
	defer value.Set(old)
	made := 0
	fresh := c.New
	c.New = func() Subject { made++; return fresh() }
	r := testing.Benchmark(c.once())
	if made != 1 {
		t.Errorf("the benchmark was measured %d times, want once", made)
	}
	return r.Extra
}

func TestPlainThroughput(t *testing.T) {
	var c asked
	m := plain(t, Case{Name: "impl=x/mode=thrpt/threads=5", Mode: bench.Throughput, Threads: 5, Batch: 8, New: c.subject}, "60ms")
	// On a busy machine not all of them have run in 60 ms.
	if m["workers-run"] < 1 || m["workers-run"] > 5 || c.workers.Load() != 5 || c.done.Load() != 5 {
		t.Errorf("%v workers ran, %d began and %d were done, want 5", m["workers-run"], c.workers.Load(), c.done.Load())
	}
	if m["ops"] <= 0 || m["ops"] > float64(c.ops.Load()) {
		t.Errorf("%v operations measured of %d", m["ops"], c.ops.Load())
	}
	// ns/op x ops is the window, which no machine makes shorter than asked for.
	if window := m["ns/op"] * m["ops"]; window < 60e6 {
		t.Errorf("a window of %v ns, want 60 ms at least", window)
	}
	if m["cells"] != float64(c.ops.Load()) {
		t.Errorf("cells %v, want the subject's own %d, read after the last operation", m["cells"], c.ops.Load())
	}
}

// Given a count, as testing does it: once for one operation, then for all.
func TestPlainFixedByCount(t *testing.T) {
	file := filepath.Join(t.TempDir(), "heap.csv")
	t.Setenv(bench.EnvHeap, file)
	var c asked
	windows := 0
	m := plain(t, Case{Name: "impl=x/mode=fixed", Mode: bench.Fixed, Threads: 3, Ops: 1000, WarmUp: 100, New: func() Subject {
		s := c.subject()
		s.Window = func() func() map[bench.Unit]float64 {
			windows++
			before := c.ops.Load()
			return func() map[bench.Unit]float64 {
				return map[bench.Unit]float64{bench.CopiedBytes: 7 * float64(c.ops.Load()-before)}
			}
		}
		return s
	}}, "50x")
	if m["ops"] != 50 || m["workers-run"] != 3 {
		t.Errorf("%v operations of %v workers measured for -benchtime=50x", m["ops"], m["workers-run"])
	}
	if m["copied-B/op"] != 7 || windows < 2 {
		t.Errorf("%v copied for each operation, want 7; %d windows", m["copied-B/op"], windows)
	}
	if got := m["real-sec"] * 1e9 / 50; got < 0.999*m["ns/op"] || got > 1.001*m["ns/op"] {
		t.Errorf("%v ns/op, but %v s in all", m["ns/op"], m["real-sec"])
	}
	if m["cpu-sec"] != m["user-sec"]+m["sys-sec"] || m["peak-heap-B"] <= 0 {
		t.Errorf("user %v + system %v are not %v, or no heap seen: %v B", m["user-sec"], m["sys-sec"], m["cpu-sec"], m["peak-heap-B"])
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(data), "\n")
	if lines[0] != "ms,heap-B,gc-cycles" || !strings.HasSuffix(lines[1], ",0") {
		t.Errorf("heap.csv begins with %q", lines[:2])
	}
}

// Every metric must be declared, or benchstat and the reader of a run do not
// know it.
func TestUnits(t *testing.T) {
	for _, mode := range bench.Modes {
		var c asked
		for unit := range plain(t, Case{Name: "impl=x", Mode: mode, Threads: 2, Batch: 8, Ops: 100, Rate: 1000, New: c.subject}, "60ms") {
			if _, ok := bench.UnitNamed(unit); !ok {
				t.Errorf("%s: %s is not declared", mode, unit)
			}
		}
	}
}

func TestPlan(t *testing.T) {
	c := Case{
		Name: "impl=x/mode=thrpt/threads=4", Role: bench.Ours, Threads: 4, About: "One of four.",
		Runs: []Placement{
			{bench.NumCPU, bench.Peers, bench.TurnLength{Millis: 5}, 8, 0},
			{bench.PerThread, bench.Judged, bench.TurnLength{Millis: 250, LeadIn: 60}, 6, 2},
		},
	}
	var out strings.Builder
	if err := writePlan(&out, []Suite{{"BenchmarkAdd", []Case{c}}}); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 2 {
		t.Fatalf("%d lines, want one for each placement:\n%s", len(lines), &out)
	}
	var got bench.Cell
	if err := json.Unmarshal([]byte(lines[1]), &got); err != nil {
		t.Fatal(err)
	}
	if err := got.Check(); err != nil {
		t.Error(err)
	}
	if got.Laps != 6 || got.Turn.Expected() != 0.31 || got.Startup != 2 || got.About != "One of four." || got.Role != bench.Ours {
		t.Errorf("the plan's cell is %+v", got)
	}
	if got.Block.String() != "BenchmarkAdd/mode=thrpt/threads=4@perthread" || got.Env[bench.EnvReading] != "perthread" {
		t.Errorf("block %s, environment %v", got.Block, got.Env)
	}
}

// For impl=x/mode=thrpt/threads=4/lane=jvm the testing package would also run the
// benchmark that is a level above.
func TestLevels(t *testing.T) {
	for names, ok := range map[[2]string]bool{
		{"impl=x/mode=thrpt", "impl=x/mode=thrpt/lane=jvm"}:      false,
		{"impl=x/mode=thrpt", "impl=x/mode=thrpt/a=1/b=2"}:       false,
		{"impl=x/mode=thrpt", "impl=x/lane=jvm/mode=thrpt"}:      true,
		{"impl=x/mode=thrpt", "impl=x_again/mode=thrpt/threads"}: true,
	} {
		err := checkNames([]Suite{{"BenchmarkAdd", []Case{{Name: names[0]}, {Name: names[1]}}}})
		if (err == nil) != ok {
			t.Errorf("%q: %v", names, err)
		}
	}
}

func TestParts(t *testing.T) {
	for _, tt := range []struct{ n, workers int }{{0, 1}, {1, 3}, {2500, 16}, {7, 7}} {
		sum := 0
		for i := range tt.workers {
			sum += part(tt.n, i, tt.workers)
		}
		if sum != tt.n {
			t.Errorf("%d operations in %d parts are %d", tt.n, tt.workers, sum)
		}
	}
}

// Workers of either kind park, are released, and all take part.
func TestCrew(t *testing.T) {
	for _, reading := range []bench.Reading{bench.NumCPU, bench.PerThread} {
		t.Setenv(bench.EnvReading, string(reading))
		var c asked
		w := muster(40, 7, c.subject())
		if n := c.ops.Load(); n != 47 {
			t.Errorf("%s: %d operations made while mustering, want 47", reading, n)
		}
		for turn := range 20 {
			var ran [40]atomic.Int32
			began := time.Now()
			w.run(func(i int, body func(int)) { ran[i].Add(1) })
			for i := range ran {
				if n := ran[i].Load(); n != 1 {
					t.Fatalf("%s, turn %d: worker %d ran %d times in %v", reading, turn, i, n, time.Since(began))
				}
			}
		}
		w.dismiss()
		if c.done.Load() != 40 {
			t.Errorf("%s: %d workers were done, want 40", reading, c.done.Load())
		}
	}
}
