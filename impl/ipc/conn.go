package ipc

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"

	"hotpath/impl/ipc/internal/path"
	"hotpath/impl/ipc/internal/wire"
)

// conn is one connection. One goroutine at a time reads and dispatches; it owns
// the fields below "reading". Which goroutine that is may change while a handler
// runs (see handover.go).
type conn struct {
	s       *Server
	nc      net.Conn
	path    path.Path
	ctx     context.Context
	cancel  context.CancelFunc
	totals  totals
	state   atomic.Uint64 // what the reading goroutine does, see stateWord
	ended   atomic.Bool   // by cut
	off     chan struct{} // closed by cut
	watched watched       // the watchdog's

	// Set by the handshake.
	service map[string]*method
	user    string
	codec   bool

	// reading
	source path.Source
	call   *Call       // the next or current one
	out    path.Output // answers that wait for the end of what has arrived
	frames uint64
	waits  uint64 // for a request that has not begun

	active   atomic.Int32 // goroutines; the last one closes the connection
	inFlight atomic.Int64 // bytes of moved calls and their answers
	room     chan struct{}
	linger   atomic.Bool // a last answer is to arrive before the connection goes

	writing writing
}

// What the reading goroutine does.
const (
	busy       = iota
	idle       // waits for the first byte of a request
	partial    // waits for the rest of one, or for the handshake
	handling   // runs a handler that may block
	halfClosed // nobody reads, the client has closed its side and waits for answers

	stateBits = 3
)

// progressBytes is how much of a request must arrive in every ReadTimeout.
const progressBytes = 16 << 10

// stateWord is a state that also differs from one request to the next, and from
// one progressBytes of it to the next.
func (c *conn) stateWord(state uint64) uint64 {
	return c.frames<<20 | uint64(c.source.Pending()/progressBytes)<<stateBits | state
}

func (s *Server) newConn(nc net.Conn) *conn {
	c := &conn{s: s, nc: nc, path: s.path(), call: calls.Get().(*Call), room: make(chan struct{}, 1), off: make(chan struct{})}
	s.budget.Enter()
	c.ctx, c.cancel = context.WithCancel(s.ctx)
	c.source = c.path.Source(nc, s.maxFrame(), s.budget)
	c.state.Store(c.stateWord(partial))
	c.active.Store(1)
	return c
}

var calls = sync.Pool{New: func() any { return new(Call) }}

// serve is the connection's first goroutine.
func (c *conn) serve() {
	defer c.leave()
	if exception, err := c.handshake(); err != nil {
		c.broken(err)
		return
	} else if exception != nil {
		c.refuse(exception)
		return
	}
	c.read()
}

// read answers requests until the connection ends or another goroutine reads on.
func (c *conn) read() {
	for !c.ended.Load() { // what a client that has gone still asked for is dropped
		body, err := c.source.Next()
		switch {
		case err != nil && body != nil && c.turnAway(body, err):
		case err != nil:
			c.broken(err)
			return
		case body != nil:
			moved, err := c.dispatch(body)
			if moved {
				return
			}
			if err != nil {
				c.refuse(newException(fatalConnection, err.Error()))
				return
			}
			if c.out.Size >= c.s.maxInFlight() || !c.path.Batches() {
				c.flush()
			}
		default:
			c.flush()
			c.waitForRoom()
			if err := c.fill(); err != nil {
				c.broken(err)
				return
			}
		}
	}
}

// fill reads once more, under the watchdog's eyes.
func (c *conn) fill() error {
	state := uint64(idle)
	if c.frames == 0 || c.source.Pending() > 0 {
		state = partial
	}
	word := c.stateWord(state)
	if state == idle {
		c.waits++ // a ping is no frame, but shows that the client is there
		word = c.waits<<stateBits | idle
	}
	c.state.Store(word)
	err := c.source.Fill()
	c.state.Store(busy)
	return err
}

