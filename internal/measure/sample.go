package measure

import (
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"hotpath/internal/bench"
)

// Latencies are recorded in nanoseconds, from one to an hour, to three
// significant digits.
const (
	lowest  = 1
	highest = int64(time.Hour)
	digits  = 3
)

func newHistogram() *hdrhistogram.Histogram { return hdrhistogram.New(lowest, highest, digits) }

// recorder is what one worker writes; nobody else reads it before it has parked.
type recorder struct {
	hist *hdrhistogram.Histogram
	sum  time.Duration
	ops  int64 // that count
	all  int64
	_    [128]byte
}

// sampling times every operation.
type sampling struct{ recorders []recorder }

func newSampling(threads int) *sampling {
	w := &sampling{make([]recorder, threads)}
	for i := range w.recorders {
		w.recorders[i].hist = newHistogram()
	}
	return w
}

func (w *sampling) begin(o bench.Order) *turn {
	for i := range w.recorders {
		r := &w.recorders[i]
		if r.ops > 0 {
			r.hist.Reset()
		}
		r.sum, r.ops, r.all = 0, 0, 0
	}
	// The edges need times alone: each recorder knows what it has counted.
	return newTurn(o, func() []int64 { return nil })
}

func (w *sampling) do(t *turn, i int, body func(int)) {
	r := &w.recorders[i]
	for {
		start := time.Since(base)
		body(1)
		end := time.Since(base)
		r.all++
		switch t.phase.Load() {
		case over:
			return
		case counting:
			r.record(end - start)
		}
		t.look(end)
	}
}

// record panics where a latency is out of range: a sample that is dropped in
// silence would make the mean and the quantiles disagree.
func (r *recorder) record(latency time.Duration) {
	if err := r.hist.RecordValue(int64(latency)); err != nil {
		panic(err)
	}
	r.sum += latency
	r.ops++
}

func (w *sampling) count(t *turn) counted {
	c := counted{wall: t.closed.at - t.opened.at, ran: make([]bool, len(w.recorders)), response: newHistogram()}
	for i := range w.recorders {
		r := &w.recorders[i]
		c.all += r.all
		if r.ops == 0 {
			continue
		}
		c.ops += r.ops
		c.latency += r.sum
		c.ran[i] = true
		c.response.Merge(r.hist)
	}
	return c
}
