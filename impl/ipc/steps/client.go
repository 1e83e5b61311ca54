package steps

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"hotpath/impl/ipc"
	"hotpath/impl/ipc/internal/path"
	"hotpath/impl/ipc/internal/wire"
)

// Client takes the trouble that HBase's Java client of the time took: it
// builds the cell block in an array that grows, writes through a buffer, has a
// goroutine that reads all answers, and gives each cell block an array of its
// own. The published study ran such a client in the server's process, so that a
// good part of what it measured was the client.
type Client struct {
	nc net.Conn
	in *bufio.Reader

	writing  chan struct{} // holds a token while someone writes
	out      *bufio.Writer // the writer's
	deadline time.Time     // the writer's

	mu      sync.Mutex
	err     error // why the connection is unusable
	id      uint32
	pending map[uint32]*studyCall
	read    sync.WaitGroup
}

type studyCall struct {
	to   *ipc.Response
	err  error
	done chan struct{}
}

const studyBuffer = 8 << 10 // Java's default for buffered streams

const (
	maxFrame     = 64 << 20 // the largest answer that is taken
	writeTimeout = 30 * time.Second
)

// Dial connects a client to a server of EchoService.
func Dial(ctx context.Context, address string) (*Client, error) {
	nc, err := new(net.Dialer).DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	return NewClient(nc)
}

// NewClient makes a client of a connection, which it closes on an error.
func NewClient(nc net.Conn) (*Client, error) {
	h := wire.ConnectionHeader{User: []byte("hotpath"), Service: []byte(EchoName), Codec: []byte(wire.KeyValueCodec)}
	if _, err := nc.Write(h.AppendHello(nil)); err != nil {
		nc.Close()
		return nil, err
	}
	c := &Client{
		nc:      nc,
		in:      bufio.NewReaderSize(nc, studyBuffer),
		writing: make(chan struct{}, 1),
		out:     bufio.NewWriterSize(nc, studyBuffer),
		pending: map[uint32]*studyCall{},
	}
	c.read.Go(func() { c.fail(c.readAll()) })
	return c, nil
}

// Call sends a request and waits for its answer, as ipc.Client.Call does. What it
// puts into to is the caller's to keep. A call that is cancelled while it sends, or
// cannot send for 30 seconds, makes the connection unusable.
func (c *Client) Call(ctx context.Context, method string, param []byte, cells []ipc.KeyValue, to *ipc.Response) error {
	if to != nil {
		to.Release()
	}
	call := &studyCall{to: to, done: make(chan struct{})}
	c.mu.Lock()
	if c.err != nil {
		c.mu.Unlock()
		return c.err
	}
	if c.id++; int32(c.id) == wire.NoCall {
		c.id++
	}
	id := c.id
	c.pending[id] = call
	c.mu.Unlock()

	if err := c.write(ctx, id, method, param, cells); err != nil {
		c.fail(err)
	}
	select {
	case <-call.done:
		return call.err
	case <-ctx.Done():
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.pending, id)
		return ctx.Err()
	}
}

func (c *Client) write(ctx context.Context, id uint32, method string, param []byte, cells []ipc.KeyValue) error {
	var block []byte
	if len(cells) > 0 {
		var costs path.Tally
		g := newGrowing(firstBlock, &costs)
		for _, kv := range cells {
			g.writeInt(len(kv))
			g.write(kv)
		}
		block = g.b
	}
	h := wire.RequestHeader{CallID: id, Method: []byte(method), HasParam: true, CellBlock: wire.BlockSize(cells)}
	header := h.AppendTo(binary.AppendUvarint(nil, uint64(h.Size())))
	delimiter := binary.AppendUvarint(nil, uint64(len(param)))
	var length [wire.LengthSize]byte
	binary.BigEndian.PutUint32(length[:], uint32(len(header)+len(delimiter)+len(param)+len(block)))

	return c.send(ctx, length[:], header, delimiter, param, block)
}

// send writes all parts. Once some of them may be out it returns an error only with
// the connection unusable.
func (c *Client) send(ctx context.Context, parts ...[]byte) error {
	select {
	case c.writing <- struct{}{}:
	case <-ctx.Done():
		return nil // the caller sees it too
	}
	defer func() { <-c.writing }()
	// A deadline that is up to half of the timeout old does as well.
	if now := time.Now(); c.deadline.Sub(now) < writeTimeout/2 {
		c.deadline = now.Add(writeTimeout)
		c.nc.SetWriteDeadline(c.deadline)
	}
	if ctx.Done() != nil {
		stop := context.AfterFunc(ctx, func() { c.fail(context.Cause(ctx)) })
		defer stop()
	}
	for _, b := range parts {
		if _, err := c.out.Write(b); err != nil {
			return err
		}
	}
	return c.out.Flush()
}

// readAll reads answers until the connection ends.
func (c *Client) readAll() error {
	for {
		if err := c.readOne(); err != nil {
			return err
		}
	}
}

func (c *Client) readOne() error {
	var length [wire.LengthSize]byte
	if _, err := io.ReadFull(c.in, length[:]); err != nil {
		return err
	}
	left, ping, err := wire.FrameLength(length[:], maxFrame)
	if err != nil || ping {
		return err
	}
	header, err := c.readDelimited(&left)
	if err != nil {
		return err
	}
	var h wire.ResponseHeader
	if err := h.Parse(header); err != nil {
		return err
	}
	var answer ipc.Response
	if h.Exception == nil {
		if answer.Message, err = c.readDelimited(&left); err != nil {
			return err
		}
	} else if h.CallID == wire.NoCall {
		return (*ipc.Exception)(h.Exception)
	}
	if max(h.CellBlock, 0) != left {
		return fmt.Errorf("response with a cell block of %d bytes and room for %d", max(h.CellBlock, 0), left)
	}
	if h.CellBlock > 0 {
		answer.Block = make([]byte, h.CellBlock)
		if _, err := io.ReadFull(c.in, answer.Block); err != nil {
			return err
		}
	}

	c.mu.Lock()
	defer c.mu.Unlock()
	call := c.pending[uint32(h.CallID)]
	if call == nil {
		return nil
	}
	delete(c.pending, uint32(h.CallID))
	if h.Exception != nil {
		call.err = (*ipc.Exception)(h.Exception)
	} else if call.to != nil {
		*call.to = answer
	}
	close(call.done)
	return nil
}

// readDelimited reads a message behind its length; left is what the frame has.
func (c *Client) readDelimited(left *int) ([]byte, error) {
	n, err := binary.ReadUvarint(c.in)
	if err != nil {
		return nil, err
	}
	if *left -= wire.UvarintSize(n); n > uint64(max(*left, 0)) {
		return nil, wire.ErrLength
	}
	*left -= int(n)
	b := make([]byte, n)
	_, err = io.ReadFull(c.in, b)
	return b, err
}

// fail makes the connection unusable and returns err from all calls that are
// under way.
func (c *Client) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil || err == ipc.ErrClientClosed {
		c.err = err
		c.nc.Close()
	}
	for id, call := range c.pending {
		call.err = c.err
		close(call.done)
		delete(c.pending, id)
	}
}

// Ping shows the server that the client is alive; nothing is answered.
func (c *Client) Ping() error {
	return c.send(context.Background(), binary.BigEndian.AppendUint32(nil, wire.PingWord))
}

// Close closes the connection. Calls that are under way return ipc.ErrClientClosed.
func (c *Client) Close() error {
	c.fail(ipc.ErrClientClosed)
	c.read.Wait()
	return nil
}
