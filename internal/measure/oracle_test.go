package measure

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"hotpath/internal/bench"
)

// Contestants of known cost tell whether the figures are right. What a loaded
// machine may add is allowed for; what would be wrong by a factor is not.

// attempt is one of some measurements of the same: a loaded machine spoils one now
// and then, and a wrong figure spoils all.
type attempt struct {
	*testing.T
	wrong []string
}

// Errorf notes what this attempt found wrong.
func (a *attempt) Errorf(format string, args ...any) {
	a.wrong = append(a.wrong, fmt.Sprintf(format, args...))
}

// attempts fails where each of five attempts does.
func attempts(t *testing.T, test func(t *attempt)) {
	t.Helper()
	var a *attempt
	for range 5 {
		a = &attempt{T: t}
		if test(a); len(a.wrong) == 0 {
			return
		}
		t.Logf("once more: %s", a.wrong)
	}
	t.Errorf("%s", strings.Join(a.wrong, "\n"))
}

// spinFor is an operation that takes so much CPU time of its thread.
func spinFor(d time.Duration) func(int) {
	return func(n int) {
		for range n {
			for start := time.Now(); time.Since(start) < d; {
			}
		}
	}
}

// oracle is a contestant of such operations.
func oracle(op func(n int)) func() Subject {
	return func() Subject {
		return Subject{Worker: func() (func(int), func()) { return op, nil }}
	}
}

// turns runs a case for some turns and keeps those that are wanted.
func turns(t testing.TB, c Case, o bench.Order, keep ...bool) (*session, metrics, []bench.Answer) {
	t.Helper()
	s, err := c.start()
	if err != nil {
		t.Fatal(err)
	}
	defer s.stop()
	var answers []bench.Answer
	for range keep {
		a, err := s.turn(o)
		if err != nil {
			t.Fatal(err)
		}
		answers = append(answers, a)
	}
	for _, k := range keep {
		if err := s.judge(k); err != nil {
			t.Fatal(err)
		}
	}
	m, err := s.result()
	if err != nil {
		t.Fatal(err)
	}
	return s, m, answers
}

func within(t testing.TB, what string, got, low, high float64) {
	t.Helper()
	if !(got >= low && got <= high) {
		t.Errorf("%s: %v, want from %v to %v", what, got, low, high)
	}
}

var forTime = bench.Order{Verb: bench.VerbTurn, For: 30 * time.Millisecond, Lead: 3 * time.Millisecond}

// One worker that spins for 50 us at a time takes that, on the clock and of the
// CPU; two on two CPUs take half of it on the clock.
func TestSpinIsItsTime(t *testing.T) { attempts(t, spinIsItsTime) }

func spinIsItsTime(t *attempt) {
	for threads := 1; threads <= min(2, runtime.NumCPU()); threads++ {
		c := Case{Mode: bench.Throughput, Threads: threads, Batch: 1, New: oracle(spinFor(50 * time.Microsecond))}
		_, m, answers := turns(t, c, forTime, true, true, true)
		// A machine that takes CPUs away makes the clock's figure larger, by as much
		// as it makes the parallelism smaller; and what spins by the clock is done
		// with less when it comes back.
		within(t, "ns/op x parallelism", m[bench.TimePerOp]*m[bench.Parallelism], 10e3, 85e3)
		within(t, "cpu-ns/op", m[bench.CPUPerOp], 3e3, 60e3)
		within(t, "ns/op", m[bench.TimePerOp], 49e3/float64(threads), 3e6)
		var wall, ops int64
		for _, a := range answers {
			wall, ops = wall+a.Wall, ops+a.Ops
		}
		within(t, "ns/op over that of the turns", m[bench.TimePerOp]*float64(ops)/float64(wall), 0.999, 1.001)
		within(t, "parallelism", m[bench.Parallelism], 0.02, float64(threads)*1.05)
		for _, a := range answers {
			within(t, "wall of a turn", float64(a.Wall), 30e6, 400e6)
			within(t, "operations of a turn", float64(a.Ops), 1, 620*float64(threads)*float64(a.Wall)/30e6)
		}
	}
}

