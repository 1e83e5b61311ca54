// Package measure runs inside a benchmark process and takes its figures: the
// throughput of many workers, the latency of every operation, and what the
// garbage collector and the CPUs did meanwhile.
//
// A Case is one contestant in one mode. Its workers run loops that the
// experiment supplies, not single operations, so that the compiler inlines the
// operation and the harness costs nothing for each of them.
//
// # Turns
//
// A process measures in turns. Between them its workers are parked, asleep in a
// channel, or in the kernel where they have OS threads of their own, and no
// collection is under way. A turn releases all workers, goroutines
// with the fewest turns first and else in an order that is shuffled anew, since in a
// few milliseconds only some of hundreds run. The first that run take a CPU each: the
// kernel may wake a thread behind the one that woke it, though another CPU idles, and
// leave it there for milliseconds. They run ahead for a lead-in, in which caches fill
// and all CPUs wake up; what follows is counted. A turn of some time is ended by the worker that first
// finds the time to be over: a clock in a goroutine of its own would wait for a
// worker's preemption, ten milliseconds and more. A turn of so much work is ended
// by the last worker. An operation that is under way when a turn ends is
// finished, and counts nowhere. At the end the cycle of the collector is
// finished, if one is under way; its CPU time belongs to the turn.
//
// Wall time is that between the two edges of what is counted. CPU time, and what
// the runtime tells of allocation and collection, is read while all workers are
// parked. Threads of the runtime may still look for work then, whose CPU time the
// kernel would tell a tick late; it is asked for each thread's first. What was read is
// divided by all operations of the turn, lead-in included.
//
// What a turn measured is held apart until a runner says whether to keep or to
// drop it. The result, the histogram and the heap over time are those of the
// kept turns. Without a runner, a benchmark measures one turn of -benchtime and
// keeps it, so that go test -bench prints the same lines.
//
// # Modes
//
// Four modes answer four questions, and none is derived from another:
//
//   - thrpt: no clock inside the loop. ns/op is wall time over the operations
//     of all workers, cpu-ns/op the process's user and system time over the
//     same operations.
//   - sample: every operation is timed by two clock reads around it and goes
//     into the worker's own HDR histogram. Those that end in the counted part
//     count, however early they began: else a wait for a CPU, which begins in one
//     turn of a thread and ends in its next, would be cut short. What the clock
//     costs stands in the row of a contestant that does nothing. Timing an
//     operation separates it from its neighbours, so a contended operation costs
//     more here than in a tight loop. With more threads than CPUs, a mean holds
//     the wait for a CPU, and grows with the turn until a turn holds several
//     rounds of all threads.
//   - fixed: so many operations, and what the process spent on them: real, user
//     and system seconds, as a shell's time prints them, and the collector's
//     share. The heap over time is watched in one more turn at the end, which
//     counts for nothing else.
//   - open: operations begin at a fixed rate whether or not earlier ones have
//     ended. An operation's latency counts from the moment at which it was to
//     begin, so that those which wait behind a slow one are slow too; timed
//     from the moment at which it did begin, they look fast, which is called
//     coordinated omission. Both are recorded. Each turn begins a schedule of its
//     own, and ends when all that was due in it has been answered.
//
// At the end the contestant is asked for its own total, if it keeps one: it must
// be that of all operations, or the benchmark fails.
//
// The environment variables by which a runner speaks to this package, and the
// lines of orders and answers, are those of package bench.
package measure

import (
	"flag"
	"fmt"
	"os"
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
	Turn    bench.TurnLength
	Laps    int
	Startup float64 // expected seconds until a fork is ready
}

// Subject is a fresh contestant, made for one fork. Its functions but for Worker
// are called by one goroutine.
type Subject struct {
	// Worker is called once by each worker, on the worker's goroutine. body(n)
	// performs n operations; done, which may be nil, is called after the last.
	Worker func() (body func(n int), done func())
	// Window, if not nil, is called just before the workers of a turn are
	// released, and what it returns after they have parked: for what only the
	// contestant can tell, such as what another process used. It returns sums over
	// the turn, each under the unit that it becomes per operation.
	Window func() (closed func() map[bench.Unit]float64)
	// Beside, if not nil, tells of the process that the contestant's server runs
	// in.
	Beside func() bench.Ready
	// Total, if not nil, is called after all workers have ended, and returns how
	// many operations the contestant itself has counted since it was made.
	Total func() int64
	// Metrics, if not nil, is called last and adds figures of the contestant's
	// own.
	Metrics func() map[bench.Unit]float64
}

// Case is one contestant in one mode: a benchmark.
type Case struct {
	Name    string // below the benchmark function, such as impl=atomic/mode=thrpt/threads=32
	Role    bench.Role
	Twin    string // of a control: the contestant that it is a second time
	Rival   bool   // the peer to beat
	About   string // what the contestant is, for readers
	Holds   string // what its caller must have in hand, for readers
	Mode    bench.Mode
	Threads int               // worker goroutines
	Batch   int               // operations a worker runs between two looks at whether the turn is over (thrpt)
	Ops     int               // operations of all workers together, where no count is given (fixed)
	Updates int               // that make up an operation, where it is one of several (thrpt)
	WarmUp  int               // operations of all workers together before the first turn, beside the first of each
	Rate    float64           // operations of all workers together that begin in a second (open)
	Parks   bool              // workers sleep by design, so they cannot fill the CPUs
	Yield   bool              // workers let others run after each batch (thrpt, and not perthread)
	Env     map[string]string // environment of a fork of the runner's, such as GOGC
	Runs    []Placement
	New     func() Subject

	// Of an original in another language, which has no New: the command that a fork
	// is, and the contestant that re-creates it.
	Command    []string
	Recreation string
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

// Run measures the cases as sub-benchmarks of b, but for those in other languages,
// which a runner alone can measure.
func Run(b *testing.B, cases []Case) {
	for _, c := range cases {
		if c.New != nil {
			b.Run(c.Name, c.once())
		}
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

// run measures the case as a runner orders it, or else for -benchtime. It returns
// nil where that is for a later call to do.
func (c Case) run(b *testing.B) metrics {
	order := bench.Order{Verb: bench.VerbTurn}
	given := flag.Lookup("test.benchtime").Value.String()
	count, counted := strings.CutSuffix(given, "x")
	var err error
	switch {
	case c.Mode == bench.Fixed && counted:
		if order.Ops, err = strconv.Atoi(count); err != nil {
			b.Fatal(err)
		}
		if b.N < order.Ops {
			return nil // the testing package's first look, at one operation
		}
	case c.Mode == bench.Fixed:
		order.Ops = c.Ops
	case counted && b.N > 1:
		b.Skipf("-benchtime=%s: this benchmark runs for a time, not for a count", given)
	case counted:
		order.For = time.Second
	default:
		if order.For, err = time.ParseDuration(given); err != nil {
			b.Fatal(err)
		}
	}
	order.Lead = min(100*time.Millisecond, order.For/4)

	s, err := c.start()
	if err != nil {
		b.Fatal(err)
	}
	defer s.stop()
	if fd := os.Getenv(bench.EnvTurns); fd != "" {
		err = s.obey(fd)
	} else {
		_, err = s.turn(order)
		s.judge(true)
	}
	if err != nil {
		b.Fatalf("%s: %v", c.Name, err)
	}
	m, err := s.result()
	if err != nil {
		b.Fatalf("%s: %v", c.Name, err)
	}
	return m
}

// locked reports whether workers are to be bound to OS threads of their own.
func locked() bool { return os.Getenv(bench.EnvReading) == string(bench.PerThread) }
