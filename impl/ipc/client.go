package ipc

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"time"

	"hotpath/impl/ipc/internal/path"
	"hotpath/impl/ipc/internal/wire"
)

// Client is one connection to a server, for any number of calls at a time. It
// has no goroutine of its own: of the callers that wait for an answer one reads
// from the connection, for the others too, so that a single caller needs no
// other goroutine to be woken. A connection that the server closes is therefore
// noticed by the next call.
type Client struct {
	nc           net.Conn
	writeTimeout time.Duration

	writing  chan struct{} // holds a token while someone writes
	out      path.Output   // the writer's
	deadline time.Time     // the writer's

	in     *path.ReadAhead     // the reader's
	header wire.ResponseHeader // the reader's

	mu      sync.Mutex
	err     error // why the connection is unusable
	id      uint32
	pending map[uint32]*pending
	writer  *pending
	reader  *pending
}

// pending is a call that has not returned. It is guarded by the client's mu.
type pending struct {
	id     uint32
	to     *Response
	done   bool
	err    error
	asleep bool
	wake   chan struct{} // sent to once after asleep is set
	thrown Response      // where an answer goes that the caller does not want
}

var pendings = sync.Pool{New: func() any { return &pending{wake: make(chan struct{}, 1)} }}

// Client makes a client of a connection, which it closes on an error.
func (d Dialer) Client(nc net.Conn) (*Client, error) {
	if err := d.hello(nc); err != nil {
		return nil, err
	}
	return &Client{
		nc:           nc,
		writeTimeout: d.writeTimeout(),
		writing:      make(chan struct{}, 1),
		in:           path.NewReadAhead(nc, d.maxFrame(), nil),
		pending:      map[uint32]*pending{},
	}, nil
}

// Call sends a request and waits for its answer, which it puts into to, unless
// that is nil. An exception that the server answers with is returned as an
// *Exception.
//
// When ctx is done Call returns its error, and neither param nor cells are used
// any more. If a part of the request has been sent by then, the connection
// becomes unusable, as it does after any error of input or output; what has been
// sent whole is answered to nobody.
//
// A request of 2 GiB or more is not sent, and the connection stays as it is.
//
// With a ctx that is never done, such as context.Background, and a Response that
// has been used before, Call allocates nothing.
func (c *Client) Call(ctx context.Context, method string, param []byte, cells []KeyValue, to *Response) error {
	return c.send(ctx, &request{method: method, param: param, cells: cells}, to)
}

// CallBlock is Call with cells that are encoded already, by AppendBlock or as the
// Block of a Response. They go out in one piece, where each of Call's takes two.
func (c *Client) CallBlock(ctx context.Context, method string, param, block []byte, to *Response) error {
	return c.send(ctx, &request{method: method, param: param, block: block}, to)
}

func (c *Client) send(ctx context.Context, r *request, to *Response) error {
	if to != nil {
		to.Release()
	}
	if ctx.Done() == nil {
		p := pendings.Get().(*pending)
		err := c.call(ctx, p, r, to)
		p.to, p.err, p.done = nil, nil, false
		pendings.Put(p)
		return err
	}
	p := &pending{wake: make(chan struct{}, 1)} // interrupt may keep it for longer
	stop := context.AfterFunc(ctx, func() { c.interrupt(p) })
	defer stop()
	return c.call(ctx, p, r, to)
}

