package measure

import (
	"flag"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"hotpath/internal/bench"
)

func TestFixed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "heap.csv")
	t.Setenv("HOTPATH_HEAP", file)
	var c counted
	windows := 0.0
	m := measured(t, Case{Name: "impl=x/mode=fixed", Mode: bench.Fixed, Threads: 3, Ops: 1000, WarmUp: 100, New: func() Subject {
		s := c.subject()
		s.Window = func() func(float64) map[bench.Unit]float64 {
			before := c.ops.Load()
			return func(ops float64) map[bench.Unit]float64 {
				windows = float64(c.ops.Load()-before) / ops
				return map[bench.Unit]float64{bench.CopiedBytes: 7}
			}
		}
		return s
	}})
	if c.ops.Load() != 1103 { // each worker's first operation beside the warm-up
		t.Errorf("%d operations run, want 1000 after a warm-up of 103", c.ops.Load())
	}
	if windows != 1 || m["copied-B/op"] != 7 {
		t.Errorf("the window held %v of the operations, its figure is %v", windows, m["copied-B/op"])
	}
	if m["ops"] != 1000 || m["workers-run"] != 3 {
		t.Errorf("%v operations of %v workers", m["ops"], m["workers-run"])
	}
	if got := m["real-sec"] * 1e9 / 1000; math.Abs(got/m["ns/op"]-1) > 1e-9 {
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

// Given a count, as testing does it: once for one operation, then for all.
func TestFixedByCount(t *testing.T) {
	benchtime := flag.Lookup("test.benchtime").Value
	old := benchtime.String()
	if err := benchtime.Set("50x"); err != nil {
		t.Fatal(err)
	}
	defer benchtime.Set(old)
	var c counted
	r := testing.Benchmark(Case{Name: "impl=x", Mode: bench.Fixed, Threads: 1, Ops: 1000, New: c.subject}.once())
	if r.Extra["ops"] != 50 || c.ops.Load() != 51 {
		t.Errorf("%v operations measured and %d run for -benchtime=50x", r.Extra["ops"], c.ops.Load())
	}
}

// An operation that stalls delays those behind it: the response times show it
// and the service times do not.
func TestOpenShowsTheQueue(t *testing.T) {
	file := filepath.Join(t.TempDir(), "fork.hlog")
	t.Setenv("HOTPATH_HLOG", file)
	n := 0
	m := measured(t, Case{Name: "impl=x/mode=open", Mode: bench.Open, Threads: 1, Rate: 5000, New: func() Subject {
		return Subject{
			Worker: func() (func(int), func()) {
				return func(int) {
					if n++; n == 1 {
						time.Sleep(warmUp(60 * time.Millisecond)) // ends the warm-up
					} else if n == 10 {
						time.Sleep(40 * time.Millisecond)
					}
				}, nil
			},
		}
	}})
	if m["ops"] != 300 {
		t.Errorf("%v operations in 60 ms at 5000 a second", m["ops"])
	}
	// 40 ms of 60 have operations waiting, and one stalls.
	if m["p90-latency-ns"] < 20e6 || m["p90-service-ns"] > 10e6 {
		t.Errorf("p90 of response times %v ns, of service times %v ns", m["p90-latency-ns"], m["p90-service-ns"])
	}
	if got := m["achieved-rate"]; got > 5100 {
		t.Errorf("a rate of %v, asked for 5000", got)
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
	if float64(h.ValueAtQuantile(90)) != m["p90-latency-ns"] {
		t.Error("the log does not hold the response times")
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
