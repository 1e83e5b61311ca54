package multihistogram_test

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"hotpath/internal/bench"
	"hotpath/internal/contest"
	"hotpath/internal/measure"
)

const (
	many    = 500 // histograms that stay in memory
	threads = 200
)

// gogc makes collections rare, as they are in a JVM with a heap of gigabytes. Each
// stops all threads, and where there are hundreds for a few CPUs it takes seconds
// until the last of them has had its turn to notice.
const gogc = 800

func TestMain(m *testing.M) {
	os.Exit(measure.Main(m, measure.Suite{Benchmark: "BenchmarkRecord", Cases: cases()}))
}

func BenchmarkRecord(b *testing.B) { measure.Run(b, cases()) }

// histograms are all contestants, ours first.
func histograms() []contest.Histogram { return slices.Concat(contest.Histograms, peers) }

// cases lists every contestant in every mode. The claims are decided on the
// sampled cells of the published contestants.
func cases() []measure.Case {
	var all []measure.Case
	for _, c := range histograms() {
		all = append(all, throughput(c)...)
		if c.Judged() {
			all = append(all, record(c, bench.Sample, many, sampled))
		}
	}
	if os.Getenv(bench.EnvLane) == bench.JVM {
		all = append(all, lane()...)
	}
	return all
}

// Expected seconds from the start of a fork until each worker has had its first
// turn, beyond what any fork takes.
const (
	numCPU    = 0.05
	perThread = 0.2
)

// Five hundred histograms do not fit a cache: a turn finds it full of others'
// data, and has to be long beside the filling. One that times every operation of
// 200 threads must hold several rounds of all of them.
var (
	large  = bench.TurnLength{Millis: 50, LeadIn: 12}
	single = bench.TurnLength{Millis: 30, LeadIn: 5}
	rounds = bench.TurnLength{Millis: 1000, LeadIn: 200}
)

const laps = 9

// The published study gave each worker a thread of its own.
var (
	sampled   = measure.Placement{Reading: bench.PerThread, Tier: bench.Judged, Turn: rounds, Laps: 6, Startup: perThread}
	contended = measure.Placement{Reading: bench.PerThread, Tier: bench.Peers, Turn: large, Laps: laps, Startup: perThread}
)

func throughput(c contest.Histogram) []measure.Case {
	return []measure.Case{
		record(c, bench.Throughput, many,
			measure.Placement{Reading: bench.NumCPU, Tier: bench.Peers, Turn: large, Laps: laps, Startup: numCPU},
			contended),
		record(c, bench.Throughput, 1,
			measure.Placement{Reading: bench.NumCPU, Tier: bench.Peers, Turn: single, Laps: laps, Startup: numCPU}),
	}
}

func name(impl string, mode bench.Mode, histograms int) string {
	return fmt.Sprintf("impl=%s/mode=%s/histograms=%d/threads=%d", impl, mode, histograms, threads)
}

func record(c contest.Histogram, mode bench.Mode, histograms int, runs ...measure.Placement) measure.Case {
	return measure.Case{
		Name:    name(c.Name, mode, histograms),
		Role:    c.Role,
		Twin:    c.Again,
		Rival:   c.Rival,
		About:   c.About,
		Holds:   c.Holds,
		Mode:    mode,
		Threads: threads,
		Batch:   32,
		Updates: contest.Updates,
		Parks:   c.Parks,
		Yield:   true,
		Env:     map[string]string{"GOGC": strconv.Itoa(gogc)},
		Runs:    runs,
		New:     func() measure.Subject { return subject(c, mode, histograms) },
	}
}

// subject measures n histograms of a contestant. What they take and what reading
// them costs is the same however updates are measured, so one cell of each
// contestant tells it.
func subject(c contest.Histogram, mode bench.Mode, n int) measure.Subject {
	debug.SetGCPercent(gogc) // also where nobody set GOGC
	s := c.New(n)
	if s.Count != nil {
		fill(s, n)
	}
	var workers atomic.Uint64
	subject := measure.Subject{Worker: func() (func(int), func()) {
		w, l := s.Worker(), contest.NewLoad(workers.Add(1), n)
		return func(n int) { w.Loop(l, n) }, w.Done
	}}
	if s.Count != nil {
		filled := total(s, n)
		subject.Total = func() int64 { return (total(s, n) - filled) / contest.Updates }
	}
	if mode != bench.Throughput {
		return subject
	}
	if s.Count != nil && n == many && os.Getenv(bench.EnvReading) != string(bench.PerThread) {
		subject.Metrics = func() map[bench.Unit]float64 {
			m := accuracy(c)
			snapshot(m, s.Snapshot, n)
			before := heap()
			s = contest.HistogramSubject{}
			m[bench.BytesPerHistogram] = (before - heap()) / float64(n)
			return m
		}
	}
	return subject
}

// total is how many values n histograms hold.
func total(s contest.HistogramSubject, n int) int64 {
	var sum int64
	for i := range n {
		sum += s.Count(i)
	}
	return sum
}

// fill brings n histograms to the state that they have in a program that has
// run for a while: whatever grows with the values has grown.
func fill(s contest.HistogramSubject, n int) {
	w := s.Worker()
	for _, v := range contest.Spread(512) {
		for i := range n {
			w.Record(i, v)
		}
	}
	if w.Done != nil {
		w.Done()
	}
}

// shown are the quantiles of which the error is reported.
var shown = []float64{0.5, 0.99, 0.999, 0.9999}

// accuracy is how far the quantiles of a histogram lie from those of the values
// recorded in it, which are a stream of the load, in its order.
func accuracy(c contest.Histogram) map[bench.Unit]float64 {
	s := c.New(1)
	w, l := s.Worker(), contest.NewLoad(1, 1)
	exact := make([]int64, 1<<20)
	for i := range exact {
		_, exact[i] = l.Next()
		w.Record(0, exact[i])
	}
	if w.Done != nil {
		w.Done()
	}
	slices.Sort(exact)
	m := map[bench.Unit]float64{}
	for _, q := range shown {
		want := float64(exact[int(math.Ceil(q*float64(len(exact))))-1])
		m[bench.QuantileError(100*q)] = math.Abs(s.Quantile(0, q)-want) / want
	}
	return m
}

// snapshot adds what reading one of n histograms takes once the reader has its
// buffers.
func snapshot(m map[bench.Unit]float64, read func(), n int) {
	read()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := time.Now()
	read()
	took := time.Since(start)
	runtime.ReadMemStats(&after)
	m[bench.SnapshotTime] = float64(took) / float64(n)
	m[bench.SnapshotAllocs] = float64(after.Mallocs-before.Mallocs) / float64(n)
	m[bench.SnapshotBytes] = float64(after.TotalAlloc-before.TotalAlloc) / float64(n)
}

// heap is what is reachable.
func heap() float64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // a sync.Pool keeps what it holds through one
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}
