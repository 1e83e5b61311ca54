package histogram

import (
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"hotpath/impl/internal/pin"
)

// In this range every value has a cell of its own, so that sum, minimum and maximum
// follow from the counts. Values from 256 on are refused.
var coins = Range{1, 255, 2}

const (
	hammered = 24 // histograms
	watchers = 3
)

// hammers are the recorders under test.
var hammers = []struct {
	name   string
	moment bool // a snapshot during records is one moment
	new    func() (record func(ids []int, values []int64), snapshot func(i int, dst *Snapshot) *Snapshot)
}{
	{"atomic", false, func() (func([]int, []int64), func(int, *Snapshot) *Snapshot) {
		var hs [hammered]*Atomic
		for i := range hs {
			hs[i] = NewAtomic(coins)
		}
		return func(ids []int, values []int64) {
			for j, i := range ids {
				hs[i].Record(values[j])
			}
		}, func(i int, dst *Snapshot) *Snapshot { return hs[i].Snapshot(dst) }
	}},
	{"atomics", false, func() (func([]int, []int64), func(int, *Snapshot) *Snapshot) {
		var hs [hammered]*Atomic
		for i := range hs {
			hs[i] = NewAtomic(coins)
		}
		return func(ids []int, values []int64) {
			picked := make([]*Atomic, len(ids))
			for j, i := range ids {
				picked[j] = hs[i]
			}
			RecordMany(picked, values)
		}, func(i int, dst *Snapshot) *Snapshot { return hs[i].Snapshot(dst) }
	}},
	{"small sets", true, func() (func([]int, []int64), func(int, *Snapshot) *Snapshot) {
		var sets [hammered]*Set
		for i := range sets {
			sets[i] = NewSet(coins, 1+i%3)
		}
		return func(ids []int, values []int64) {
			for j, i := range ids {
				sets[i].Record(i%sets[i].Len(), values[j])
			}
		}, func(i int, dst *Snapshot) *Snapshot { return sets[i].Snapshot(i%sets[i].Len(), dst) }
	}},
	{"set", true, func() (func([]int, []int64), func(int, *Snapshot) *Snapshot) {
		s := NewSet(coins, hammered)
		return func(ids []int, values []int64) {
			for j, i := range ids {
				s.Record(i, values[j])
			}
		}, s.Snapshot
	}},
	{"many", true, func() (func([]int, []int64), func(int, *Snapshot) *Snapshot) {
		s := NewSet(coins, hammered)
		return s.RecordMany, s.Snapshot
	}},
}

// tally is what one worker has recorded.
type tally struct {
	begun, done [hammered]position // updates by histogram, before and after the call
	held        [hammered]Snapshot
}

// hammer makes so many updates from many goroutines while GOMAXPROCS changes and
// watchers take snapshots and intervals, and checks all that a snapshot promises.
func hammer(t *testing.T, moment bool, record func([]int, []int64), snapshot func(int, *Snapshot) *Snapshot, updates int) (changed int) {
	const workers = 16
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	g := newGeometry(coins)
	tallies := make([]tally, workers)
	var stop atomic.Bool
	var working, watching sync.WaitGroup
	for w := range tallies {
		working.Go(func() { work(&tallies[w], &g, rand.New(rand.NewPCG(uint64(w), 1)), record, updates/workers) })
	}
	for range watchers {
		watching.Go(func() {
			if err := watch(tallies, moment, snapshot, &stop); err != nil {
				t.Error(err)
			}
		})
	}
	watching.Go(func() {
		for ; !stop.Load(); changed++ {
			runtime.GOMAXPROCS(changed*5%8 + 1)
			time.Sleep(time.Millisecond) // else it does nothing but stop the world
		}
	})
	working.Wait()
	stop.Store(true)
	watching.Wait()

	for i := range hammered {
		want := holding(coins)
		for w := range tallies {
			merge(want, &tallies[w].held[i])
		}
		sameSnapshot(t, fmt.Sprintf("histogram %d", i), snapshot(i, nil), want)
	}
	return changed
}

// work records batches of one to ten values and tallies them.
func work(t *tally, g *geometry, random *rand.Rand, record func([]int, []int64), updates int) {
	for i := range t.held {
		t.held[i] = *holding(coins)
	}
	var ids []int
	var values []int64
	for n := 0; n < updates; n += len(ids) {
		ids, values = ids[:0], values[:0]
		for range min(1+random.IntN(10), updates-n) {
			i, v := random.IntN(hammered), random.Int64N(256)>>random.IntN(8)
			switch random.IntN(1000) {
			case 0:
				v = -1 - v
			case 1:
				v += 1 << (8 + random.IntN(55))
			}
			ids, values = append(ids, i), append(values, v)
			t.begun[i].store(t.begun[i].load() + 1)
		}
		record(ids, values)
		for j, i := range ids {
			t.done[i].store(t.done[i].load() + 1)
			s, v := &t.held[i], values[j]
			if v < 0 {
				s.Negative++
			} else if cell := g.Cell(v); cell >= g.Cells {
				s.TooLarge++
			} else {
				s.Counts[cell]++
			}
		}
	}
	for i := range t.held {
		complete(&t.held[i])
	}
}