// A system call that takes time takes system time.
func TestSystemTimeCounts(t *testing.T) { attempts(t, systemTimeCounts) }

func systemTimeCounts(t *attempt) {
	page := make([]byte, 1<<20)
	zero, err := os.Open("/dev/zero")
	if err != nil {
		t.Skip("no /dev/zero")
	}
	defer zero.Close()
	read := func(n int) {
		for range n {
			if _, err := zero.Read(page); err != nil {
				panic(err)
			}
		}
	}
	c := Case{Mode: bench.Fixed, Threads: 1, Ops: 400, New: oracle(read)}
	_, m, _ := turns(t, c, bench.Order{Verb: bench.VerbTurn, Ops: 200, Warm: 10}, true, true)
	if m[bench.System] < 2*m[bench.User] {
		t.Errorf("%v s of system time and %v s of user time in a kernel's work", m[bench.System], m[bench.User])
	}
	within(t, "cpu-ns/op over user + system", m[bench.CPUPerOp]*200/1e9/m[bench.CPUSeconds], 0.99, 1.01)
}

// A number of operations takes what they take, from the first to the last of them.
func TestFixedIsItsTime(t *testing.T) {
	s, err := Case{Mode: bench.Fixed, Threads: 1, Ops: 100, New: oracle(spinFor(50 * time.Microsecond))}.start()
	if err != nil {
		t.Fatal(err)
	}
	defer s.stop()
	a, err := s.turn(bench.Order{Verb: bench.VerbTurn, Ops: 100, Warm: 10})
	if err != nil {
		t.Fatal(err)
	}
	within(t, "wall of 100 operations of 50 us", float64(a.Wall), 5e6, 1e9)
}

// A sleep takes time and no CPU.
func TestSleepTakesNoCPU(t *testing.T) { attempts(t, sleepTakesNoCPU) }

func sleepTakesNoCPU(t *attempt) {
	sleep := func(n int) {
		for range n {
			time.Sleep(2 * time.Millisecond)
		}
	}
	c := Case{Mode: bench.Sample, Threads: 3, New: oracle(sleep)}
	_, m, answers := turns(t, c, forTime, true, true)
	within(t, "mean", m[bench.MeanLatency], 2e6, 8e6)
	within(t, "parallelism", m[bench.Parallelism], 0, 0.5)
	if a := answers[0]; a.Workers != 3 || float64(a.Latency)/float64(a.Ops) < 2e6 {
		t.Errorf("answer %v, want three workers with 2 ms for an operation", a)
	}
}

// An operation that allocates is told by the byte, and the collector's work for
// it is its own.
func TestAllocationCounts(t *testing.T) { attempts(t, allocationCounts) }

func allocationCounts(t *attempt) {
	var kept atomic.Pointer[[4096]byte]
	allocate := func(n int) {
		for range n {
			kept.Store(new([4096]byte))
		}
	}
	c := Case{Mode: bench.Throughput, Threads: 2, Batch: 64, New: oracle(allocate)}
	_, m, _ := turns(t, c, forTime, true, true, true)
	within(t, "B/op", m[bench.BytesPerOp], 4096, 4500)
	within(t, "allocs/op", m[bench.AllocsPerOp], 1, 1.1)
	if m[bench.GCCycles] <= 0 || m[bench.GCCPU] <= 0 || m[bench.GCPauseP99] <= 0 {
		t.Errorf("collections %v, their CPU %v ns, pauses %v ns in an operation that makes garbage", m[bench.GCCycles], m[bench.GCCPU], m[bench.GCPauseP99])
	}
	// The runtime takes the time for which a worker of its has a P for CPU time,
	// which it is not where others have the CPUs.
	within(t, "the collector's part of the CPU", m[bench.GCCPU]/m[bench.CPUPerOp], 0.0001, 20)
}

