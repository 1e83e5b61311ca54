package ipc

import (
	"context"
	"fmt"
	"math"
	"net"
	"runtime/debug"
	"sync/atomic"
)

// Call is one request and the answer that its handler gives. It belongs to the
// handler until the handler returns.
//
// What Param and Cells return are views into the request, or copies on the paths
// that make some: they die when the handler returns, unless it called Retain.
// What SetMessage and AddCell are given is read until the answer has been
// written, which is after the handler returns: it must not change again. The
// request's own bytes qualify, and so do those of Scratch.
type Call struct {
	conn   *conn
	method *method

	header             requestHeader
	body, param, block []byte // the latter are parts of the body
	cells              []KeyValue

	message []byte
	reply   []KeyValue
	arena   []byte // of Scratch

	frame *Frame // holds the request

	// For a call whose connection reads on without it (see handover.go).
	moved  atomic.Bool
	held   int  // bytes that it counts for in its connection's limit
	shared bool // the arena holds parts of earlier answers too
	out    output
}

// Method returns the name of the method.
func (c *Call) Method() string { return c.method.name }

// User returns who the client says it acts for. Nothing has verified it.
func (c *Call) User() string { return c.conn.user }

// Priority returns the request's priority, 0 if it has none.
func (c *Call) Priority() uint32 { return c.header.priority }

// RemoteAddr returns the client's address.
func (c *Call) RemoteAddr() net.Addr { return c.conn.nc.RemoteAddr() }

// Context returns a context that is done when the connection or the server is
// closed.
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
	c.frame.Retain()
	return c.frame
}

// SetMessage sets the answer's message, which is empty if it is not called.
func (c *Call) SetMessage(message []byte) { c.message = message }

// AddCell adds a cell to the answer.
func (c *Call) AddCell(kv KeyValue) { c.reply = append(c.reply, kv) }

// Scratch returns n bytes to build a part of the answer in. They live until the
// answer has been written and are not zeroed.
func (c *Call) Scratch(n int) []byte { return carve(&c.arena, n) }

// parse takes a request apart. Its lengths must add up to that of body.
func (c *Call) parse(body []byte) error {
	header, rest, err := delimited(body)
	if err != nil {
		return fmt.Errorf("request header: %w", err)
	}
	if err := c.header.parse(header); err != nil {
		return err
	}
	c.param = nil
	if c.header.hasParam {
		if c.param, rest, err = delimited(rest); err != nil {
			return fmt.Errorf("request parameter: %w", err)
		}
	}
	if n := max(c.header.cellBlock, 0); n != len(rest) {
		return fmt.Errorf("request with a cell block of %d bytes and room for %d", n, len(rest))
	}
	c.body, c.block = body, rest
	return nil
}

// handle runs the handler and returns what to answer with if not the answer.
func (c *Call) handle() (exception *Exception) {
	defer func() {
		if v := recover(); v != nil {
			c.out.tally.panics++
			c.conn.s.log().Error("ipc: handler panics", "method", c.method.name, "panic", v, "stack", string(debug.Stack()))
			exception = &Exception{Class: "java.lang.RuntimeException", StackTrace: fmt.Sprintf("java.lang.RuntimeException: panic: %v", v), DoNotRetry: true}
		}
	}()
	if len(c.block) > 0 {
		if !c.conn.codec {
			return newException(noCodec, "request with cells on a connection without codec")
		}
		if err := c.conn.path.decode(c); err != nil {
			return newException(ioException, err.Error())
		}
	}
	return exceptionOf(c.method.Handle(c))
}

// answer appends the answer to o and is done with the request.
func (c *Call) answer(exception *Exception, o *output) {
	block := -1
	if exception == nil && len(c.reply) > 0 {
		block, exception = c.replySize()
	}
	if o.tally.calls++; exception == nil {
		c.conn.path.respond(c, block, o)
	} else {
		o.tally.exceptions++
		addException(o, int32(c.header.callID), exception)
	}
	if o != &c.out {
		o.tally.add(c.out.tally)
		c.out.tally = tally{}
	}
	c.message = nil
	c.cells, c.reply = forget(c.cells), forget(c.reply)
}

// replySize returns the size of the answer's cell block.
func (c *Call) replySize() (int, *Exception) {
	if !c.conn.codec {
		return 0, newException(noCodec, "answer with cells on a connection without codec")
	}
	n := blockSize(c.reply)
	if n+len(c.message) > math.MaxInt32-(1<<10) { // what is left is for the header
		return 0, newException(ioException, fmt.Sprintf("answer with cells of %d bytes", n))
	}
	return n, nil
}

const keptCells = 1 << 10

// forget empties a list of cells, so that the garbage collector can take what
// they point to.
func forget(cells []KeyValue) []KeyValue {
	if cap(cells) > keptCells {
		return nil
	}
	clear(cells)
	return cells[:0]
}

// reset prepares a call for its next use, by any connection.
func (c *Call) reset() {
	c.out.reset()
	c.arena = c.arena[:0]
	if c.shared || cap(c.arena) > keptArena {
		c.arena = nil
	}
	c.moved.Store(false)
	c.conn, c.method, c.body, c.param, c.block, c.frame = nil, nil, nil, nil, nil, nil
	c.header.method = nil
}
