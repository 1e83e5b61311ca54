package multihistogram_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"hotpath/impl/histogram"
	"hotpath/impl/histogram/published"
	"hotpath/internal/bench"
	"hotpath/internal/contest"
	"hotpath/internal/jvm"
	"hotpath/internal/jvm/jvmtest"
	"hotpath/internal/measure"
)

// originals are the published histograms on a JVM. The last one is the control of
// their lane.
var originals = []contest.Original{
	{Row: contest.Row{Name: "jvm_floor", Role: bench.Floor, About: "Draws the updates and adds them up in the thread's own memory, on the JVM."},
		Recreation: "floor", Class: "hotpath.multihistogram.Floor", Heap: heapOfMost},
	{Row: contest.Row{Name: "jvm_fastlong", Role: bench.Published, About: "HBase's FastLongHistogram after HBASE-16146 on the JVM, written from a description of it."},
		Recreation: "fastlong", Class: "hotpath.multihistogram.FastLong", Heap: heapOfMost},
	{Row: contest.Row{Name: "jvm_fastlong_tl", Role: bench.Published, About: "HBase's FastLongHistogram before HBASE-16146 on the JVM, with a ThreadLocal in each counter, written from a description of it."},
		Recreation: "fastlong_tl", Class: "hotpath.multihistogram.FastLongThreadLocal", Heap: "3g"},
	{Row: contest.Row{Name: "jvm_mutabletime", Role: bench.Published, About: "HBase's MutableTimeHistogram on the JVM, written from a description of it."},
		Recreation: "mutabletime", Class: "hotpath.multihistogram.MutableTime", Heap: heapOfMost},
	{Row: contest.Row{Name: "jvm_hdratomic", Role: bench.Published, About: "AtomicHistogram of HdrHistogram's library for Java."},
		Recreation: "hdratomic", Class: "hotpath.multihistogram.HdrAtomic", Heap: heapOfMost},
	{Row: contest.Row{Name: "jvm_hdrconcurrent", Role: bench.Published, About: "ConcurrentHistogram of HdrHistogram's library for Java."},
		Recreation: "hdrconcurrent", Class: "hotpath.multihistogram.HdrConcurrent", Heap: heapOfMost},
	{Row: contest.Row{Name: "jvm_fastlong_again", Role: bench.Control, Again: "jvm_fastlong", About: "HBase's FastLongHistogram on the JVM a second time."},
		Class: "hotpath.multihistogram.FastLong", Heap: heapOfMost},
}

// heapOfMost holds 500 histograms and those of the workers. A ThreadLocal in each of
// their counters takes more: an entry for each thread that has met the counter.
const heapOfMost = "1g"

// jvmStartup is the expected seconds until a JVM has filled its histograms and is
// warm.
const jvmStartup = 4.0

// lane lists the originals beside the contestants that re-create them, in blocks of
// their own. An original stands behind its re-creation, to share its heats.
func lane() []measure.Case {
	var all []measure.Case
	for _, in := range []struct {
		mode bench.Mode
		at   measure.Placement
	}{{bench.Sample, sampled}, {bench.Throughput, contended}} {
		for _, o := range originals {
			if i := slices.IndexFunc(contest.Histograms, func(c contest.Histogram) bool { return c.Name == o.Recreation }); i >= 0 {
				again := record(contest.Histograms[i], in.mode, many, in.at)
				again.Name = name(o.Recreation+inLane, in.mode, many)
				all = append(all, again)
			}
			all = append(all, original(o, in.mode, in.at))
		}
	}
	return all
}

// inLane stands behind the contestant in the names of benchmarks that are beside the
// originals. Further behind it would be one more level of a benchmark that has the
// rest of the name, which the testing package runs once on its way there.
const inLane = "/lane=" + bench.JVM

func original(o contest.Original, mode bench.Mode, at measure.Placement) measure.Case {
	at.Startup = jvmStartup
	below := name(o.Name+inLane, mode, many)
	return measure.Case{
		Name: below, Role: o.Role, Twin: o.Again, About: o.About, Recreation: o.Recreation,
		Mode: mode, Threads: threads, Runs: []measure.Placement{at},
		Command: jvm.Command(o.Heap, o.Class, "BenchmarkRecord/"+below),
	}
}

func TestOriginals(t *testing.T) {
	kit := jvmtest.Compile(t, "..")
	for _, o := range originals {
		t.Run(o.Name, func(t *testing.T) {
			t.Parallel()
			jvmtest.TestExact(t, kit, original(o, bench.Sample, sampled).Command, contest.Updates)
		})
	}
}

// recreations record values and tell how many are in the buckets up to that of v.
var recreations = map[string]func(values []int64) (atOrBelow func(v int64) int64){
	"fastlong":    inFastLong(published.NewFastLong),
	"fastlong_tl": inFastLong(published.NewFastLong),
	"mutabletime": inFastLong(func() *published.FastLong { return published.NewFastLongRange(255, 1, 300_000) }),
	"hdratomic": func(values []int64) func(int64) int64 {
		h := published.NewHDRAtomic(histogram.Range{Lowest: 1, Highest: int64(time.Hour), Digits: 3})
		return inCells(values, h.Record, h.Snapshot)
	},
	"hdrconcurrent": func(values []int64) func(int64) int64 {
		h := published.NewHDRConcurrent(3)
		return inCells(values, h.Record, h.Snapshot)
	},
}

func inFastLong(newHistogram func() *published.FastLong) func([]int64) func(int64) int64 {
	return func(values []int64) func(int64) int64 {
		h := newHistogram()
		for range 3 {
			for _, v := range contest.Spread(512) {
				h.Add(v)
			}
			h.Reset()
		}
		for _, v := range values {
			h.Add(v)
		}
		return h.CountAtOrBelow
	}
}

func inCells(values []int64, record func(int64) error, snapshot func(*histogram.Snapshot) *histogram.Snapshot) func(int64) int64 {
	for _, v := range values {
		record(v)
	}
	var lows, sums []int64
	var sum int64
	for c := range snapshot(nil).Cells() {
		sum += c.Count
		lows, sums = append(lows, c.Low), append(sums, sum)
	}
	return func(v int64) int64 {
		n, found := slices.BinarySearch(lows, v)
		switch {
		case found:
			return sums[n]
		case n == 0:
			return 0
		}
		return sums[n-1]
	}
}

// A million values of the load, drawn in both languages, lie in the same buckets.
func TestBuckets(t *testing.T) {
	kit := jvmtest.Compile(t, "..")
	values := make([]int64, 1_000_000)
	for i, l := 0, contest.NewLoad(1, 1); i < len(values); i++ {
		_, values[i] = l.Next()
	}
	for _, o := range originals {
		hold := recreations[o.Recreation]
		if hold == nil {
			continue
		}
		t.Run(o.Name, func(t *testing.T) {
			atOrBelow := hold(values)
			var sum int64
			for line := range strings.Lines(jvmtest.Run(t, kit, jvm.Command(o.Heap, o.Class, "buckets"))) {
				var from, n int64
				if _, err := fmt.Sscan(line, &from, &n); err != nil {
					t.Fatalf("%q: %v", line, err)
				}
				if below := atOrBelow(from - 1); below != sum {
					t.Fatalf("%d values below %d, in Java %d", below, from, sum)
				}
				if sum += n; atOrBelow(from) != sum {
					t.Fatalf("%d values up to the bucket of %d, in Java %d", atOrBelow(from), from, sum)
				}
			}
			if sum != int64(len(values)) {
				t.Errorf("%d values in all buckets, want %d", sum, len(values))
			}
		})
	}
}
