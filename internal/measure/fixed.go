package measure

import (
	"os"
	"runtime"
	"sync"
	"testing"
	"time"
)

// fixed runs c.Ops operations after c.WarmUp others and returns what the
// process spent on them.
func (c Case) fixed(b *testing.B, s Subject) metrics {
	begin := make(chan struct{})
	var warm, worked, ended sync.WaitGroup
	warm.Add(c.Threads)
	worked.Add(c.Threads)
	for i := range c.Threads {
		ended.Go(func() {
			if locked() {
				runtime.LockOSThread()
			}
			body, done := s.Worker()
			body(1 + part(c.WarmUp, i, c.Threads))
			warm.Done()
			<-begin
			body(part(c.Ops, i, c.Threads))
			worked.Done()
			if done != nil {
				done()
			}
		})
	}
	warm.Wait()
	runtime.GC() // every fork's collector begins its cycle with the work

	heap := watchHeap()
	closeWindow := s.openWindow()
	before := readFacts()
	start := time.Now()
	close(begin)
	worked.Wait()
	wall := time.Since(start)
	after := readFacts()
	ops := float64(c.Ops)
	m := metrics{}
	closeWindow(ops, m)
	samples := heap.end()
	ended.Wait()
	if err := writeHeap(os.Getenv("HOTPATH_HEAP"), samples); err != nil {
		b.Fatal(err)
	}

	for unit, v := range after.since(before, ops, wall) {
		m[unit] = v
	}
	after.spent(m, before, wall)
	for _, s := range samples {
		m["peak-heap-B"] = max(m["peak-heap-B"], float64(s.bytes))
	}
	m["ns/op"] = float64(wall) / ops
	m["ops"] = ops
	m["workers-run"] = float64(min(c.Threads, c.Ops))
	return m
}

// part is worker i's share of n operations.
func part(n, i, workers int) int { return n*(i+1)/workers - n*i/workers }
