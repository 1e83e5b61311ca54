package measure

import (
	"math"
	"runtime"
	gometrics "runtime/metrics"
	"time"

	"hotpath/internal/host"
)

// metrics are figures by unit.
type metrics map[string]float64

// add takes a figure that is negative where the machine does not show it.
func (m metrics) add(unit string, v float64) {
	if v >= 0 {
		m[unit] = v
	}
}

// handOff is the distance of the CPUs where more than one can be used.
func handOff() float64 {
	if runtime.GOMAXPROCS(0) < 2 {
		return -1
	}
	return host.HandOff()
}

// facts is what the process had used at a moment.
type facts struct {
	user, system float64 // CPU seconds
	queueWait    float64 // seconds that threads were runnable without a CPU; -1 where the kernel does not tell
	gc           []gometrics.Sample
}

// gcNames are the runtime's metrics that facts reads, in the order of the
// constants below.
var gcNames = []string{
	"/gc/cycles/total:gc-cycles",
	"/gc/heap/allocs:bytes",
	"/gc/heap/allocs:objects",
	"/cpu/classes/gc/total:cpu-seconds",
	"/sched/pauses/total/gc:seconds",
}

const (
	gcCycles = iota
	gcBytes
	gcObjects
	gcCPU
	gcPauses
)

// readFacts takes tens of microseconds: it belongs outside the window.
func readFacts() facts {
	f := facts{gc: make([]gometrics.Sample, len(gcNames))}
	for i, name := range gcNames {
		f.gc[i].Name = name
	}
	gometrics.Read(f.gc)
	f.user, f.system = host.CPUTime()
	f.queueWait = host.QueueWait()
	return f
}

// since returns what ops operations in a window of wall time used.
func (f facts) since(before facts, ops float64, wall time.Duration) metrics {
	cpu := f.user + f.system - before.user - before.system
	count := func(i int) float64 { return float64(f.gc[i].Value.Uint64() - before.gc[i].Value.Uint64()) }
	gcSeconds := f.gc[gcCPU].Value.Float64() - before.gc[gcCPU].Value.Float64()
	m := metrics{
		"cpu-ns/op":       cpu * 1e9 / ops,
		"parallelism":     cpu / wall.Seconds(),
		"B/op":            count(gcBytes) / ops,
		"allocs/op":       count(gcObjects) / ops,
		"gc-cycles/op":    count(gcCycles) / ops,
		"gc-cpu-ns/op":    gcSeconds * 1e9 / ops,
		"gc-pause-p99-ns": pauseP99(before.gc[gcPauses].Value.Float64Histogram(), f.gc[gcPauses].Value.Float64Histogram()),
	}
	if before.queueWait >= 0 {
		m.add("queue-wait-sec", f.queueWait-before.queueWait)
	}
	return m
}

// pauseP99 is the 99th percentile of the pauses between two readings of the
// cumulative histogram, as the upper bound of its bucket; 0 without a pause.
func pauseP99(before, after *gometrics.Float64Histogram) float64 {
	var total uint64
	for i, n := range after.Counts {
		total += n - before.Counts[i]
	}
	rank := uint64(math.Ceil(0.99 * float64(total)))
	if rank == 0 {
		return 0
	}
	var seen uint64
	for i, n := range after.Counts {
		if seen += n - before.Counts[i]; seen >= rank {
			if upper := after.Buckets[i+1]; !math.IsInf(upper, 1) {
				return upper * 1e9
			}
			return after.Buckets[i] * 1e9
		}
	}
	return 0
}
