package counter

import (
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"
)

// hammer adds from as many goroutines as it takes to have collisions, until done
// reports true. It returns how many adds of 1 were made.
func hammer(t *testing.T, add func() func(int64), done func() bool) int64 {
	t.Helper()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(8))
	var wg sync.WaitGroup
	var adds atomic.Int64
	deadline := time.Now().Add(20 * time.Second)
	for range 32 {
		wg.Go(func() {
			add := add()
			for !done() && time.Now().Before(deadline) {
				for range 1000 {
					add(1)
				}
				adds.Add(1000)
			}
		})
	}
	wg.Wait()
	if !done() {
		t.Fatal("not reached in 20 s")
	}
	return adds.Load()
}

func TestHBaseGrowsByCollisions(t *testing.T) {
	var c HBase
	c.Add(1)
	if n := c.Cells(); n != 1 {
		t.Fatalf("%d cells without a collision", n)
	}
	adds := hammer(t, func() func(int64) { return c.Add }, func() bool { return c.Cells() >= 4 })
	if n := c.Cells(); n&(n-1) != 0 {
		t.Errorf("%d cells are no power of two", n)
	}
	if got := c.Value(); got != adds+1 {
		t.Errorf("value %d, want %d", got, adds+1)
	}
}

// The view that collided and so made the table grow remembers where it went.
func TestHBaseLocalMoves(t *testing.T) {
	var c HBase
	var moved atomic.Int64
	hammer(t, func() func(int64) {
		l := c.Local()
		start := l.index
		return func(delta int64) {
			if l.Add(delta); l.index != start {
				start = l.index
				moved.Add(1)
			}
		}
	}, func() bool { return c.Cells() >= 2 })
	if moved.Load() == 0 {
		t.Error("the table grew and no view moved")
	}
}

// A table grows once and keeps its cells; an index keeps the bits that the
// table does not use yet.
func TestHBaseGrow(t *testing.T) {
	var c HBase
	table := newHBaseTable(0)
	c.table.Store(table)
	c.grow(table)
	grown := c.table.Load()
	if n := len(grown.cells); n != 2 || grown.cells[0] != table.cells[0] {
		t.Fatalf("%d cells after one growth, first cell kept: %t", n, grown.cells[0] == table.cells[0])
	}
	if c.grow(table); c.table.Load() != grown {
		t.Error("a table that had been replaced was grown again")
	}
	if got := c.add(1, 7); got != 7 {
		t.Errorf("an add without a collision moved the index from 7 to %d", got)
	}
	if n := grown.cells[1].n.Load(); n != 1 {
		t.Errorf("cell 1 holds %d after an add at index 7", n)
	}
}

func TestHBaseLocalStays(t *testing.T) {
	var c HBase
	c.Add(0)
	for range 3 {
		c.grow(c.table.Load())
	}
	l := c.Local()
	l.index = 5
	for range 10 {
		l.Add(1)
	}
	if n := c.table.Load().cells[5].n.Load(); n != 10 || l.index != 5 {
		t.Errorf("cell 5 holds %d and the index is %d after 10 adds at 5", n, l.index)
	}
}

func TestHBaseSetForgetsGrowth(t *testing.T) {
	var c HBase
	c.Add(1)
	c.grow(c.table.Load())
	c.Set(7)
	if c.Value() != 7 || c.Cells() != 1 {
		t.Errorf("value %d in %d cells, want 7 in 1", c.Value(), c.Cells())
	}
}

func TestIdentityDiffersByGoroutine(t *testing.T) {
	const n = 64
	ids := make(chan uint32, n)
	var started, release sync.WaitGroup
	started.Add(n)
	release.Add(1)
	for range n {
		go func() {
			growStack()
			a, b := identity(), identity()
			if a != b {
				t.Error("identity changed between two calls")
			}
			ids <- a
			started.Done()
			release.Wait() // all are alive at once
		}()
	}
	started.Wait()
	release.Done()
	seen := map[uint32]bool{}
	for range n {
		seen[<-ids] = true
	}
	if len(seen) != n {
		t.Errorf("%d identities for %d goroutines", len(seen), n)
	}
}

