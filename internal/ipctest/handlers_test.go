package ipctest

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"
	"time"

	"hotpath/impl/ipc"
	"hotpath/impl/ipc/steps"
)

// TestHandlers has handlers do what they should not, 100 times each, on
// connections of their own and on one: the server lives, their calls are answered
// with an exception, and others are served.
func TestHandlers(t *testing.T) {
	const times = 100
	var frames []*ipc.Frame
	var mu sync.Mutex
	bad := map[string]ipc.Handler{
		"panics":        func(*ipc.Call) error { panic("planned") },
		"panics nil":    func(*ipc.Call) error { panic(nil) },
		"exits":         func(*ipc.Call) error { runtime.Goexit(); return nil },
		"exits late":    func(*ipc.Call) error { time.Sleep(5 * time.Millisecond); runtime.Goexit(); return nil },
		"panics late":   func(*ipc.Call) error { time.Sleep(5 * time.Millisecond); panic("planned") },
		"error panics":  func(*ipc.Call) error { return badError{} },
		"keeps a frame": func(c *ipc.Call) error { mu.Lock(); defer mu.Unlock(); frames = append(frames, c.Retain()); return nil },
	}
	variants(t, func(t *testing.T, nonBlocking bool) {
		service := steps.EchoService(nonBlocking)
		for name, h := range bad {
			service[name] = ipc.Method{Handle: h, NonBlocking: nonBlocking}
		}
		s := &ipc.Server{Services: map[string]ipc.Service{steps.EchoName: service}, Workers: 4}
		addr := start(t, s)
		one := dial(t, addr, hello(codec))
		for name := range bad {
			t.Run(name, func(t *testing.T) {
				for i := range uint32(times) {
					p := one
					if i%2 == 0 {
						p = dial(t, addr, hello(codec))
					}
					p.send(call(i, name))
					want := "RuntimeException"
					if name == "keeps a frame" {
						want = ""
					}
					if a, err := p.read(); err != nil || a.id() != int32(i) || a.exception() != want {
						t.Fatalf("call %d: answer %v, %v, want %q", i, a.head, err, want)
					}
					if p != one {
						p.Close()
					}
				}
				if err := one.answers(); err != nil {
					t.Errorf("the next call: %v", err)
				}
				alive(t, addr)
			})
		}
	})
	for _, f := range frames {
		f.Release()
	}
}

// badError is an error that cannot say what it is.
type badError struct{}

func (badError) Error() string { panic("planned") }

// TestHandlersHang has handlers never return, more of them than there are workers,
// and nobody wait for them: others are served. The server's Close waits for them.
func TestHandlersHang(t *testing.T) {
	const hung, workers = 100, 8
	hang := make(chan struct{})
	release := sync.OnceFunc(func() { close(hang) })
	defer release()
	service := steps.EchoService(false)
	var hanging sync.WaitGroup
	service["hang"] = ipc.Method{Handle: func(*ipc.Call) error {
		hanging.Add(1)
		defer hanging.Done()
		<-hang
		return nil
	}}
	s := &ipc.Server{Services: map[string]ipc.Service{steps.EchoName: service}, Workers: workers, IdleTimeout: 100 * time.Millisecond}
	addr := start(t, s)
	for i := range hung {
		p := dial(t, addr, hello(codec), call(1, "hang"))
		if i%2 == 0 {
			p.SetLinger(0)
		}
		time.Sleep(2 * time.Millisecond)
		p.Close()
	}
	var all sync.WaitGroup
	for range workers {
		all.Go(func() { alive(t, addr) })
	}
	all.Wait()
	eventually(t, "no connection", func() bool { return s.Stats().Conns == 0 })
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := s.Shutdown(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("shutdown with handlers that hang: %v", err)
	}
	release()
	s.Close()
	hanging.Wait()
}

// TestNeverRead has clients that never read their answers beside one that does.
func TestNeverRead(t *testing.T) {
	variants(t, func(t *testing.T, nonBlocking bool) {
		const clients = 100
		s := echoServer(nonBlocking)
		s.WriteTimeout = 300 * time.Millisecond
		addr := start(t, s)
		request := echo(1, "unread", cells(10, 10<<10))
		for range clients {
			p := dial(t, addr)
			p.SetReadBuffer(4 << 10)
			go func() {
				p.Write(hello(codec))
				for {
					if _, err := p.Write(request); err != nil {
						return
					}
				}
			}()
		}
		eventually(t, "all begun", func() bool { return s.Stats().Accepted == clients })
		for range 10 {
			alive(t, addr)
		}
		eventually(t, "all closed", func() bool { return s.Stats().Conns == 0 })
		if n := s.Stats().TimedOut; n != clients {
			t.Errorf("%d timed out, want %d", n, clients)
		}
	})
}
