package contest

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
)

// TestHistogram checks that a contestant loses no update, and that its quantiles
// are as near as it states. The floor, which is no histogram, passes.
func TestHistogram(t *testing.T, c Histogram) {
	if c.New(1).Count == nil {
		return
	}
	t.Run("exact", func(t *testing.T) {
		const workers = 16
		updates := operations(t, workers*1000*Updates)
		made, changed, err := hammerHistograms(c.New(hammered), workers, updates/Updates/workers)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%d updates, GOMAXPROCS changed %d times, 0 lost", made, changed)
	})
	t.Run("quantiles", func(t *testing.T) {
		if err := checkQuantiles(c.New(2), c.Error); err != nil {
			t.Error(err)
		}
	})
}

// hammered is how many histograms the workers share: so few that they meet.
const hammered = 3

// recordings are what one worker has begun and completed, for each histogram.
type recordings [hammered]progress

// hammerHistograms lets workers make at least minOps operations each, until
// GOMAXPROCS has changed often enough, while the garbage collector runs and all
// histograms are read. Reads must stay within what is complete and what has
// begun, must not decrease, and must be exact in the end. It returns the number
// of updates and how often GOMAXPROCS changed.
func hammerHistograms(s HistogramSubject, workers, minOps int) (updates, changed int64, err error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	if s.Interval != nil {
		for i := range hammered {
			s.Interval(i) // the readers begin with empty histograms
		}
	}
	const enough, batch = 50, 8
	var made, changes atomic.Int64
	var working, others sync.WaitGroup
	all := make([]recordings, workers)
	for i := range all {
		working.Go(func() {
			w, l := s.Worker(), NewLoad(uint64(i), hammered)
			for ops := 0; ops < minOps || changes.Load() < enough; ops += batch {
				all[i].record(w, l, batch, ops/batch%2 == 0)
				made.Add(batch * Updates)
				runtime.Gosched()
			}
			if w.Done != nil {
				w.Done()
			}
		})
	}
	stop := make(chan struct{})
	others.Go(func() { churn(&changes, stop) })
	var intervals [hammered]int64
	others.Go(func() { intervals, err = watchHistograms(s, all, stop) })
	working.Wait()
	close(stop)
	others.Wait()

	for i := range hammered {
		want := recorded(all, i, complete)
		if got := s.Count(i); err == nil && got != want {
			err = fmt.Errorf("histogram %d counts %d after %d updates: %d off", i, got, want, got-want)
		}
		if s.Interval == nil {
			continue
		}
		if got := intervals[i] + s.Interval(i); err == nil && got != want {
			err = fmt.Errorf("the intervals of histogram %d count %d after %d updates: %d off", i, got, want, got-want)
		}
	}
	return made.Load(), changes.Load(), err
}

// record makes ops operations, in the measured loop or one update at a time.
// What they update is known before, because a load can be copied.
func (r *recordings) record(w HistogramWorker, l *Load, ops int, loop bool) {
	ahead := *l
	var drawn [hammered]int64
	for range ops * Updates {
		i, _ := ahead.Next()
		drawn[i]++
	}
	for i, n := range drawn {
		r[i].begun.Add(n)
	}
	if loop {
		w.Loop(l, ops)
	} else {
		for range ops * Updates {
			w.Record(l.Next())
		}
	}
	for i, n := range drawn {
		r[i].complete.Add(n)
	}
}

// watchHistograms reads until stop, as watch does for a counter. It returns the
// sums of all intervals.
func watchHistograms(s HistogramSubject, all []recordings, stop <-chan struct{}) (intervals [hammered]int64, err error) {
	var last [hammered]int64
	for {
		for i := range hammered {
			select {
			case <-stop:
				return intervals, nil
			default:
			}
			low := recorded(all, i, complete)
			n := s.Count(i)
			high := recorded(all, i, begun)
			switch {
			case n < low || n > high:
				return intervals, fmt.Errorf("histogram %d counts %d with %d complete and %d begun", i, n, low, high)
			case n < last[i]:
				return intervals, fmt.Errorf("histogram %d counts %d after a reader saw %d", i, n, last[i])
			}
			last[i] = n
			if s.Interval != nil {
				intervals[i] += s.Interval(i)
			}
			runtime.Gosched()
		}
		s.Snapshot()
	}
}

func recorded(all []recordings, i int, of func(*progress) int64) int64 {
	var sum int64
	for w := range all {
		sum += of(&all[w][i])
	}
	return sum
}

// checkQuantiles records known values from several goroutines and compares
// quantiles of the last histogram with the values of their ranks. Definitions of
// a quantile differ by one rank to each side. Without a stated error, a quantile
// must still lie between the extremes, and not below one of a smaller part.
func checkQuantiles(s HistogramSubject, stated float64) error {
	const workers, values = 8, 25_000
	var all [workers][]float64
	var working sync.WaitGroup
	for i := range all {
		working.Go(func() {
			w, l := s.Worker(), NewLoad(uint64(i), 1)
			for range values {
				_, v := l.Next()
				w.Record(1, v)
				all[i] = append(all[i], float64(v))
			}
			if w.Done != nil {
				w.Done()
			}
		})
	}
	working.Wait()
	exact := slices.Concat(all[:]...)
	slices.Sort(exact)

	last := 0.0
	for _, q := range []float64{0.01, 0.1, 0.5, 0.9, 0.99, 0.999, 0.9999} {
		rank := int(math.Ceil(q * float64(len(exact))))
		low, high := exact[0], exact[len(exact)-1]
		if stated > 0 {
			low, high = exact[rank-2]*(1-stated), exact[rank]*(1+stated)
		}
		got := s.Quantile(1, q)
		if got < low || got > high {
			return fmt.Errorf("quantile %v is %.0f, want %.0f to %.0f", q, got, low, high)
		}
		if got < last {
			return fmt.Errorf("quantile %v is %.0f, below the one before, %.0f", q, got, last)
		}
		last = got
	}
	if n := s.Count(0); n != 0 {
		return fmt.Errorf("a histogram that nobody updated counts %d", n)
	}
	return nil
}
