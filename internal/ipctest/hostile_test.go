package ipctest

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"hotpath/impl/ipc"
	"hotpath/impl/ipc/steps"
)

func echoServer(nonBlocking bool) *ipc.Server {
	return &ipc.Server{Services: map[string]ipc.Service{steps.EchoName: steps.EchoService(nonBlocking)}}
}

// variants runs a test with handlers inline and on workers.
func variants(t *testing.T, test func(t *testing.T, nonBlocking bool)) {
	t.Run("inline", func(t *testing.T) { test(t, true) })
	t.Run("workers", func(t *testing.T) { test(t, false) })
}

// heapGrowth returns by how many bytes the live heap is larger after fill than
// before it.
func heapGrowth(fill func()) int64 {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.GC() // empties the pools' second half
	runtime.ReadMemStats(&before)
	fill()
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&after)
	return int64(after.HeapAlloc) - int64(before.HeapAlloc)
}

// TestFlood opens 500 connections where 64 are allowed: the others are refused,
// told so and counted, the 64 are served, and when they have gone so are new ones.
func TestFlood(t *testing.T) {
	const dials, most = 500, 64
	s := echoServer(true)
	s.MaxConns = most
	addr := start(t, s)
	peers := make([]*peer, dials)
	for i := range peers {
		peers[i] = dial(t, addr, hello(codec))
	}
	eventually(t, "all but 64 refused", func() bool { return s.Stats().Refused == dials-most })
	if n := s.Stats().Conns; n != most {
		t.Errorf("%d connections open, %d allowed", n, most)
	}
	served, told := 0, 0
	for _, p := range peers {
		p.send(echo(1, "me?", nil))
		switch a, err := p.read(); {
		case err == nil && a.id() == 1:
			served++
		case err == nil && a.id() == -1 && a.exception() == "FatalConnectionException":
			told++
		case err == nil:
			t.Errorf("answer %v", a.head)
		default:
			t.Errorf("neither served nor told: %v", err)
		}
		p.Close()
	}
	if served != most {
		t.Errorf("%d served, want %d", served, most)
	}
	if told != dials-most {
		t.Errorf("%d were told why, want %d", told, dials-most)
	}
	eventually(t, "no connection open", func() bool { return s.Stats().Conns == 0 })
	alive(t, addr)
}

// TestRefusedClients: clients of ours are told too, whatever they have sent by then.
func TestRefusedClients(t *testing.T) {
	const clients = 200
	s := echoServer(true)
	s.MaxConns = 1
	addr := start(t, s)
	dial(t, addr, hello(codec)) // keeps the only place
	eventually(t, "one open", func() bool { return s.Stats().Conns == 1 })
	block := cells(1, 100<<10)
	for i := range clients {
		c, err := (ipc.Dialer{Service: steps.EchoName}).Dial(t.Context(), addr)
		if err != nil {
			t.Fatal(err)
		}
		err = c.CallBlock(t.Context(), "echo", nil, block, nil)
		if e, ok := errors.AsType[*ipc.Exception](err); !ok || !strings.HasSuffix(e.Class, ".FatalConnectionException") {
			t.Fatalf("client %d: %v", i, err)
		}
		c.Close()
	}
}

// TestAnnounced: a frame that is announced and never comes holds no memory of its
// size.
func TestAnnounced(t *testing.T) {
	const conns, announced, most = 64, 48 << 20, 128 << 10
	for name, sent := range map[string]int{"nothing sent": 0, "4 kB sent": 4 << 10} {
		t.Run(name, func(t *testing.T) {
			s := echoServer(true)
			addr := start(t, s)
			peers := make([]*peer, conns)
			opening := append(hello(codec), echo(1, "here", nil)...)
			opening = append(opening, length(announced)...)
			opening = append(opening, make([]byte, sent)...)
			grown := heapGrowth(func() {
				for i := range peers {
					peers[i] = dial(t, addr, opening)
					if a, err := peers[i].read(); err != nil || a.id() != 1 {
						t.Fatalf("answer %v, %v", a.head, err)
					}
				}
			})
			if per := grown / conns; per > most && !race {
				t.Errorf("%d bytes held per connection, want at most %d", per, most)
			} else {
				t.Logf("%d bytes per connection, the test's own included", per)
			}
			alive(t, addr)
			for _, p := range peers {
				p.Close()
			}
		})
	}
}

