package ipc

import (
	"bytes"
	"context"
	"errors"
	"math"
	"net"
	"os"
	"sync"
	"testing"
	"time"
)

// holding is a server whose method hold answers when release is closed, and the
// signal that it has begun.
func holding(t *testing.T) (address string, begun <-chan struct{}, release chan struct{}) {
	started := make(chan struct{}, 100)
	release = make(chan struct{})
	s := echoServer(false)
	s.Services[echoName]["hold"] = Method{Handle: func(c *Call) error {
		started <- struct{}{}
		<-release
		return echo(c)
	}}
	return start(t, s), started, release
}

// TestCancelWaiting cancels calls that wait for their answers: the one that
// reads for all and others. What is left goes on.
func TestCancelWaiting(t *testing.T) {
	address, begun, release := holding(t)
	c := dial(t, address)
	const cancelled, kept = 10, 5
	ctx, cancel := context.WithCancel(context.Background())
	var calls sync.WaitGroup
	for range cancelled {
		calls.Go(func() {
			if err := c.Call(ctx, "hold", studyMessage, nil, nil); err != context.Canceled {
				t.Errorf("a cancelled call returned %v", err)
			}
		})
	}
	for range cancelled {
		<-begun
	}
	var others sync.WaitGroup
	for range kept {
		others.Go(func() {
			var r Response
			checkEchoOf(t, c, "hold", studyMessage, nil, &r)
		})
	}
	for range kept {
		<-begun
	}
	cancel()
	calls.Wait()
	close(release)
	others.Wait()
	var r Response
	checkEcho(t, c, studyMessage, studyCells(2, 100), &r)
	if err := c.Call(ctx, "echo", studyMessage, nil, &r); err != context.Canceled {
		t.Errorf("a call cancelled before it began returned %v", err)
	}
}

// TestCancelWriting cancels a call that cannot be sent because nobody reads. It
// returns, and the connection is unusable.
func TestCancelWriting(t *testing.T) {
	near, far := net.Pipe()
	defer far.Close()
	go far.Read(make([]byte, 1<<10)) // the handshake and nothing else
	c, err := echoDialer.Client(near)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	ctx, cancel := context.WithCancel(context.Background())
	result := make(chan error)
	go func() { result <- c.Call(ctx, "echo", studyMessage, nil, nil) }()
	first := make([]byte, 1)
	if _, err := far.Read(first); err != nil { // a part is out
		t.Fatal(err)
	}
	cancel()
	if err := <-result; err != context.Canceled {
		t.Errorf("the call returned %v", err)
	}
	if err := c.Call(context.Background(), "echo", studyMessage, nil, nil); !errors.Is(err, context.Canceled) && err == nil {
		t.Error("the connection is usable after half a request")
	}
}

