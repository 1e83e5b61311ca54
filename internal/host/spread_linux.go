package host

import (
	"runtime"
	"slices"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Spread keeps threads that begin to be busy apart. Where all CPUs have been busy
// the kernel looks for an idle one with little zeal: it may wake a thread on the
// CPU of the one that woke it, and leave both there for some milliseconds.
type Spread struct {
	wanted int
	taken  []atomic.Bool // by CPU, in the order of ownCPUs
	free   atomic.Int32  // how many are still to be taken
}

// NewSpread is for so many threads at once, or for one on each CPU where that is
// less. It begins with all CPUs free.
func NewSpread(threads int) *Spread {
	s := &Spread{wanted: min(threads, len(ownCPUs())), taken: make([]atomic.Bool, len(ownCPUs()))}
	s.Clear()
	return s
}

// Clear frees all CPUs; nobody calls Take meanwhile.
func (s *Spread) Clear() {
	s.free.Store(int32(s.wanted))
	for i := range s.taken {
		s.taken[i].Store(false)
	}
}

// Take is called by each goroutine that begins to be busy. It takes the CPU that it
// runs on, or a free one, and stays there until all CPUs are taken: the kernel may
// otherwise bring one thread to where another is on its way. If the others do not
// come, one may be waiting behind this thread, which so takes another CPU. After
// that each may leave its CPU again as the kernel sees fit.
func (s *Spread) Take() {
	if s.free.Load() <= 0 {
		return
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	cpus := ownCPUs()
	here := s.take(slices.Index(cpus, currentCPU()))
	for range spreadTries {
		for since := time.Now(); s.free.Load() > 0 && time.Since(since) < spreadWait; {
		}
		if here < 0 || s.free.Load() <= 0 {
			break
		}
		s.taken[here].Store(false) // for the one that waits behind
		s.free.Add(1)
		here = s.take((here + 1) % len(cpus))
	}
	stay(cpus)
}

// take takes the first CPU that is free, from the one on, and moves the calling
// thread there. It returns which, or -1 where none is free.
func (s *Spread) take(from int) int {
	cpus := ownCPUs()
	for i := range cpus {
		next := (max(from, 0) + i) % len(cpus)
		if s.taken[next].CompareAndSwap(false, true) {
			stay(cpus[next : next+1])
			s.free.Add(-1)
			return next
		}
	}
	return -1
}

// stay lets the calling thread run on these CPUs alone, and moves it if need be.
func stay(cpus []uint64) {
	var set unix.CPUSet
	for _, cpu := range cpus {
		set.Set(int(cpu))
	}
	unix.SchedSetaffinity(0, &set)
}

// A thread is woken within some tens of microseconds.
const (
	spreadWait  = 100 * time.Microsecond
	spreadTries = 4
)

// currentCPU is where the calling thread runs.
func currentCPU() uint64 {
	var cpu uint32
	unix.RawSyscall(unix.SYS_GETCPU, uintptr(unsafe.Pointer(&cpu)), 0, 0)
	return uint64(cpu)
}
