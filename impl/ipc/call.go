package ipc

import (
	"context"
	"fmt"
	"math"
	"net"
	"runtime/debug"
	"sync/atomic"

	"hotpath/impl/ipc/internal/path"
	"hotpath/impl/ipc/internal/wire"
)

// Call is one request and the answer that its handler gives. It belongs to the
// handler until the handler returns.
//
// What Param and Cells return are views into the request: they die when the handler returns, unless it called Retain.
// What SetMessage and AddCell are given is read until the answer has been
// written, which is after the handler returns: it must not change again. The
// request's own bytes qualify, and so do those of Scratch.
type Call struct {
	conn   *conn
	method *method

	header   wire.RequestHeader
	param    []byte // a part of the body
	cells    []KeyValue
	exchange path.Exchange
	arena    []byte // of Scratch

	// Of a handler that may block (see handover.go).
	slot  *slot
	word  uint64 // its connection's state while the reading waits for it
	early bool   // another goroutine took over the reading before it began

	// For a call whose connection reads on without it.
	moved  atomic.Bool
	held   int  // bytes that it counts for in its connection's limit
	shared bool // the arena holds parts of earlier answers too
	out    path.Output
}

// Method returns the name of the method.
func (c *Call) Method() string { return c.method.name }

// User returns who the client says it acts for. Nothing has verified it.
func (c *Call) User() string { return c.conn.user }

// Priority returns the request's priority, 0 if it has none.
func (c *Call) Priority() uint32 { return c.header.Priority }

// RemoteAddr returns the client's address.
func (c *Call) RemoteAddr() net.Addr { return c.conn.nc.RemoteAddr() }

// Context returns a context that is done when the client goes away, or the server
// is closed. A client has gone when it closes or resets the connection, when one
// of the server's timeouts strikes, or when TCP's keep-alive finds nobody. A client
// that closes its sending side alone looks as if it had gone, and its calls are
// cancelled; but what their handlers answer is sent to it.
func (c *Call) Context() context.Context { return c.conn.ctx }

// Param returns the request's message, empty if it has none.
func (c *Call) Param() []byte { return c.param }

// Cells returns the cells of the request's cell block. The length of each has
// been checked, its inside has not.
func (c *Call) Cells() []KeyValue { return c.cells }

// HasCodec reports whether the client takes cell blocks. For one that does not,
// cells travel inside the messages.
func (c *Call) HasCodec() bool { return c.conn.codec }

// Retain keeps what Param and Cells return alive until the frame is released.
func (c *Call) Retain() *Frame {
	c.exchange.Frame.Retain()
	return (*Frame)(c.exchange.Frame)
}

// SetMessage sets the answer's message, which is empty if it is not called.
func (c *Call) SetMessage(message []byte) { c.exchange.Message = message }

// AddCell adds a cell to the answer.
func (c *Call) AddCell(kv KeyValue) { c.exchange.Cells = append(c.exchange.Cells, kv) }

// Scratch returns n bytes to build a part of the answer in. They live until the
// answer has been written and are not zeroed.
func (c *Call) Scratch(n int) []byte { return path.Carve(&c.arena, n) }

// parse takes a request apart. Its lengths must add up to that of body.
func (c *Call) parse(body []byte) error {
	header, rest, err := wire.Delimited(body)
	if err != nil {
		return fmt.Errorf("request header: %w", err)
	}
	if err := c.header.Parse(header); err != nil {
		return err
	}
	c.param = nil
	if c.header.HasParam {
		if c.param, rest, err = wire.Delimited(rest); err != nil {
			return fmt.Errorf("request parameter: %w", err)
		}
	}
	if n := max(c.header.CellBlock, 0); n != len(rest) {
		return fmt.Errorf("request with a cell block of %d bytes and room for %d", n, len(rest))
	}
	c.exchange.CallID, c.exchange.Body, c.exchange.Block = c.header.CallID, body, rest
	return nil
}

// decode fills c.cells from the request's cell block.
func (c *Call) decode() error {
	block, copies := c.exchange.Block, c.conn.path.CopiesCells()
	for at := 0; at < len(block); {
		end, err := wire.CellEnd(block, at)
		if err != nil {
			return err
		}
		kv := KeyValue(block[at+wire.CellSize : end : end])
		if copies {
			view := kv
			kv = make(KeyValue, len(view))
			copy(kv, view)
			c.out.Tally.Copied += int64(len(kv))
			c.out.Tally.Allocated += int64(len(kv))
		}
		c.cells = append(c.cells, kv)
		at = end
	}
	return nil
}

// handle runs the handler and returns what to answer with if not the answer. A
// handler may end the goroutine; then another one goes on with the connection.
func (c *Call) handle() (exception *Exception) {
	returned := false
	defer func() {
		if returned {
			return
		}
		cause := "handler ended its goroutine"
		v := recover()
		if v != nil {
			cause = fmt.Sprintf("panic: %v", v)
		}
		c.out.Tally.Panics++
		c.conn.s.log().Error("ipc: handler does not return", "method", c.method.name, "cause", cause, "stack", string(debug.Stack()))
		exception = &Exception{Class: runtimeException, StackTrace: runtimeException + ": " + cause, DoNotRetry: true}
		if v == nil {
			c.conn.goOn(c, exception)
		}
	}()
	exception = c.run()
	returned = true
	return exception
}

func (c *Call) run() *Exception {
	if len(c.exchange.Block) > 0 {
		if !c.conn.codec {
			return newException(noCodec, "request with cells on a connection without codec")
		}
		if err := c.decode(); err != nil {
			return newException(ioException, err.Error())
		}
	}
	return exceptionOf(c.method.Handle(c))
}

// answer appends the answer to o and is done with the request.
func (c *Call) answer(exception *Exception, o *path.Output) {
	x := &c.exchange
	x.BlockSize = -1
	if exception == nil && len(x.Cells) > 0 {
		exception = c.measure()
	}
	if o.Tally.Calls++; exception == nil {
		c.conn.path.Respond(x, o)
	} else {
		o.Tally.Exceptions++
		addException(o, int32(c.header.CallID), exception)
	}
	if o != &c.out {
		o.Tally.Add(c.out.Tally)
		c.out.Tally = path.Tally{}
	}
	x.Message = nil
	c.cells, x.Cells = forget(c.cells), forget(x.Cells)
}

// measure finds the size of the answer's cell block.
func (c *Call) measure() *Exception {
	if !c.conn.codec {
		return newException(noCodec, "answer with cells on a connection without codec")
	}
	n := wire.BlockSize(c.exchange.Cells)
	if n+len(c.exchange.Message) > math.MaxInt32-(1<<10) { // what is left is for the header
		return newException(ioException, fmt.Sprintf("answer with cells of %d bytes", n))
	}
	c.exchange.BlockSize = n
	return nil
}

const keptCells = 1 << 10

// forget empties a list of cells, so that the garbage collector can take what
// they point to.
func forget[T ~[]byte](cells []T) []T {
	if cap(cells) > keptCells {
		return nil
	}
	clear(cells)
	return cells[:0]
}

// reset prepares a call for its next use, by any connection.
func (c *Call) reset() {
	c.out.Reset()
	c.arena = c.arena[:0]
	if c.shared || cap(c.arena) > path.KeptArena {
		c.arena = nil
	}
	c.moved.Store(false)
	c.conn, c.method, c.param, c.slot = nil, nil, nil, nil
	c.header.Method = nil
	c.exchange.Body, c.exchange.Block, c.exchange.Frame = nil, nil, nil
}
