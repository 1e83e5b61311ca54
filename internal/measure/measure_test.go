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

	"github.com/HdrHistogram/hdrhistogram-go"

	"hotpath/internal/bench"
)

// counted is a contestant that counts what it is asked to do.
type counted struct {
	ops, workers, done atomic.Int64
	sleep              time.Duration
}

func (c *counted) subject() Subject {
	return Subject{
		Worker: func() (func(int), func()) {
			c.workers.Add(1)
			return func(n int) {
				c.ops.Add(int64(n))
				if c.sleep > 0 {
					time.Sleep(c.sleep)
				}
				runtime.Gosched()
			}, func() { c.done.Add(1) }
		},
		Metrics: func() map[bench.Unit]float64 {
			return map[bench.Unit]float64{bench.CountedCells: float64(c.ops.Load())}
		},
	}
}

// measured runs a case as a benchmark of 60 ms.
func measured(t *testing.T, c Case) map[string]float64 {
	t.Helper()
	benchtime := flag.Lookup("test.benchtime").Value
	old := benchtime.String()
	if err := benchtime.Set("60ms"); err != nil {
		t.Fatal(err)
	}
	defer benchtime.Set(old)
	made := 0
	fresh := c.New
	c.New = func() Subject { made++; return fresh() }
	r := testing.Benchmark(c.once())
	if made != 1 {
		t.Errorf("the benchmark was measured %d times, want once", made)
	}
	return r.Extra
}

func TestThroughput(t *testing.T) {
	var c counted
	m := measured(t, Case{Name: "impl=x/mode=thrpt/threads=5", Mode: bench.Throughput, Threads: 5, Batch: 8, New: c.subject})
	if m["workers-run"] != 5 || c.workers.Load() != 5 || c.done.Load() != 5 {
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

func TestSample(t *testing.T) {
	file := filepath.Join(t.TempDir(), "fork.hlog")
	t.Setenv("HOTPATH_HLOG", file)
	c := counted{sleep: time.Millisecond}
	m := measured(t, Case{Name: "impl=x/mode=sample/threads=3", Mode: bench.Sample, Threads: 3, New: c.subject})
	if _, ok := m["ns/op"]; ok && m["ns/op"] != 0 {
		t.Errorf("ns/op %v beside a distribution", m["ns/op"])
	}
	if m["mean-latency-ns"] < 1e6 || m["p50-latency-ns"] < 1e6 {
		t.Errorf("a sleep of 1 ms has mean %v and median %v ns", m["mean-latency-ns"], m["p50-latency-ns"])
	}
	if _, ok := m["p99.99-latency-ns"]; ok {
		t.Error("a p99.99 with fewer than ten samples above it")
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	last := lines[len(lines)-1]
	h, err := hdrhistogram.Decode([]byte(last[strings.LastIndexByte(last, ',')+1:]))
	if err != nil {
		t.Fatal(err)
	}
	if float64(h.TotalCount()) != m["ops"] || m["ops"] > float64(c.ops.Load()) {
		t.Errorf("%d samples, %v operations measured, %d run", h.TotalCount(), m["ops"], c.ops.Load())
	}
}

// Every metric must be declared, or benchstat and the reader of a run do not
// know it.
func TestUnits(t *testing.T) {
	for _, mode := range bench.Modes {
		var c counted
		for unit := range measured(t, Case{Name: "impl=x", Mode: mode, Threads: 2, Batch: 8, Ops: 100, Rate: 1000, New: c.subject}) {
			if _, ok := bench.UnitNamed(unit); !ok {
				t.Errorf("%s: %s is not declared", mode, unit)
			}
		}
	}
}

func TestPlan(t *testing.T) {
	c := Case{
		Name: "impl=x/mode=thrpt/threads=4", Role: bench.Ours, Threads: 4, Seconds: 0.5,
		Runs: []Placement{{bench.NumCPU, bench.Peers, 0}, {bench.PerThread, bench.Judged, 2}},
	}
	var out strings.Builder
	if err := writePlan(&out, []Suite{{"BenchmarkAdd", []Case{c}}}); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 2 {
		t.Fatalf("%d lines, want one for each placement:\n%s", len(lines), &out)
	}
	var got map[string]any
	if err := json.Unmarshal([]byte(lines[1]), &got); err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]any{
		"name": "BenchmarkAdd/impl=x/mode=thrpt/threads=4", "reading": "perthread", "tier": "judged", "role": "ours",
		"threads": 4.0, "seconds": 0.5, "startup": 2.0, "block": "BenchmarkAdd/mode=thrpt/threads=4@perthread",
	} {
		if got[key] != want {
			t.Errorf("%s is %v, want %v", key, got[key], want)
		}
	}
}

func TestTrend(t *testing.T) {
	at := func(ops ...int64) []mark {
		var marks []mark
		for i, n := range ops {
			marks = append(marks, mark{at: time.Unix(int64(i), 0), ops: n})
		}
		return marks
	}
	for _, tt := range []struct {
		marks []mark
		want  float64
	}{
		{at(0, 10, 20, 30, 40, 50, 60), 1},
		{at(0, 10, 20, 30, 40, 60, 80), 2},
		{at(0, 20, 40, 50, 60, 70, 80), 0.5},
		{at(0, 0, 0, 30, 40, 50, 60), 0},
	} {
		if got := trend(tt.marks); got != tt.want {
			t.Errorf("trend of %v: %v, want %v", tt.marks, got, tt.want)
		}
	}
}