// growStack makes the caller's stack large enough for all that follows. One that
// grew later would leave its place, and with it the identity, to another goroutine.
//
//go:noinline
func growStack() (first byte) {
	var frame [16 << 10]byte
	return frame[len(os.Args)]
}

func TestAdderGrowsToCPUs(t *testing.T) {
	most := 2
	for most < runtime.NumCPU() {
		most *= 2
	}
	for name, local := range map[string]bool{"Adder": false, "AdderLocal": true} {
		t.Run(name, func(t *testing.T) {
			var c Adder
			c.Add(1)
			if n := c.Cells(); n != 0 {
				t.Fatalf("%d cells without a collision", n)
			}
			var more atomic.Int64 // go on after the first table: it must not pass the limit
			adds := hammer(t, func() func(int64) {
				if local {
					return c.Local().Add
				}
				return c.Add
			}, func() bool { return c.Cells() > 0 && more.Add(1) > 1000 })
			if n := c.Cells(); n > most || n&(n-1) != 0 {
				t.Errorf("%d cells, want a power of two up to %d", n, most)
			}
			if got := c.Value(); got != adds+1 {
				t.Errorf("value %d, want %d", got, adds+1)
			}
		})
	}
}

// The slow path is taken by collisions, which a test cannot order: call it
// directly.
func TestAdderContend(t *testing.T) {
	var c Adder
	const probe = 0b101
	if got := c.contend(1, probe, false); got != probe {
		t.Errorf("the writer that made the table left its cell: probe %b", got)
	}
	cells := *c.cells.Load()
	if len(cells) != 2 || cells[0].Load() != nil || cells[1].Load().n.Load() != 1 {
		t.Fatalf("first table: %d slots, want 2 with the delta in the second and the first empty", len(cells))
	}
	if got := c.contend(1, probe+1, false); got != probe+1 || cells[0].Load().n.Load() != 1 {
		t.Error("an empty slot was not filled by the writer that found it")
	}
	if got := c.contend(1, probe, true); got != nextProbe(probe) {
		t.Errorf("probe %b after a lost attempt, want %b", got, nextProbe(probe))
	}
	before := c.cells.Load()
	if !c.grow(before) || c.Cells() != 4 || (*c.cells.Load())[1].Load() != cells[1].Load() {
		t.Errorf("%d slots after growth, want 4 that begin with the old ones", c.Cells())
	}
	if c.grow(before); c.Cells() != 4 {
		t.Error("a table that had been replaced was grown again")
	}
	now := c.cells.Load()
	if c.start(1, probe) || c.fill(now, &(*now)[1], 1) || c.fill(before, &(*before)[0], 1) || c.Cells() != 4 {
		t.Error("what another writer had made meanwhile was replaced")
	}
	if got := c.Value(); got != 3 {
		t.Errorf("value %d, want 3", got)
	}
}

func TestPerPKeepsOlderBlocks(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var c PerP
	g := NewGroup(3)
	if n := len(g.block.Load().words); n != lineWords {
		t.Errorf("a group of 3 has %d words at GOMAXPROCS=1, want one line of %d", n, lineWords)
	}
	c.Add(1)
	g.Add(2, 1)
	grow(&c.block, 7, lineWords)
	grow(&g.block, 7, g.stride)
	c.Add(1)
	g.Add(2, 1)
	for name, b := range map[string]*block{"PerP": c.block.Load(), "Group": g.block.Load()} {
		if len(b.words) != 8*lineWords || b.older == nil || b.older.older != nil {
			t.Errorf("%s: want a block with 8 rows before the first one", name)
		}
	}
	if c.Value() != 2 || g.Value(2) != 2 || g.Value(0) != 0 {
		t.Errorf("PerP %d, Group %d and %d, want 2, 2 and 0", c.Value(), g.Value(2), g.Value(0))
	}
}

