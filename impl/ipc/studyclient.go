package ipc

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"sync"
)

// StudyClient takes the trouble that HBase's Java client of the time took: it
// builds the cell block in an array that grows, writes through a buffer, has a
// goroutine that reads all answers, and gives each cell block an array of its
// own. The published study ran such a client in the server's process, so that a
// good part of what it measured was the client.
type StudyClient struct {
	nc net.Conn
	in *bufio.Reader

	writing sync.Mutex
	out     *bufio.Writer

	mu      sync.Mutex
	err     error // why the connection is unusable
	id      uint32
	pending map[uint32]*studyCall
	read    sync.WaitGroup
	limit   int
}

type studyCall struct {
	to   *Response
	err  error
	done chan struct{}
}

const studyBuffer = 8 << 10 // Java's default for buffered streams

// StudyClient makes a client of a connection, which it closes on an error.
func (d Dialer) StudyClient(nc net.Conn) (*StudyClient, error) {
	if err := d.hello(nc); err != nil {
		return nil, err
	}
	c := &StudyClient{
		nc:      nc,
		in:      bufio.NewReaderSize(nc, studyBuffer),
		out:     bufio.NewWriterSize(nc, studyBuffer),
		pending: map[uint32]*studyCall{},
		limit:   d.maxFrame(),
	}
	c.read.Go(func() { c.fail(c.readAll()) })
	return c, nil
}

// Call sends a request and waits for its answer, as Client.Call does. What it
// puts into to is the caller's to keep.
func (c *StudyClient) Call(ctx context.Context, method string, param []byte, cells []KeyValue, to *Response) error {
	if to != nil {
		to.Release()
	}
	call := &studyCall{to: to, done: make(chan struct{})}
	c.mu.Lock()
	if c.err != nil {
		c.mu.Unlock()
		return c.err
	}
	c.id++
	id := c.id
	c.pending[id] = call
	c.mu.Unlock()

	if err := c.write(id, method, param, cells); err != nil {
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

func (c *StudyClient) write(id uint32, method string, param []byte, cells []KeyValue) error {
	var block []byte
	if len(cells) > 0 {
		var costs tally
		g := newGrowing(firstBlock, &costs)
		for _, kv := range cells {
			g.writeInt(len(kv))
			g.write(kv)
		}
		block = g.b
	}
	h := requestHeader{callID: id, method: []byte(method), hasParam: true, cellBlock: blockSize(cells)}
	header := h.appendTo(binary.AppendUvarint(nil, uint64(h.size())))
	delimiter := binary.AppendUvarint(nil, uint64(len(param)))
	var length [lengthSize]byte
	binary.BigEndian.PutUint32(length[:], uint32(len(header)+len(delimiter)+len(param)+len(block)))

	c.writing.Lock()
	defer c.writing.Unlock()
	for _, b := range [][]byte{length[:], header, delimiter, param, block} {
		if _, err := c.out.Write(b); err != nil {
			return err
		}
	}
	return c.out.Flush()
}

// readAll reads answers until the connection ends.
func (c *StudyClient) readAll() error {
	for {
		if err := c.readOne(); err != nil {
			return err
		}
	}
}

func (c *StudyClient) readOne() error {
	var length [lengthSize]byte
	if _, err := io.ReadFull(c.in, length[:]); err != nil {
		return err
	}
	left, ping, err := frameLength(length[:], c.limit)
	if err != nil || ping {
		return err
	}
	header, err := c.readDelimited(&left)
	if err != nil {
		return err
	}
	var h responseHeader
	if err := h.parse(header); err != nil {
		return err
	}
	var answer Response
	if h.exception == nil {
		if answer.Message, err = c.readDelimited(&left); err != nil {
			return err
		}
	} else if h.callID == noCall {
		return h.exception
	}
	if max(h.cellBlock, 0) != left {
		return fmt.Errorf("response with a cell block of %d bytes and room for %d", max(h.cellBlock, 0), left)
	}
	if h.cellBlock > 0 {
		answer.Block = make([]byte, h.cellBlock)
		if _, err := io.ReadFull(c.in, answer.Block); err != nil {
			return err
		}
	}

	c.mu.Lock()
	defer c.mu.Unlock()
	call := c.pending[uint32(h.callID)]
	if call == nil {
		return nil
	}
	delete(c.pending, uint32(h.callID))
	if h.exception != nil {
		call.err = h.exception
	} else if call.to != nil {
		*call.to = answer
	}
	close(call.done)
	return nil
}

// readDelimited reads a message behind its length; left is what the frame has.
func (c *StudyClient) readDelimited(left *int) ([]byte, error) {
	n, err := binary.ReadUvarint(c.in)
	if err != nil {
		return nil, err
	}
	if *left -= uvarintSize(n); n > uint64(max(*left, 0)) {
		return nil, errLength
	}
	*left -= int(n)
	b := make([]byte, n)
	_, err = io.ReadFull(c.in, b)
	return b, err
}

// fail makes the connection unusable and returns err from all calls that are
// under way.
func (c *StudyClient) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil {
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
func (c *StudyClient) Ping() error {
	c.writing.Lock()
	defer c.writing.Unlock()
	var b [lengthSize]byte
	binary.BigEndian.PutUint32(b[:], pingWord)
	c.out.Write(b[:])
	return c.out.Flush()
}

// Close closes the connection. Calls that are under way return ErrClientClosed.
func (c *StudyClient) Close() error {
	c.fail(ErrClientClosed)
	c.read.Wait()
	return nil
}
