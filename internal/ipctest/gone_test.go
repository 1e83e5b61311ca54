package ipctest

import (
	"os"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"hotpath/impl/ipc"
	"hotpath/impl/ipc/steps"
)

// waiter is a service whose handlers wait until their context ends, or answer with
// as much as they are told.
type waiter struct{ begun, running atomic.Int64 }

func (w *waiter) service(nonBlocking bool) ipc.Service {
	s := steps.EchoService(nonBlocking)
	s["wait"] = ipc.Method{Handle: func(c *ipc.Call) error {
		w.begun.Add(1)
		w.running.Add(1)
		defer w.running.Add(-1)
		<-c.Context().Done()
		return nil
	}}
	return s
}

func call(id uint32, method string) []byte {
	return prefixed(delimited(header(id, method, false, -1)))
}

// Requests of the clients that go away, built ahead: what it takes to build them
// would be taken from the good client.
var (
	greeting   = hello(codec)
	waits      = call(1, "wait")
	waitsTwice = slices.Concat(call(2, "wait"), call(3, "wait"))
	halfOfOne  = echo(1, "half", cells(10, 10_000))[:50_000]
	muchToRead = slices.Concat(echo(1, "much", cells(10, 10_000)), echo(2, "much", cells(10, 10_000)), echo(3, "much", cells(10, 10_000)), echo(4, "much", cells(10, 10_000)))
	bigWait    = func() []byte {
		block := cells(2, 10_000)
		return prefixed(append(delimited(header(1, "wait", false, len(block))), block...))
	}()
)

// goners are the states in which a client may be when it goes away. Those with
// handlers that wait have so many of them.
var goners = []struct {
	name  string
	waits int64
	// prepare brings a client into the state, leave takes it away; without one it
	// closes the connection.
	prepare, leave func(p *peer)
}{
	{name: "idle"},
	{name: "in the handshake", prepare: func(p *peer) { p.send(preamble[:4]) }},
	{name: "waiting", waits: 1, prepare: func(p *peer) { p.send(greeting, waits) }},
	{name: "waiting for many", waits: 3, prepare: func(p *peer) { p.send(greeting, waits, waitsTwice) }},
	{name: "writing", prepare: func(p *peer) { p.send(greeting, halfOfOne) }},
	{name: "waiting and writing", waits: 1, prepare: func(p *peer) { p.send(greeting, waits, halfOfOne) }},
	{name: "reading", prepare: func(p *peer) {
		p.SetReadBuffer(4 << 10)
		p.send(greeting)
		p.send(muchToRead)
	}},
	{name: "half-closed", waits: 1,
		prepare: func(p *peer) { p.send(greeting, waits) },
		leave: func(p *peer) {
			p.CloseWrite()
			if a, err := p.read(); err != nil || a.id() != 1 {
				p.t.Errorf("a half-closed client is answered %v, %v", a.head, err)
			}
			p.Close()
		}},
	{name: "reset", waits: 1,
		prepare: func(p *peer) { p.send(greeting, waits) },
		leave: func(p *peer) {
			p.SetLinger(0)
			p.Close()
		}},
	{name: "reset while writing", waits: 1,
		prepare: func(p *peer) { p.send(greeting, waits, halfOfOne) },
		leave: func(p *peer) {
			p.SetLinger(0)
			p.Close()
		}},
	// Two requests are more than may be under way: nobody reads the third one.
	{name: "over its limit", waits: 2, prepare: func(p *peer) { p.send(greeting, bigWait, bigWait, call(2, "wait")) }},
}

// TestGone has 100 clients go away in each state, 1,000 with HOTPATH_SOAK, beside one
// that makes calls: contexts end, nothing is left of them, and the good client is
// served. How long it waits is told, and fails nothing but beyond a second: the clients
// take its CPUs too.
func TestGone(t *testing.T) {
	const most, atOnce = time.Second, 50
	clients, alone, pause := 100, time.Duration(0), time.Duration(0)
	if os.Getenv("HOTPATH_SOAK") != "" { // how long the good client waits says something then
		clients, alone, pause = 1000, 2*time.Second, 5*time.Millisecond
	}
	var w waiter
	s := &ipc.Server{Services: map[string]ipc.Service{steps.EchoName: w.service(true)}, Workers: 4 * atOnce, MaxInFlight: 30 << 10}
	s.Services[steps.EchoName]["wait"] = ipc.Method{Handle: w.service(false)["wait"].Handle}
	noLeaks(t)
	addr := serve(t, s)
	good := newGoodClient(t, addr)
	defer good.stop()
	for _, g := range goners {
		ok := t.Run(g.name, func(t *testing.T) {
			good.latency(0)
			p99 := good.latency(alone)
			var slowest time.Duration
			for range clients / atOnce {
				peers := make([]*peer, atOnce)
				before := w.begun.Load()
				for i := range peers {
					peers[i] = dial(t, addr)
					if g.prepare != nil {
						g.prepare(peers[i])
					}
					time.Sleep(pause)
				}
				eventually(t, "all wait", func() bool { return w.begun.Load()-before == g.waits*atOnce })
				var left time.Time
				for _, p := range peers {
					left = time.Now()
					if g.leave != nil {
						g.leave(p)
					} else {
						p.Close()
					}
					time.Sleep(pause)
				}
				eventually(t, "no handler waits", func() bool { return w.running.Load() == 0 })
				slowest = max(slowest, time.Since(left))
				eventually(t, "the good client's connection alone", func() bool { return s.Stats().Conns == 1 })
			}
			if slowest > most && !race {
				t.Errorf("contexts ended after %v, want at most %v", slowest, most)
			}
			eventually(t, "nothing held but the good client's frame", func() bool { return s.Stats().Held <= 64<<10 })
			beside := good.latency(0)
			t.Logf("contexts of %d clients ended after at most %v; the good client's p99: %v alone, %v beside them", clients, slowest, p99, beside)
			if beside > most && !race {
				t.Errorf("the good client waited for %v", beside)
			}
		})
		if !ok {
			return
		}
	}
}

