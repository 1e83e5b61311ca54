package contest

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"hotpath/impl/histogram"
)

// TestHistogram checks that a contestant loses no update, that its snapshots hold
// what they promise while others record, and that its quantiles are as near as it
// states. The floor, which is no histogram, passes.
func TestHistogram(t *testing.T, c Histogram) {
	if c.New(1).Count == nil {
		return
	}
	for _, n := range []int{1, 2, 24} {
		t.Run(fmt.Sprintf("exact/histograms=%d", n), func(t *testing.T) {
			h := newHistogramHammer(c.New(n), n, false)
			if err := h.run(operations(t, 300_000) / 3); err != nil {
				t.Fatal(err)
			}
			t.Logf("%d updates, GOMAXPROCS changed %d times, 0 lost", h.made.Load(), h.changes.Load())
		})
	}
	t.Run("loop", func(t *testing.T) {
		if err := newHistogramHammer(c.New(3), 3, true).run(operations(t, 100_000)); err != nil {
			t.Fatal(err)
		}
	})
	t.Run("quantiles", func(t *testing.T) {
		if err := checkQuantiles(c.New(2), c.Error); err != nil {
			t.Error(err)
		}
	})
}

// histogramHammer lets many goroutines update histograms while GOMAXPROCS changes,
// the garbage collector runs, and all histograms are read. Reads must stay within
// what is complete and what has begun, must not decrease, and must be exact in the
// end.
type histogramHammer struct {
	s       HistogramSubject
	n       int
	loops   bool      // update in the measured loop
	refuses bool      // values that are large
	all     [][]tally // by worker and histogram

	made, changes atomic.Int64
}

// tally is what one worker has begun and completed in a histogram.
type tally struct {
	progress
	values   [coins]int64 // how often each
	negative int64
	large    int64
}

// coins is how many values the workers record, from 0 on. Histograms of
// HdrHistogram's kind have a cell for each, so that sum and extremes follow from
// the counts. large is beyond the range of most.
const (
	coins = 256
	large = 1 << 52
)

const hammering = 16 // workers

func newHistogramHammer(s HistogramSubject, n int, loops bool) *histogramHammer {
	h := &histogramHammer{s: s, n: n, loops: loops, all: make([][]tally, hammering)}
	for w := range h.all {
		h.all[w] = make([]tally, n)
	}
	if s.Read != nil {
		h.refuses = s.Read(0, nil).Range == hdrRange // one that grows does not
	}
	return h
}

// run makes at least so many updates, until GOMAXPROCS has changed often enough.
func (h *histogramHammer) run(updates int) error {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	const enough, watchers = 10, 2
	var working, others sync.WaitGroup
	for i := range h.all {
		working.Go(func() {
			w := h.s.Worker()
			random, l := rand.New(rand.NewPCG(uint64(i), 1)), NewLoad(uint64(i), h.n)
			for made := 0; made < updates/hammering || h.changes.Load() < enough; {
				n := 0
				if h.loops {
					n = h.loop(w, l, h.all[i])
				} else {
					n = h.batch(w, random, h.all[i])
				}
				made += n
				h.made.Add(int64(n))
				if made/64 != (made-n)/64 {
					runtime.Gosched()
				}
			}
			if w.Done != nil {
				w.Done()
			}
		})
	}
	stop := make(chan struct{})
	others.Go(func() { churn(&h.changes, stop) })
	errs := make([]error, watchers)
	if h.s.Read == nil || h.loops {
		others.Go(func() { errs[0] = h.watchCounts(stop) })
	} else {
		for i := range errs {
			others.Go(func() { errs[i] = h.watchSnapshots(stop) })
		}
	}
	working.Wait()
	close(stop)
	others.Wait()
	for _, err := range append(errs, h.checkEnd()) {
		if err != nil {
			return err
		}
	}
	return nil
}

// loop makes operations in the measured loop. What they update is known before,
// because a load can be copied.
func (h *histogramHammer) loop(w HistogramWorker, l *Load, mine []tally) (made int) {
	const operations = 8
	ahead := *l
	drawn := make([]int64, h.n)
	for range operations * Updates {
		i, _ := ahead.Next()
		drawn[i]++
	}
	for i, n := range drawn {
		mine[i].begun.Add(n)
	}
	w.Loop(l, operations)
	for i, n := range drawn {
		mine[i].complete.Add(n)
	}
	return operations * Updates
}

// batch records one to ten values in one call, or one after the other.
func (h *histogramHammer) batch(w HistogramWorker, random *rand.Rand, mine []tally) (made int) {
	var ids [10]int
	var values [10]int64
	made = 1 + random.IntN(len(ids))
	for j := range made {
		ids[j], values[j] = random.IntN(h.n), random.Int64N(coins)>>random.IntN(8)
		switch odd := random.IntN(1000); {
		case h.s.Read == nil: // how these are counted is each library's own affair
		case odd == 0:
			values[j] = -1 - values[j]
		case odd == 1 && h.refuses:
			values[j] = large
		}
		mine[ids[j]].begun.Add(1)
	}
	if h.s.Batch != nil {
		h.s.Batch(ids[:made], values[:made])
	}
	for j, v := range values[:made] {
		if h.s.Batch == nil {
			w.Record(ids[j], v)
		}
		t := &mine[ids[j]]
		t.complete.Add(1)
		switch {
		case v < 0:
			t.negative++
		case v == large:
			t.large++
		default:
			t.values[v]++
		}
	}
	return made
}