// TestDeadlines makes calls on one connection some of which run out of time.
func TestDeadlines(t *testing.T) {
	c := dial(t, start(t, echoServer(false)))
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			var r Response
			for i := range 50 {
				ctx, cancel := context.WithTimeout(context.Background(), time.Duration(i%10)*20*time.Microsecond)
				err := c.Call(ctx, "echo", studyMessage, studyCells(1, 100), &r)
				cancel()
				if err != nil && !errors.Is(err, context.DeadlineExceeded) {
					t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	var r Response
	checkEcho(t, c, studyMessage, studyCells(2, 100), &r)
}

// TestClientClose closes a client with calls under way.
func TestClientClose(t *testing.T) {
	address, begun, release := holding(t)
	defer close(release)
	c := dial(t, address)
	var calls sync.WaitGroup
	for range 5 {
		calls.Go(func() {
			if err := c.Call(context.Background(), "hold", studyMessage, nil, nil); err != ErrClientClosed {
				t.Errorf("a call under way returned %v", err)
			}
		})
	}
	for range 5 {
		<-begun
	}
	c.Close()
	calls.Wait()
	if err := c.Call(context.Background(), "hold", studyMessage, nil, nil); err != ErrClientClosed {
		t.Errorf("a call after Close returned %v", err)
	}
}

// TestCloseAfterFailure closes a client whose connection has failed before.
func TestCloseAfterFailure(t *testing.T) {
	s := echoServer(true)
	c := dial(t, start(t, s))
	var r Response
	checkEcho(t, c, studyMessage, nil, &r)
	s.Close()
	err := c.Call(context.Background(), "echo", studyMessage, nil, &r)
	if err == nil || err == ErrClientClosed {
		t.Errorf("a call to a server that is closed returned %v", err)
	}
	c.Close()
	if err := c.Call(context.Background(), "echo", studyMessage, nil, &r); err != ErrClientClosed {
		t.Errorf("a call after Close returned %v", err)
	}
	if err := c.Ping(); err != ErrClientClosed {
		t.Errorf("a ping after Close returned %v", err)
	}
}

// TestIdleClient expects that a client keeps no large frame once its caller has
// let go of the answer in it.
func TestIdleClient(t *testing.T) {
	c := dial(t, start(t, echoServer(true)))
	var r Response
	checkEcho(t, c, studyMessage, studyCells(10, 1<<20), &r)
	r.Release()
	if f := c.in.Current(); f != nil && len(f.Buf) > 1<<20 {
		t.Errorf("an idle client keeps a frame of %d bytes", len(f.Buf))
	}
	checkEcho(t, c, studyMessage, studyCells(10, 1<<20), &r)
}

// TestRequestOfTwoGiB expects that a request that no frame can hold is not sent, and
// that the connection lives on.
func TestRequestOfTwoGiB(t *testing.T) {
	c := dial(t, start(t, echoServer(true)))
	cell := studyCells(1, 64<<20)[0]
	cells := make([]KeyValue, 32)
	for i := range cells {
		cells[i] = cell
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := c.Call(ctx, "echo", studyMessage, cells, nil); err == nil || errors.As(err, new(*Exception)) || ctx.Err() != nil {
		t.Errorf("a request of 2 GiB: %v", err)
	}
	checkEcho(t, c, studyMessage, studyCells(1, 1), new(Response))
}

// TestCallID has a client run through its ids: the one that stands for no call is
// not used, nor one that a call under way has.
func TestCallID(t *testing.T) {
	address, begun, release := holding(t)
	c := dial(t, address)
	c.id = math.MaxUint32 - 2
	var held sync.WaitGroup
	held.Go(func() { checkEchoOf(t, c, "hold", studyMessage, nil, new(Response)) })
	<-begun
	for range 3 {
		err := c.Call(context.Background(), "none", nil, nil, nil)
		if e, ok := err.(*Exception); !ok || e.Class != unsupportedOperation {
			t.Errorf("call %d: %v", c.id, err)
		}
	}
	c.id = math.MaxUint32 - 2 // that of the call that is held comes next
	checkEcho(t, c, studyMessage, nil, new(Response))
	close(release)
	held.Wait()
}

// TestNobodyReads dials a peer that reads nothing.
func TestNobodyReads(t *testing.T) {
	near, far := net.Pipe()
	defer far.Close()
	hangs := time.AfterFunc(5*time.Second, func() { far.Close() })
	defer hangs.Stop()
	d := echoDialer
	d.WriteTimeout = 10 * time.Millisecond
	if _, err := d.Client(near); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("a client of a peer that reads nothing: %v", err)
	}
}

// TestRefused expects that an exception that ends the connection is what all
// calls return.
func TestRefused(t *testing.T) {
	c, err := Dialer{Service: "none"}.Dial(context.Background(), start(t, echoServer(true)))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for range 2 {
		err := c.Call(context.Background(), "ping", nil, nil, nil)
		if e, ok := err.(*Exception); !ok || e.Class != unknownService {
			t.Errorf("%v, want %s", err, unknownService)
		}
	}
}

func TestPing(t *testing.T) {
	c := dial(t, start(t, echoServer(true)))
	for range 3 {
		if err := c.Ping(); err != nil {
			t.Error(err)
		}
		var r Response
		checkEcho(t, c, studyMessage, studyCells(1, 1), &r)
	}
}

func TestResponseCells(t *testing.T) {
	c := dial(t, start(t, echoServer(true)))
	var r Response
	cells := studyCells(3, 7)
	checkEcho(t, c, studyMessage, cells, &r)
	n := 0
	for kv := range r.Cells() {
		if string(kv) != string(cells[n]) {
			t.Errorf("cell %d is %x", n, kv)
		}
		n++
	}
	if n != len(cells) {
		t.Errorf("%d cells, want %d", n, len(cells))
	}
	r.Release()
	r.Release()
	if r.Message != nil || r.Block != nil {
		t.Error("a released response has bytes")
	}
}

// CallBlock sends what Call does.
func TestCallBlock(t *testing.T) {
	c := dial(t, start(t, echoServer(true)))
	var r Response
	for _, cells := range [][]KeyValue{nil, studyCells(1, 0), studyCells(3, 50_000)} {
		block := AppendBlock(nil, cells...)
		if !bytes.Equal(block, blockOf(cells)) {
			t.Errorf("%d cells as a block of %d bytes", len(cells), len(block))
		}
		if err := c.CallBlock(context.Background(), "echo", studyMessage, block, &r); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(r.Message, studyMessage) || !bytes.Equal(r.Block, block) {
			t.Errorf("a block of %d bytes came back as %d", len(block), len(r.Block))
		}
	}
	// The Response of one call is the request of the next.
	last := r
	r = Response{}
	if err := c.CallBlock(context.Background(), "echo", last.Message, last.Block, &r); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(r.Block, blockOf(studyCells(3, 50_000))) {
		t.Error("what was passed on came back otherwise")
	}
	last.Release()
	r.Release()

	var exception *Exception
	if err := c.CallBlock(context.Background(), "echo", studyMessage, []byte{0, 0, 0, 9, 1}, &r); !errors.As(err, &exception) {
		t.Errorf("a block that is none: %v", err)
	}
}
