package measure

import (
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"hotpath/internal/bench"
)

// timing is what one worker of an open loop writes; nobody else reads it before
// it has parked.
type timing struct {
	response *hdrhistogram.Histogram // from when an operation was to begin
	service  *hdrhistogram.Histogram // from when it did begin
	sum      time.Duration           // of response times
	ops      int64
	last     time.Duration // end of the last operation, since base
}

// openLoop begins so many operations a second, each in its worker's turn. All
// that are to begin within a turn are run and counted, however late: that is what
// a queue does to them.
type openLoop struct {
	interval time.Duration
	timings  []timing
}

func newOpenLoop(threads int, rate float64) *openLoop {
	w := &openLoop{time.Duration(float64(time.Second) / rate), make([]timing, threads)}
	for i := range w.timings {
		w.timings[i].response, w.timings[i].service = newHistogram(), newHistogram()
	}
	return w
}

func (w *openLoop) begin(o bench.Order) *turn {
	for i := range w.timings {
		t := &w.timings[i]
		t.response.Reset()
		t.service.Reset()
		t.sum, t.ops, t.last = 0, 0, 0
	}
	t := newTurn(o, func() []int64 { return nil })
	// The schedule begins when the workers are there to keep it.
	t.opened.at = time.Since(base) + max(o.Lead, time.Millisecond)
	return t
}

func (w *openLoop) do(t *turn, i int, body func(int)) {
	for k := i; k < int(t.order.For/w.interval); k += len(w.timings) {
		w.timings[i].run(body, t.opened.at+time.Duration(k)*w.interval)
	}
}

// run waits until an operation is due, performs it and records both times.
func (t *timing) run(body func(int), due time.Duration) {
	if wait := due - time.Since(base); wait > 0 {
		pause(wait)
	}
	begun := time.Since(base)
	body(1)
	t.last = time.Since(base)
	if err := t.response.RecordValue(int64(t.last - due)); err != nil {
		panic(err)
	}
	if err := t.service.RecordValue(int64(t.last - begun)); err != nil {
		panic(err)
	}
	t.sum += t.last - due
	t.ops++
}

func (w *openLoop) count(t *turn) counted {
	c := counted{ran: make([]bool, len(w.timings)), response: newHistogram(), service: newHistogram()}
	end := t.opened.at
	for i := range w.timings {
		t := &w.timings[i]
		c.ops += t.ops
		c.latency += t.sum
		c.ran[i] = t.ops > 0
		c.response.Merge(t.response)
		c.service.Merge(t.service)
		end = max(end, t.last)
	}
	c.all = c.ops
	c.wall = end - t.opened.at
	return c
}
