package histogram

import (
	"math"
	"sync"
	"sync/atomic"

	"hotpath/impl/internal/pin"
)

// stripe has the cells of some of a Set's histograms, and what brings the logged
// updates of these into the cells. Stripes share nothing, so that several CPUs can
// do that at once.
//
// The histograms are dealt out to columns; each P has a log for each of them. Where
// there are fewer histograms than columns, a column has several stripes with the
// same histograms, its lanes, between which the Ps are dealt out.
//
// A snapshot must not miss an update whose Record has returned. So a full chunk
// goes on the stack before its successor takes its place in the row, and who
// drains everything looks at the rows first and takes the stack after that: a
// chunk that left its row unseen is on the stack by then. One that is found in
// both places is drained once, because head remembers how far.
type stripe struct {
	index               int // in the Set
	column, lane, lanes int

	full    stack        // chunks that left their rows
	waiting atomic.Int32 // in full and backlog
	empty   sync.Pool    // chunks of this stripe; another's might still stand in a row there

	mu      sync.Mutex // for the fields below and the heads of all the stripe's chunks
	backlog *chunk     // taken from full
	cells   cells

	_ [lineSize]byte
}

const (
	columns = 4

	// maxWaiting bounds the memory of a stripe: one who fills a chunk when more are
	// waiting drains them all, and waits for the lock to do it.
	maxWaiting = 64

	// handedOver is how many chunks of others wait for the P that is the stripe's
	// home before these drain themselves: that P may record little, or be gone.
	handedOver = 8

	// drainAtOnce bounds the time of one Record otherwise, and is more than the one
	// chunk that it adds, so that what was left behind gets less.
	drainAtOnce = 2
)

// makeRoom replaces the full chunk of the caller's P by one with room. It waits for
// nothing unless maxWaiting chunks wait already. The caller may find itself on
// another P afterwards, and has to try again.
func (s *stripe) makeRoom(rows *rows) {
	if (s.home(rows) || s.waiting.Load() >= handedOver) && s.mu.TryLock() {
		emptied := s.emptyInPlace(rows)
		s.drainFull(drainAtOnce)
		s.mu.Unlock()
		if emptied {
			return
		}
	}
	s.exchange(rows)
	if s.waiting.Load() > maxWaiting {
		s.mu.Lock()
		s.drainFull(math.MaxInt)
		s.mu.Unlock()
	}
}

// home says that the caller's P is the one that drains this stripe by preference.
// The cells then stay in the caches of its CPU: to fetch one that another CPU has
// written takes longer than all else that an update needs, and a chunk that another
// CPU has filled is read from end to end, which the CPU sees coming.
func (s *stripe) home(rows *rows) bool {
	p := pin.Pin()
	pin.Unpin()
	return s.index%len(*rows.table.Load()) == p
}

// serves says that what r logs for the column goes to this stripe.
func (s *stripe) serves(r *row) bool { return r.index%s.lanes == s.lane }

// emptyInPlace drains the chunk of the caller's P, for the holder of mu. It returns
// false if there is none, or if it is another stripe's: the caller may have come to
// another P.
func (s *stripe) emptyInPlace(rows *rows) bool {
	r := rows.enter()
	c := r.chunks[s.column].Load()
	if c == noChunk || !s.serves(r) {
		r.leave()
		return false
	}
	s.drain(c)
	c.reset()
	r.leave()
	s.cells.carry()
	return true
}

// exchange moves the chunk of the caller's P to the stack, if it is full and the
// stripe's, and puts an empty one in its place.
func (s *stripe) exchange(rows *rows) {
	c := s.empty.Get().(*chunk)
	r := rows.enter()
	at := &r.chunks[s.column]
	old := at.Load()
	if !old.full() || !s.serves(r) {
		r.leave()
		s.empty.Put(c)
		return
	}
	if old != noChunk {
		s.waiting.Add(1)
		s.full.push(old)
	}
	at.Store(c)
	r.leave()
}

// drainAll brings into the cells all updates that were logged before the call, for
// the holder of mu.
func (s *stripe) drainAll(rows *rows) {
	for _, r := range *rows.table.Load() {
		if s.serves(r) {
			s.drainPinned(r.chunks[s.column].Load())
		}
	}
	s.drainFull(math.MaxInt)
}

// drainFull drains up to n chunks of the stack, for the holder of mu.
func (s *stripe) drainFull(n int) {
	for ; n > 0; n-- {
		if s.backlog == nil {
			s.backlog = s.full.takeAll()
		}
		c := s.backlog
		if c == nil {
			return
		}
		s.drainPinned(c)
		s.backlog = c.next
		s.waiting.Add(-1)
		c.next = nil
		c.reset()
		s.empty.Put(c)
	}
}

// drainPinned drains a chunk, for the holder of mu. The runtime cannot preempt it
// meanwhile, which would make everyone else wait for mu.
func (s *stripe) drainPinned(c *chunk) {
	pin.Pin()
	s.drain(c)
	pin.Unpin()
	s.cells.carry()
}

// drain brings the updates of a chunk into the cells, for the holder of mu, who adds
// the carries when it is not pinned any more.
func (s *stripe) drain(c *chunk) {
	if end := c.tail.load(); end > c.head {
		s.cells.add(c.updates[c.head:end])
		c.head = end
	}
}
