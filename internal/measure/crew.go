package measure

import (
	"runtime"
	"sync"
	"time"
)

// crew is the workers of a fork.
type crew struct {
	ready, ended sync.WaitGroup
	gate         chan struct{}
	opened       *signal // the gate of workers that have their own threads
}

// muster starts c.Threads workers. Each makes its access to the subject, runs
// its first operations and waits for begin; then it does its work. The workers
// wait asleep: ones that were busy would keep the CPUs from those that have yet
// to start, and hundreds of them would take seconds to gather. Those that have
// their own threads sleep in the kernel, which wakes each for itself; the runtime
// wakes one with the help of another.
func (c Case) muster(s Subject, work func(i int, body func(int))) *crew {
	w := &crew{gate: make(chan struct{}), opened: new(signal)}
	w.ready.Add(c.Threads)
	for i := range c.Threads {
		w.ended.Go(func() {
			if locked() {
				runtime.LockOSThread()
			}
			body, done := s.Worker()
			body(1 + part(c.WarmUp, i, c.Threads))
			w.ready.Done()
			w.await()
			work(i, body)
			if done != nil {
				done()
			}
		})
	}
	w.ready.Wait()
	return w
}

func (w *crew) await() {
	if !locked() {
		<-w.gate
		return
	}
	for w.opened.Load() == 0 {
		pause(time.Millisecond)
	}
}

// begin lets all workers go. What the caller wrote before, they see.
func (w *crew) begin() {
	w.opened.Store(1)
	close(w.gate)
}

// join waits until all have ended their work.
func (w *crew) join() { w.ended.Wait() }

// part is worker i's share of n operations.
func part(n, i, workers int) int { return n*(i+1)/workers - n*i/workers }
