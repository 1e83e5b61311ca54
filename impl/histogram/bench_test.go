package histogram

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// BenchmarkRecord runs the recorders in turn, in short slices, with 200 goroutines
// that record lognormal values, and prints the median time of an update, over all
// CPUs, and its ratio to that of hdrhistogram-go behind a mutex in the same turn. It
// leaves out turns in which other work took a CPU: one CPU alone has no contention.
func BenchmarkRecord(b *testing.B) {
	for _, n := range []int{500, 1} {
		b.Run("histograms="+strconv.Itoa(n), func(b *testing.B) { benchmarkRecord(b, n) })
	}
}

func benchmarkRecord(b *testing.B, n int) {
	r := Range{1, 3_600_000_000_000, 3}
	type locked struct {
		mu sync.Mutex
		h  *hdrhistogram.Histogram
	}
	peers, ports, atomics := make([]locked, n), make([]*HDRAtomic, n), make([]*Atomic, n)
	for i := range n {
		peers[i].h = hdrhistogram.New(r.Lowest, r.Highest, r.Digits)
		ports[i] = NewHDRAtomic(r)
		atomics[i] = NewAtomic(r)
	}
	set, many := NewSet(r, n), NewSet(r, n)
	each := func(record func(i int, v int64)) func(ids []int, values []int64) {
		return func(ids []int, values []int64) {
			for j, i := range ids {
				record(i, values[j])
			}
		}
	}
	contestants := []struct {
		name   string
		record func(ids []int, values []int64)
	}{
		{"floor", each(func(int, int64) {})},
		{"hdrgo", each(func(i int, v int64) {
			p := &peers[i]
			p.mu.Lock()
			p.h.RecordValue(v)
			p.mu.Unlock()
		})},
		{"port", each(func(i int, v int64) { ports[i].Record(v) })},
		{"atomic", each(func(i int, v int64) { atomics[i].Record(v) })},
		{"atomics", func(ids []int, values []int64) {
			var picked [10]*Atomic
			for j, i := range ids {
				picked[j] = atomics[i]
			}
			RecordMany(picked[:], values)
		}},
		{"set", each(set.Record)},
		{"many", many.RecordMany},
	}
	slice := func(record func([]int, []int64), d time.Duration) (ns float64, alone bool) {
		var stop atomic.Bool
		var updates atomic.Int64
		var wg sync.WaitGroup
		cpuStart, start := cpuTime(), time.Now()
		for w := range 200 {
			wg.Go(func() {
				l := load{uint64(w)*0x9e3779b97f4a7c15 + uint64(time.Now().UnixNano())}
				var ids [10]int
				var values [10]int64
				done := 0
				for !stop.Load() {
					for range 10 {
						for j := range ids {
							ids[j], values[j] = l.next(n)
						}
						record(ids[:], values[:])
					}
					done += 100
				}
				updates.Add(int64(done))
			})
		}
		time.Sleep(d)
		stop.Store(true)
		wg.Wait()
		cpu, wall := cpuTime()-cpuStart, time.Since(start)
		return float64(wall) / float64(updates.Load()), float64(cpu) > 0.9*float64(wall)*float64(runtime.GOMAXPROCS(0))
	}
	times, ratios := make([][]float64, len(contestants)), make([][]float64, len(contestants))
	kept := 0
	for turn := range 40 {
		ns, clean := make([]float64, len(contestants)), true
		for i, c := range contestants {
			var alone bool
			ns[i], alone = slice(c.record, 30*time.Millisecond)
			clean = clean && alone
		}
		if turn < 3 || !clean { // most cells are touched for the first time
			continue
		}
		kept++
		for i := range contestants {
			times[i] = append(times[i], ns[i])
			ratios[i] = append(ratios[i], ns[i]/ns[1])
		}
	}
	if kept == 0 {
		b.Skip("other work in all turns")
	}
	for i, c := range contestants {
		slices.Sort(times[i])
		slices.Sort(ratios[i])
		b.Logf("%-8s %6.1f ns/update, %.3f of hdrgo, %d turns", c.name, times[i][kept/2], ratios[i][kept/2], kept)
	}
}

func cpuTime() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// load draws histograms and values: lognormal around 1 ms, each with a jitter that
// spreads them over all the cells between.
type load struct{ x uint64 }

var lognormal = func() (vs [2048]int64) {
	random := rand.New(rand.NewPCG(1, 2))
	for i := range vs {
		vs[i] = int64(1e6 * math.Exp(random.NormFloat64()))
	}
	return vs
}()

func (l *load) next(n int) (i int, v int64) {
	l.x ^= l.x << 13
	l.x ^= l.x >> 7
	l.x ^= l.x << 17
	v = lognormal[l.x>>53]
	return int(l.x & 0xffffffff * uint64(n) >> 32), v + v*int64(l.x>>32&0xfff)>>18
}
