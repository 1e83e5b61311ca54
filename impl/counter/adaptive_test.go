package counter

import (
	"math"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"hotpath/impl/internal/pin"
)

// inBothWays runs a test with each of the two ways to count until it spreads.
func inBothWays(t *testing.T, test func(t *testing.T)) {
	defer func(before bool) { biased = before }(biased)
	t.Run("atomic", func(t *testing.T) { biased = false; test(t) })
	if pin.Exclusive {
		t.Run("biased", func(t *testing.T) { biased = true; test(t) })
	}
}

// spreads reports whether the counter has spread.
func (c *Adaptive) spreads() bool { return c.at.Load().spread() }

func TestAdaptiveIsSmall(t *testing.T) {
	if n := unsafe.Sizeof(Adaptive{}); n > 24 {
		t.Errorf("it takes %d bytes, want 24", n)
	}
	inBothWays(t, func(t *testing.T) {
		new(Adaptive).Add(1) // the layout of an owner is made once for all
		if n := testing.AllocsPerRun(100, func() { var c Adaptive; c.Add(1); c.Add(1) }); n > 1 {
			t.Errorf("%v allocations until it spreads, want that of itself", n)
		}
	})
}

// Writers that do nothing but add make it spread, in less than a millisecond where
// two of them do run at once, and a reader sees no value decrease meanwhile.
func TestAdaptiveSpreads(t *testing.T) {
	if runtime.NumCPU() < 2 {
		t.Skip("one CPU alone has no contention")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(runtime.NumCPU()))
	inBothWays(t, func(t *testing.T) {
		const workers, counters = 32, 10
		for range counters {
			var c Adaptive
			var writing, reading sync.WaitGroup
			var stop atomic.Bool
			var adds atomic.Int64
			deadline := time.Now().Add(10 * time.Second)
			for range workers {
				writing.Go(func() {
					n := int64(0)
					for ; !c.spreads() && time.Now().Before(deadline); n += 256 {
						for range 256 {
							c.Add(1)
						}
					}
					adds.Add(n)
				})
			}
			reading.Go(func() {
				for last := int64(0); !stop.Load(); {
					v := c.Value()
					if v < last {
						t.Errorf("value %d after %d", v, last)
					}
					last = v
					runtime.Gosched()
				}
			})
			writing.Wait()
			stop.Store(true)
			reading.Wait()
			if !c.spreads() {
				t.Fatal("it has not spread in 10 s")
			}
			if c.Value() != adds.Load() {
				t.Fatalf("value %d after %d adds", c.Value(), adds.Load())
			}
		}
	})
}

// One goroutine on changing Ps is no contention, whatever the machine and the
// runtime do, nor are two that add now and then. HOTPATH_SOAK makes it longer.
func TestAdaptiveStays(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	duration := 300 * time.Millisecond
	if os.Getenv("HOTPATH_SOAK") != "" {
		duration = time.Minute
	}
	inBothWays(t, func(t *testing.T) {
		var one, seldom Adaptive
		var stop atomic.Bool
		var all sync.WaitGroup
		all.Go(func() {
			for !stop.Load() {
				for range 1000 {
					one.Add(1)
				}
				runtime.Gosched()
			}
		})
		for range 2 {
			all.Go(func() {
				for !stop.Load() {
					seldom.Add(1)
					for start := time.Now(); time.Since(start) < 10*time.Microsecond; {
					}
					runtime.Gosched()
				}
			})
		}
		start := time.Now()
		for n := 0; time.Since(start) < duration; n++ {
			runtime.GOMAXPROCS(1 + n%4)
			runtime.GC()
		}
		stop.Store(true)
		all.Wait()
		if one.spreads() || seldom.spreads() && pin.Exclusive { // the race detector makes a look a hundred times as long
			t.Errorf("spread after %v: by one goroutine %t, by two that add seldom %t", duration, one.spreads(), seldom.spreads())
		}
	})
}

// No stride keeps a counter from looking, and none makes it look all the time.
func TestAdaptiveLooks(t *testing.T) {
	for _, stride := range []int64{1, -1, 2, 3, 7, 10, 100, 1000, 1024, 1500, 2048, 4096, 65536, 1e6, 1e9, 1 << 40, math.MaxInt32} {
		const adds = 1 << 22
		for _, first := range []int64{0, 1, 12345} {
			looks := 0
			for n, v := 0, first; n < adds; n++ {
				v += stride
				if due(v) {
					looks++
				}
			}
			if looks < adds/2048/4 || looks > adds/2048*4 {
				t.Errorf("by %d from %d: %d looks in %d adds, want about %d", stride, first, looks, adds, adds/2048)
			}
		}
	}
	for v := int64(-500); v <= 500; v++ {
		if due(v) {
			t.Errorf("a look at %d, where a count may go to and fro", v)
		}
	}
}

