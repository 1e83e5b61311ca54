package measure

import (
	"runtime"
	"sync/atomic"
	"time"

	"hotpath/internal/bench"
	"hotpath/internal/host"
)

// tally is one worker's count of operations in a turn, alone on its cache lines:
// others read it while the worker runs.
type tally struct {
	_   [128]byte
	ops atomic.Int64
	_   [128]byte
}

func took(tallies []tally) []int64 {
	ops := make([]int64, len(tallies))
	for i := range tallies {
		ops[i] = tallies[i].ops.Load()
	}
	return ops
}

// throughput runs batches of operations, without a clock around them.
type throughput struct {
	tallies []tally
	batch   int
	yield   bool
	spread  *host.Spread // of workers that fill the CPUs and have no threads of their own; else nil
}

// A worker looks at the clock about every so often: a reading costs as much as
// some operations do, and what is counted is right to about a batch.
const (
	lookAgain = 20 * time.Microsecond
	lookOften = 100 * time.Microsecond
	maxStride = 1 << 12
)

func (w *throughput) begin(o bench.Order) *turn {
	for i := range w.tallies {
		w.tallies[i].ops.Store(0)
	}
	if w.spread != nil {
		w.spread.Clear()
	}
	return newTurn(o, func() []int64 { return took(w.tallies) })
}

func (w *throughput) do(t *turn, i int, body func(int)) {
	if w.spread != nil {
		w.spread.Take()
	}
	mine := &w.tallies[i]
	stride := 1 // batches between two looks at the clock
	last := time.Since(base)
	for n := int64(0); ; {
		for range stride {
			if t.phase.Load() == over {
				return
			}
			body(w.batch)
			n += int64(w.batch)
			mine.ops.Store(n)
			if w.yield {
				runtime.Gosched()
			}
		}
		now := time.Since(base)
		t.look(now)
		switch passed := now - last; {
		case passed < lookAgain && stride < maxStride:
			stride *= 2
		case passed > lookOften && stride > 1:
			stride /= 2
		}
		last = now
	}
}

func (w *throughput) count(t *turn) counted {
	c := t.between()
	for _, n := range took(w.tallies) {
		c.all += n
	}
	return c
}
