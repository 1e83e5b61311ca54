package ipctest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"hotpath/impl/ipc"
	"hotpath/impl/ipc/pb"
	"hotpath/impl/ipc/steps"
)

// TestShutdown stops the server at 50 random moments while calls are in flight.
// Each caller gets one result. When Shutdown returns without an error, each call
// whose handler ran has its answer.
func TestShutdown(t *testing.T) {
	for round := range 50 {
		variants(t, func(t *testing.T, nonBlocking bool) {
			shutdown(t, nonBlocking, rand.N(5*time.Millisecond), round%5 == 4)
		})
	}
}

// TestShutdownDelivers stops the server under clients that send until they read
// the end: requests that it has not read are lost, but each one that it has read
// is answered, and the answer arrives.
func TestShutdownDelivers(t *testing.T) {
	for range 10 {
		variants(t, func(t *testing.T, nonBlocking bool) {
			const conns = 4
			s, ran := countingServer(nonBlocking)
			addr := start(t, s)
			request := echo(1, "again", cells(10, 1000))
			var answered atomic.Int64
			var all sync.WaitGroup
			for range conns {
				p := dial(t, addr, hello(codec))
				all.Go(func() {
					for {
						if _, err := p.Write(request); err != nil {
							return
						}
					}
				})
				all.Go(func() {
					defer p.Close()
					for {
						if _, err := p.read(); err != nil {
							if !closed(err) {
								t.Error(err)
							}
							return
						}
						answered.Add(1)
					}
				})
			}
			eventually(t, "all under way", func() bool { return answered.Load() > conns })
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			if err := s.Shutdown(ctx); err != nil {
				t.Errorf("shutdown: %v", err)
			}
			all.Wait()
			if answered.Load() != ran.Load() {
				t.Errorf("%d calls ran, %d answers arrived", ran.Load(), answered.Load())
			}
		})
	}
}

// countingServer echoes, after a moment if its handler may block, and counts the
// calls.
func countingServer(nonBlocking bool) (s *ipc.Server, ran *atomic.Int64) {
	ran = new(atomic.Int64)
	echo := steps.EchoService(nonBlocking)["echo"].Handle
	return &ipc.Server{Services: map[string]ipc.Service{steps.EchoName: {"echo": {NonBlocking: nonBlocking, Handle: func(c *ipc.Call) error {
		if !nonBlocking {
			select { // work, until the server is cut
			case <-time.After(rand.N(time.Millisecond)):
			case <-c.Context().Done():
			}
		}
		ran.Add(1)
		return echo(c)
	}}}}}, ran
}

// shutdown has 100 callers on 4 connections call until the server goes. A cut
// shutdown has no time to drain.
func shutdown(t *testing.T, nonBlocking bool, after time.Duration, cut bool) {
	const callers, conns = 100, 4
	s, ran := countingServer(nonBlocking)
	var answered atomic.Int64
	addr := start(t, s)

	clients := make([]*ipc.Client, conns)
	for i := range clients {
		var err error
		if clients[i], err = (ipc.Dialer{Service: steps.EchoName}).Dial(t.Context(), addr); err != nil {
			t.Fatal(err)
		}
		defer clients[i].Close()
	}
	block := ipc.KeyValue(cells(1, 1000)[4:])
	var all sync.WaitGroup
	for i := range callers {
		all.Go(func() {
			for n := 0; ; n++ {
				message := fmt.Sprintf("%d of caller %d", n, i)
				param := encode(&pb.EchoRequest{Message: &message})
				var r ipc.Response
				err := clients[i%conns].Call(t.Context(), "echo", param, []ipc.KeyValue{block}, &r)
				if err != nil {
					var e *ipc.Exception
					if errors.As(err, &e) {
						t.Errorf("an exception: %v", e)
					}
					return
				}
				answered.Add(1)
				if string(r.Message) != string(param) || string(r.Block[4:]) != string(block) {
					t.Errorf("%s: answer %q with %d bytes of cells", message, r.Message, len(r.Block))
				}
				r.Release()
			}
		})
	}

	time.Sleep(after) // the subject: any moment
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	if cut {
		cancel()
	}
	defer cancel()
	err := s.Shutdown(ctx)
	all.Wait() // or the test's own timeout: a caller without a result
	switch {
	case cut && err != nil && !errors.Is(err, context.Canceled):
		t.Errorf("shutdown: %v", err)
	case !cut && err != nil:
		t.Errorf("shutdown: %v", err)
	case err == nil && ran.Load() != answered.Load():
		t.Errorf("%d calls ran, %d answered", ran.Load(), answered.Load())
	case answered.Load() > ran.Load():
		t.Errorf("%d calls ran, %d answered", ran.Load(), answered.Load())
	}
}
