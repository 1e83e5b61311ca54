package contest

import (
	"sync/atomic"
	"testing"
)

func TestHistogramsInline(t *testing.T) {
	for _, c := range Histograms {
		t.Run(c.Name, func(t *testing.T) { TestInlining(t, c.New, c.Called) })
	}
}

// A load must draw all histograms alike, and values of the stated distribution.
func TestLoad(t *testing.T) {
	const n, draws = 500, 1_000_000
	l := NewLoad(1, n)
	var picked [n]int
	below := 0
	for range draws {
		i, v := l.Next()
		picked[i]++
		if v < 1_000_000 {
			below++
		}
	}
	for i, count := range picked {
		if mean := draws / n; count < mean*8/10 || count > mean*12/10 {
			t.Errorf("histogram %d is drawn %d times of %d, want about %d", i, count, draws, mean)
		}
	}
	if share := float64(below) / draws; share < 0.48 || share > 0.5 {
		t.Errorf("%v of the values lie below the median, which is raised by jitter", share)
	}
	if allocs := testing.AllocsPerRun(100, func() { l.Next() }); allocs != 0 {
		t.Errorf("drawing allocates %v times", allocs)
	}
}

// Histograms with a fault must not pass.
func TestFaultyHistogramsFail(t *testing.T) {
	type counts [3]atomic.Int64
	shared := func(record func(i int, v int64)) func() HistogramWorker {
		return SharedHistograms(func(l *Load, n int) {
			for range n * Updates {
				record(l.Next())
			}
		}, record)
	}
	faults := map[string]func(c *counts) (record func(i int, v int64), count func(i int) int64){
		"loses updates": func(c *counts) (func(int, int64), func(int) int64) {
			var dropped atomic.Int64
			return func(i int, v int64) {
				if dropped.Add(1)%10_000 != 0 {
					c[i].Add(1)
				}
			}, func(i int) int64 { return c[i].Load() }
		},
		"takes another": func(c *counts) (func(int, int64), func(int) int64) {
			var n atomic.Int64
			return func(i int, v int64) {
				if n.Add(1)%10_000 == 0 {
					i = (i + 1) % len(c)
				}
				c[i].Add(1)
			}, func(i int) int64 { return c[i].Load() }
		},
		"reads late": func(c *counts) (func(int, int64), func(int) int64) {
			var stale counts
			return func(i int, v int64) {
				if n := c[i].Add(1); n%1024 == 0 {
					stale[i].Store(n)
				}
			}, func(i int) int64 { return stale[i].Load() }
		},
	}
	for name, fault := range faults {
		t.Run(name, func(t *testing.T) {
			record, count := fault(new(counts))
			for _, loops := range []bool{false, true} {
				s := HistogramSubject{Worker: shared(record), Count: count, Snapshot: func() {}}
				err := newHistogramHammer(s, len(counts{}), loops).run(100_000)
				if err == nil {
					t.Fatal("passed")
				}
				t.Log(err)
			}
		})
	}
	t.Run("rounds too far", func(t *testing.T) {
		if err := checkQuantiles(newSet(2), hdrError/3); err == nil {
			t.Fatal("passed")
		}
	})
}
