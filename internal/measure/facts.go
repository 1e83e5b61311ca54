package measure

import (
	"math"
	"os"
	"runtime/debug"
	gometrics "runtime/metrics"

	"hotpath/internal/bench"
	"hotpath/internal/host"
)

// facts is what the process had used at a moment.
type facts struct {
	user, system float64 // CPU seconds
	bytes        uint64  // allocated
	objects      uint64
	cycles       uint64  // of the collector
	gc           float64 // CPU seconds of the collector
	pauses       *gometrics.Float64Histogram
}

// gcNames are the runtime's metrics that facts reads.
var gcNames = []string{
	"/gc/heap/allocs:bytes",
	"/gc/heap/allocs:objects",
	"/gc/cycles/total:gc-cycles",
	"/cpu/classes/gc/total:cpu-seconds",
	"/sched/pauses/total/gc:seconds",
}

// readFacts takes tens of microseconds. CPU time comes last: reading it for all
// threads takes the longest, and allocates nothing.
func readFacts() facts {
	gc := make([]gometrics.Sample, len(gcNames))
	for i, name := range gcNames {
		gc[i].Name = name
	}
	gometrics.Read(gc)
	f := facts{
		bytes: gc[0].Value.Uint64(), objects: gc[1].Value.Uint64(), cycles: gc[2].Value.Uint64(),
		gc: gc[3].Value.Float64(), pauses: gc[4].Value.Float64Histogram(),
	}
	f.user, f.system = host.CPUTime()
	return f
}

// used is what was used between two moments, or in several such spans.
type used struct {
	user, system, gc       float64 // CPU seconds
	bytes, objects, cycles float64
	pauses                 []uint64  // by length
	bounds                 []float64 // of pauses[i] are bounds[i] and bounds[i+1], in seconds
}

func (f facts) since(before facts) used {
	u := used{
		user: f.user - before.user, system: f.system - before.system, gc: f.gc - before.gc,
		bytes: float64(f.bytes - before.bytes), objects: float64(f.objects - before.objects), cycles: float64(f.cycles - before.cycles),
		pauses: make([]uint64, len(f.pauses.Counts)), bounds: f.pauses.Buckets,
	}
	for i := range u.pauses {
		u.pauses[i] = f.pauses.Counts[i] - before.pauses.Counts[i]
	}
	return u
}

func (u *used) add(more used) {
	u.user, u.system, u.gc = u.user+more.user, u.system+more.system, u.gc+more.gc
	u.bytes, u.objects, u.cycles = u.bytes+more.bytes, u.objects+more.objects, u.cycles+more.cycles
	if u.pauses == nil {
		u.pauses, u.bounds = make([]uint64, len(more.pauses)), more.bounds
	}
	for i, n := range more.pauses {
		u.pauses[i] += n
	}
}

func (u used) cpu() float64 { return u.user + u.system }

// pause is a quantile of the collector's pauses in nanoseconds, the upper bound
// of its bucket; 0 without a pause.
func (u used) pause(q float64) float64 {
	var total uint64
	for _, n := range u.pauses {
		total += n
	}
	rank := uint64(math.Ceil(q * float64(total)))
	if rank == 0 {
		return 0
	}
	var seen uint64
	for i, n := range u.pauses {
		if seen += n; seen >= rank {
			if upper := u.bounds[i+1]; !math.IsInf(upper, 1) {
				return upper * 1e9
			}
			return u.bounds[i] * 1e9
		}
	}
	return 0
}

// collector is the garbage collector of this process, which runs in turns alone.
type collector struct{ percent int }

// pause ends the cycle that is under way, and lets none begin.
func (c *collector) pause() {
	if percent := debug.SetGCPercent(-1); percent >= 0 {
		c.percent = percent
	}
}

// resume lets the collector work with the goal that it had.
func (c *collector) resume() {
	if c.percent > 0 {
		debug.SetGCPercent(c.percent)
	}
}

// Watcher tells what this process uses in each turn, for a server that a
// benchmark's operations run in. The zero value is ready. It is for one goroutine.
type Watcher struct {
	collector collector
	before    facts
}

// Open begins a turn, in which the collector may run.
func (w *Watcher) Open() {
	w.collector.resume()
	w.before = readFacts()
}

// Close ends a turn and the cycle of the collector. It returns sums, each under
// the unit that it becomes per operation.
func (w *Watcher) Close() map[bench.Unit]float64 {
	w.collector.pause()
	u := readFacts().since(w.before)
	return map[bench.Unit]float64{
		bench.ServerCPU:      u.cpu() * 1e9,
		bench.ServerUser:     u.user * 1e9,
		bench.ServerSystem:   u.system * 1e9,
		bench.ServerGCCPU:    u.gc * 1e9,
		bench.ServerBytes:    u.bytes,
		bench.ServerAllocs:   u.objects,
		bench.ServerGCCycles: u.cycles,
	}
}

// Held is what a process says of itself when it is ready: its number, and the
// memory that it holds, and may come to hold when its heap grows to the
// collector's goal.
func Held() bench.Ready {
	heap := []gometrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/gc/heap/goal:bytes"}}
	gometrics.Read(heap)
	r := bench.Ready{Held: host.Resident(), PIDs: []int{os.Getpid()}}
	r.Most = r.Held
	if live, goal := heap[0].Value.Uint64(), heap[1].Value.Uint64(); goal > live && goal < 1<<50 {
		r.Most += int64(goal - live)
	}
	return r
}
