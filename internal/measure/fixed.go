package measure

import (
	"os"
	"runtime"
	"sync"
	"testing"
	"time"

	"hotpath/internal/bench"
)

// fixed runs c.Ops operations after c.WarmUp others and returns what the
// process spent on them.
func (c Case) fixed(b *testing.B, s Subject) metrics {
	var worked sync.WaitGroup
	worked.Add(c.Threads)
	workers := c.muster(s, func(i int, body func(int)) {
		body(part(c.Ops, i, c.Threads))
		worked.Done()
	})
	runtime.GC() // every fork's collector begins its cycle with the work

	heap := watchHeap()
	closeWindow := s.openWindow()
	before := openFacts(c.Threads)
	start := time.Now()
	workers.begin()
	worked.Wait()
	wall := time.Since(start)
	after := closeFacts(c.Threads)
	ops := float64(c.Ops)
	m := metrics{}
	closeWindow(ops, m)
	samples := heap.end()
	workers.join()
	if err := writeHeap(os.Getenv(bench.EnvHeap), samples); err != nil {
		b.Fatal(err)
	}

	for unit, v := range after.since(before, ops, wall) {
		m[unit] = v
	}
	after.spent(m, before, wall)
	for _, s := range samples {
		m[bench.PeakHeap] = max(m[bench.PeakHeap], float64(s.bytes))
	}
	m[bench.TimePerOp] = float64(wall) / ops
	m[bench.Operations] = ops
	m[bench.WorkersRun] = float64(min(c.Threads, c.Ops))
	return m
}
