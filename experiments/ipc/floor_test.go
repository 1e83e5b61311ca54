package ipc_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"

	"hotpath/internal/bench"
	"hotpath/internal/contest"
)

// The floor is what no server that answers after it has the whole request can do
// without: a length, one buffer for a connection, a read into it and a write
// from it. It knows no calls, no errors and no cells, and answers in order.
//
// A frame is the length of what follows, the length of the text, the text, and
// each cell behind its length.
const (
	floorBuffer = 128 << 10 // a request of ten cells of 10 kB, or many small ones
	floorLength = 4
)

var floorSystem = system{
	Row: contest.Row{Name: "floor", Role: bench.Floor, About: "A socket, one buffer and a length, which knows no calls and no errors."},
	in:  contest.InLadder | contest.InLoad | contest.InTimed | contest.InOpen,
	serve: func(l net.Listener) (server, error) {
		go func() {
			for {
				conn, err := l.Accept()
				if err != nil {
					return // stopped
				}
				go serveFloor(conn)
			}
		}()
		return server{stop: func() { l.Close() }}, nil
	},
	dial: func(addr string, depth int) (client, error) {
		conn, err := net.Dial("tcp", addr)
		if err != nil {
			return client{}, err
		}
		if depth == 1 {
			return client{
				caller: func(e echo) caller {
					f := floorCaller{conn: conn, request: e.frame()}
					f.last = make([]byte, len(f.request))
					return caller{call: f.call, answer: func() (echo, error) { return parseFrame(f.last) }}
				},
				close: func() { conn.Close() },
			}, nil
		}
		p := newFloorPipe(conn, depth)
		return client{caller: p.caller, close: func() { conn.Close() }}, nil
	},
}

// serveFloor reads as much as there is, and answers all whole frames of it with
// one write.
func serveFloor(conn net.Conn) {
	defer conn.Close()
	buf := make([]byte, floorBuffer)
	filled := 0
	for {
		n, err := conn.Read(buf[filled:])
		if err != nil {
			return // the client has gone
		}
		filled += n
		whole := 0
		for filled-whole >= floorLength {
			size := floorLength + int(binary.BigEndian.Uint32(buf[whole:]))
			if size > len(buf) {
				return
			}
			if whole+size > filled {
				break
			}
			whole += size
		}
		if whole == 0 {
			continue
		}
		if _, err := conn.Write(buf[:whole]); err != nil {
			return
		}
		filled = copy(buf, buf[whole:filled])
	}
}

// floorCaller makes one call at a time.
type floorCaller struct {
	conn          net.Conn
	request, last []byte
}

func (f *floorCaller) call() error {
	if _, err := f.conn.Write(f.request); err != nil {
		return err
	}
	_, err := io.ReadFull(f.conn, f.last)
	return err
}

// floorPipe shares a connection between callers: as answers come in order, each
// is read into the buffer of the caller that has waited longest.
type floorPipe struct {
	conn    net.Conn
	writing sync.Mutex
	waiting chan *floorWaiter
}

type floorWaiter struct {
	last []byte
	done chan error
}

func newFloorPipe(conn net.Conn, depth int) *floorPipe {
	p := &floorPipe{conn: conn, waiting: make(chan *floorWaiter, depth)}
	go func() {
		for w := range p.waiting {
			_, err := io.ReadFull(conn, w.last)
			w.done <- err
			if err != nil {
				return
			}
		}
	}()
	return p
}

func (p *floorPipe) caller(e echo) caller {
	request := e.frame()
	w := &floorWaiter{make([]byte, len(request)), make(chan error, 1)}
	return caller{
		call: func() error {
			p.writing.Lock()
			p.waiting <- w
			_, err := p.conn.Write(request)
			p.writing.Unlock()
			if err != nil {
				return err
			}
			return <-w.done
		},
		answer: func() (echo, error) { return parseFrame(w.last) },
	}
}

func (e echo) frame() []byte {
	b := make([]byte, floorLength)
	b = appendPart(b, []byte(e.text))
	for _, c := range e.cells {
		b = appendPart(b, c)
	}
	binary.BigEndian.PutUint32(b, uint32(len(b)-floorLength))
	return b
}

func appendPart(b, part []byte) []byte {
	return append(binary.BigEndian.AppendUint32(b, uint32(len(part))), part...)
}

func parseFrame(b []byte) (echo, error) {
	if size := binary.BigEndian.Uint32(b); int(size) != len(b)-floorLength {
		return echo{}, fmt.Errorf("frame of %d bytes announces %d", len(b), size)
	}
	var parts [][]byte
	for b = b[floorLength:]; len(b) > 0; {
		if len(b) < floorLength {
			return echo{}, errors.New("frame ends in a length")
		}
		n := int(binary.BigEndian.Uint32(b))
		if b = b[floorLength:]; n > len(b) {
			return echo{}, fmt.Errorf("part of %d bytes, %d left", n, len(b))
		}
		parts = append(parts, b[:n])
		b = b[n:]
	}
	if len(parts) == 0 {
		return echo{}, errors.New("frame without a text")
	}
	return echo{string(parts[0]), parts[1:]}, nil
}
