package histogram

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"

	"hotpath/impl/internal/pin"
)

// hist is what Atomic and a histogram of a Set have in common.
type hist struct {
	name     string
	record   func(v int64)
	snapshot func(dst *Snapshot) *Snapshot
}

// each returns recorders of r.
func each(r Range) []hist {
	a, one, two, many := NewAtomic(r), NewSet(r, 1), NewSet(r, 2), NewSet(r, 9)
	return []hist{
		{"atomic", a.Record, a.Snapshot},
		{"set of 1", func(v int64) { one.Record(0, v) }, func(dst *Snapshot) *Snapshot { return one.Snapshot(0, dst) }},
		{"set of 2", func(v int64) { two.Record(1, v) }, func(dst *Snapshot) *Snapshot { return two.Snapshot(1, dst) }},
		{"set of 9", func(v int64) { many.Record(8, v) }, func(dst *Snapshot) *Snapshot { return many.Snapshot(8, dst) }},
	}
}

// Values at the edges of each range, negative and too large ones among them, are in
// the snapshot as they were recorded. In the larger ranges their sum wraps around.
func TestEdges(t *testing.T) {
	for _, r := range ranges {
		vs := append(edges(r), -1, -1000, math.MinInt64)
		for _, h := range each(r) {
			t.Run(fmt.Sprint(r, h.name), func(t *testing.T) {
				s := h.snapshot(nil)
				sameSnapshot(t, "before", s, holding(r))
				for _, v := range vs {
					h.record(v)
				}
				sameSnapshot(t, "after", h.snapshot(s), holding(r, vs...))
			})
		}
	}
}

// A buffer gives back nothing of what it held, and is not allocated anew unless its
// range is another.
func TestSnapshotBuffer(t *testing.T) {
	r := Range{1, 3_600_000_000_000, 3}
	for _, h := range each(r) {
		t.Run(h.name, func(t *testing.T) {
			values := []int64{1_000_000, 1_500_000, -1}
			for _, v := range values {
				h.record(v)
			}
			used := holding(r, 0, 1, 2_000_000, 3_600_000_000_000, -1, math.MaxInt64)
			if got := h.snapshot(used); got != used {
				t.Error("the buffer was not used")
			}
			sameSnapshot(t, "buffer", used, holding(r, values...))
			other := holding(Range{1, 100, 1}, 7)
			sameSnapshot(t, "other range", h.snapshot(other), holding(r, values...))

			if !pin.Exclusive {
				return // the race detector makes a sync.Pool forget
			}
			reader := NewReader(h.snapshot)
			if n := testing.AllocsPerRun(20, func() {
				h.record(1_200_000)
				h.snapshot(used)
				reader.Next(used)
			}); n != 0 {
				t.Errorf("%v allocations", n)
			}
		})
	}
}

func TestSetPanics(t *testing.T) {
	s := NewSet(Range{1, 100, 1}, 20)
	for name, f := range map[string]func(){
		"no histograms": func() { NewSet(Range{1, 100, 1}, 0) },
		"bad range":     func() { NewSet(Range{}, 1) },
		"record -1":     func() { s.Record(-1, 1) },
		"record 20":     func() { s.Record(20, 1) },
		"snapshot 20":   func() { s.Snapshot(20, nil) },
		"many 20":       func() { s.RecordMany([]int{1, 20}, []int64{1, 1}) },
		"many -1":       func() { s.RecordMany([]int{1, -1}, []int64{1, -1}) },
		"lengths":       func() { s.RecordMany([]int{1}, nil) },
	} {
		if !panics(f) {
			t.Errorf("%s: passes", name)
		}
	}
}

// Updates that one RecordMany makes come with all the others, also when it has to
// make room in the middle.
func TestRecordMany(t *testing.T) {
	const n = 50
	r := Range{1, 1 << 40, 3}
	s := NewSet(r, n)
	random := rand.New(rand.NewPCG(5, 6))
	want := make([][]int64, n)
	for range 200 {
		var ids []int
		var values []int64
		for range random.IntN(500) {
			i, v := random.IntN(n), random.Int64()>>random.IntN(63)-1
			ids, values = append(ids, i), append(values, v)
			want[i] = append(want[i], v)
		}
		s.RecordMany(ids, values)
	}
	for i := range n {
		sameSnapshot(t, fmt.Sprint(i), s.Snapshot(i, nil), holding(r, want[i]...))
	}
}

// The memory of the published study's histograms, and that it does not grow with
// the number of Ps.
func TestMemory(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	records := 20_000
	if !pin.Exclusive {
		records /= 20 // the race detector takes its time
	}
	heap := func(procs int) float64 {
		runtime.GOMAXPROCS(procs)
		before := heapBytes()
		s := NewSet(Range{1, 3_600_000_000_000, 3}, 500)
		var wg sync.WaitGroup
		for w := range 64 {
			wg.Go(func() {
				random := rand.New(rand.NewPCG(uint64(w), 7))
				for n := range records {
					s.Record(random.IntN(500), int64(1e6*math.Exp(random.NormFloat64())))
					if n%100 == 0 {
						runtime.Gosched() // to be on every P
					}
				}
			})
		}
		wg.Wait()
		for i := range columns {
			s.Snapshot(i, nil) // brings in what waits
		}
		used := 0
		for _, r := range *s.rows.table.Load() {
			if r.chunks[0].Load() != noChunk {
				used++
			}
		}
		bytes := heapBytes() - before
		t.Logf("GOMAXPROCS %d: %.1f MB, %d Ps have logs", procs, float64(bytes)/1e6, used)
		runtime.KeepAlive(s)
		return float64(bytes)
	}
	few, many := heap(2), heap(32)
	if few > 25e6 || many > few*1.1 {
		t.Errorf("%.1f MB at 2 Ps, %.1f MB at 32", few/1e6, many/1e6)
	}
}

func heapBytes() int64 {
	runtime.GC()
	runtime.GC() // the first leaves what was pooled
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