// watchCounts reads until stop, as watch does for a counter.
func (h *histogramHammer) watchCounts(stop <-chan struct{}) error {
	last := make([]int64, h.n)
	for {
		for i := range h.n {
			select {
			case <-stop:
				return nil
			default:
			}
			low := h.sum(i, complete)
			n := h.s.Count(i)
			high := h.sum(i, begun)
			switch {
			case n < low || n > high:
				return fmt.Errorf("histogram %d counts %d with %d complete and %d begun", i, n, low, high)
			case n < last[i]:
				return fmt.Errorf("histogram %d counts %d after a reader saw %d", i, n, last[i])
			}
			last[i] = n
			runtime.Gosched()
		}
		h.s.Snapshot()
	}
}

// watchSnapshots takes snapshots and intervals of all histograms in turn until stop,
// and checks them against what the workers say and against each other.
func (h *histogramHammer) watchSnapshots(stop <-chan struct{}) error {
	readers, totals := make([]*histogram.Reader, h.n), make([]*histogram.Snapshot, h.n)
	for i := range readers {
		// Records are under way already, and the Reader's first read has some of them.
		readers[i] = histogram.NewReader(func(dst *histogram.Snapshot) *histogram.Snapshot {
			if totals[i] == nil {
				totals[i] = h.s.Read(i, nil)
				return totals[i]
			}
			return h.s.Read(i, dst)
		})
	}
	var now, interval *histogram.Snapshot
	for last := false; ; {
		select {
		case <-stop:
			last = true
		default:
		}
		for i, total := range totals {
			low := h.sum(i, complete)
			now = h.s.Read(i, now)
			high := h.sum(i, begun)
			if n := now.Count + now.Negative + now.TooLarge; n < low || n > high {
				return fmt.Errorf("a snapshot of histogram %d has %d updates with %d complete and %d begun", i, n, low, high)
			}
			if err := checkSnapshot(now, h.s.Moment); err != nil {
				return fmt.Errorf("histogram %d: %w", i, err)
			}
			interval, _ = readers[i].Next(interval)
			if err := addInterval(total, interval, now); err != nil {
				return fmt.Errorf("histogram %d: %w", i, err)
			}
			if now = h.s.Read(i, now); last && !sameFigures(total, now) {
				return fmt.Errorf("the intervals of histogram %d do not add up to it", i)
			}
		}
		if last {
			return nil
		}
		runtime.Gosched()
	}
}

// checkSnapshot checks the figures of a snapshot of coins against its counts.
func checkSnapshot(s *histogram.Snapshot, moment bool) error {
	var count, sum, least, most int64
	for c := range s.Cells() {
		if count == 0 {
			least = c.Low
		}
		count, sum, most = count+c.Count, sum+c.Count*c.Low, c.Low
	}
	switch {
	case s.Count != count:
		return fmt.Errorf("a Count of %d, Counts have %d", s.Count, count)
	case moment && (s.Sum != sum || s.Min != least || s.Max != most):
		return fmt.Errorf("sum %d, from %d to %d, but the counts say %d, from %d to %d", s.Sum, s.Min, s.Max, sum, least, most)
	case count > 0 && (s.Min > least || s.Max < most):
		return fmt.Errorf("from %d to %d, but the counts go from %d to %d", s.Min, s.Max, least, most)
	}
	return nil
}

// addInterval adds an interval to the total of those before, of which each cell must
// then have what a snapshot before the interval's end had.
func addInterval(total, interval, before *histogram.Snapshot) error {
	if more := len(interval.Counts) - len(total.Counts); more > 0 { // it has grown
		total.Counts = append(total.Counts, make([]int64, more)...)
	}
	for cell, n := range interval.Counts {
		total.Counts[cell] += n
		if n < 0 || cell < len(before.Counts) && total.Counts[cell] < before.Counts[cell] {
			return fmt.Errorf("cell %d: %d in an interval, %d in all, %d in a snapshot before", cell, n, total.Counts[cell], before.Counts[cell])
		}
	}
	total.Count += interval.Count
	total.Sum += interval.Sum
	total.Negative += interval.Negative
	total.TooLarge += interval.TooLarge
	return nil
}

// sameFigures compares all but the extremes.
func sameFigures(a, b *histogram.Snapshot) bool {
	return slices.Equal(a.Counts, b.Counts) && a.Count == b.Count && a.Sum == b.Sum && a.Negative == b.Negative && a.TooLarge == b.TooLarge
}

// checkEnd compares what there is in the end with what the workers did.
func (h *histogramHammer) checkEnd() error {
	for i := range h.n {
		if h.s.Read == nil || h.loops {
			if got, want := h.s.Count(i), h.sum(i, complete); got != want {
				return fmt.Errorf("histogram %d counts %d after %d updates: %d off", i, got, want, got-want)
			}
			continue
		}
		got := h.s.Read(i, nil)
		want := histogram.Snapshot{Counts: make([]int64, len(got.Counts))}
		for w := range h.all {
			t := &h.all[w][i]
			want.Negative += t.negative
			want.TooLarge += t.large
			for v, n := range t.values {
				want.Counts[v] += n // of the cell that is v's alone
				want.Count += n
				want.Sum += n * int64(v)
			}
		}
		if !sameFigures(got, &want) {
			return fmt.Errorf("histogram %d: count %d, sum %d, refused %d and %d; want %d, %d, %d and %d, or in other cells",
				i, got.Count, got.Sum, got.Negative, got.TooLarge, want.Count, want.Sum, want.Negative, want.TooLarge)
		}
		if err := checkSnapshot(got, true); err != nil {
			return fmt.Errorf("histogram %d: %w", i, err)
		}
	}
	return nil
}

// sum adds up what the workers have of histogram i.
func (h *histogramHammer) sum(i int, of func(*progress) int64) (sum int64) {
	for w := range h.all {
		sum += of(&h.all[w][i].progress)
	}
	return sum
}
