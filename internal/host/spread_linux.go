package host

import (
	"runtime"
	"slices"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Spread keeps threads that begin to be busy apart. Where all CPUs have been busy
// the kernel looks for an idle one with little zeal: it may wake a thread on the
// CPU of the one that woke it, and leave both there for some milliseconds.
type Spread struct {
	taken []atomic.Bool // by CPU, in the order of ownCPUs
	begun atomic.Bool
}

// NewSpread begins with all CPUs free.
func NewSpread() *Spread { return &Spread{taken: make([]atomic.Bool, len(ownCPUs()))} }

// Clear frees all CPUs; nobody calls Take meanwhile.
func (s *Spread) Clear() {
	s.begun.Store(false)
	for i := range s.taken {
		s.taken[i].Store(false)
	}
}

// Take is called by each goroutine that begins to be busy. The first moves to
// another CPU: threads that it has woken may wait behind it. Any other that runs
// on a CPU which has been taken moves to a free one, if there is one. Each may
// leave its CPU again as the kernel sees fit.
func (s *Spread) Take() {
	cpus := ownCPUs()
	here := slices.Index(cpus, currentCPU())
	first := !s.begun.Swap(true)
	if here >= 0 && !first && s.taken[here].CompareAndSwap(false, true) {
		return
	}
	for i := range cpus {
		next := (here + 1 + i) % len(cpus)
		if s.taken[next].CompareAndSwap(false, true) {
			if next != here {
				move(cpus[next], cpus)
			}
			return
		}
	}
}

// move brings the calling thread to a CPU, and lets it run on all again.
func move(cpu uint64, all []uint64) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var one, every unix.CPUSet
	one.Set(int(cpu))
	for _, c := range all {
		every.Set(int(c))
	}
	if unix.SchedSetaffinity(0, &one) == nil {
		unix.SchedSetaffinity(0, &every)
	}
}

// currentCPU is where the calling thread runs.
func currentCPU() uint64 {
	var cpu uint32
	unix.RawSyscall(unix.SYS_GETCPU, uintptr(unsafe.Pointer(&cpu)), 0, 0)
	return uint64(cpu)
}
