package host

import (
	"runtime"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

// Each CPU is taken once, by whoever comes first, and the threads may run on all
// CPUs afterwards. They are asked themselves: what the process tells is its first
// thread's, which a prober before may have kept.
func TestSpread(t *testing.T) {
	s := NewSpread(runtime.NumCPU())
	for range 50 {
		s.Clear()
		var working sync.WaitGroup
		for range 3 * len(s.taken) {
			working.Go(func() {
				runtime.LockOSThread()
				defer runtime.UnlockOSThread()
				var before, after unix.CPUSet
				unix.SchedGetaffinity(0, &before)
				s.Take()
				unix.SchedGetaffinity(0, &after)
				if before.Count() == len(ownCPUs()) && before != after {
					t.Errorf("a thread may run on %d CPUs, want %d", after.Count(), before.Count())
				}
			})
		}
		working.Wait()
		for i := range s.taken {
			if !s.taken[i].Load() {
				t.Fatalf("CPU %d is free after %d goroutines", i, 3*len(s.taken))
			}
		}
	}
}
