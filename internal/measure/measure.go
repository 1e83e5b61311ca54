// Package measure runs inside a benchmark process and takes its figures: the
// throughput of many workers, the latency of every operation, and what the
// garbage collector and the CPUs did meanwhile.
//
// A Case is one contestant in one mode. Its workers run loops that the
// experiment supplies, not single operations, so that the compiler inlines the
// operation and the harness costs nothing for each of them. All workers have
// run their first operation, and a warm-up has passed, before the clock
// starts; they go on running until after it has stopped, so that nobody
// measures while a neighbour idles. Go lets a busy goroutine keep its CPU for
// ten milliseconds and more, so hundreds of them take seconds for a turn each;
// where a case says so its workers yield after a batch of some hundred
// microseconds, as goroutines that serve requests do all the time.
//
// Four modes answer four questions, and none is derived from another:
//
//   - thrpt: no clock inside the loop. ns/op is wall time over the operations
//     of all workers, cpu-ns/op the process's user and system time over the
//     same operations.
//   - sample: every operation is timed by two clock reads around it and goes
//     into the worker's own HDR histogram. The histograms are merged after the
//     workers have stopped; the samples recorded equal the operations run.
//     What the clock costs stands in the row of a contestant that does nothing.
//     Timing an operation separates it from its neighbours, so a contended
//     operation costs more here than in a tight loop.
//   - fixed: a number of operations after a warm-up of some more, and what the
//     process spent on them: real, user and system seconds, as a shell's time
//     prints them, the collector's share, and the heap over time.
//   - open: operations begin at a fixed rate whether or not earlier ones have
//     ended. An operation's latency counts from the moment at which it was to
//     begin, so that those which wait behind a slow one are slow too; timed
//     from the moment at which it did begin, they look fast, which is called
//     coordinated omission. Both are recorded.
//
// A benchmark times itself, once, for -benchtime, and overrides what the
// testing package would print. So it needs no runner: go test -bench prints
// the same lines. A runner adds fresh processes, an order and a place for the
// histograms, by these environment variables:
//
//	HOTPATH_PLAN=1          print one JSON object a line for each cell, run nothing
//	HOTPATH_READING=name    which reading of GOMAXPROCS this process was given
//	HOTPATH_HLOG=file       write the merged histogram there, as an HdrHistogram log
//	HOTPATH_HEAP=file       write the heap over time there, as CSV (fixed)
package measure

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"hotpath/internal/bench"
)

// Placement says under which reading of GOMAXPROCS a case is to be measured.
type Placement struct {
	Reading bench.Reading
	Tier    bench.Tier
	Startup float64 // expected seconds until every worker has run, beyond the usual
}

// Subject is a fresh contestant, made for one fork.
type Subject struct {
	// Worker is called once by each worker, on the worker's goroutine. body(n)
	// performs n operations; done, which may be nil, is called after the last.
	Worker func() (body func(n int), done func())
	// Window, if not nil, is called just before the measured window opens, and
	// what it returns just after it has closed, with the operations that ended
	// in it: for what only the contestant can tell, such as the use that
	// another process made of the window. The figures are by unit.
	Window func() (closed func(ops float64) map[bench.Unit]float64)
	// Metrics, if not nil, is called after all workers have ended and adds
	// figures of the contestant's own, by unit.
	Metrics func() map[bench.Unit]float64
}

// Case is one contestant in one mode: a benchmark.
type Case struct {
	Name    string // below the benchmark function, such as impl=atomic/mode=thrpt/threads=32
	Role    bench.Role
	Mode    bench.Mode
	Threads int               // worker goroutines
	Batch   int               // operations a worker runs between two looks at the clock's flag (thrpt)
	Seconds float64           // measured by a fork of the runner's; expected of one in mode fixed
	Ops     int               // operations of all workers together that are measured (fixed)
	WarmUp  int               // operations of all workers together before the clock starts, beside the first of each
	Rate    float64           // operations of all workers together that begin in a second (open)
	Parks   bool              // workers sleep by design, so they cannot fill the CPUs
	Yield   bool              // workers let others run after each batch (thrpt, and not PerThread)
	Env     map[string]string // environment of a fork of the runner's, such as GOGC
	Runs    []Placement
	New     func() Subject
}

