package host

import (
	"runtime"
	"sort"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"hotpath/internal/bench"
)

// A probe lets threads spin for some slices of time, and then a cache line change
// sides so often, some times over.
const (
	settle      = 2000 * time.Microsecond // after which Go's own monitor, which wakes every 20 us at first, has calmed down
	probeSlice  = 100 * time.Microsecond
	probeSlices = 7
	trials      = 3
	exchanges   = 1000
)

// What has just been stopped may run for a moment yet, and an interrupt come; a CPU
// that somebody else has is gone the next time as well. So a probe that did not get
// all CPUs is made again.
const (
	probeTries = 3
	enough     = 0.97
)

// Prober has a thread on each CPU that this process may use, which sleeps until
// it is to probe. It is for one goroutine.
type Prober struct {
	cpus  int
	start []chan struct{}
	done  sync.WaitGroup
	kept  atomic.Int32 // threads that could be kept on their CPU
	spun  atomic.Int32 // threads that have begun to spin
	got   []float64    // CPU time over wall time, by thread
	line  struct {
		_ [128]byte
		n atomic.Int64
		_ [128]byte
	}
	took [trials]time.Duration
}

// NewProber starts the threads. Close ends them.
func NewProber() *Prober {
	allowed := ownCPUs()
	p := &Prober{cpus: len(allowed), got: make([]float64, len(allowed))}
	var started sync.WaitGroup
	for i, cpu := range allowed {
		start := make(chan struct{})
		p.start = append(p.start, start)
		started.Add(1)
		go func() {
			runtime.LockOSThread() // and end the thread with the goroutine: its affinity is of no use to others
			var set unix.CPUSet
			set.Set(int(cpu))
			if unix.SchedSetaffinity(0, &set) == nil {
				p.kept.Add(1)
			}
			started.Done()
			for range start {
				p.spin(i)
				p.exchange(i)
				p.done.Done()
			}
		}()
	}
	started.Wait()
	return p
}

// Close ends the threads.
func (p *Prober) Close() {
	for _, start := range p.start {
		close(start)
	}
}

// Probe takes all CPUs for two to three milliseconds, in which nothing else should
// run. Got is how many CPUs the threads got while all of them spun, the most of a few
// tries, and HandOff
// how long a cache line takes from the first CPU to the last and back into use
// there, the fastest of a few trials.
//
// A virtual machine does not tell where its CPUs are. When the hypervisor moves
// two of them onto one core, they share its caches and its execution units: what
// contends gets faster, what computes slower, and no other number shows it.
func (p *Prober) Probe() bench.Probe {
	if int(p.kept.Load()) != p.cpus || p.cpus == 0 {
		return bench.Probe{HandOff: unseen, Got: unseen}
	}
	probe := bench.Probe{HandOff: unseen}
	for range probeTries {
		p.spun.Store(0)
		p.line.n.Store(0)
		p.done.Add(p.cpus)
		for _, start := range p.start {
			start <- struct{}{}
		}
		p.done.Wait()
		got := 0.0
		for _, share := range p.got {
			got += share
		}
		if probe.Got = max(probe.Got, got); probe.Got > enough*float64(p.cpus) {
			break
		}
	}
	if p.cpus > 1 {
		best := p.took[0]
		for _, took := range p.took {
			best = min(best, took)
		}
		probe.HandOff = float64(best.Nanoseconds()) / exchanges
	}
	return probe
}

// spin waits for the other threads, so that all CPUs are busy, and then tells how
// much of its CPU it got: in the middle of some slices, since an interrupt takes
// most of one and means nothing.
func (p *Prober) spin(i int) {
	p.spun.Add(1)
	for limit := time.Now().Add(10 * probeSlices * probeSlice); int(p.spun.Load()) < p.cpus && time.Now().Before(limit); {
	}
	for settled := time.Now().Add(settle); time.Now().Before(settled); {
	}
	var shares [probeSlices]float64
	for s := range shares {
		start, cpu := time.Now(), threadCPU()
		for time.Since(start) < probeSlice {
		}
		shares[s] = min(1, float64(threadCPU()-cpu)/float64(time.Since(start)))
	}
	sort.Float64s(shares[:])
	p.got[i] = shares[probeSlices/2]
}

// exchange lets the line change sides between the first thread and the last.
func (p *Prober) exchange(i int) {
	if p.cpus < 2 || i != 0 && i != p.cpus-1 {
		return
	}
	side := int64(0)
	if i > 0 {
		side = 1
	}
	for trial := range int64(trials) {
		start := time.Now()
		for n := trial*exchanges + side; n < (trial+1)*exchanges; n += 2 {
			for p.line.n.Load() != n {
			}
			p.line.n.Store(n + 1)
		}
		if side == 1 {
			p.took[trial] = time.Since(start)
		}
	}
}

// threadCPU is the CPU time of the calling thread.
func threadCPU() time.Duration {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t) != nil {
		return 0
	}
	return time.Duration(t.Nano())
}

// ProcessCPU is the CPU time that a process has used in all its threads, in
// seconds. It reports false where there is no such process.
func ProcessCPU(pid int) (float64, bool) {
	// The clock of another process, as clock_getcpuclockid names it.
	var t unix.Timespec
	if unix.ClockGettime(int32(^pid<<3|schedulerClock), &t) != nil {
		return 0, false
	}
	return float64(t.Nano()) / 1e9, true
}