// Who goes by an older layout, or by none, counts; nothing that a layout has is
// missing in the next.
func TestAdaptiveHandOver(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	inBothWays(t, func(t *testing.T) {
		var c Adaptive
		want := int64(0)
		add := func(what string, f func(delta int64)) {
			t.Helper()
			want = want*2 + 1
			f(want/2 + 1)
			if got := c.Value(); got != want {
				t.Fatalf("%s: value %d, want %d", what, got, want)
			}
		}
		add("first", c.Add)
		late := c.Handle()
		before := *c.at.Load()
		add("handle", late.Add)
		c.spread(0)
		first := c.at.Load()
		add("spread", c.Add)
		add("owner of before", c.owned.add)
		add("shared word of before", c.addShared)
		add("handle of before", late.Add)
		c.spread(first.rows())
		second := c.at.Load()
		if second.rows() <= first.rows() || second.older == nil || second.older.older != nil {
			t.Fatalf("%d rows behind %d", second.rows(), first.rows())
		}
		add("grown", c.Add)
		add("words of before", first.words[lineWords].add)
		late.Close()
		add("after a close", c.Handle().Add)
		if c.spread(0); c.at.Load().rows() != second.rows() {
			t.Error("it spread again, to fewer rows")
		}
		if at := c.at.Load(); at.owner != before.owner || at.handles != before.handles {
			t.Errorf("owner %d and handles %p, before %d and %p", at.owner, at.handles, before.owner, before.handles)
		}
	})
}

// rows is how many Ps have a word.
func (l *layout) rows() int { return len(l.words) / lineWords }

// Of two who replace a layout at once one tries again, and nothing is lost.
func TestAdaptiveReplace(t *testing.T) {
	var c Adaptive
	c.replace(func(next *layout) {
		c.spread(0)
		next.handles = new(handles)
	})
	if at := c.at.Load(); !at.spread() || at.handles != nil {
		t.Errorf("the words are there: %t; the handles, of the later one: %t", at.spread(), at.handles != nil)
	}
	if c.Handle(); !c.spreads() || c.at.Load().handles == nil {
		t.Error("no handles, or no words any more")
	}
	if c.own(1); !c.spreads() {
		t.Error("who saw no layout has named an owner in place of a later one")
	}
}

// A change that is seen once, or some times, is no contention.
func TestContended(t *testing.T) {
	for _, most := range []int{0, 1, 4, 7, 8, 1000} {
		looks := 0
		got := contended(func() bool { looks++; return looks <= most })
		if got != (most >= 8) || looks > 8 {
			t.Errorf("%t after %d looks, of which %d saw a change", got, looks, most)
		}
	}
}

// An owner is named once, by the first add or handle, and nobody else is taken for
// it.
func TestAdaptiveOwner(t *testing.T) {
	if !pin.Exclusive {
		t.Skip("no P owns anything")
	}
	defer func(before bool) { biased = before }(biased)
	biased = true
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // all is done on P 0
	var c, first Adaptive
	c.addOutside(3, 0)
	first.Handle()
	if c.at.Load().owner != 3 || first.at.Load().owner != 0 {
		t.Fatalf("owners %d and %d, want 3 and 0", c.at.Load().owner, first.at.Load().owner)
	}
	var nobody Adaptive
	nobody.at.Store(&layout{owner: -1})
	for _, c := range []*Adaptive{&c, &nobody} {
		owner := c.at.Load().owner
		c.Add(5)
		c.Handle()
		if c.at.Load().owner != owner || c.owned.load() != 0 || c.shared.Load() != 5 {
			t.Errorf("owner %d with %d, others with %d; want %d, 0 and 5", c.at.Load().owner, c.owned.load(), c.shared.Load(), owner)
		}
	}
}

// Fresh counters, handles and changes of GOMAXPROCS while counters spread lose
// nothing.
func TestAdaptiveChurn(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	inBothWays(t, func(t *testing.T) {
		const workers, adds = 8, 20_000
		for round := range 20 {
			var c Adaptive
			var writing sync.WaitGroup
			for w := range workers {
				writing.Go(func() {
					for i := range adds {
						switch {
						case i%1000 == 999 && w == 0:
							c.spread(i / 1000)
							c.Add(1)
						case i%100 == 99:
							h := c.Handle()
							h.Add(1)
							h.Close()
						default:
							c.Add(1)
						}
					}
				})
			}
			for i := range 10 {
				runtime.GOMAXPROCS(1 + (round+i*3)%8)
				runtime.Gosched()
			}
			writing.Wait()
			if got := c.Value(); got != workers*adds {
				t.Fatalf("value %d, want %d", got, workers*adds)
			}
		}
	})
}
