package measure

import (
	"fmt"
	"maps"
	"os"
	"sync"
	"testing"
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

// base makes a clock read one call: time.Since of a fixed time reads the
// monotonic clock alone.
var base = time.Now()

// Phases of a sampled fork.
const (
	warming int32 = iota
	recording
	over
)

// recorder is what one worker writes; nobody else reads it before the join.
type recorder struct {
	hist    *hdrhistogram.Histogram
	sum     time.Duration
	ops     int64
	dropped int64
	byThird [3]int64
	_       [128]byte
}

// sample times every operation for d and returns the distribution.
func (c Case) sample(b *testing.B, s Subject, d time.Duration) metrics {
	recorders := make([]recorder, c.Threads)
	phase, third := new(signal), new(signal)
	for i := range recorders {
		recorders[i].hist = hdrhistogram.New(lowest, highest, digits)
	}
	var running sync.WaitGroup
	running.Add(c.Threads)
	workers := c.muster(s, func(i int, body func(int)) {
		body(1)
		running.Done()
		recorders[i].run(body, phase, third)
	})
	workers.begin()
	running.Wait()
	wait(warmUp(d))

	closeWindow := s.openWindow()
	before := openFacts(c.Threads)
	wallStart := time.Now()
	phase.Store(recording)
	for i := range int32(3) {
		third.Store(i)
		wait(time.Until(wallStart.Add(time.Duration(i+1) * d / 3)))
	}
	phase.Store(over)
	window := time.Since(wallStart)
	after := closeFacts(c.Threads)
	wallEnd := time.Now()
	workers.join()
	m := metrics{}
	closeWindow(float64(recorded(recorders)), m)

	merged := hdrhistogram.New(lowest, highest, digits)
	var sum time.Duration
	var dropped int64
	ops := recorded(recorders)
	var byThird [3]int64
	ran := 0
	for i := range recorders {
		r := &recorders[i]
		dropped += r.dropped + merged.Merge(r.hist)
		sum += r.sum
		if r.ops > 0 {
			ran++
		}
		for t, n := range r.byThird {
			byThird[t] += n
		}
	}
	if merged.TotalCount() != ops || dropped != 0 {
		b.Fatalf("%s: %d operations, %d samples, %d dropped", c.Name, ops, merged.TotalCount(), dropped)
	}
	if err := writeHlog(os.Getenv(bench.EnvHlog), merged, wallStart, wallEnd); err != nil {
		b.Fatal(err)
	}

	maps.Copy(m, after.since(before, float64(ops), window))
	m[bench.MeanLatency] = float64(sum) / float64(ops)
	m.addQuantiles(bench.Latency, merged)
	m[bench.Operations] = float64(ops)
	m[bench.WorkersRun] = float64(ran)
	if byThird[0] > 0 {
		m[bench.Trend] = float64(byThird[2]) / float64(byThird[0])
	}
	return m
}

// recorded is the operations of all workers.
func recorded(recorders []recorder) int64 {
	var ops int64
	for i := range recorders {
		ops += recorders[i].ops
	}
	return ops
}

// addQuantiles takes the quantiles of a distribution of nanoseconds. One with
// fewer than ten samples above it says more about luck.
func (m metrics) addQuantiles(unit func(percentile float64) bench.Unit, h *hdrhistogram.Histogram) {
	for _, p := range bench.Percentiles {
		if float64(h.TotalCount())*(1-p/100) >= 10 {
			m[unit(p)] = float64(h.ValueAtQuantile(p))
		}
	}
}

// run performs and times operations until the phase is over; those of the
// recording phase count.
func (r *recorder) run(body func(int), phase, third *signal) {
	for {
		p := phase.Load()
		if p == over {
			return
		}
		t0 := time.Since(base)
		body(1)
		t := time.Since(base) - t0
		if p != recording {
			continue
		}
		if r.hist.RecordValue(int64(t)) != nil {
			r.dropped++
		}
		r.sum += t
		r.ops++
		r.byThird[third.Load()]++
	}
}

// writeHlog writes the histogram as an HdrHistogram log of one interval.
func writeHlog(path string, h *hdrhistogram.Histogram, start, end time.Time) error {
	if path == "" {
		return nil
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	h.SetStartTimeMs(start.UnixMilli())
	h.SetEndTimeMs(end.UnixMilli())
	w := hdrhistogram.NewHistogramLogWriter(f)
	for _, write := range []func() error{
		w.OutputLogFormatVersion,
		w.OutputLegend,
		func() error { return w.OutputIntervalHistogram(h) },
		f.Sync,
	} {
		if err := write(); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return nil
}