// Suite is a benchmark function and its cases.
type Suite struct {
	Benchmark string // name of the function, such as BenchmarkAdd
	Cases     []Case
}

// Main is an experiment's TestMain: it prints the plan or the units and runs
// the tests and benchmarks. It returns the exit code.
func Main(m *testing.M, suites ...Suite) int {
	flag.Parse()
	if os.Getenv(bench.EnvPlan) == "1" {
		if err := writePlan(os.Stdout, suites); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return 0
	}
	if flag.Lookup("test.bench").Value.String() != "" {
		if err := bench.WriteUnits(os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	return m.Run()
}

// Run measures the cases as sub-benchmarks of b.
func Run(b *testing.B, cases []Case) {
	for _, c := range cases {
		b.Run(c.Name, c.once())
	}
}

// once is the case as a benchmark that measures once. The testing package calls
// it again where a fixed number of operations took less than -benchtime, and
// prints what the last call reports.
func (c Case) once() func(*testing.B) {
	var measured metrics
	return func(b *testing.B) {
		b.ReportAllocs()
		if b.N == 1 || measured == nil { // with -count the call for one operation comes again
			measured = c.run(b)
		}
		for unit, v := range measured {
			b.ReportMetric(v, unit.Name)
		}
	}
}

// run measures the case for -benchtime, or for its own time or number of
// operations. It returns nil where that is for a later call to do.
func (c Case) run(b *testing.B) metrics {
	d := time.Duration(c.Seconds * float64(time.Second))
	given := flag.Lookup("test.benchtime").Value.String()
	count, counted := strings.CutSuffix(given, "x")
	var err error
	switch {
	case !counted:
		if d, err = time.ParseDuration(given); err != nil {
			b.Fatal(err)
		}
	case c.Mode == bench.Fixed:
		if c.Ops, err = strconv.Atoi(count); err != nil {
			b.Fatal(err)
		}
		if b.N < c.Ops {
			return nil // the testing package's first look, at one operation
		}
	case b.N > 1:
		b.Skipf("-benchtime=%s: this benchmark runs for a time, not for a count", given)
	}

	if locked() {
		// The clock's own P: it would wait for the one of a worker, and that for
		// the worker's turn on a CPU.
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(c.Threads + 1))
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
	}
	subject := c.New()
	runtime.GC() // the garbage of making it, and of what ran before, is not the case's
	start := handOff()
	var m metrics
	switch c.Mode {
	case bench.Throughput:
		m = c.throughput(subject, d)
	case bench.Sample:
		m = c.sample(b, subject, d)
	case bench.Fixed:
		m = c.fixed(b, subject)
	case bench.Open:
		m = c.open(b, subject, d)
	default:
		b.Fatalf("%s: unknown mode %q", c.Name, c.Mode)
	}
	m.add(bench.HandOffStart, start)
	m.add(bench.HandOffEnd, handOff())
	if subject.Metrics != nil {
		for unit, v := range subject.Metrics() {
			m[unit] = v
		}
	}
	if c.Mode == bench.Sample || c.Mode == bench.Open {
		m[bench.TimePerOp] = 0 // keeps the testing package from printing one
	}
	return m
}

// locked reports whether workers are to be bound to OS threads of their own.
func locked() bool { return os.Getenv(bench.EnvReading) == string(bench.PerThread) }

// wait sleeps until the clock has something to do. One whose workers have their
// own threads competes with them for a CPU as a thread does.
func wait(d time.Duration) {
	if locked() {
		pause(d)
	} else {
		time.Sleep(d)
	}
}

// warmUp is how long the workers run before the clock starts. Go compiles
// ahead of time: what has to settle are caches, page faults and the scheduler.
func warmUp(d time.Duration) time.Duration { return min(100*time.Millisecond, d/4) }

// openWindow calls Window, if there is one, and returns what closes it.
func (s Subject) openWindow() func(ops float64, m metrics) {
	if s.Window == nil {
		return func(float64, metrics) {}
	}
	closed := s.Window()
	return func(ops float64, m metrics) {
		for unit, v := range closed(ops) {
			m[unit] = v
		}
	}
}