// Between turns nothing is collected, and afterwards as before.
func TestCollectorRests(t *testing.T) {
	goal := debug.SetGCPercent(100)
	defer debug.SetGCPercent(goal)
	c := Case{Mode: bench.Throughput, Threads: 1, Batch: 1, New: oracle(spinFor(time.Microsecond))}
	s, err := c.start()
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		s.crew.dismiss()
		s.stop()
		if now := debug.SetGCPercent(100); now != 100 {
			t.Errorf("the collector's goal is %d afterwards, was 100", now)
		}
	}()
	if _, err := s.turn(forTime); err != nil {
		t.Fatal(err)
	}
	before := readFacts().cycles
	for range 64 {
		_ = make([]byte, 1<<20)
	}
	if after := readFacts().cycles; after != before {
		t.Errorf("%d collections while parked", after-before)
	}
}

// What is dropped counts nowhere, and what is kept counts once.
func TestKeepAndDrop(t *testing.T) { attempts(t, keepAndDrop) }

func keepAndDrop(t *attempt) {
	file := filepath.Join(t.TempDir(), "fork.hlog")
	t.Setenv(bench.EnvHlog, file)
	slow := new(atomic.Bool)
	op := func(n int) {
		for range n {
			if slow.Load() {
				time.Sleep(3 * time.Millisecond)
			} else {
				spinFor(20 * time.Microsecond)(1)
			}
		}
	}
	s, err := Case{Mode: bench.Sample, Threads: 1, New: oracle(op)}.start()
	if err != nil {
		t.Fatal(err)
	}
	defer s.stop()
	var kept int64
	for _, drop := range []bool{true, false, false} {
		slow.Store(drop)
		a, err := s.turn(bench.Order{Verb: bench.VerbTurn, For: 20 * time.Millisecond, Lead: 5 * time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		if !drop {
			kept += a.Ops
		}
	}
	for _, keep := range []bool{false, true, true} {
		s.judge(keep)
	}
	m, err := s.result()
	if err != nil {
		t.Fatal(err)
	}
	if m[bench.Turns] != 2 || m[bench.Operations] != float64(kept) {
		t.Errorf("%v operations in %v turns, want %d in 2", m[bench.Operations], m[bench.Turns], kept)
	}
	within(t, "mean of what is kept", m[bench.MeanLatency], 20e3, 1e6)
	hists := readHlog(t, file)
	if h := hists[""]; h == nil || h.TotalCount() != kept {
		t.Errorf("the log's interval of kept turns does not hold their %d samples", kept)
	}
	if h := hists[gatedTag]; h == nil || h.ValueAtQuantile(50) < 2.9e6 {
		t.Errorf("the log's interval of dropped turns does not hold their samples")
	}
}

// readHlog returns the histograms of a log by tag.
func readHlog(t testing.TB, file string) map[string]*hdrhistogram.Histogram {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	hists := map[string]*hdrhistogram.Histogram{}
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' || line[0] == '"' {
			continue
		}
		tag := ""
		if rest, ok := strings.CutPrefix(line, "Tag="); ok {
			tag, line, _ = strings.Cut(rest, ",")
		}
		h, err := hdrhistogram.Decode([]byte(line[strings.LastIndexByte(line, ',')+1:]))
		if err != nil {
			t.Fatal(err)
		}
		hists[tag] = h
	}
	return hists
}

// What is sampled is what is counted: a worker cannot spend more time in operations
// than the counted part of a turn has, whatever it does ahead of it and after.
func TestLeadInIsNotSampled(t *testing.T) { attempts(t, leadInIsNotSampled) }

func leadInIsNotSampled(t *attempt) {
	c := Case{Mode: bench.Sample, Threads: 1, New: oracle(spinFor(10 * time.Microsecond))}
	_, m, answers := turns(t, c, bench.Order{Verb: bench.VerbTurn, For: 10 * time.Millisecond, Lead: 30 * time.Millisecond}, true, true, true)
	var ops, cpu int64
	for _, a := range answers {
		ops, cpu = ops+a.Ops, cpu+a.CPU
		// The first operation may have begun in the lead-in.
		within(t, "time in operations over the turn's", float64(a.Latency)/float64(a.Wall), 0.1, 1.5)
		within(t, "operations over those of the whole turn", float64(a.Ops)/float64(a.All), 0.01, 0.9)
	}
	within(t, "samples", m[bench.Operations], float64(ops), float64(ops))
	within(t, "CPU of the turns over cpu-ns/op", float64(cpu)/float64(ops)/m[bench.CPUPerOp], 0.7, 1.4)
}

