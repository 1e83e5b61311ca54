// Package contest holds the tables of the study's contestants. Each of ours is
// one row: conformance tests, benchmarks, tables and charts range over the rows.
package contest

import (
	"sync"

	"hotpath/impl/counter"
	"hotpath/impl/counter/published"
	"hotpath/internal/bench"
)

// Counter is one contestant of the counter experiment.
type Counter struct {
	Row
	New func() Subject
	// Make returns what a program keeps for one counter, or for one Subject's
	// counters, after the first add: memory is measured on it. It is nil for the
	// floor.
	Make func() any
	// Called says that the operation is too much for the compiler to put in line,
	// so that the measured loop calls it.
	Called bool
}

// Subject is a fresh counter under measurement or test.
type Subject struct {
	// Worker is called by each goroutine that counts, on that goroutine.
	Worker func() Worker
	// Value may be called while workers run. It is nil for the floor, which is
	// no counter.
	Value func() int64
	// Cells returns how many cells the counter has grown; nil where it has none.
	Cells func() int
	// Size is how many counters the subject holds, if more than one. Value is
	// their sum, and workers count on all of them in turn.
	Size int
}

// Worker is one goroutine's access to a Subject.
type Worker struct {
	// Loop makes n increments. It is written out for each contestant around the
	// call that a user would write: reached through an interface, a func value
	// or a type parameter, that call would not inline.
	Loop func(n int)
	// Add adds delta once. Tests use it.
	Add func(delta int64)
	// Done, called after the last Loop or Add, folds in what the worker holds;
	// nil if it holds nothing.
	Done func()
}

// shared is the Worker function of a counter that all workers use alike.
func shared(loop func(int), add func(int64)) func() Worker {
	return func() Worker { return Worker{Loop: loop, Add: add} }
}

// Counters lists our counters in the order of tables and charts. The last one is
// the control: its ratio to atomic must come out as 1.
var Counters = []Counter{
	{Row: Row{Name: "floor", Role: bench.Floor, About: "One plain increment of a word that the goroutine owns."}, New: newFloor},
	{Row: Row{Name: "atomic", Role: bench.Published, About: "One word and one atomic add, as Java's AtomicLong."},
		New: newAtomic, Make: func() any { c := new(counter.Atomic); c.Add(1); return c }},
	{Row: Row{Name: "mutex", Role: bench.Plain, Parks: true, About: "A number behind a sync.Mutex, which a program has without any library."},
		New: newMutex, Make: func() any { c := new(locked); c.Add(1); return c }, Called: true},
	{Row: Row{Name: "hbase", Role: bench.Published, About: "HBase's striped Counter after HBASE-16146, which hashes the goroutine at every add."},
		New: newHBase, Make: func() any { c := new(published.HBase); c.Add(1); return c }, Called: true},
	{Row: Row{Name: "hbase_tl", Role: bench.Published, Holds: "a view for each goroutine", About: "HBase's striped Counter before HBASE-16146, where each goroutine remembers its stripe."},
		New: newHBaseLocal, Make: func() any { c := new(published.HBase); c.Local().Add(1); return c }},
	{Row: Row{Name: "longadder", Role: bench.Published, Holds: "a view for each goroutine", About: "Java's LongAdder, one word that spreads over cells when writers collide."},
		New: newAdder, Make: func() any { c := new(published.Adder); c.Local().Add(1); return c }},
	{Row: Row{Name: "perp", Role: bench.Ours, About: "counter.PerP, a word for each P that only who runs there adds to."},
		New: newPerP, Make: func() any { c := new(counter.PerP); c.Add(1); return c }, Called: true},
	{Row: Row{Name: "handle", Role: bench.Ours, Holds: "a handle for each goroutine, closed in the end", About: "counter.Handle, one goroutine's own word of a PerP."},
		New: newHandle, Make: func() any { h := new(counter.PerP).Handle(); h.Add(1); return h }},
	{Row: Row{Name: "adaptive", Role: bench.Ours, About: "counter.Adaptive, small and cheap for one goroutine, and a PerP once writers get in each other's way."},
		New: newAdaptive, Make: func() any { c := new(counter.Adaptive); c.Add(1); return c }, Called: true},
	{Row: Row{Name: "group", Role: bench.Ours, Holds: "the counter's number in the group", About: "counter.Group, many counters laid out together, which share a row of words for each P."},
		New: newGroup, Make: func() any { g := counter.NewGroup(groupSize); g.Add(0, 1); return g }, Called: true},
	{Row: Row{Name: "atomic_again", Role: bench.Control, Again: "atomic", About: "The atomic counter a second time."},
		New: newAtomic, Make: func() any { c := new(counter.Atomic); c.Add(1); return c }},
}

