package ipc

import (
	"sync/atomic"

	"hotpath/impl/ipc/internal/path"
)

// Stats are totals since the server started. They hold a call before its answer
// is sent, so that a client that has the answer finds the call counted.
type Stats struct {
	Conns    int64 // open now
	Held     int64 // bytes in use now, see Server.MaxHeld
	Accepted int64
	Refused  int64 // over MaxConns
	TimedOut int64 // connections that a timeout closed
	Broken   int64 // connections closed for what they sent

	Calls      int64 // answered, exceptions included
	Exceptions int64
	Panics     int64 // of handlers, and ends of their goroutines

	// Copied is how many bytes of requests and answers the server has copied
	// from memory to memory. The few bytes of a header, and of a message that
	// is sent together with it, are serialized and count only where the path
	// copies them once more.
	Copied int64
	// Allocated is how many bytes the server has asked the garbage collector
	// for to hold requests and answers.
	Allocated int64

	Reads  int64 // from sockets, those that found nothing left out
	Writes int64 // to sockets
}

// Sub returns what was added since an earlier reading; Conns and Held stay as they are.
func (s Stats) Sub(earlier Stats) Stats {
	s.Accepted -= earlier.Accepted
	s.Refused -= earlier.Refused
	s.TimedOut -= earlier.TimedOut
	s.Broken -= earlier.Broken
	s.Calls -= earlier.Calls
	s.Exceptions -= earlier.Exceptions
	s.Panics -= earlier.Panics
	s.Copied -= earlier.Copied
	s.Allocated -= earlier.Allocated
	s.Reads -= earlier.Reads
	s.Writes -= earlier.Writes
	return s
}

// totals is what the tallies of one connection, or of all closed ones, are
// folded into. Each connection has its own, so that folding is rarely contended.
type totals struct {
	calls, exceptions, panics, copied, allocated, reads, writes atomic.Int64
}

func (t *totals) fold(from *path.Tally) {
	if *from == (path.Tally{}) {
		return
	}
	t.calls.Add(from.Calls)
	t.copied.Add(from.Copied)
	t.allocated.Add(from.Allocated)
	t.reads.Add(from.Reads)
	if from.Exceptions != 0 {
		t.exceptions.Add(from.Exceptions)
		t.panics.Add(from.Panics)
	}
	*from = path.Tally{}
}

func (t *totals) addTo(s *Stats) {
	s.Calls += t.calls.Load()
	s.Exceptions += t.exceptions.Load()
	s.Panics += t.panics.Load()
	s.Copied += t.copied.Load()
	s.Allocated += t.allocated.Load()
	s.Reads += t.reads.Load()
	s.Writes += t.writes.Load()
}
