package ipc

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"sync"
	"sync/atomic"
	"testing"
)

// TestShutdownDeadline expects that a handler that does not return in time is
// cancelled, and that Close waits for it.
func TestShutdownDeadline(t *testing.T) {
	begun, cancelled := make(chan struct{}), make(chan struct{})
	s := &Server{Services: map[string]Service{echoName: {"wait": {Handle: func(c *Call) error {
		close(begun)
		<-c.Context().Done()
		close(cancelled)
		return nil
	}}}}}
	c := dial(t, start(t, s))
	result := make(chan error)
	go func() { result <- c.Call(context.Background(), "wait", nil, nil, nil) }()
	<-begun
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := s.Shutdown(ctx); err != context.Canceled {
		t.Errorf("Shutdown returned %v", err)
	}
	if err := <-result; err == nil {
		t.Error("a call that was cut off succeeded")
	}
	s.Close()
	select {
	case <-cancelled:
	default:
		t.Error("Close returned before a handler")
	}
}

// TestCloseUnserved closes servers that never served, and serves closed ones.
func TestCloseUnserved(t *testing.T) {
	for _, stop := range []func(*Server) error{(*Server).Close, func(s *Server) error { return s.Shutdown(context.Background()) }} {
		s := new(Server)
		for range 2 {
			if err := stop(s); err != nil {
				t.Error(err)
			}
		}
		ln, err := Listen("")
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Serve(ln); err != ErrServerClosed {
			t.Errorf("Serve returned %v", err)
		}
	}
}

// TestMaxConns expects that a client too many is told so, and that there is room
// again once another leaves.
func TestMaxConns(t *testing.T) {
	s := echoServer(true)
	s.MaxConns = 2
	address := start(t, s)
	ping := func(c *Client) error { return c.Call(context.Background(), "ping", nil, nil, nil) }
	first, second := dial(t, address), dial(t, address)
	for _, c := range []*Client{first, second} {
		if err := ping(c); err != nil {
			t.Fatal(err)
		}
	}
	nc, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	if answer, err := io.ReadAll(nc); err != nil || len(answer) < 20 || s.Stats().Refused != 1 {
		t.Errorf("refused %d with %q, %v", s.Stats().Refused, answer, err)
	}
	first.Close()
	for s.Stats().Conns == 2 {
		pauseTest()
	}
	if err := ping(dial(t, address)); err != nil {
		t.Error(err)
	}
}

// TestRetain keeps views beyond the handler and reads them after the connection
// has served other calls.
func TestRetain(t *testing.T) {
	type kept struct {
		frame *Frame
		cells []KeyValue
	}
	var mu sync.Mutex
	var all []kept
	s := echoServer(true)
	s.Services[echoName]["keep"] = Method{NonBlocking: true, Handle: func(c *Call) error {
		mu.Lock()
		defer mu.Unlock()
		all = append(all, kept{c.Retain(), append([]KeyValue(nil), c.Cells()...)})
		return echo(c)
	}}
	c := dial(t, start(t, s))
	r := rand.New(rand.NewPCG(1, 2))
	var want [][]KeyValue
	var answer Response
	for range 20 {
		cells := randomCells(r, 1<<14)
		want = append(want, cells)
		checkEchoOf(t, c, "keep", studyMessage, cells, &answer)
		checkEcho(t, c, studyMessage, randomCells(r, 1<<14), &answer)
	}
	mu.Lock()
	defer mu.Unlock()
	for i, k := range all {
		for j, kv := range k.cells {
			if string(kv) != string(want[i][j]) {
				t.Errorf("cell %d of call %d has changed", j, i)
			}
		}
		k.frame.Release()
	}
}

// TestLinger expects that a refusal arrives though the request behind the
// handshake was not read.
func TestLinger(t *testing.T) {
	s := echoServer(true)
	c, err := Dialer{Service: "none"}.Dial(context.Background(), start(t, s))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	err = c.Call(context.Background(), "echo", studyMessage, studyCells(100, 10_000), nil)
	if e, ok := err.(*Exception); !ok || e.Class != unknownService {
		t.Errorf("%v, want %s", err, unknownService)
	}
	for s.Stats().Conns > 0 {
		pauseTest()
	}
	if got := s.Stats(); got.Broken != 1 {
		t.Errorf("%d broken connections, want 1", got.Broken)
	}
}

// TestTooBig expects that a request that is too big is answered by itself: other
// calls of its connection, before and after it, live on.
func TestTooBig(t *testing.T) {
	begun, release := make(chan struct{}), make(chan struct{})
	s := echoServer(false)
	s.MaxFrame = 100_000
	s.Services[echoName]["hold"] = Method{Handle: func(c *Call) error {
		close(begun)
		<-release
		return echo(c)
	}}
	c := dial(t, start(t, s))
	var held sync.WaitGroup
	held.Go(func() { checkEchoOf(t, c, "hold", studyMessage, nil, new(Response)) })
	<-begun
	for range 3 {
		err := c.Call(context.Background(), "echo", studyMessage, studyCells(100, 10_000), nil)
		if e, ok := err.(*Exception); !ok || e.Class != requestTooBig || !e.DoNotRetry {
			t.Errorf("%v, want %s", err, requestTooBig)
		}
		checkEcho(t, c, studyMessage, studyCells(2, 10_000), new(Response))
	}
	close(release)
	held.Wait()
	if got := s.Stats(); got.Broken != 0 || got.Exceptions != 3 || got.Calls != 7 {
		t.Errorf("%+v, want 7 calls, 3 exceptions, none broken", got)
	}
}

func TestListen(t *testing.T) {
	for _, address := range []string{"", ":0", "127.0.0.1:0"} {
		ln, err := Listen(address)
		if err != nil {
			t.Fatal(err)
		}
		if ip := ln.Addr().(*net.TCPAddr).IP; !ip.IsLoopback() {
			t.Errorf("%q listens on %v", address, ip)
		}
		ln.Close()
	}
	if _, err := Listen("nonsense"); err == nil {
		t.Error("no error for an address without port")
	}
}

// acceptError is a listener that fails a few times first.
type acceptError struct {
	net.Listener
	left atomic.Int32
}

func (l *acceptError) Accept() (net.Conn, error) {
	if l.left.Add(-1) >= 0 {
		return nil, errors.New("too many open files")
	}
	return l.Listener.Accept()
}

func TestAcceptError(t *testing.T) {
	s := echoServer(true)
	start(t, s)
	ln, err := Listen("")
	if err != nil {
		t.Fatal(err)
	}
	failing := &acceptError{Listener: ln}
	failing.left.Store(2)
	go s.Serve(failing)
	var r Response
	checkEcho(t, dial(t, ln.Addr().String()), studyMessage, nil, &r)
	if failing.left.Load() >= 0 {
		t.Error("the listener did not fail")
	}
}