// goodClient makes one call after the other.
type goodClient struct {
	t      *testing.T
	client *ipc.Client
	times  []time.Duration
	latest chan []time.Duration
	ended  chan struct{}
}

func newGoodClient(t *testing.T, addr string) *goodClient {
	client, err := (ipc.Dialer{Service: steps.EchoName}).Dial(t.Context(), addr)
	if err != nil {
		t.Fatal(err)
	}
	g := &goodClient{t: t, client: client, latest: make(chan []time.Duration), ended: make(chan struct{})}
	go g.run()
	return g
}

func (g *goodClient) run() {
	defer close(g.ended)
	block := []ipc.KeyValue{cells(1, 1000)[4:]}
	param := []byte("\x0a\x04good")
	var r ipc.Response
	for {
		from := time.Now()
		if err := g.client.Call(g.t.Context(), "echo", param, block, &r); err != nil {
			g.t.Errorf("the good client: %v", err)
			return
		}
		g.times = append(g.times, time.Since(from))
		select {
		case _, more := <-g.latest:
			if !more {
				return
			}
			g.latest <- g.times
			g.times = nil
		case <-time.After(200 * time.Microsecond):
		}
	}
}

// latency returns the 99th percentile of the calls since the last call of it, after
// a while.
func (g *goodClient) latency(after time.Duration) time.Duration {
	time.Sleep(after)
	var times []time.Duration
	eventually(g.t, "the good client is served", func() bool { times = g.taken(); return len(times) > 0 })
	slices.Sort(times)
	return times[len(times)*99/100]
}

// taken returns how long the calls took since the last call of it.
func (g *goodClient) taken() []time.Duration {
	select {
	case g.latest <- nil:
	case <-g.ended:
		g.t.Fatal("the good client has ended")
	}
	return <-g.latest
}

func (g *goodClient) stop() {
	close(g.latest)
	<-g.ended
	g.client.Close()
}

// TestGoneQueue: what a client that has gone had asked for, and had been read, is
// not begun any more.
func TestGoneQueue(t *testing.T) {
	variants(t, func(t *testing.T, nonBlocking bool) {
		var ran atomic.Int64
		s := &ipc.Server{Services: map[string]ipc.Service{steps.EchoName: {"work": {NonBlocking: nonBlocking, Handle: func(*ipc.Call) error {
			ran.Add(1)
			time.Sleep(time.Millisecond)
			return nil
		}}}}, Workers: 1, MaxInFlight: 1}
		addr := start(t, s)
		const calls = 2000 // seconds of work, in one read
		p := dial(t, addr, hello(codec))
		p.send(slices.Repeat(call(1, "work"), calls))
		eventually(t, "work begun", func() bool { return ran.Load() > 0 })
		p.SetLinger(0)
		p.Close()
		eventually(t, "no connection", func() bool { return s.Stats().Conns == 0 })
		s.Close() // what has begun ends
		if ran.Load() > calls/2 {
			t.Errorf("%d of %d calls of a client that has gone have run", ran.Load(), calls)
		}
	})
}

// TestHalfClosed: a client that has closed its sending side is answered all that it
// has asked for, and then sees the end.
func TestHalfClosed(t *testing.T) {
	variants(t, func(t *testing.T, nonBlocking bool) {
		addr := start(t, echoServer(nonBlocking))
		const calls = 500
		p := dial(t, addr, hello(codec))
		go func() {
			for i := range uint32(calls) {
				p.send(echo(i, "half", cells(1, 1000)))
			}
			p.CloseWrite()
		}()
		for i := range calls {
			if _, err := p.read(); err != nil {
				t.Fatalf("answer %d: %v", i, err)
			}
		}
		if a, err := p.read(); !closed(err) {
			t.Errorf("after the last answer: %v, %v", a.head, err)
		}
	})
}
