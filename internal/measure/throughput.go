package measure

import (
	"maps"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"hotpath/internal/bench"
)

// windowParts is how many equal parts of the window the trend is read from.
const windowParts = 6

// signal is a number that all workers look at, alone on its cache lines: next
// to a counter it would make each add to it a miss for everybody.
type signal struct {
	_ [128]byte
	atomic.Int32
	_ [128]byte
}

// tally is one worker's count of operations, alone on its cache lines: the
// clock reads it while the worker runs.
type tally struct {
	_   [128]byte
	ops atomic.Int64
	_   [128]byte
}

// throughput runs the workers for d and returns what an operation cost.
func (c Case) throughput(s Subject, d time.Duration) metrics {
	tallies := make([]tally, c.Threads)
	stop := new(signal)
	var running sync.WaitGroup
	running.Add(c.Threads)
	yield := c.Yield && !locked()
	workers := c.muster(s, func(i int, body func(int)) {
		t := &tallies[i]
		for n := int64(0); stop.Load() == 0; {
			body(c.Batch)
			if n == 0 {
				running.Done()
			}
			n += int64(c.Batch)
			t.ops.Store(n)
			if yield {
				runtime.Gosched()
			}
		}
	})
	workers.begin()
	running.Wait()
	wait(warmUp(d))

	first := make([]int64, c.Threads)
	for i := range tallies {
		first[i] = tallies[i].ops.Load()
	}
	closeWindow := s.openWindow()
	before := openFacts(c.Threads)
	marks := []mark{take(tallies)}
	for range windowParts {
		wait(time.Until(marks[0].at.Add(time.Duration(len(marks)) * d / windowParts)))
		marks = append(marks, take(tallies))
	}
	after := closeFacts(c.Threads)
	m := metrics{}
	ops := float64(marks[len(marks)-1].ops - marks[0].ops)
	closeWindow(ops, m)
	ran := 0
	for i := range tallies {
		if tallies[i].ops.Load() > first[i] {
			ran++
		}
	}
	stop.Store(1)
	workers.join()

	start, end := marks[0], marks[len(marks)-1]
	maps.Copy(m, after.since(before, ops, end.at.Sub(start.at)))
	m[bench.TimePerOp] = float64(end.at.Sub(start.at)) / ops
	m[bench.Operations] = ops
	m[bench.WorkersRun] = float64(ran)
	m[bench.Trend] = trend(marks)
	return m
}

// mark is the sum of all tallies at a moment.
type mark struct {
	at  time.Time
	ops int64
}

func take(tallies []tally) mark {
	m := mark{at: time.Now()}
	for i := range tallies {
		m.ops += tallies[i].ops.Load()
	}
	return m
}

// trend is the throughput of the last third of the window over that of the
// first: 1 in a steady state. 0 means that the first third saw no operation.
func trend(marks []mark) float64 {
	rate := func(a, b mark) float64 { return float64(b.ops-a.ops) / float64(b.at.Sub(a.at)) }
	third := len(marks) / 3
	first := rate(marks[0], marks[third])
	if first == 0 {
		return 0
	}
	return rate(marks[len(marks)-1-third], marks[len(marks)-1]) / first
}