// TestLargeFrame: a frame of that size is answered when it does come.
func TestLargeFrame(t *testing.T) {
	noLeaks(t)
	addr := serve(t, echoServer(true))
	p := dial(t, addr, hello(codec))
	p.SetDeadline(time.Now().Add(time.Minute)) // the machine may be busy, and it is no matter of time
	block := cells(3, 16<<20)
	go p.send(echo(1, "large", block))
	if a, err := p.read(); err != nil || !bytes.Equal(a.block, block) {
		t.Fatalf("answer %v with %d bytes of cells, %v", a.head, len(a.block), err)
	}
}

// unread sends echoes on each peer and reads nothing, until the server takes no
// more.
func unread(t *testing.T, peers []*peer) {
	request := echo(1, "unread", cells(10, 10<<10))
	var all sync.WaitGroup
	for _, p := range peers {
		all.Go(func() {
			for {
				p.SetWriteDeadline(time.Now().Add(300 * time.Millisecond))
				if _, err := p.Write(request); isTimeout(err) || closed(err) {
					return
				} else if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
}

// slowReaders connects clients with small buffers, so that little fills them.
func slowReaders(t *testing.T, addr string, n int) []*peer {
	peers := make([]*peer, n)
	for i := range peers {
		peers[i] = dial(t, addr, hello(codec))
		peers[i].SetReadBuffer(64 << 10)
		peers[i].SetWriteBuffer(64 << 10)
	}
	return peers
}

// TestSlowReaders: clients that send and never read are stopped by the socket and
// cost a bounded heap for as long as they stay.
func TestSlowReaders(t *testing.T) {
	variants(t, func(t *testing.T, nonBlocking bool) {
		const conns, most = 8, 1 << 20
		addr := start(t, echoServer(nonBlocking))
		peers := slowReaders(t, addr, conns)
		grown := heapGrowth(func() { unread(t, peers) })
		if per := grown / conns; per > most && !race {
			t.Errorf("%d bytes held per connection, want at most %d", per, most)
		} else {
			t.Logf("%d bytes per connection", per)
		}
		alive(t, addr)
		for _, p := range peers {
			p.Close()
		}
	})
}

// TestWriteTimeout closes such clients when it is over.
func TestWriteTimeout(t *testing.T) {
	variants(t, func(t *testing.T, nonBlocking bool) {
		const conns = 4
		s := echoServer(nonBlocking)
		s.WriteTimeout = 200 * time.Millisecond
		addr := start(t, s)
		unread(t, slowReaders(t, addr, conns))
		eventually(t, "all slow readers closed", func() bool { return s.Stats().TimedOut == conns && s.Stats().Conns == 0 })
		alive(t, addr)
	})
}

func isTimeout(err error) bool {
	e, ok := err.(net.Error)
	return ok && e.Timeout()
}

// TestSlowClient: a reader that takes its time, but does take something in every
// span of the write deadline, gets all its answers.
func TestSlowClient(t *testing.T) {
	s := echoServer(true)
	s.WriteTimeout = time.Second
	addr := start(t, s)
	p := dial(t, addr)
	p.SetReadBuffer(64 << 10)
	const calls = 100
	block := cells(10, 10<<10)
	go func() {
		p.send(hello(codec))
		for i := range calls {
			p.send(echo(uint32(i+1), "slowly", block))
		}
	}()
	for i := range calls {
		time.Sleep(20 * time.Millisecond) // the subject: twice the write deadline in all
		a, err := p.read()
		if err != nil || a.id() != int32(i+1) || !bytes.Equal(a.block, block) {
			t.Fatalf("answer %d: %v, %v", i, a.head, err)
		}
	}
}

// TestSlowloris: clients that send a byte now and then, in every phase of a
// connection, are closed at the read deadline.
func TestSlowloris(t *testing.T) {
	s := echoServer(true)
	s.ReadTimeout = 200 * time.Millisecond
	addr := start(t, s)
	slow := map[string]struct{ at, drip []byte }{
		"preamble": {nil, preamble},
		"header":   {preamble, prefixed(make([]byte, 1000))},
		"length":   {hello(codec), length(1000)[:3]},
		"request":  {hello(codec), echo(1, "drip", cells(1, 1000))},
		"between":  {append(hello(codec), echo(1, "first", nil)...), echo(2, "drip", cells(1, 1000))},
	}
	var all sync.WaitGroup
	for name, c := range slow {
		all.Go(func() {
			p := dial(t, addr, c.at)
			began := time.Now()
			for i := 0; ; i = min(i+1, len(c.drip)-1) {
				time.Sleep(20 * time.Millisecond) // the subject
				if i < 3 || len(c.drip) > 6 {
					p.Write(c.drip[i : i+1])
				}
				p.SetReadDeadline(time.Now().Add(time.Millisecond))
				if _, err := p.r.ReadByte(); err != nil && !isTimeout(err) {
					break
				}
				if time.Since(began) > patience {
					t.Errorf("%s: still open after %v", name, patience)
					return
				}
			}
			p.Close()
		})
	}
	all.Wait()
	if n := s.Stats().TimedOut; n != int64(len(slow)) {
		t.Errorf("%d counted as timed out, want %d", n, len(slow))
	}
	alive(t, addr)
}

// TestIdle: connections without calls are closed at the idle deadline, one with
// pings lives on while two such deadlines pass.
func TestIdle(t *testing.T) {
	s := echoServer(true)
	s.IdleTimeout = 800 * time.Millisecond
	addr := start(t, s)
	busy := dial(t, addr, hello(codec))
	tick := time.NewTicker(30 * time.Millisecond)
	defer tick.Stop()
	for range 2 {
		idle := dial(t, addr, hello(codec))
		done := make(chan struct{})
		go func() {
			defer close(done)
			if a, err := idle.read(); err == nil || !closed(err) {
				t.Errorf("idle: %v, %v", a.head, err)
			}
		}()
		for open := true; open; {
			select {
			case <-tick.C:
				busy.send(length(-1))
			case <-done:
				open = false
			}
		}
	}
	if err := busy.answers(); err != nil {
		t.Errorf("the one with pings: %v", err)
	}
}

// TestHalfClose: what was asked before the client closed its sending side is
// answered, then the connection ends.
func TestHalfClose(t *testing.T) {
	variants(t, func(t *testing.T, nonBlocking bool) {
		const calls = 50
		addr := start(t, echoServer(nonBlocking))
		block := cells(10, 10<<10)
		stream := hello(codec)
		for i := range calls {
			stream = append(stream, echo(uint32(i+1), fmt.Sprint(i), block)...)
		}
		p := dial(t, addr)
		go func() {
			p.send(stream)
			p.CloseWrite()
		}()
		answered := make(map[int32]bool)
		for range calls {
			a, err := p.read()
			if err != nil {
				t.Fatalf("%d answers of %d: %v", len(answered), calls, err)
			}
			if i := a.id(); answered[i] || !bytes.Equal(a.frame, echoed(uint32(i), fmt.Sprint(i-1), block)) {
				t.Fatalf("answer %v", a.head)
			}
			answered[a.id()] = true
		}
		if a, err := p.read(); err == nil || !closed(err) {
			t.Fatalf("not closed: %v, %v", a.head, err)
		}
	})
}

// TestPanic: a handler that panics costs its caller the call and nobody anything
// else.
func TestPanic(t *testing.T) {
	variants(t, func(t *testing.T, nonBlocking bool) {
		s := echoServer(nonBlocking)
		s.Services[steps.EchoName]["panic"] = ipc.Method{NonBlocking: nonBlocking, Handle: func(*ipc.Call) error { panic("on purpose") }}
		addr := start(t, s)
		p := dial(t, addr, hello(codec))
		for i := range 20 {
			p.send(prefixed(delimited(header(uint32(i), "panic", false, -1))))
			if a, err := p.read(); err != nil || a.id() != int32(i) || a.exception() != "RuntimeException" {
				t.Fatalf("answer %v, %v", a.head, err)
			}
			if err := p.answers(); err != nil {
				t.Fatal(err)
			}
		}
		if n := s.Stats().Panics; n != 20 {
			t.Errorf("%d panics counted", n)
		}
	})
}