func TestLinesAreNotShared(t *testing.T) {
	if n := unsafe.Sizeof(cell{}); n != lineSize {
		t.Errorf("a cell has %d bytes", n)
	}
	for name, n := range map[string]uintptr{
		"Handle": unsafe.Sizeof(Handle{}), "HBaseLocal": unsafe.Sizeof(HBaseLocal{}), "AdderLocal": unsafe.Sizeof(AdderLocal{}),
	} {
		if n != lineSize {
			t.Errorf("%s has %d bytes", name, n)
		}
	}
	for p := 1; p <= 64; p++ {
		b := &block{words: make([]word, p*lineWords)}
		if at := uintptr(unsafe.Pointer(&b.words[0])); at%lineSize != 0 {
			t.Errorf("the words of %d Ps begin %d bytes into a line", p, at%lineSize)
		}
	}
	var c PerP
	for range 100 {
		if at := uintptr(unsafe.Pointer(c.Handle())); at%lineSize != 0 {
			t.Fatalf("a handle begins %d bytes into a line", at%lineSize)
		}
	}
}

func TestGroupSize(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(8))
	for n := 64; n < 1000; n++ {
		g := NewGroup(n)
		words := g.block.Load().words
		bytes := float64(len(words))*float64(unsafe.Sizeof(word{})) + float64(unsafe.Sizeof(*g)+unsafe.Sizeof(block{}))
		if per := bytes / float64(n) / 8; per > 10 {
			t.Fatalf("a group of %d takes %.2f bytes per counter and P", n, per)
		}
	}
}

func TestGroupBounds(t *testing.T) {
	panics := func(f func()) (did bool) {
		defer func() { did = recover() != nil }()
		f()
		return false
	}
	g := NewGroup(3)
	for _, i := range []int{-1, 3, lineWords} {
		if !panics(func() { g.Add(i, 1) }) || !panics(func() { g.Value(i) }) {
			t.Errorf("index %d of a group of 3 was accepted", i)
		}
	}
	if !panics(func() { NewGroup(-1) }) {
		t.Error("a group of -1 was made")
	}
	for i := range NewGroup(0).Len() {
		t.Errorf("an empty group has a counter %d", i)
	}
}

func TestHandleClose(t *testing.T) {
	var c PerP
	a, b, d := c.Handle(), c.Handle(), c.Handle()
	a.Add(1)
	b.Add(10)
	d.Add(100)
	for _, h := range []*Handle{a, a, d, b, b} {
		h.Close()
		if got := c.Value(); got != 111 {
			t.Fatalf("value %d after a close, want 111", got)
		}
	}
	if n := len(c.handles.Load().open); n != 0 {
		t.Errorf("%d handles are still open", n)
	}
}

// Readers must see each increment in exactly one interval while handles come and
// go and other readers take intervals of their own.
func TestIntervalsAddUp(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	var c PerP
	c.Add(7)
	var writers, readers sync.WaitGroup
	stop := make(chan struct{})
	const adds = 20_000
	totals := make([]int64, 3)
	for i := range totals {
		in := NewInterval(c.Value)
		readers.Go(func() {
			for {
				d, _ := in.Next()
				if d < 0 {
					t.Errorf("an interval of %d", d)
				}
				totals[i] += d
				select {
				case <-stop:
					d, _ := in.Next()
					totals[i] += d
					return
				default:
					runtime.Gosched()
				}
			}
		})
	}
	for range 8 {
		writers.Go(func() {
			for i := range adds {
				if i%10 != 0 {
					c.Add(1)
					continue
				}
				h := c.Handle()
				h.Add(1)
				h.Close()
			}
		})
	}
	writers.Wait()
	close(stop)
	readers.Wait()
	for _, got := range totals {
		if got != 8*adds {
			t.Errorf("intervals add up to %d, want %d", got, 8*adds)
		}
	}
}

func TestIntervalWraps(t *testing.T) {
	var c Atomic
	c.Add(1<<63 - 1)
	in := NewInterval(c.Value)
	c.Add(5)
	if d, _ := in.Next(); d != 5 {
		t.Errorf("interval %d across the largest value, want 5", d)
	}
}
