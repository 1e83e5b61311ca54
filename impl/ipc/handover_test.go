package ipc

import (
	"bytes"
	"context"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"hotpath/impl/ipc/internal/path"
)

func pauseTest() { time.Sleep(50 * time.Microsecond) }

// TestBlockingHandler holds one call and expects that others on its connection
// are answered meanwhile, and that the held one is in the end.
func TestBlockingHandler(t *testing.T) {
	release := make(chan struct{})
	s := echoServer(false)
	s.Services[echoName]["hold"] = Method{Handle: func(c *Call) error {
		<-release
		return echo(c)
	}}
	c := dial(t, start(t, s))
	var held sync.WaitGroup
	cells := studyCells(10, 1000)
	held.Go(func() {
		var r Response
		checkEchoOf(t, c, "hold", studyMessage, cells, &r)
	})
	var r Response
	for range 200 {
		checkEcho(t, c, studyMessage, cells, &r)
	}
	close(release)
	held.Wait()
}

// TestSlowMethod expects that a method whose handlers are slow is handed over
// before it starts, and one that is fast again is not.
func TestSlowMethod(t *testing.T) {
	var slow, moved atomic.Bool
	s := echoServer(false)
	s.Workers = 1 // which every call gives back
	s.Services[echoName]["ping"] = Method{Handle: func(c *Call) error {
		moved.Store(c.moved.Load())
		if slow.Load() {
			time.Sleep(slowHandler)
		}
		return nil
	}}
	c := dial(t, start(t, s))
	call := func() bool {
		if err := c.Call(context.Background(), "ping", nil, nil, nil); err != nil {
			t.Fatal(err)
		}
		return moved.Load()
	}
	if call() {
		t.Error("the first call of a method was handed over")
	}
	slow.Store(true)
	for range slowFrom/slowStep + 1 {
		call()
	}
	if !call() {
		t.Error("a slow method was not handed over")
	}
	slow.Store(false)
	for tries := 0; call(); tries++ {
		if tries == 1000 {
			t.Fatal("a fast method is handed over")
		}
	}
}

// TestWorkers expects that never more than Workers handlers run that may block,
// and that many do.
func TestWorkers(t *testing.T) {
	const workers, conns = 3, 8
	var running, most atomic.Int32
	all := make(chan struct{})
	s := &Server{Workers: workers, Services: map[string]Service{echoName: {"ping": {Handle: func(*Call) error {
		if n := running.Add(1); n > workers {
			t.Errorf("%d handlers run", n)
		} else if n == workers && most.Swap(n) != n {
			close(all)
		}
		<-all
		running.Add(-1)
		return nil
	}}}}}
	address := start(t, s)
	var calls sync.WaitGroup
	for range conns {
		c := dial(t, address)
		calls.Go(func() {
			if err := c.Call(context.Background(), "ping", nil, nil, nil); err != nil {
				t.Error(err)
			}
		})
	}
	calls.Wait()
}

// TestInFlight sends requests whose handlers wait and expects that the server
// stops reading at its limit.
func TestInFlight(t *testing.T) {
	release := make(chan struct{})
	var begun atomic.Int32
	s := echoServer(false)
	s.MaxInFlight = 100_000
	s.Services[echoName]["echo"] = Method{Handle: func(c *Call) error {
		begun.Add(1)
		<-release
		return echo(c)
	}}
	c := dial(t, start(t, s))
	var calls sync.WaitGroup
	const sent = 40
	for range sent {
		calls.Go(func() {
			var r Response
			checkEcho(t, c, studyMessage, studyCells(2, 10_000), &r)
		})
	}
	for begun.Load() < 5 { // of 20 kB each
		pauseTest()
	}
	time.Sleep(10 * handoverTick) // for what must not happen
	if n := begun.Load(); n > 6 {
		t.Errorf("%d requests of 20 kB are under way, the limit is 100 kB", n)
	}
	close(release)
	calls.Wait()
	if n := begun.Load(); n != sent {
		t.Errorf("%d requests, want %d", n, sent)
	}
}

// TestRoom asks whether a connection may read: that depends on what its own moved
// calls hold and, if they hold anything, on what all connections do.
func TestRoom(t *testing.T) {
	s := &Server{MaxInFlight: 1000, MaxFrame: 1, MaxHeld: 2}
	s.start.Do(s.begin)
	defer s.Close()
	near, far := net.Pipe()
	defer far.Close()
	c := s.newConn(near)
	for _, tt := range []struct {
		inFlight int64
		spent    bool
		want     bool
	}{{0, false, true}, {1000, false, true}, {1001, false, false}, {0, true, true}, {1, true, false}} {
		for tt.spent && !s.budget.Spent() { // by connections that do not count
			path.NewReadAhead(bytes.NewReader(nil), 1, s.budget).Fill()
		}
		c.inFlight.Store(tt.inFlight)
		if got := c.hasRoom(); got != tt.want {
			t.Errorf("%+v: room %t", tt, got)
		}
	}
}

// TestAnswerBeforeWaiting sends two requests together, of which the second waits
// for a worker, and expects the answer to the first.
func TestAnswerBeforeWaiting(t *testing.T) {
	begun, release := make(chan struct{}), make(chan struct{})
	s := echoServer(true)
	s.Workers = 1
	s.Services[echoName]["hold"] = Method{Handle: func(*Call) error {
		close(begun)
		<-release
		return nil
	}}
	s.Services[echoName]["ping"] = Method{Handle: ping}
	address := start(t, s)
	var held sync.WaitGroup
	c := dial(t, address)
	held.Go(func() {
		if err := c.Call(context.Background(), "hold", nil, nil, nil); err != nil {
			t.Error(err)
		}
	})
	<-begun
	nc := hello(t, address)
	var o path.Output
	addRequest(&o, 1, &request{method: "echo", param: studyMessage})
	addRequest(&o, 2, &request{method: "ping"})
	if _, err := nc.Write(bytes.Join(o.Bufs, nil)); err != nil {
		t.Fatal(err)
	}
	for i, want := range [][]byte{answerBytes(1, studyMessage, nil), answerBytes(2, nil, nil)} {
		got := make([]byte, len(want))
		if _, err := io.ReadFull(nc, got); err != nil || !bytes.Equal(got, want) {
			t.Fatalf("answer %d: %x, %v, want %x", i, got, err, want)
		}
		if i == 0 {
			close(release)
		}
	}
	held.Wait()
}
