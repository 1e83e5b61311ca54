package measure

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"hotpath/internal/bench"
	"hotpath/internal/host"
)

// base makes a clock read one call: time.Since of a fixed time reads the
// monotonic clock alone.
var base = time.Now()

// Phases of a turn.
const (
	leading int32 = iota
	counting
	over
)

// turn is what the workers of a turn share.
type turn struct {
	order bench.Order

	// Read by all workers all the time, so alone on their cache lines: next to a
	// counter they would make each add to it a miss for everybody.
	_     [128]byte
	phase atomic.Int32
	edge  atomic.Int64 // when the phase is to change, in ns since base
	_     [128]byte

	changing       sync.Mutex // held by the worker that changes the phase
	took           func() []int64
	opened, closed mark
}

// mark is what had been done at an edge of what is counted.
type mark struct {
	at  time.Duration // since base
	ops []int64       // by worker
}

// newTurn begins a turn. took returns how many operations each worker has ended
// in it so far, and may be called while they run.
func newTurn(o bench.Order, took func() []int64) *turn {
	t := &turn{order: o, took: took}
	t.edge.Store(int64(time.Since(base) + o.Lead))
	return t
}

// look changes the phase if it is time. Workers call it every now and then, and
// one of them does it.
func (t *turn) look(now time.Duration) {
	if int64(now) < t.edge.Load() || !t.changing.TryLock() {
		return
	}
	defer t.changing.Unlock()
	if int64(now) < t.edge.Load() {
		return
	}
	switch t.phase.Load() {
	case leading:
		t.open()
		t.edge.Store(int64(t.opened.at + t.order.For))
		t.phase.Store(counting)
	case counting:
		t.close()
		t.phase.Store(over)
	}
}

func (t *turn) open()      { t.opened = t.mark() }
func (t *turn) close()     { t.closed = t.mark() }
func (t *turn) mark() mark { return mark{time.Since(base), t.took()} }

// counted is what a turn measured.
type counted struct {
	ops     int64 // that count
	all     int64 // of the whole turn
	wall    time.Duration
	latency time.Duration // sum
	ran     []bool        // by worker: it ran in what is counted
	// The distributions of latency, where operations are timed: from when each was
	// to begin, and in an open loop from when it did begin.
	response, service *hdrhistogram.Histogram
}

// between is what was counted between the edges of a turn.
func (t *turn) between() counted {
	c := counted{wall: t.closed.at - t.opened.at, ran: make([]bool, len(t.closed.ops))}
	for i, n := range t.closed.ops {
		c.ops += n - t.opened.ops[i]
		c.ran[i] = n > t.opened.ops[i]
	}
	return c
}

// workers is how many ran.
func (c counted) workers() int {
	n := 0
	for _, ran := range c.ran {
		if ran {
			n++
		}
	}
	return n
}

// work is how the workers of a mode spend a turn.
type work interface {
	// begin makes a turn, whose workers are released next.
	begin(o bench.Order) *turn
	// do is worker i's part of a turn.
	do(t *turn, i int, body func(int))
	// count returns what was counted in a turn whose workers have parked.
	count(t *turn) counted
}

func (c Case) newWork() work {
	switch c.Mode {
	case bench.Throughput:
		w := &throughput{tallies: make([]tally, c.Threads), batch: c.Batch, yield: c.Yield && !locked()}
		if c.Threads > 1 && !c.Parks && !locked() {
			w.spread = host.NewSpread(min(c.Threads, runtime.GOMAXPROCS(0)))
		}
		return w
	case bench.Sample:
		return newSampling(c.Threads)
	case bench.Fixed:
		return &fixed{threads: c.Threads}
	case bench.Open:
		return newOpenLoop(c.Threads, c.Rate)
	}
	return nil
}