// complete derives everything from the counts.
func complete(s *Snapshot) {
	s.Count, s.Sum, s.Min, s.Max = 0, 0, 0, 0
	for v, n := range s.Counts {
		if n == 0 {
			continue
		}
		if s.Count == 0 {
			s.Min = int64(v)
		}
		s.Max = int64(v)
		s.Count += n
		s.Sum += n * int64(v)
	}
}

func merge(into, s *Snapshot) {
	for cell, n := range s.Counts {
		into.Counts[cell] += n
	}
	into.Negative += s.Negative
	into.TooLarge += s.TooLarge
	complete(into)
}

// watch takes snapshots and intervals of all histograms in turn until it is told to
// stop, and checks them against what the workers say and against each other.
func watch(tallies []tally, moment bool, snapshot func(int, *Snapshot) *Snapshot, stop *atomic.Bool) error {
	var readers [hammered]*Reader
	var total [hammered]*Snapshot // of the intervals
	for i := range readers {
		// Records are under way already, and the Reader's first read has some of them.
		readers[i] = NewReader(func(dst *Snapshot) *Snapshot {
			if total[i] == nil {
				total[i] = snapshot(i, nil)
				return total[i]
			}
			return snapshot(i, dst)
		})
	}
	var now, interval *Snapshot
	seen := holding(coins)
	for i, last := 0, false; !last || i > 0; i = (i + 1) % hammered {
		if i == 0 {
			last = stop.Load()
		}
		var done, begun int64
		for w := range tallies {
			done += int64(tallies[w].done[i].load())
		}
		now = snapshot(i, now)
		for w := range tallies {
			begun += int64(tallies[w].begun[i].load())
		}
		if n := now.Count + now.Negative + now.TooLarge; n < done || n > begun {
			return fmt.Errorf("a snapshot has %d updates, %d were done before it and %d begun after it", n, done, begun)
		}
		copy(seen.Counts, now.Counts)
		complete(seen)
		if now.Count != seen.Count {
			return fmt.Errorf("Count is %d, Counts have %d", now.Count, seen.Count)
		}
		if moment && (now.Sum != seen.Sum || now.Min != seen.Min || now.Max != seen.Max) {
			return fmt.Errorf("sum %d, from %d to %d, but the counts say %d, from %d to %d",
				now.Sum, now.Min, now.Max, seen.Sum, seen.Min, seen.Max)
		}
		if seen.Count > 0 && (now.Min > seen.Min || now.Max < seen.Max) {
			return fmt.Errorf("from %d to %d, but the counts go from %d to %d", now.Min, now.Max, seen.Min, seen.Max)
		}
		interval, _ = readers[i].Next(interval)
		for cell, n := range interval.Counts {
			total[i].Counts[cell] += n
			if n < 0 || total[i].Counts[cell] < now.Counts[cell] {
				return fmt.Errorf("cell %d: %d in an interval, %d in all, %d in a snapshot before", cell, n, total[i].Counts[cell], now.Counts[cell])
			}
		}
		total[i].Count += interval.Count
		total[i].Sum += interval.Sum
		total[i].Negative += interval.Negative
		total[i].TooLarge += interval.TooLarge
	}
	for i := range total {
		now = snapshot(i, now)
		total[i].Min, total[i].Max = now.Min, now.Max
		if !reflect.DeepEqual(total[i], now) {
			return fmt.Errorf("the intervals of histogram %d do not add up to it", i)
		}
	}
	return nil
}

func TestHammer(t *testing.T) {
	updates := 2_000_000
	if !pin.Exclusive {
		updates /= 10 // the race detector takes its time
	}
	for _, h := range hammers {
		t.Run(h.name, func(t *testing.T) {
			record, snapshot := h.new()
			changed := hammer(t, h.moment, record, snapshot, updates)
			t.Logf("GOMAXPROCS changed %d times", changed)
		})
	}
}

// TestSoak is the long form: HOTPATH_SOAK is the number of updates of each recorder.
func TestSoak(t *testing.T) {
	env := os.Getenv("HOTPATH_SOAK")
	if env == "" {
		t.Skip("HOTPATH_SOAK is not set")
	}
	updates, err := strconv.ParseFloat(env, 64)
	if err != nil {
		t.Fatalf("HOTPATH_SOAK: %v", err)
	}
	for _, h := range hammers {
		t.Run(h.name, func(t *testing.T) {
			start := time.Now()
			record, snapshot := h.new()
			changed := hammer(t, h.moment, record, snapshot, int(updates))
			t.Logf("%d updates, GOMAXPROCS changed %d times, 0 lost, %v", int(updates), changed, time.Since(start).Round(time.Second))
		})
	}
}
