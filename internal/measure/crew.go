package measure

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// crew is the workers of a fork. Between turns they are parked.
type crew struct {
	threads int
	locked  bool
	work    func(i int, body func(int)) // of the turn that is released next; nil ends the crew
	made    sync.WaitGroup
	ended   sync.WaitGroup
	parked  chan struct{} // the last worker of a turn has parked
	running atomic.Int32
	gates   []chan struct{} // one for each worker that has no thread of its own
	ran     []int           // turns in which each worker did something
	turn    word            // the number of the turn, for those that have
}

// muster starts so many workers. Each makes its access to the subject, runs its
// first operations and parks. They gather asleep: ones that were busy would keep
// the CPUs from those that have yet to start, and hundreds of them would take
// seconds.
func muster(threads, warmUp int, s Subject) *crew {
	w := &crew{threads: threads, locked: locked(), parked: make(chan struct{}, 1), ran: make([]int, threads)}
	if !w.locked {
		w.gates = make([]chan struct{}, threads)
		for i := range w.gates {
			w.gates[i] = make(chan struct{}, 1)
		}
	}
	w.made.Add(threads)
	for i := range threads {
		w.ended.Go(func() {
			if w.locked {
				runtime.LockOSThread()
			}
			body, done := s.Worker()
			body(1 + part(warmUp, i, threads))
			w.made.Done()
			for seen := uint32(0); ; {
				seen = w.await(i, seen)
				if w.work == nil {
					break
				}
				w.work(i, body)
				if w.running.Add(-1) == 0 {
					w.parked <- struct{}{}
				}
			}
			if done != nil {
				done()
			}
		})
	}
	w.made.Wait()
	return w
}

// await parks worker i until the turn after the one that it has seen.
func (w *crew) await(i int, seen uint32) uint32 {
	if !w.locked {
		<-w.gates[i]
		return seen
	}
	w.turn.await(seen)
	return seen + 1
}

// run lets all workers do the work, each from its own goroutine, and returns when
// all have parked again. What the caller wrote before, they see. Threads are
// woken all at once, in the order in which they parked, which no two turns share;
// goroutines in an order that is shuffled, but that those come first which had the
// fewest turns: in a short one few get a CPU.
func (w *crew) run(work func(i int, body func(int))) {
	w.work = work
	w.running.Store(int32(w.threads))
	w.release()
	<-w.parked
}

func (w *crew) release() {
	if w.locked {
		w.turn.wakeAll()
		return
	}
	order := rand.Perm(w.threads)
	slices.SortStableFunc(order, func(a, b int) int { return w.ran[a] - w.ran[b] })
	// The runtime begins with the last that is released, on the caller's P, and
	// gives the others' Ps the first.
	for _, i := range append(order[1:], order[0]) {
		w.gates[i] <- struct{}{}
	}
}

// took notes which workers did something in a turn.
func (w *crew) took(ran []bool) {
	for i, did := range ran {
		if did {
			w.ran[i]++
		}
	}
}

// dismiss ends all workers.
func (w *crew) dismiss() {
	w.work = nil
	w.release()
	w.ended.Wait()
}

// part is worker i's share of n operations.
func part(n, i, workers int) int { return n*(i+1)/workers - n*i/workers }