func (c *Client) call(ctx context.Context, p *pending, r *request, to *Response) error {
	if p.to = to; to == nil {
		p.to = &p.thrown
		defer p.thrown.Release()
	}
	select {
	case c.writing <- struct{}{}:
	default:
		select {
		case c.writing <- struct{}{}:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	err := c.write(ctx, p, r)
	<-c.writing
	if err != nil {
		return err
	}
	return c.wait(ctx, p)
}

// write registers and sends a request. The caller has the token.
func (c *Client) write(ctx context.Context, p *pending, r *request) error {
	if size := r.size(); size > wire.LargestFrame {
		return fmt.Errorf("ipc: request of %d bytes", size)
	}
	c.mu.Lock()
	if err := firstError(ctx.Err(), c.err); err != nil {
		c.mu.Unlock()
		return err
	}
	p.id = c.nextID()
	c.pending[p.id] = p
	c.writer = p
	c.mu.Unlock()

	addRequest(&c.out, p.id, r)
	n, err := c.flush()
	c.out.Reset()

	c.mu.Lock()
	defer c.mu.Unlock()
	c.writer = nil
	cancelled := ctx.Err() != nil
	if cancelled { // interrupt may have put an end to all writing
		c.deadline = time.Time{}
		c.nc.SetWriteDeadline(c.deadline)
	}
	switch {
	case err == nil:
		return nil
	case cancelled && n == 0 && errors.Is(err, os.ErrDeadlineExceeded):
		delete(c.pending, p.id)
		return ctx.Err()
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		c.fail(err)
		return firstError(ctx.Err(), err)
	}
	// The server has closed the connection: answers may have come before.
	delete(c.pending, p.id)
	c.err = firstError(c.err, err)
	if len(c.pending) == 0 {
		c.fail(err)
	}
	return c.err
}

// nextID returns an id that no call under way has. The caller holds mu.
func (c *Client) nextID() uint32 {
	for {
		c.id++
		if _, taken := c.pending[c.id]; !taken && int32(c.id) != wire.NoCall {
			return c.id
		}
	}
}

// flush writes the output.
func (c *Client) flush() (n int64, err error) {
	if c.writeTimeout > 0 {
		// A deadline that is up to half of the timeout old does as well.
		if now := time.Now(); c.deadline.Sub(now) < c.writeTimeout/2 {
			c.deadline = now.Add(c.writeTimeout)
			c.nc.SetWriteDeadline(c.deadline)
		}
	}
	if len(c.out.Bufs) == 1 {
		k, err := c.nc.Write(c.out.Bufs[0])
		return int64(k), err
	}
	c.out.Part = append(c.out.Part[:0], c.out.Bufs...)
	part := c.out.Part
	n, err = c.out.Part.WriteTo(c.nc) // moves it on
	c.out.Part = part
	return n, err
}

// wait returns when the call is answered or cancelled. While nobody else does,
// it reads.
func (c *Client) wait(ctx context.Context, p *pending) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for !p.done {
		switch {
		case ctx.Err() != nil:
			delete(c.pending, p.id)
			c.appoint()
			return ctx.Err()
		case c.reader == nil:
			c.reader = p
			c.mu.Unlock()
			err := c.read(p)
			c.mu.Lock()
			c.reader = nil
			cancelled := ctx.Err() != nil
			if cancelled { // interrupt may have put an end to all reading
				c.nc.SetReadDeadline(time.Time{})
			}
			if err != nil && !(cancelled && errors.Is(err, os.ErrDeadlineExceeded)) {
				c.fail(err)
			}
			if p.done {
				c.appoint()
			}
		default:
			p.asleep = true
			c.mu.Unlock()
			<-p.wake
			c.mu.Lock()
		}
	}
	return p.err
}

// read delivers answers until p has its own and no whole one is left over.
func (c *Client) read(p *pending) error {
	mine := false
	for {
		body, err := c.in.Next()
		switch {
		case err != nil:
			return err
		case body != nil:
			id, err := c.deliver(body)
			if err != nil {
				return err
			}
			mine = mine || id == p.id
		case mine:
			c.in.Idle()
			return nil
		default:
			if err := c.in.Fill(); err != nil {
				return err
			}
		}
	}
}

// deliver hands an answer to whoever waits for it, if anyone still does.
func (c *Client) deliver(body []byte) (id uint32, err error) {
	message, block, err := parseResponse(&c.header, body)
	if err != nil {
		return 0, err
	}
	if c.header.CallID == wire.NoCall && c.header.Exception != nil {
		return 0, (*Exception)(c.header.Exception)
	}
	id = uint32(c.header.CallID)
	c.mu.Lock()
	defer c.mu.Unlock()
	p := c.pending[id]
	if p == nil {
		return id, nil
	}
	delete(c.pending, id)
	p.done = true
	if c.header.Exception != nil {
		p.err = (*Exception)(c.header.Exception)
	} else {
		p.to.Message, p.to.Block, p.to.frame = message, block, c.in.Current()
		p.to.frame.Retain()
	}
	p.rouse()
	return id, nil
}

// rouse wakes a call that sleeps. The caller holds mu.
func (p *pending) rouse() {
	if p.asleep {
		p.asleep = false
		p.wake <- struct{}{}
	}
}

// appoint wakes one of the sleeping calls to read, if nobody does. The caller
// holds mu.
func (c *Client) appoint() {
	if c.reader != nil {
		return
	}
	for _, p := range c.pending {
		if p.asleep {
			p.rouse()
			return
		}
	}
}

// interrupt lets a call whose context is done return.
func (c *Client) interrupt(p *pending) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.writer == p {
		c.nc.SetWriteDeadline(time.Unix(1, 0))
	}
	if c.reader == p {
		c.nc.SetReadDeadline(time.Unix(1, 0))
	}
	p.rouse()
}

// fail makes the connection unusable and returns err from all calls that are
// under way. The caller holds mu.
func (c *Client) fail(err error) {
	c.err = firstError(c.err, err)
	c.nc.Close()
	for _, p := range c.pending {
		p.done, p.err = true, c.err
		p.rouse()
	}
	clear(c.pending)
}

// Ping shows the server that the client is alive; nothing is answered.
func (c *Client) Ping() error {
	c.writing <- struct{}{}
	defer func() { <-c.writing }()
	c.mu.Lock()
	err := c.err
	c.mu.Unlock()
	if err != nil {
		return err
	}
	b := c.out.Scratch(wire.LengthSize)
	binary.BigEndian.PutUint32(b, wire.PingWord)
	c.out.Add(b)
	_, err = c.flush()
	c.out.Reset()
	if err == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fail(err)
	return c.err
}

// Close closes the connection. Calls that are under way return ErrClientClosed, and
// so do later ones, whatever went wrong before.
func (c *Client) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.err = ErrClientClosed
	c.fail(ErrClientClosed)
	return nil
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
