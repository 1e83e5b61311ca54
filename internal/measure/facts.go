package measure

import (
	"math"
	"runtime"
	gometrics "runtime/metrics"
	"time"

	"hotpath/internal/bench"
	"hotpath/internal/host"
)

// metrics are figures by unit.
type metrics map[bench.Unit]float64

// add takes a figure that is negative where the machine does not show it.
func (m metrics) add(unit bench.Unit, v float64) {
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

// openFacts is read just before a window opens and closeFacts just after it has
// closed. Both take tens of microseconds and a file for each thread. The kernel
// may take the CPU away meanwhile, for as long as hundreds of threads take for
// a turn each: so CPU time is read where it is next to the window, and at its
// start after a sleep, which gives the clock a turn of its own.
func openFacts(threads int) facts {
	f := facts{queueWait: queueWait(threads), gc: readGC()}
	wait(time.Millisecond)
	f.user, f.system = host.CPUTime()
	return f
}

func closeFacts(threads int) facts {
	var f facts
	f.user, f.system = host.CPUTime()
	f.gc, f.queueWait = readGC(), queueWait(threads)
	return f
}

// queueWait is host.QueueWait where it is read in a turn on a CPU. With more
// threads it takes several, and each comes after all the others'.
func queueWait(threads int) float64 {
	if threads > 64 {
		return -1
	}
	return host.QueueWait()
}

func readGC() []gometrics.Sample {
	gc := make([]gometrics.Sample, len(gcNames))
	for i, name := range gcNames {
		gc[i].Name = name
	}
	gometrics.Read(gc)
	return gc
}

// since returns what ops operations in a window of wall time used.
func (f facts) since(before facts, ops float64, wall time.Duration) metrics {
	cpu := f.user + f.system - before.user - before.system
	count := func(i int) float64 { return float64(f.gc[i].Value.Uint64() - before.gc[i].Value.Uint64()) }
	gcSeconds := f.gc[gcCPU].Value.Float64() - before.gc[gcCPU].Value.Float64()
	m := metrics{
		bench.CPUPerOp:    cpu * 1e9 / ops,
		bench.Parallelism: cpu / wall.Seconds(),
		bench.BytesPerOp:  count(gcBytes) / ops,
		bench.AllocsPerOp: count(gcObjects) / ops,
		bench.GCCycles:    count(gcCycles) / ops,
		bench.GCCPU:       gcSeconds * 1e9 / ops,
		bench.GCPauseP99:  f.pauses(before).quantile(0.99),
	}
	if before.queueWait >= 0 {
		m.add(bench.QueueWait, f.queueWait-before.queueWait)
	}
	return m
}

// Watch begins to watch what this process uses, for a server that a benchmark's
// operations run in. What it returns gives it for each of the operations since.
func Watch() func(ops float64) map[bench.Unit]float64 {
	before, start := openFacts(1), time.Now()
	return func(ops float64) map[bench.Unit]float64 {
		wall := time.Since(start)
		after := closeFacts(1)
		m := after.since(before, ops, wall)
		after.spent(m, before, wall)
		return map[bench.Unit]float64{
			bench.ServerCPU:      m[bench.CPUPerOp],
			bench.ServerUser:     m[bench.User] * 1e9 / ops,
			bench.ServerSystem:   m[bench.System] * 1e9 / ops,
			bench.ServerBytes:    m[bench.BytesPerOp],
			bench.ServerAllocs:   m[bench.AllocsPerOp],
			bench.ServerGCShare:  m[bench.GCShare],
			bench.ServerGCCycles: m[bench.GCCycles],
			bench.ServerGCPause:  m[bench.GCPauseP99],
		}
	}
}

// spent adds what a piece of work took of a process's CPUs: the seconds of a
// shell's time, and the collector's share of them.
func (f facts) spent(m metrics, before facts, wall time.Duration) {
	m[bench.Real] = wall.Seconds()
	m[bench.User] = f.user - before.user
	m[bench.System] = f.system - before.system
	m[bench.CPUSeconds] = m[bench.User] + m[bench.System]
	m[bench.GCShare] = (f.gc[gcCPU].Value.Float64() - before.gc[gcCPU].Value.Float64()) / m[bench.CPUSeconds]
	p := f.pauses(before)
	m[bench.GCPauseP50], m[bench.GCPauseMax] = p.quantile(0.5), p.quantile(1)
}

// pauses counts the collector's pauses of a window by their length.
type pauses struct {
	counts []uint64
	bounds []float64 // of counts[i] are bounds[i] and bounds[i+1], in seconds
}

func (f facts) pauses(before facts) pauses {
	was, is := before.gc[gcPauses].Value.Float64Histogram(), f.gc[gcPauses].Value.Float64Histogram()
	p := pauses{counts: make([]uint64, len(is.Counts)), bounds: is.Buckets}
	for i := range p.counts {
		p.counts[i] = is.Counts[i] - was.Counts[i]
	}
	return p
}

// quantile is in nanoseconds, the upper bound of its bucket; 0 without a pause.
func (p pauses) quantile(q float64) float64 {
	var total uint64
	for _, n := range p.counts {
		total += n
	}
	rank := uint64(math.Ceil(q * float64(total)))
	if rank == 0 {
		return 0
	}
	var seen uint64
	for i, n := range p.counts {
		if seen += n; seen >= rank {
			if upper := p.bounds[i+1]; !math.IsInf(upper, 1) {
				return upper * 1e9
			}
			return p.bounds[i] * 1e9
		}
	}
	return 0
}
