package ipc_test

import (
	"bytes"
	"context"
	"fmt"
	"net"

	"hotpath/experiments/ipc/echopb"
	"hotpath/impl/ipc"
	"hotpath/internal/contest"
)

// system is one contestant: a server that answers what it is sent, and the
// client that calls it.
type system struct {
	contest.Row
	in contest.Blocks
	// serve answers on l until it is stopped.
	serve func(l net.Listener) (server, error)
	// dial makes one connection, over which so many calls may be under way.
	dial func(addr string, depth int) (client, error)
	// oneCall is set where a connection carries one call at a time.
	oneCall bool
}

// server is a running server.
type server struct {
	stop func()
	// path is what its response path did since it began; nil where nobody
	// counts it.
	path func() pathUse
	// sends says that it writes by sendmsg, which Linux counts for no process.
	sends bool
}

// pathUse are a response path's own counters.
type pathUse struct{ calls, copied, allocated int64 }

// client is one connection.
type client struct {
	// caller is called once by each goroutine that makes calls, at most depth
	// of them.
	caller func(e echo) caller
	close  func()
}

// caller makes the same call over and over.
type caller struct {
	// call makes it, and returns when the whole answer is there. It looks at the
	// size of the answer alone.
	call func() error
	// answer is what the last call was answered, until the next one.
	answer func() (echo, error)
}

// echo is what a call carries: a text, and cells, each as a KeyValue.
type echo struct {
	text  string
	cells [][]byte
}

// studyText is as long as the text that the study's server echoed.
const studyText = "fourteen bytes"

// newEcho has so many cells of one row, as in the published study, each with a
// value of size bytes; there they are zero.
func newEcho(text string, cells, size int, fill byte) echo {
	xyz := []byte("xyz")
	cell := ipc.Cell{Row: xyz, Family: xyz, Qualifier: xyz, Type: 4, Value: bytes.Repeat([]byte{fill}, size)}
	e := echo{text: text}
	for range cells {
		e.cells = append(e.cells, cell.AppendTo(nil))
	}
	return e
}

// differs says where the answer is not what was sent.
func (e echo) differs(answer echo) error {
	if answer.text != e.text {
		return fmt.Errorf("text %q, want %q", answer.text, e.text)
	}
	if err := e.count(len(answer.cells)); err != nil {
		return err
	}
	for i, c := range e.cells {
		if !bytes.Equal(answer.cells[i], c) {
			return fmt.Errorf("cell %d differs", i)
		}
	}
	return nil
}

func (e echo) count(cells int) error {
	if cells != len(e.cells) {
		return fmt.Errorf("answer of %d cells, want %d", cells, len(e.cells))
	}
	return nil
}

// echoServer is the service of all peers that have generated code.
type echoServer struct{ echopb.UnimplementedEchoServer }

func (echoServer) Echo(_ context.Context, m *echopb.Message) (*echopb.Message, error) { return m, nil }

// protoCaller calls through generated code.
func protoCaller(e echo, call func(context.Context, *echopb.Message) (*echopb.Message, error)) caller {
	ctx := context.Background()
	request := &echopb.Message{Text: e.text, Cells: e.cells}
	var last *echopb.Message
	return caller{
		call: func() error {
			m, err := call(ctx, request)
			if err != nil {
				return err
			}
			last = m
			return e.count(len(m.Cells))
		},
		answer: func() (echo, error) { return echo{last.Text, last.Cells}, nil },
	}
}
