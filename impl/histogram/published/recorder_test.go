package published

import (
	"errors"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"hotpath/impl/histogram"
)

var recorders = []struct {
	name string
	new  func() *Recorder
}{
	{"fixed", func() *Recorder { return NewRecorder(histogram.Range{Lowest: 1, Highest: 100_000, Digits: 2}) }},
	{"auto", func() *Recorder { return NewAutoRecorder(2) }},
}

// Intervals sum up to what was recorded, and nobody writes to one any more when
// it is handed out.
func TestRecorderIntervalsSumUp(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	for _, recorder := range recorders {
		const goroutines, records = 8, 10_000
		r := recorder.new()
		var wg sync.WaitGroup
		var done, complete atomic.Int64
		for range goroutines {
			wg.Go(func() {
				defer done.Add(1)
				for i := range int64(records) {
					if err := r.Record(i); err != nil {
						t.Error(err)
					}
					complete.Add(1)
				}
			})
		}
		var interval, last *RecorderInterval
		first, again := new(histogram.Snapshot), new(histogram.Snapshot)
		var sum int64
		take := func() {
			before := complete.Load()
			recycle := last // a round later, so that two intervals are out at times
			last = interval
			interval = r.Interval(recycle)
			interval.Snapshot(first)
			if sum += first.Count; sum < before {
				t.Fatalf("%s: %d values in intervals, at least %d were recorded", recorder.name, sum, before)
			}
			if last != nil && !last.End.Equal(interval.Start) {
				t.Fatalf("%s: an interval begins %v after the last", recorder.name, interval.Start.Sub(last.End))
			}
			runtime.Gosched()
			if interval.Snapshot(again); !slices.Equal(first.Counts, again.Counts) {
				t.Fatalf("%s: an interval changed after it ended", recorder.name)
			}
		}
		for done.Load() < goroutines {
			take()
		}
		wg.Wait()
		take()
		if sum != goroutines*records {
			t.Errorf("%s: %d values in intervals, want %d", recorder.name, sum, goroutines*records)
		}
	}
}

// An interval is not handed out while a writer still holds it.
func TestRecorderIntervalWaits(t *testing.T) {
	r := recorders[0].new()
	phase := r.phaser.Enter()
	held := r.active.Load()
	ended := make(chan *RecorderInterval)
	go func() { ended <- r.Interval(nil) }()
	for r.active.Load() == held {
		runtime.Gosched()
	}
	for range 1000 {
		runtime.Gosched()
		select {
		case <-ended:
			t.Fatal("Interval returned before the writer left")
		default:
		}
	}
	held.values.Record(7)
	r.phaser.Exit(phase)
	if got := <-ended; got != held || got.Snapshot(nil).Count != 1 {
		t.Error("the interval lacks the value of the writer that held it")
	}
}

func TestRecorderRefuses(t *testing.T) {
	r := recorders[0].new()
	negative, large := r.Record(-1), r.Record(1<<40)
	if !errors.Is(negative, ErrNegative) || !errors.Is(large, ErrTooLarge) {
		t.Errorf("errors %v and %v", negative, large)
	}
	if s := r.Interval(nil).Snapshot(nil); s.Count != 0 || s.Negative != 1 || s.TooLarge != 1 {
		t.Errorf("count %d, %d negative, %d too large", s.Count, s.Negative, s.TooLarge)
	}
	if s := r.Interval(nil).Snapshot(nil); s.Negative != 0 || s.TooLarge != 0 {
		t.Errorf("the next interval has %d negative, %d too large", s.Negative, s.TooLarge)
	}
}

func TestRecorderReset(t *testing.T) {
	r := recorders[1].new()
	r.Record(1)
	r.Reset()
	r.Record(2)
	if s := r.Interval(nil).Snapshot(nil); s.Count != 1 || s.Min != 2 {
		t.Errorf("%d values from %d after a reset, want 1 from 2", s.Count, s.Min)
	}
}

func TestRecorderRecycles(t *testing.T) {
	panics := func(f func()) (panicked bool) {
		defer func() { panicked = recover() != nil }()
		f()
		return
	}
	r, other := recorders[0].new(), recorders[0].new()
	r.Record(1)
	used := r.Interval(nil)
	if !panics(func() { other.Interval(used) }) {
		t.Error("an interval of another recorder was taken")
	}
	if next := r.Interval(used); next == used || next.Snapshot(nil).Count != 0 {
		t.Error("a recycled interval was handed out at once, or not the empty one")
	}
	if !panics(func() { r.Interval(used) }) {
		t.Error("an interval was taken twice")
	}
	r.Record(2)
	if got := r.Interval(nil); got != used || got.Snapshot(nil).Count != 1 {
		t.Error("the recycled interval is not used, or not empty")
	}
}
