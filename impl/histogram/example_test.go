package histogram_test

import (
	"fmt"
	"sync"
	"time"

	"hotpath/impl/histogram"
)

// inFour runs f in four goroutines and waits for them.
func inFour(f func()) {
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(f)
	}
	wg.Wait()
}

// Durations from a microsecond to a minute, to three digits.
var durations = histogram.Range{Lowest: 1000, Highest: int64(time.Minute), Digits: 3}

func ExampleAtomic() {
	h := histogram.NewAtomic(durations)
	inFour(func() {
		for ms := range 100 {
			h.Record(int64(ms+1) * 1e6)
		}
	})
	h.Record(int64(time.Hour))

	s := h.Snapshot(nil)
	fmt.Println(s.Count, "in", time.Duration(s.Sum), "from", time.Duration(s.Min), "to", time.Duration(s.Max))
	fmt.Println("median", time.Duration(s.Quantile(0.5)).Round(time.Millisecond), "and", s.TooLarge, "too large")
	// Output:
	// 400 in 20.2s from 1ms to 100ms
	// median 50ms and 1 too large
}

// The latencies of a server's methods.
func ExampleSet() {
	const get, put, scan, methods = 0, 1, 2, 3
	latency := histogram.NewSet(durations, methods)
	inFour(func() {
		for us := range 1000 {
			latency.Record(get, int64(us)*1000)
		}
		latency.Record(scan, int64(3*time.Second))
	})

	var s *histogram.Snapshot // a buffer
	for i := range latency.Len() {
		s = latency.Snapshot(i, s)
		fmt.Println(s.Count, time.Duration(s.Mean()), time.Duration(s.Max))
	}
	// Output:
	// 4000 499.5µs 999µs
	// 0 0s 0s
	// 4 3s 3s
}

// A request that updates several histograms.
func ExampleSet_RecordMany() {
	const queued, served, bytes = 0, 1, 2
	requests := histogram.NewSet(histogram.Range{Lowest: 1, Highest: 1 << 40, Digits: 2}, 3)
	requests.RecordMany([]int{queued, served, bytes}, []int64{1_200, 85_000, 4096})
	fmt.Println(requests.Snapshot(bytes, nil).Max)
	// Output: 4096
}

// A request that updates several histograms which are not in a Set.
func ExampleRecordMany() {
	queued, served := histogram.NewAtomic(durations), histogram.NewAtomic(durations)
	histogram.RecordMany([]*histogram.Atomic{queued, served}, []int64{1_200_000, 85_000_000})
	fmt.Println(time.Duration(queued.Snapshot(nil).Max), time.Duration(served.Snapshot(nil).Max))
	// Output: 1.2ms 85ms
}

// Two readers, each with intervals of its own.
func ExampleReader() {
	h := histogram.NewAtomic(durations)
	scraper, dashboard := histogram.NewReader(h.Snapshot), histogram.NewReader(h.Snapshot)

	h.Record(int64(20 * time.Millisecond))
	s, _ := scraper.Next(nil)
	fmt.Println("scraper", s.Count, time.Duration(s.Max))

	h.Record(int64(30 * time.Millisecond))
	s, _ = scraper.Next(s)
	fmt.Println("scraper", s.Count, time.Duration(s.Max))
	s, length := dashboard.Next(s)
	_ = float64(s.Count) / length.Seconds() // the rate
	fmt.Println("dashboard", s.Count, time.Duration(s.Max))
	// Output:
	// scraper 1 20ms
	// scraper 1 30ms
	// dashboard 2 30ms
}

// A Reader of one histogram of a Set.
func ExampleNewReader() {
	set := histogram.NewSet(durations, 10)
	reader := histogram.NewReader(func(dst *histogram.Snapshot) *histogram.Snapshot { return set.Snapshot(7, dst) })
	set.Record(7, int64(time.Second))
	s, _ := reader.Next(nil)
	fmt.Println(s.Count)
	// Output: 1
}
