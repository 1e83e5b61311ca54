package counter

import (
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"hotpath/impl/internal/pin"
)

// Adaptive is a counter for a load that nobody knows beforehand. It is small, and
// an add costs about as much as Atomic's or less, while one goroutine counts at a
// time; it works as PerP once writers on several CPUs have got in each other's
// way, and does not go back.
//
// It notices by looking: at one in some thousand adds it watches whether the
// count changes again and again while the looking goroutine adds nothing. Writers
// that meet now and then do not make it spread, nor does a busy machine. One whose
// value goes up and down in a small range may never look, and then stays as it is.
//
// Until then it counts by one of two ways, whichever the CPU does faster, which is
// tried once, for some microseconds at the start of the program. Either each add
// is atomic, in one word for all. Or the first P that adds has a word of its own
// and no add there is atomic; adds on other Ps are, and cost somewhat more than
// Atomic's.
//
// The package comment says what Value means during adds. The zero value is ready
// to use. An Adaptive takes 24 bytes on 64-bit machines until it spreads, and then
// as much as PerP besides.
//
// With the build tag portable, with the race detector, and on 32-bit machines
// adds are atomic and the runtime is not asked to pin.
type Adaptive struct {
	shared atomic.Int64 // what was added without a word of one's own
	owned  word         // of the P that at names
	at     atomic.Pointer[layout]
}

// layout says where an Adaptive counts besides its shared word. It never changes,
// and is replaced by one that has all that it has: who still goes by the older one
// counts.
type layout struct {
	block   // of the counter once it has spread, and without words before
	handles *handles
	owner   int // the P that the owned word belongs to for good
}

// biased says that the first P has a word of its own.
var biased = pin.Exclusive && pinsAreFast()

// Add adds delta.
func (c *Adaptive) Add(delta int64) {
	if !biased {
		if at := c.at.Load(); at == nil || at.words == nil {
			c.addShared(delta)
			return
		}
	}
	p := pin.Pin()
	// Loaded after Pin, across which the compiler would keep it in memory.
	if at := c.at.Load(); at != nil {
		if i := uint(p) * lineWords; i < uint(len(at.words)) {
			at.words[i].add(delta)
			pin.Unpin()
			return
		}
		if p == at.owner {
			c.owned.add(delta)
			pin.Unpin()
			return
		}
	}
	pin.Unpin()
	c.addOutside(p, delta)
}

// addOutside adds for a P that has no word in the layout, or had none.
func (c *Adaptive) addOutside(p int, delta int64) {
	switch at := c.at.Load(); {
	case at == nil:
		c.own(p)
		c.Add(delta)
	case at.spread():
		c.spread(p)
		c.Add(delta)
	default:
		c.addShared(delta)
	}
}

// own names P p the owner, unless there is a layout by now.
func (c *Adaptive) own(p int) {
	c.at.CompareAndSwap(nil, ownedBy(p))
}

func (c *Adaptive) addShared(delta int64) {
	if due(c.shared.Add(delta)) {
		c.look()
	}
}

// look makes the counter spread if it is contended.
func (c *Adaptive) look() {
	if contended(c.changes) {
		c.spread(0)
	}
}

// due picks one in 2,048 values, whatever the stride by which a counter comes to
// them, and none that is small: a count that goes to and fro there would be picked
// again and again.
func due(n int64) bool {
	const goldenRatio = 0x9e3779b97f4a7c15
	return uint64(n)*goldenRatio > math.MaxUint64/2048*2047
}

// contended reports whether a counter changes in several looks in a row, because
// others add all the time.
func contended(changes func() bool) bool {
	for range 8 {
		if !changes() {
			return false
		}
	}
	return true
}

// changes reports whether the count changes within about 200 ns. Shorter than it
// takes to move a cache line between CPUs would show nothing: as long as the line
// is this CPU's, nobody else can add.
func (c *Adaptive) changes() bool {
	shared, owned := c.shared.Load(), c.owned.load()
	for range 400 {
		if c.shared.Load() != shared || c.owned.load() != owned {
			return true
		}
	}
	return false
}

// Value returns the sum of what all Ps and all handles have added.
func (c *Adaptive) Value() int64 {
	sum := c.shared.Load() + c.owned.load()
	if at := c.at.Load(); at != nil {
		sum += at.sum(0, lineWords)
		if at.handles != nil {
			sum += at.handles.sum()
		}
	}
	return sum
}

// Handle returns a new handle, to be closed after its last Add. Any number of
// goroutines may call it. What handles add is nobody's hindrance and does not make
// the counter spread.
func (c *Adaptive) Handle() *Handle {
	c.Add(0) // names an owner
	for {
		if at := c.at.Load(); at != nil && at.handles != nil {
			return at.handles.handle()
		}
		c.replace(func(next *layout) { next.handles = new(handles) })
	}
}

// spread gives each P a word, p at least, unless they have one.
func (c *Adaptive) spread(p int) {
	c.replace(func(next *layout) {
		if p*lineWords < len(next.words) {
			return
		}
		older := next.block
		next.words = make([]word, max(p+1, runtime.GOMAXPROCS(0))*lineWords)
		if older.words != nil {
			next.older = &older
		}
	})
}

// replace makes one attempt to put a layout in place that has more than the one
// before.
func (c *Adaptive) replace(add func(next *layout)) {
	old := c.at.Load()
	next := layout{owner: -1}
	if old != nil {
		next = *old
	}
	add(&next)
	c.at.CompareAndSwap(old, &next)
}

// spread reports whether Ps have words of their own. There may be no layout.
func (l *layout) spread() bool { return l != nil && l.words != nil }

// ownedBy returns the layout, which all counters share, of one whose owner is P p.
func ownedBy(p int) *layout {
	l, ok := owners.Load(p)
	if !ok {
		l, _ = owners.LoadOrStore(p, &layout{owner: p})
	}
	return l.(*layout)
}

var owners sync.Map // *layout by P

// pinsAreFast finds out whether it takes less to pin a goroutine and add than to
// add atomically. It differs between CPUs by a factor of four, to either side.
func pinsAreFast() bool {
	var shared atomic.Int64
	var owned word
	atomics, pins := time.Duration(math.MaxInt64), time.Duration(math.MaxInt64)
	for range 10 { // the least of them, for something may come between
		start := time.Now()
		for range 64 {
			shared.Add(1)
		}
		between := time.Now()
		for range 64 {
			pin.Pin()
			owned.add(1)
			pin.Unpin()
		}
		atomics, pins = min(atomics, between.Sub(start)), min(pins, time.Since(between))
	}
	return pins < atomics
}
