package published_test

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"hotpath/impl/histogram"
	"hotpath/impl/histogram/published"
)

// inFour runs f in four goroutines and waits for them.
func inFour(f func()) {
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(f)
	}
	wg.Wait()
}

func ExampleFastLong() {
	h := published.NewFastLong()
	record := func() {
		for v := range int64(10_000) {
			h.Add(v)
		}
	}
	inFour(record)
	fmt.Println(h.Count(), "values, three quarters at most", h.Quantiles(0.75)[0])

	// The first bounds were a guess; after a reset they fit.
	first := h.Reset()
	inFour(record)
	fmt.Println(first.Count(), "values, then", h.Count(), "of which three quarters at most", h.Quantiles(0.75)[0])
	// Output:
	// 40000 values, three quarters at most 7499
	// 40000 values, then 40000 of which three quarters at most 7499
}

func ExampleFastLongLocal() {
	requests, errors := published.NewFastLong(), published.NewFastLong()
	inFour(func() {
		local := published.NewFastLongLocal()
		for range 100 {
			local.Add(requests, 250)
		}
		local.Add(errors, 900)
	})
	fmt.Println(requests.Count(), errors.Count())
	// Output: 400 4
}

func ExampleMutableTime() {
	h := published.NewMutableTime()
	inFour(func() {
		h.Update(20)
		h.Update(250_000)
	})
	for _, m := range h.Snapshot("get") {
		fmt.Println(m.Name, m.Value)
	}
	// Output:
	// Get_num_ops 8
	// Get_min 20
	// Get_max 250000
	// Get_mean 125010
	// Get_25th_percentile 597
	// Get_median 1175
	// Get_75th_percentile 249589
	// Get_90th_percentile 249835
	// Get_95th_percentile 249917
	// Get_98th_percentile 249967
	// Get_99th_percentile 249983
	// Get_99.9th_percentile 249998
	// Get_TimeRangeCount_0-1 4
	// Get_TimeRangeCount_120000-300000 4
}

func ExampleHDRAtomic() {
	h := published.NewHDRAtomic(histogram.Range{Lowest: 1, Highest: 1_000_000, Digits: 3})
	inFour(func() {
		for v := range int64(1000) {
			h.Record(v)
		}
	})
	err := h.Record(2_000_000)
	fmt.Println(err, errors.Is(err, published.ErrTooLarge))

	s := h.Snapshot(nil)
	fmt.Println(s.Count, s.Min, s.Quantile(0.5), s.Quantile(0.99), s.Max, s.TooLarge)
	// Output:
	// histogram: value beyond the range true
	// 4000 0 499 989 999 1
}

func ExampleHDRConcurrent() {
	h := published.NewHDRConcurrent(2)
	fmt.Println(h.Snapshot(nil).Range.Highest)
	inFour(func() {
		h.Record(5)
		h.Record(1_000_000)
	})
	s := h.Snapshot(nil)
	fmt.Println(s.Range.Highest, s.Count, s.Quantile(0.5), s.Max)
	// Output:
	// 255
	// 1048575 8 5 1000000
}

// A pair of buffers of which writers fill one while a reader empties the other.
func ExamplePhaser() {
	var phaser published.Phaser
	var active atomic.Pointer[atomic.Int64]
	active.Store(new(atomic.Int64))
	inactive := new(atomic.Int64)

	write := func() {
		phase := phaser.Enter()
		active.Load().Add(1)
		phaser.Exit(phase)
	}
	take := func() int64 {
		phaser.ReaderLock()
		defer phaser.ReaderUnlock()
		inactive = active.Swap(inactive)
		phaser.Flip(0)
		return inactive.Swap(0) // nobody writes to it any more
	}

	inFour(write)
	fmt.Println(take(), take())
	// Output: 4 0
}

func ExampleRecorder() {
	r := published.NewAutoRecorder(3)
	inFour(func() { r.Record(250) })
	interval := r.Interval(nil)
	fmt.Println(interval.Snapshot(nil).Count, !interval.End.Before(interval.Start))

	inFour(func() { r.Record(900) })
	snapshot := new(histogram.Snapshot)
	for range 3 {
		interval = r.Interval(interval) // recycles the interval of the turn before
		interval.Snapshot(snapshot)
		fmt.Println(snapshot.Count, snapshot.Max)
	}
	// Output:
	// 4 true
	// 4 900
	// 0 0
	// 0 0
}
