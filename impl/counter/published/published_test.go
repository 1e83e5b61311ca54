package published

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

// A slot that is empty in a table that has been replaced is nobody's any more.
func TestAdderFillsNoReplacedTable(t *testing.T) {
	var c Adder
	c.contend(1, 0b101, false) // makes a table of two slots and fills one
	before := c.cells.Load()
	if (*before)[0].Load() != nil || !c.grow(before) {
		t.Fatal("want an empty slot in a table that has been replaced")
	}
	if c.fill(before, &(*before)[0], 1) || c.Value() != 1 {
		t.Errorf("a cell was filled into a replaced table; value %d, want 1", c.Value())
	}
	now := c.cells.Load()
	if !c.fill(now, &(*now)[0], 1) || c.Value() != 2 {
		t.Errorf("value %d after an empty slot was filled, want 2", c.Value())
	}
}

func TestLinesAreNotShared(t *testing.T) {
	for name, n := range map[string]uintptr{
		"cell": unsafe.Sizeof(cell{}), "HBaseLocal": unsafe.Sizeof(HBaseLocal{}), "AdderLocal": unsafe.Sizeof(AdderLocal{}),
	} {
		if n != lineSize {
			t.Errorf("%s has %d bytes", name, n)
		}
	}
}
