// Package contest holds the tables of the study's contestants. Each of ours is
// one row: conformance tests, benchmarks, tables and charts range over the rows.
package contest

import "hotpath/impl/counter"

// Counter is one contestant of the counter experiment.
type Counter struct {
	Name string // value of /impl= in benchmark names
	New  func() Subject
	// Make returns what a program keeps for one counter, or for one Subject's
	// counters, after the first add: memory is measured on it. It is nil for the
	// floor.
	Make func() any
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
	{"floor", newFloor, nil},
	{"atomic", newAtomic, func() any { c := new(counter.Atomic); c.Add(1); return c }},
	{"mutex", newMutex, func() any { c := new(counter.Mutex); c.Add(1); return c }},
	{"hbase", newHBase, func() any { c := new(counter.HBase); c.Add(1); return c }},
	{"hbase_tl", newHBaseLocal, func() any { c := new(counter.HBase); c.Local().Add(1); return c }},
	{"longadder", newAdder, func() any { c := new(counter.Adder); c.Local().Add(1); return c }},
	{"perp", newPerP, func() any { c := new(counter.PerP); c.Add(1); return c }},
	{"handle", newHandle, func() any { h := new(counter.PerP).Handle(); h.Add(1); return h }},
	{"group", newGroup, func() any { g := counter.NewGroup(groupSize); g.Add(0, 1); return g }},
	{"atomic_again", newAtomic, func() any { c := new(counter.Atomic); c.Add(1); return c }},
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

func newMutex() Subject {
	c := new(counter.Mutex)
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
	c := new(counter.HBase)
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
	c := new(counter.HBase)
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
	c := new(counter.Adder)
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
