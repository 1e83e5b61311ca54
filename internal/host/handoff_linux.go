package host

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// A trial of HandOff lets a line change sides so many times.
const (
	trials    = 4
	exchanges = 2000
)

// HandOff is how many nanoseconds a cache line takes from one CPU of this
// process to another and back into use there: the fastest of a few trials
// between the first and the last CPU that it may use. It is -1 where there is
// only one, or where threads cannot be kept on a CPU.
//
// A virtual machine does not tell where its CPUs are. When the hypervisor
// moves two of them onto one core, they share its caches and its execution
// units: what contends gets faster, what computes slower, and no other number
// here shows it.
//
// It takes a few milliseconds of both CPUs, which should be idle otherwise.
func HandOff() float64 {
	cpus := tree("/").allowed()
	if len(cpus) < 2 {
		return unseen
	}
	best := float64(unseen)
	for range trials {
		ns, ok := pingPong(int(cpus[0]), int(cpus[len(cpus)-1]))
		if !ok {
			return unseen
		}
		if best < 0 || ns < best {
			best = ns
		}
	}
	return best
}

// pingPong lets two threads, each on a CPU of its own, take turns at one word.
func pingPong(a, b int) (ns float64, ok bool) {
	var turn struct {
		_ [128]byte
		n atomic.Int64
		_ [128]byte
	}
	var kept atomic.Int32
	var ready, done sync.WaitGroup
	var took time.Duration
	ready.Add(2)
	for side, cpu := range []int{a, b} {
		done.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			var before, set unix.CPUSet
			if unix.SchedGetaffinity(0, &before) == nil {
				defer unix.SchedSetaffinity(0, &before)
				set.Set(cpu)
				if unix.SchedSetaffinity(0, &set) == nil {
					kept.Add(1)
				}
			}
			ready.Done()
			ready.Wait()
			if kept.Load() != 2 {
				return
			}
			start := time.Now()
			for n := int64(side); n < exchanges; n += 2 {
				for turn.n.Load() != n {
				}
				turn.n.Store(n + 1)
			}
			if side == 1 {
				took = time.Since(start)
			}
		})
	}
	done.Wait()
	return float64(took) / exchanges, kept.Load() == 2
}