// A stall delays those behind it: response times show it and service times do
// not. Each turn begins a schedule of its own, and drains its queue.
func TestOpenShowsTheQueue(t *testing.T) { attempts(t, openShowsTheQueue) }

func openShowsTheQueue(t *attempt) {
	n := 0
	stall := func(int) {
		if n++; n%150 == 20 {
			time.Sleep(20 * time.Millisecond)
		}
	}
	c := Case{Mode: bench.Open, Threads: 1, Rate: 5000, New: oracle(stall)}
	_, m, answers := turns(t, c, bench.Order{Verb: bench.VerbTurn, For: 30 * time.Millisecond}, true, true)
	for _, a := range answers {
		if a.Ops != 150 {
			t.Errorf("%d operations in a turn of 30 ms at 5,000 a second", a.Ops)
		}
		within(t, "mean response time of a turn", float64(a.Latency)/float64(a.Ops), 2e6, 300e6)
	}
	// 20 ms of 30 have operations waiting, and one of 150 stalls.
	within(t, "p90 of response times", m[bench.Latency(90)], 5e6, 60e6)
	within(t, "p90 of service times", m[bench.Service(90)], 0, 4e6)
	within(t, "rate", m[bench.AchievedRate], 100, 5200)
}

// Hundreds of workers with threads of their own start at once, and all run.
func TestManyThreads(t *testing.T) { attempts(t, manyThreads) }

func manyThreads(t *attempt) {
	t.Setenv(bench.EnvReading, string(bench.PerThread))
	const threads = 100
	var ops atomic.Int64
	count := func(n int) { ops.Add(int64(n)); syscall.Getppid() }
	c := Case{Mode: bench.Throughput, Threads: threads, Batch: 16, New: func() Subject {
		return Subject{Worker: func() (func(int), func()) { return count, nil }, Total: ops.Load}
	}}
	procs := runtime.GOMAXPROCS(0)
	_, m, _ := turns(t, c, bench.Order{Verb: bench.VerbTurn, For: 100 * time.Millisecond, Lead: 20 * time.Millisecond}, true, true, true, true)
	within(t, "workers-run", m[bench.WorkersRun], threads/10, threads)
	if now := runtime.GOMAXPROCS(0); now != procs {
		t.Errorf("GOMAXPROCS is %d, was %d", now, procs)
	}
}

// A contestant that counts otherwise than was done gives no result.
func TestTotalMustAgree(t *testing.T) {
	for _, lie := range []int64{-1, 1} {
		var ops atomic.Int64
		s, err := Case{Mode: bench.Throughput, Threads: 2, Batch: 4, New: func() Subject {
			return Subject{
				Worker: func() (func(int), func()) {
					return func(n int) { ops.Add(int64(n)); spinFor(time.Microsecond)(1) }, nil
				},
				Total: func() int64 { return ops.Load() + lie },
			}
		}}.start()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.turn(forTime); err != nil {
			t.Fatal(err)
		}
		if _, err := s.result(); err == nil || !strings.Contains(err.Error(), "counts") {
			t.Errorf("a total that is off by %d: %v", lie, err)
		}
		s.stop()
	}
}

// Pauses of the collector are the quantiles of their lengths.
func TestPause(t *testing.T) {
	u := used{pauses: []uint64{0, 90, 9, 1}, bounds: []float64{0, 1e-6, 2e-6, 3e-6, math.Inf(1)}}
	for q, want := range map[float64]float64{0.5: 2000, 0.9: 2000, 0.95: 3000, 1: 3000} {
		if got := u.pause(q); math.Abs(got-want) > 1e-6 {
			t.Errorf("quantile %v: %v ns, want %v", q, got, want)
		}
	}
	if got := (used{pauses: []uint64{0}, bounds: []float64{0, 1}}).pause(0.99); got != 0 {
		t.Errorf("a pause of %v ns where there was none", got)
	}
}
