package measure

import (
	"os"
	"sync"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"hotpath/internal/bench"
)

// timing is what one worker of an open loop writes; nobody else reads it before
// the join.
type timing struct {
	response *hdrhistogram.Histogram // from when an operation was to begin
	service  *hdrhistogram.Histogram // from when it did begin
	sum      time.Duration           // of response times
	ops      int64
	dropped  int64
	last     time.Time // end of the last operation
}

// open begins c.Rate operations a second for d, each in its worker's turn, and
// returns both distributions of latency. All that were to begin within d are
// run and counted, however late: that is what a queue does to them.
func (c Case) open(b *testing.B, s Subject, d time.Duration) metrics {
	timings := make([]timing, c.Threads)
	interval := time.Duration(float64(time.Second) / c.Rate)
	total := int(d / interval)
	var start time.Time
	var worked sync.WaitGroup
	worked.Add(c.Threads)
	for i := range timings {
		timings[i].response = hdrhistogram.New(lowest, highest, digits)
		timings[i].service = hdrhistogram.New(lowest, highest, digits)
	}
	workers := c.muster(s, func(i int, body func(int)) {
		for k := i; k < total; k += c.Threads {
			timings[i].run(body, start.Add(time.Duration(k)*interval))
		}
		worked.Done()
	})

	closeWindow := s.openWindow()
	before := openFacts(c.Threads)
	start = time.Now()
	workers.begin()
	worked.Wait()
	after := closeFacts(c.Threads)
	m := metrics{}
	closeWindow(float64(total), m)
	workers.join()

	response, service := hdrhistogram.New(lowest, highest, digits), hdrhistogram.New(lowest, highest, digits)
	var sum time.Duration
	var ops, dropped int64
	ran := 0
	last := start
	for i := range timings {
		t := &timings[i]
		dropped += t.dropped + response.Merge(t.response) + service.Merge(t.service)
		sum += t.sum
		ops += t.ops
		if t.ops > 0 {
			ran++
		}
		if t.last.After(last) {
			last = t.last
		}
	}
	if response.TotalCount() != ops || dropped != 0 || ops != int64(total) {
		b.Fatalf("%s: %d operations of %d, %d samples, %d dropped", c.Name, ops, total, response.TotalCount(), dropped)
	}
	if err := writeHlog(os.Getenv(bench.EnvHlog), response, start, last); err != nil {
		b.Fatal(err)
	}
	for unit, v := range after.since(before, float64(ops), last.Sub(start)) {
		m[unit] = v
	}
	m[bench.MeanLatency] = float64(sum) / float64(ops)
	m.addQuantiles(bench.Latency, response)
	m.addQuantiles(bench.Service, service)
	m[bench.AchievedRate] = float64(ops) / last.Sub(start).Seconds()
	m[bench.Operations] = float64(ops)
	m[bench.WorkersRun] = float64(ran)
	return m
}

// run waits until an operation is due, performs it and records both times.
func (t *timing) run(body func(int), due time.Time) {
	if wait := time.Until(due); wait > 0 {
		pause(wait)
	}
	begun := time.Now()
	body(1)
	t.last = time.Now()
	response := t.last.Sub(due)
	if t.response.RecordValue(int64(response)) != nil || t.service.RecordValue(int64(t.last.Sub(begun))) != nil {
		t.dropped++
	}
	t.sum += response
	t.ops++
}
