package published

import (
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"hotpath/impl/histogram"
	"hotpath/impl/histogram/internal/hdr"
)

func TestHDRConcurrentGrows(t *testing.T) {
	h := NewHDRConcurrent(3)
	for _, c := range []struct{ v, highest int64 }{
		{0, 2047},
		{2047, 2047},
		{2048, 4095},
		{1_000_000, 1<<20 - 1},
		{5, 1<<20 - 1}, // it never shrinks
		{math.MaxInt64, math.MaxInt64},
	} {
		if err := h.Record(c.v); err != nil {
			t.Fatalf("Record(%d): %v", c.v, err)
		}
		s := h.Snapshot(nil)
		if s.Range != (histogram.Range{Lowest: 1, Highest: c.highest, Digits: 3}) || len(s.Counts) != hdr.New(s.Range.Lowest, s.Range.Highest, s.Range.Digits).Cells {
			t.Errorf("after %d the range is %v with %d cells", c.v, s.Range, len(s.Counts))
		}
		if len(*h.inactive) != len(s.Counts) {
			t.Errorf("after %d the arrays have %d and %d cells", c.v, len(s.Counts), len(*h.inactive))
		}
	}
	s := h.Snapshot(nil)
	if s.Count != 6 || s.Min != 0 || s.Max != math.MaxInt64 {
		t.Errorf("%d values from %d to %d", s.Count, s.Min, s.Max)
	}
	if err := h.Record(-3); err != ErrNegative {
		t.Errorf("Record(-3) returns %v", err)
	}
	if s := h.Snapshot(nil); s.Count != 6 || s.Negative != 1 {
		t.Errorf("count %d and %d negative after a negative value", s.Count, s.Negative)
	}
	h.Reset()
	if s := h.Snapshot(nil); s.Count != 0 || h.Count() != 0 || s.Negative != 0 || s.Range.Highest != math.MaxInt64 {
		t.Errorf("after a reset: count %d, total %d, %d negative, highest %d", s.Count, h.Count(), s.Negative, s.Range.Highest)
	}
}

// A writer that holds an array while it is replaced still counts.
func TestHDRConcurrentGrowWaits(t *testing.T) {
	h := NewHDRConcurrent(3)
	for v := int64(1 << 20); v <= 1<<40; v <<= 10 {
		before := h.Count()
		phase := h.phaser.Enter()
		held := h.active.Load()
		grown := make(chan struct{})
		go func() {
			h.Record(v)
			close(grown)
		}()
		for h.active.Load() == held {
			runtime.Gosched()
		}
		for range 1000 { // for a grow that does not wait, to copy the array too early
			runtime.Gosched()
		}
		(*held)[7].Add(1)
		h.total.Add(1)
		h.phaser.Exit(phase)
		<-grown
		if s := h.Snapshot(nil); s.Count != before+2 || h.Count() != s.Count {
			t.Fatalf("%d values in cells, %d counted, want %d", s.Count, h.Count(), before+2)
		}
	}
}

// No update is lost while the histogram grows under the writers, many times.
func TestHDRConcurrentGrowsWhileRecording(t *testing.T) {
	const goroutines, records, trials = 8, 500, 20
	for trial := range trials {
		h := NewHDRConcurrent(1)
		var wg sync.WaitGroup
		var at atomic.Int64
		for range goroutines {
			wg.Go(func() {
				for range records {
					// Most values are small and hit the arrays that are being
					// replaced; every 60th is twice as large as the last such.
					v := int64(7)
					if n := at.Add(1); n%60 == 0 {
						v = 1 << min(n/60, 62)
					}
					if err := h.Record(v); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		s := h.Snapshot(nil)
		if s.Count != goroutines*records || h.Count() != goroutines*records {
			t.Fatalf("trial %d: %d values in cells, total %d, want %d", trial, s.Count, h.Count(), goroutines*records)
		}
		large := int64(goroutines * records / 60)
		if n := s.Counts[h.whole.Cell(7)]; n != goroutines*records-large {
			t.Fatalf("trial %d: %d values of 7, want %d", trial, n, goroutines*records-large)
		}
	}
}
