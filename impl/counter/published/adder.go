package published

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"
)

// Adder is Java's LongAdder (OpenJDK, java.util.concurrent.atomic.Striped64): a
// base word that serves alone until two writers collide on it, and from then on
// a table of padded cells that appear as writers need them.
//
// A writer's probe picks its cell. A collision, which is a lost
// compare-and-swap, moves the probe, and there the writer stays until the next
// collision; a second collision in one add doubles the table, up to the first
// power of two that is at least the number of CPUs. The table never shrinks.
//
// In Java the probe lives in the thread. Here it lives in the view that Local
// returns; Add without a view borrows a probe from a sync.Pool, which mostly
// hands out the same one on the same P.
//
// The comment of package counter says what Value means during adds. The zero value
// is ready to use. An Adder takes 24 bytes on 64-bit machines until the first
// collision, and up to 136 bytes more per cell after it.
type Adder struct {
	base  atomic.Int64
	cells atomic.Pointer[[]atomic.Pointer[cell]]
	busy  atomic.Bool // held to fill an empty slot and to replace the table
}

// Add adds delta. A goroutine that adds often does so faster through Local.
func (c *Adder) Add(delta int64) {
	p := probes.Get().(*uint32)
	*p = c.add(delta, *p)
	probes.Put(p)
}

var probes = sync.Pool{New: func() any { p := newProbe(); return &p }}

// Value returns the sum of the base and the cells.
func (c *Adder) Value() int64 {
	sum := c.base.Load()
	if cells := c.cells.Load(); cells != nil {
		for i := range *cells {
			if cell := (*cells)[i].Load(); cell != nil {
				sum += cell.n.Load()
			}
		}
	}
	return sum
}

// Cells returns the length of the table, 0 before the first collision.
func (c *Adder) Cells() int {
	if cells := c.cells.Load(); cells != nil {
		return len(*cells)
	}
	return 0
}

// AdderLocal is one goroutine's view of an Adder: it holds the goroutine's
// probe. Only one goroutine may use it at a time; it needs no closing.
type AdderLocal struct {
	_     [0]sync.Mutex // makes go vet object to copies
	c     *Adder
	probe uint32
	_     [lineSize - unsafe.Sizeof(uintptr(0)) - 4]byte // another goroutine's view may be next
}

// Local returns a view for the calling goroutine.
func (c *Adder) Local() *AdderLocal { return &AdderLocal{c: c, probe: newProbe()} }

// Add adds delta.
func (l *AdderLocal) Add(delta int64) {
	if probe := l.c.add(delta, l.probe); probe != l.probe {
		l.probe = probe
	}
}

func newProbe() uint32 { return rand.Uint32() | 1 } // zero would stay zero

func nextProbe(p uint32) uint32 {
	p ^= p << 13
	p ^= p >> 17
	return p ^ p<<5
}

// add adds delta and returns the probe for the next add.
func (c *Adder) add(delta int64, probe uint32) uint32 {
	cells := c.cells.Load()
	if cells == nil {
		if c.tryBase(delta) {
			return probe
		}
		return c.contend(delta, probe, false)
	}
	cell := (*cells)[probe&uint32(len(*cells)-1)].Load()
	if cell != nil && cell.tryAdd(delta) {
		return probe
	}
	return c.contend(delta, probe, cell != nil)
}

// contend goes on after a failed attempt; lost says that it failed on the
// probe's cell.
func (c *Adder) contend(delta int64, probe uint32, lost bool) uint32 {
	if lost {
		probe = nextProbe(probe)
	}
	collided := false // the attempt before failed on a cell
	for {
		cells := c.cells.Load()
		if cells == nil {
			if c.start(delta, probe) || c.tryBase(delta) {
				return probe
			}
			continue
		}
		slot := &(*cells)[probe&uint32(len(*cells)-1)]
		cell := slot.Load()
		switch {
		case cell == nil:
			if c.fill(cells, slot, delta) {
				return probe
			}
			collided = false
			if slot.Load() != nil {
				continue
			}
		case cell.tryAdd(delta):
			return probe
		case len(*cells) >= runtime.NumCPU() || c.cells.Load() != cells:
			collided = false
		case !collided:
			collided = true
		case c.grow(cells):
			collided = false
			continue
		}
		probe = nextProbe(probe)
	}
}

func (c *Adder) tryBase(delta int64) bool {
	n := c.base.Load()
	return c.base.CompareAndSwap(n, n+delta)
}

func (c *Adder) lock() bool { return !c.busy.Load() && c.busy.CompareAndSwap(false, true) }

// start makes the table with delta in its first cell. It reports false when
// another writer does so.
func (c *Adder) start(delta int64, probe uint32) bool {
	if !c.lock() {
		return false
	}
	defer c.busy.Store(false)
	if c.cells.Load() != nil {
		return false
	}
	table := make([]atomic.Pointer[cell], 2)
	table[probe&1].Store(newCell(delta))
	c.cells.Store(&table)
	return true
}

// fill puts a cell with delta into an empty slot of the table.
func (c *Adder) fill(cells *[]atomic.Pointer[cell], slot *atomic.Pointer[cell], delta int64) bool {
	if !c.lock() {
		return false
	}
	defer c.busy.Store(false)
	if c.cells.Load() != cells || slot.Load() != nil {
		return false
	}
	slot.Store(newCell(delta))
	return true
}

// grow doubles the table unless another writer has replaced it. It reports
// false when another writer holds the table.
func (c *Adder) grow(cells *[]atomic.Pointer[cell]) bool {
	if !c.lock() {
		return false
	}
	defer c.busy.Store(false)
	if c.cells.Load() == cells {
		table := make([]atomic.Pointer[cell], 2*len(*cells))
		for i := range *cells {
			table[i].Store((*cells)[i].Load())
		}
		c.cells.Store(&table)
	}
	return true
}

func newCell(v int64) *cell {
	c := new(cell)
	c.n.Store(v)
	return c
}