// groupSize is few counters for a group: with more, the ends of the rows weigh
// less and nothing else changes.
const groupSize = 64

// newFloor is what the cheapest counter cannot do without: one plain increment
// of a word of the worker's own memory. The compiler keeps the loop because the
// word is reachable after it, and Go moves no store out of a loop.
func newFloor() Subject {
	return Subject{Worker: func() Worker {
		own := new(struct {
			n int64
			_ [120]byte
		})
		return Worker{
			Loop: func(n int) {
				for range n {
					own.n++
				}
			},
			Add: func(delta int64) { own.n += delta },
		}
	}}
}

func newAtomic() Subject {
	c := new(counter.Atomic)
	return Subject{
		Worker: shared(func(n int) {
			for range n {
				c.Add(1)
			}
		}, c.Add),
		Value: c.Value,
	}
}

// locked is a number behind a mutex.
type locked struct {
	mu sync.Mutex
	n  int64
}

func (c *locked) Add(delta int64) {
	c.mu.Lock()
	c.n += delta
	c.mu.Unlock()
}

func (c *locked) Value() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n
}

func newMutex() Subject {
	c := new(locked)
	return Subject{
		Worker: shared(func(n int) {
			for range n {
				c.Add(1)
			}
		}, c.Add),
		Value: c.Value,
	}
}

func newHBase() Subject {
	c := new(published.HBase)
	return Subject{
		Worker: shared(func(n int) {
			for range n {
				c.Add(1)
			}
		}, c.Add),
		Value: c.Value,
		Cells: c.Cells,
	}
}

func newHBaseLocal() Subject {
	c := new(published.HBase)
	return Subject{
		Worker: func() Worker {
			l := c.Local()
			return Worker{
				Loop: func(n int) {
					for range n {
						l.Add(1)
					}
				},
				Add: l.Add,
			}
		},
		Value: c.Value,
		Cells: c.Cells,
	}
}

func newAdder() Subject {
	c := new(published.Adder)
	return Subject{
		Worker: func() Worker {
			l := c.Local()
			return Worker{
				Loop: func(n int) {
					for range n {
						l.Add(1)
					}
				},
				Add: l.Add,
			}
		},
		Value: c.Value,
		Cells: c.Cells,
	}
}

func newPerP() Subject {
	c := new(counter.PerP)
	return Subject{
		Worker: shared(func(n int) {
			for range n {
				c.Add(1)
			}
		}, c.Add),
		Value: c.Value,
	}
}

func newAdaptive() Subject {
	c := new(counter.Adaptive)
	return Subject{
		Worker: shared(func(n int) {
			for range n {
				c.Add(1)
			}
		}, c.Add),
		Value: c.Value,
	}
}

func newHandle() Subject {
	c := new(counter.PerP)
	return Subject{
		Worker: func() Worker {
			h := c.Handle()
			return Worker{
				Loop: func(n int) {
					for range n {
						h.Add(1)
					}
				},
				Add:  h.Add,
				Done: h.Close,
			}
		},
		Value: c.Value,
	}
}

func newGroup() Subject {
	g := counter.NewGroup(groupSize)
	return Subject{
		Worker: func() Worker {
			next := uint(0)
			return Worker{
				Loop: func(n int) {
					i := next
					for range n {
						g.Add(int(i%groupSize), 1)
						i++
					}
					next = i
				},
				Add: func(delta int64) {
					g.Add(int(next%groupSize), delta)
					next++
				},
			}
		},
		Value: func() int64 {
			var sum int64
			for i := range g.Len() {
				sum += g.Value(i)
			}
			return sum
		},
		Size: groupSize,
	}
}
