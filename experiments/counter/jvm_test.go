package counter_test

import (
	"slices"
	"testing"

	"hotpath/internal/bench"
	"hotpath/internal/contest"
	"hotpath/internal/jvm"
	"hotpath/internal/jvm/jvmtest"
	"hotpath/internal/measure"
)

// originals are the published counters on a JVM. The last one is the control of
// its lane.
var originals = []contest.Original{
	{Row: contest.Row{Name: "jvm_floor", Role: bench.Floor, About: "An increment of a word that the thread owns, on the JVM."},
		Recreation: "floor", Class: "hotpath.counter.Floor", Heap: heap},
	{Row: contest.Row{Name: "jvm_atomic", Role: bench.Published, About: "The JDK's AtomicLong."},
		Recreation: "atomic", Class: "hotpath.counter.Atomic", Heap: heap},
	{Row: contest.Row{Name: "jvm_hbase", Role: bench.Published, About: "HBase's Counter after HBASE-16146 on the JVM, written from a description of it."},
		Recreation: "hbase", Class: "hotpath.counter.HBase", Heap: heap},
	{Row: contest.Row{Name: "jvm_hbase_tl", Role: bench.Published, About: "HBase's Counter before HBASE-16146 on the JVM, with its ThreadLocal, written from a description of it."},
		Recreation: "hbase_tl", Class: "hotpath.counter.HBaseThreadLocal", Heap: heap},
	{Row: contest.Row{Name: "jvm_longadder", Role: bench.Published, About: "The JDK's LongAdder."},
		Recreation: "longadder", Class: "hotpath.counter.Adder", Heap: heap},
	{Row: contest.Row{Name: "jvm_atomic_again", Role: bench.Control, Again: "jvm_atomic", About: "The JDK's AtomicLong a second time."},
		Class: "hotpath.counter.Atomic", Heap: heap},
}

// heap is more than counters and the histograms of their workers fill.
const heap = "256m"

// jvmStartup is the expected seconds until a JVM is warm.
const jvmStartup = 2.5

// lane lists the originals beside the contestants that re-create them, in blocks of
// their own. An original stands behind its re-creation, to share its heats.
func lane() []measure.Case {
	var all []measure.Case
	for _, in := range []struct {
		mode bench.Mode
		at   measure.Placement
	}{{bench.Sample, sampled}, {bench.Throughput, contended}} {
		for _, o := range originals {
			if i := slices.IndexFunc(contest.Counters, func(c contest.Counter) bool { return c.Name == o.Recreation }); i >= 0 {
				again := add(contest.Counters[i], in.mode, threads, in.at)
				again.Name = name(o.Recreation+inLane, in.mode, threads)
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
	below := name(o.Name+inLane, mode, threads)
	return measure.Case{
		Name: below, Role: o.Role, Twin: o.Again, About: o.About, Recreation: o.Recreation,
		Mode: mode, Threads: threads, Runs: []measure.Placement{at},
		Command: jvm.Command(o.Heap, o.Class, "BenchmarkAdd/"+below),
	}
}

func TestOriginals(t *testing.T) {
	kit := jvmtest.Compile(t, "..")
	for _, o := range originals {
		t.Run(o.Name, func(t *testing.T) {
			t.Parallel()
			jvmtest.TestExact(t, kit, original(o, bench.Sample, sampled).Command, 1)
		})
	}
}
