package histogram

import (
	"sync"

	"hotpath/impl/internal/pin"
)

// Set is a number of histograms with one Range that many goroutines record in.
//
// Record appends the update to a log of the P that it runs on, without an atomic
// instruction; when a part of the log is full, its updates are brought into the
// histograms together, so that the CPU waits for many cells at once. A snapshot
// brings in what is logged and then copies.
//
//   - A snapshot is one moment of its histogram: Count, Sum, Min and Max belong to
//     the same updates. It has every Record that returned before Snapshot began,
//     and each of them once. Two histograms are read at two moments.
//   - Snapshots never make a Record wait, whether it runs beside or after them. A
//     Record waits for others only if it fills a part of the log while 64 full ones
//     wait for the lock of the same quarter of the Set.
//   - A cell takes one byte until it counts to 256, then up to two more; see NewSet.
//     A Set of one or two histograms has each of them several times, for different
//     Ps, and adds them up in a snapshot.
//     A P that records takes up to 40 KiB for its log, however many histograms;
//     the parts of logs that wait take 10 KiB each. Nothing else depends on
//     GOMAXPROCS, which may change at any time.
//
// With the build tag portable, with the race detector, and on 32-bit machines the
// runtime is not asked to pin, and each Record first looks for a log that is not in
// use.
type Set struct {
	n       int
	coding  coding
	rows    rows
	lanes   int
	stripes []stripe // the lanes of a column one after the other
}

// NewSet returns n empty histograms. It panics if n is not positive or r is invalid.
// It allocates a byte for each cell of each histogram; for one histogram it allocates
// four times as much, for two twice.
func NewSet(r Range, n int) *Set {
	if n < 1 {
		panic("histogram: a Set needs a histogram")
	}
	g := newGeometry(r)
	inUse := min(n, columns)
	s := &Set{n: n, coding: newCoding((n + columns - 1) / columns), lanes: columns / inUse}
	s.rows.grow(1)
	s.stripes = make([]stripe, inUse*s.lanes)
	for i := range s.stripes {
		st := &s.stripes[i]
		st.index, st.column, st.lane, st.lanes = i, i/s.lanes, i%s.lanes, s.lanes
		st.cells = newCells(g, (n-st.column+columns-1)/columns, s.coding)
		st.empty = sync.Pool{New: func() any { return new(chunk) }}
	}
	return s
}

// Len returns the number of histograms.
func (s *Set) Len() int { return s.n }

// Record adds v to histogram i. Negative and too large values are counted as such.
// It panics if i is not in [0, Len()).
func (s *Set) Record(i int, v int64) {
	s.check(i)
	if s.coding.narrow(v) {
		p := pin.Pin()
		if t := *s.rows.table.Load(); uint(p) < uint(len(t)) {
			if r := t[p]; r.shut() {
				k, at := split(i)
				if r.chunks[k].Load().append(s.coding.pack(at, v)) {
					r.leave()
					return
				}
				r.open()
			}
		}
		pin.Unpin()
	}
	s.recordSlowly(i, v)
}

// RecordMany adds values[j] to histogram ids[j], for each j: what one operation
// updates. It costs less than as many calls of Record. A concurrent snapshot may
// find a part of it. It panics if the lengths differ or an id is not in [0, Len()),
// and may then have recorded what is in front.
func (s *Set) RecordMany(ids []int, values []int64) {
	if len(ids) != len(values) {
		panic("histogram: ids and values of different lengths")
	}
	for j := 0; j < len(ids); j++ {
		r := s.rows.enter()
		for ; j < len(ids); j++ {
			k, at := split(ids[j])
			if !s.coding.narrow(values[j]) || uint(ids[j]) >= uint(s.n) || !r.chunks[k].Load().append(s.coding.pack(at, values[j])) {
				break
			}
		}
		r.leave()
		if j < len(ids) {
			s.check(ids[j])
			s.recordSlowly(ids[j], values[j])
		}
	}
}

// recordSlowly records what may take two words, or makes room first.
func (s *Set) recordSlowly(i int, v int64) {
	k, at := split(i)
	for {
		r := s.rows.enter()
		c := r.chunks[k].Load()
		var ok bool
		if s.coding.narrow(v) {
			ok = c.append(s.coding.pack(at, v))
		} else {
			ok = c.append2(s.coding.packWide(at), uint64(v))
		}
		st := &s.stripes[k*s.lanes+r.index%s.lanes]
		r.leave()
		if ok {
			return
		}
		st.makeRoom(&s.rows)
	}
}

// Snapshot copies histogram i to dst, which may be nil or any earlier Snapshot,
// and returns it. It allocates only if dst is nil or of another Range. It panics if
// i is not in [0, Len()).
func (s *Set) Snapshot(i int, dst *Snapshot) *Snapshot {
	s.check(i)
	k, at := split(i)
	lanes := s.stripes[k*s.lanes:][:s.lanes]
	dst = emptySnapshot(&lanes[0].cells.geometry, dst)
	clear(dst.Counts)
	for j := range lanes {
		st := &lanes[j]
		st.mu.Lock()
		st.drainAll(&s.rows)
		pin.Pin() // as in drainPinned
		st.cells.addTo(dst, at)
		pin.Unpin()
		st.mu.Unlock()
	}
	return dst
}

func (s *Set) check(i int) {
	if uint(i) >= uint(s.n) {
		panic("histogram: index out of range of the set")
	}
}

// split returns the column of histogram i and its place there.
func split(i int) (column, at int) { return int(uint(i) % columns), int(uint(i) / columns) }
