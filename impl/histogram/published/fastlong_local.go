package published

import (
	"sync"

	counter "hotpath/impl/counter/published"
)

// FastLongLocal is one goroutine's memory of the counters of the FastLongs that
// it adds to through it: the histogram as it was before HBASE-16146, when each
// counter kept in a ThreadLocal where in its cells a thread last won.
//
// A thread of the JVM finds its ThreadLocals in one hash table, so the price of
// an add was a look-up in a table that grows with the number of counters, three
// times per value. FastLongLocal pays it in the same way: one open-addressing
// table per goroutine over all histograms, keyed by the counter's number,
// multiplied by the golden ratio as Java does, at most half full, and in each
// occupied place a pointer to the entry.
//
// An entry holds a counter.HBaseLocal, which remembers the place, once its
// counter has more than one cell; with one cell there is nothing to remember. To
// bound the memory, a FastLongLocal has at most 4,096 of these views, and to
// further counters adds like FastLong; and when it knows 131,072 counters, enough
// for all of 500 histograms, it starts over, which also drops those of
// histograms that were reset. At most it takes 2 MiB for the table, 2 MiB for
// entries and 0.5 MiB for views. A thread of the JVM has neither bound.
//
// Only one goroutine may use a FastLongLocal at a time; it needs no closing. Use
// NewFastLongLocal.
type FastLongLocal struct {
	_     [0]sync.Mutex    // makes go vet object to copies
	slots []*fastLongEntry // length is a power of two
	shift uint8            // 64 - log2 of that
	known int
	views int
	spare []fastLongEntry
}

type fastLongEntry struct {
	id   uint64
	view *counter.HBaseLocal
}

const (
	fastLongMaxKnown = 1 << 17
	fastLongMaxViews = 1 << 12
	fastLongMinBits  = 4 // of the table's length; Java starts with 16 places as well
)

// NewFastLongLocal returns an empty memory.
func NewFastLongLocal() *FastLongLocal {
	l := new(FastLongLocal)
	l.forget()
	return l
}

// Add adds v to h.
func (l *FastLongLocal) Add(h *FastLong, v int64) { l.AddN(h, v, 1) }

// AddN adds v to h, n times.
func (l *FastLongLocal) AddN(h *FastLong, v, n int64) {
	b := h.bins.Load()
	if v < 0 {
		b.negative.Add(n)
		return
	}
	b.extend(v)
	l.add(b.firstID, &b.count, n)
	l.add(b.firstID+1, &b.total, v*n)
	i := b.index(v)
	l.add(b.firstID+2+uint64(i), &b.counts[i], n)
	b.hasData.Store(true)
}

func (l *FastLongLocal) add(id uint64, c *counter.HBase, delta int64) {
	e := l.entry(id)
	if e.view == nil {
		if l.views == fastLongMaxViews || c.Cells() == 1 {
			c.Add(delta)
			return
		}
		e.view = c.Local()
		l.views++
	}
	e.view.Add(delta)
}

// entry returns the entry of a counter, a new one if there is none.
func (l *FastLongLocal) entry(id uint64) *fastLongEntry {
	for i := l.home(id); ; i = (i + 1) & (len(l.slots) - 1) {
		switch e := l.slots[i]; {
		case e == nil:
			return l.insert(id)
		case e.id == id:
			return e
		}
	}
}

// home returns the place where the search for a counter begins.
func (l *FastLongLocal) home(id uint64) int {
	const goldenRatio = 0x9e3779b97f4a7c15
	return int(id * goldenRatio >> (l.shift & 63))
}

func (l *FastLongLocal) insert(id uint64) *fastLongEntry {
	switch {
	case l.known == fastLongMaxKnown:
		l.forget()
	case 2*l.known == len(l.slots):
		l.grow()
	}
	if len(l.spare) == 0 {
		l.spare = make([]fastLongEntry, 64)
	}
	e := &l.spare[0]
	l.spare = l.spare[1:]
	e.id = id
	l.place(e)
	l.known++
	return e
}

func (l *FastLongLocal) place(e *fastLongEntry) {
	i := l.home(e.id)
	for l.slots[i] != nil {
		i = (i + 1) & (len(l.slots) - 1)
	}
	l.slots[i] = e
}

func (l *FastLongLocal) grow() {
	old := l.slots
	l.slots = make([]*fastLongEntry, 2*len(old))
	l.shift--
	for _, e := range old {
		if e != nil {
			l.place(e)
		}
	}
}

func (l *FastLongLocal) forget() {
	*l = FastLongLocal{slots: make([]*fastLongEntry, 1<<fastLongMinBits), shift: 64 - fastLongMinBits}
}
