package published

import (
	"sync"
	"sync/atomic"
	"unsafe"
)

// HBase is the counter of Apache HBase (hbase-common, util/Counter.java) as
// HBASE-16146 left it; its view HBaseLocal is the counter as it was before.
//
// The count is spread over a table of padded cells, one at first. A writer
// hashes its identity to a cell and makes one attempt there by compare-and-swap.
// If it loses, it walks to the next cells until it wins. A walk that passed
// every cell doubles the table; nothing else does, so the table's size follows
// from collisions and not from the number of CPUs, and it never shrinks.
//
// Before the patch each thread remembered the cell where it last won, in a
// ThreadLocal of each counter. After the patch a writer starts from its hash
// again at every add: two writers with the same cell collide until the table
// grows, but a counter leaves nothing behind in the threads that used it.
//
// The comment of package counter says what Value means during adds, this package's
// what stands for a thread's identity. The zero value is ready to use. On 64-bit
// machines an HBase takes one pointer, 224 bytes more with its first cell, and
// about 144 bytes for each one that it grows.
type HBase struct {
	table atomic.Pointer[hbaseTable]
}

type hbaseTable struct {
	cells   []*cell     // length is a power of two
	demoted atomic.Bool // a writer has taken on to replace this table
}

const hbaseMaxCells = 1 << 20

// Add adds delta.
func (c *HBase) Add(delta int64) { c.add(delta, spread(identity())) }

// Value returns the sum of the cells.
func (c *HBase) Value() int64 {
	var sum int64
	if t := c.table.Load(); t != nil {
		for _, cell := range t.cells {
			sum += cell.n.Load()
		}
	}
	return sum
}

// Set makes v the value. As in HBase it starts over with one cell, and an add
// that runs at the same time may be lost.
func (c *HBase) Set(v int64) { c.table.Store(newHBaseTable(v)) }

// Cells returns the number of cells.
func (c *HBase) Cells() int { return len(c.current().cells) }

// HBaseLocal is one goroutine's view of an HBase counter as it was before the
// patch: it remembers the cell that its last add found free. Only one goroutine
// may use it at a time; it needs no closing.
type HBaseLocal struct {
	_     [0]sync.Mutex // makes go vet object to copies
	c     *HBase
	index uint32
	_     [lineSize - unsafe.Sizeof(uintptr(0)) - 4]byte // another goroutine's view may be next
}

// Local returns a view for the calling goroutine.
func (c *HBase) Local() *HBaseLocal { return &HBaseLocal{c: c, index: spread(identity())} }

// Add adds delta.
func (l *HBaseLocal) Add(delta int64) {
	if index := l.c.add(delta, l.index); index != l.index {
		l.index = index
	}
}

// add adds delta to the first free cell from index on and returns its index,
// which is not reduced to the table's length: a larger table takes more of it.
func (c *HBase) add(delta int64, index uint32) uint32 {
	t := c.current()
	mask := uint32(len(t.cells) - 1)
	start := index
	for !t.cells[index&mask].tryAdd(delta) {
		index++
	}
	if index-start > mask && mask+1 < hbaseMaxCells && t.demoted.CompareAndSwap(false, true) {
		c.grow(t)
	}
	return index
}

// grow doubles the table. The old cells serve in the new one, so adds that are
// still under way on the old table count.
func (c *HBase) grow(t *hbaseTable) {
	if c.table.Load() != t {
		return
	}
	cells := make([]*cell, 2*len(t.cells))
	for i := copy(cells, t.cells); i < len(cells); i++ {
		cells[i] = new(cell)
	}
	c.table.CompareAndSwap(t, &hbaseTable{cells: cells})
}

// newHBaseTable returns a table of one cell. The JVM lays out objects that are
// made in a row side by side, and most counters never grow: so the path to their
// cell is next to it here, as far away as HBase pads a cell.
func newHBaseTable(v int64) *hbaseTable {
	t := new(struct {
		table hbaseTable
		cells [1]*cell
		_     [56]byte
		first cell
	})
	t.first.n.Store(v)
	t.cells[0] = &t.first
	t.table.cells = t.cells[:]
	return &t.table
}

func (c *HBase) current() *hbaseTable {
	if t := c.table.Load(); t != nil {
		return t
	}
	c.table.CompareAndSwap(nil, newHBaseTable(0))
	return c.table.Load()
}

// identity stands for Java's identityHashCode of the current thread. It is the
// stack's address without the bits that vary inside the smallest stack, mixed
// because stacks lie at regular distances and Java's hash codes are random.
func identity() uint32 {
	const minStackBits = 11
	var onStack byte
	block := uint64(uintptr(unsafe.Pointer(&onStack)) >> minStackBits)
	return uint32(block * 0x9e3779b97f4a7c15 >> 32)
}

// spread is the hash that HBase applies to an identity, taken from
// high-scale-lib.
func spread(h uint32) uint32 {
	h ^= h>>20 ^ h>>12
	return h ^ h>>7 ^ h>>4
}
