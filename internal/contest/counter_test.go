package contest

import (
	"runtime"
	"sync/atomic"
	"testing"
)

func TestCountersInline(t *testing.T) {
	for _, c := range Counters {
		t.Run(c.Name, func(t *testing.T) { TestInlining(t, c.New, c.Called) })
	}
}

// A counter with a fault must not pass: the faults are those that the suite is
// there to find.
func TestFaultyCountersFail(t *testing.T) {
	var lossy, late, early, sinking atomic.Int64
	var reads int64 // only the watching goroutine reads
	faults := map[string]struct {
		n     *atomic.Int64
		add   func(delta int64)
		value func() int64
	}{
		"loses updates": {&lossy, func(d int64) {
			n := lossy.Load()
			if n%4096 == 0 {
				runtime.Gosched() // or a single CPU would hardly ever lose one
			}
			lossy.Store(n + d)
		}, lossy.Load},
		"reads late":  {&late, func(d int64) { late.Add(d) }, func() int64 { return late.Load() - 1 }},
		"reads early": {&early, func(d int64) { early.Add(d) }, func() int64 { return early.Load() + 64*64*8 }},
		"sinks": {&sinking, func(d int64) { sinking.Add(d) }, func() int64 {
			reads++
			return sinking.Load() - reads%2
		}},
	}
	for name, f := range faults {
		t.Run(name, func(t *testing.T) {
			s := Subject{
				Worker: shared(func(n int) {
					for range n {
						f.add(1)
					}
				}, f.add),
				Value: f.value,
			}
			_, _, err := hammer(s, 64, 20_000)
			if err == nil {
				t.Fatal("passed")
			}
			t.Log(err)
		})
	}
}