// dispatch answers one request. moved says that another goroutine has taken over
// the reading; an error is a request that cannot be understood.
func (c *conn) dispatch(body []byte) (moved bool, err error) {
	call := c.call
	c.frames++
	if err := call.parse(body); err != nil {
		return false, err
	}
	call.conn, call.exchange.Frame, call.held, call.shared = c, c.source.Current(), len(body), c.out.Size > 0
	call.method = c.service[string(call.header.Method)]
	switch {
	case call.method == nil:
		call.answer(newException(unsupportedOperation, string(call.header.Method)), &c.out)
		return false, nil
	case call.method.NonBlocking:
		call.slot = nil
		call.answer(call.handle(), &c.out)
		return false, nil
	}
	return c.handleMayBlock(call), nil
}

// turnAway answers a request that is not read, by the header that it begins with.
// It reports whether that can be understood.
func (c *conn) turnAway(header []byte, cause error) bool {
	var h wire.RequestHeader
	b, _, err := wire.Delimited(header)
	if err != nil || h.Parse(b) != nil {
		return false
	}
	e := newException(requestTooBig, cause.Error())
	if cause == wire.ErrNoRoom {
		e = newException(callQueueTooBig, cause.Error())
		e.DoNotRetry = false
	}
	c.frames++
	c.out.Tally.Calls++
	c.out.Tally.Exceptions++
	addException(&c.out, int32(h.CallID), e)
	return true
}

// flush sends the answers that wait.
func (c *conn) flush() {
	c.out.Tally.Add(c.source.Costs())
	c.totals.fold(&c.out.Tally)
	if c.out.Size > 0 {
		c.send(&c.out)
		if c.call.arena = c.call.arena[:0]; cap(c.call.arena) > path.KeptArena {
			c.call.arena = nil
		}
	}
}

// broken ends the reading. At the end of the server calls that are under way are
// still answered, and also at the end of the stream, though their contexts end: it
// may mean that the client has gone. At anything else the client is cut off.
func (c *conn) broken(err error) {
	var tooBig *wire.TooBigError
	switch {
	case errors.As(err, &tooBig):
		c.refuse(newException(requestTooBig, err.Error()))
		return
	case c.s.draining.Load():
		c.linger.Store(true)
		c.flush()
		return
	case errors.Is(err, io.EOF) && c.source.Pending() == 0:
		c.state.Store(c.stateWord(halfClosed))
		c.cancelCalls()
		c.flush()
		return
	case errors.Is(err, wire.ErrNegative), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		c.s.broken.Add(1)
	}
	c.flush()
	c.cut()
}

// cut ends the connection and its calls' contexts at once. Any goroutine may call
// it, and again.
func (c *conn) cut() {
	if c.ended.Swap(true) {
		return
	}
	c.nc.Close() // first: what a context's end makes a handler answer must not go out
	close(c.off)
	c.cancelCalls()
	c.s.lose()
}

// cancelCalls ends the contexts of the calls under way. Their handlers may never
// return, so they give back their slots at once.
func (c *conn) cancelCalls() {
	c.cancel()
	for i := range c.s.slots {
		c.s.vacate(&c.s.slots[i], c)
	}
}

// refuse sends an exception that belongs to no call, and fails all that are under
// way, and ends the reading.
func (c *conn) refuse(e *Exception) {
	c.s.broken.Add(1)
	addException(&c.out, wire.NoCall, e)
	c.linger.Store(true)
	c.flush()
	c.state.Store(c.stateWord(halfClosed))
	c.cancelCalls()
}

// leave is the end of each of the connection's goroutines.
func (c *conn) leave() {
	if c.active.Add(-1) == 0 {
		c.close()
	}
}

// close gives back what the connection holds.
func (c *conn) close() {
	if c.linger.Load() && !c.ended.Load() {
		lingers(c.nc)
	}
	c.cut()
	c.source.Close()
	c.s.budget.Leave()
	c.out.Reset()
	c.call.reset()
	calls.Put(c.call)
	c.s.forget(c)
}
