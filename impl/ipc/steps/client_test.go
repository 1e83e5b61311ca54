package steps

import (
	"context"
	"errors"
	"math"
	"net"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"hotpath/impl/ipc"
)

// TestClientClose closes a client with calls under way.
func TestClientClose(t *testing.T) {
	begun, release := make(chan struct{}, 5), make(chan struct{})
	s := echoServer(nil, false)
	s.Services[EchoName]["hold"] = ipc.Method{Handle: func(*ipc.Call) error {
		begun <- struct{}{}
		<-release
		return nil
	}}
	address := start(t, s)
	defer close(release)
	_, c := dial(t, address)
	var calls sync.WaitGroup
	for range 5 {
		calls.Go(func() {
			if err := c.Call(context.Background(), "hold", nil, nil, nil); err != ipc.ErrClientClosed {
				t.Errorf("a call under way returned %v", err)
			}
		})
	}
	for range 5 {
		<-begun
	}
	c.Close()
	calls.Wait()
	if err := c.Call(context.Background(), "hold", nil, nil, nil); err != ipc.ErrClientClosed {
		t.Errorf("a call after Close returned %v", err)
	}
}

// TestClientNobodyReads makes calls to a peer that reads nothing: those that send
// and those that wait to send end with their contexts.
func TestClientNobodyReads(t *testing.T) {
	near, far := net.Pipe()
	defer far.Close()
	go far.Read(make([]byte, 1<<10)) // the handshake and nothing else
	c, err := NewClient(near)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	const calls = 3
	results := make(chan error, calls)
	for range calls {
		go func() { results <- c.Call(ctx, "echo", studyMessage, studyCells(1, 10_000), nil) }()
	}
	time.Sleep(10 * time.Millisecond) // for one to send
	cancel()
	for range calls {
		select {
		case err := <-results:
			if !errors.Is(err, context.Canceled) {
				t.Errorf("a cancelled call returned %v", err)
			}
		case <-time.After(5 * time.Second):
			t.Fatal("a cancelled call does not return")
		}
	}
	c.Close()
	if err := c.Call(context.Background(), "echo", studyMessage, nil, nil); err != ipc.ErrClientClosed {
		t.Errorf("a call after Close returned %v", err)
	}
}

// TestClientWriteTimeout makes calls without a deadline to such a peer, on a clock
// that skips the waiting.
func TestClientWriteTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, far := net.Pipe()
		defer far.Close()
		go far.Read(make([]byte, 1<<10))
		c, err := NewClient(near)
		if err != nil {
			t.Fatal(err)
		}
		from := time.Now()
		if err := c.Call(context.Background(), "echo", studyMessage, nil, nil); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("the call returned %v", err)
		}
		if took := time.Since(from); took > writeTimeout {
			t.Errorf("the call took %v", took)
		}
		c.Close()
	})
}

// TestClientCallID expects that the id that stands for no call is not used.
func TestClientCallID(t *testing.T) {
	_, c := dial(t, start(t, echoServer(nil, true)))
	c.id = math.MaxUint32 - 2
	for range 3 {
		if err := c.Call(context.Background(), "error", nil, nil, nil); err == nil || err.Error() != ioException+": error" {
			t.Errorf("call %d: %v", c.id, err)
		}
	}
	checkEcho(t, c, studyMessage, nil, new(ipc.Response)) // no exception has ended the connection
}

// TestRefused expects that an exception that ends the connection is what all
// calls return.
func TestRefused(t *testing.T) {
	_, c := dial(t, start(t, &ipc.Server{}))
	for range 2 {
		err := c.Call(context.Background(), "ping", nil, nil, nil)
		if e, ok := errors.AsType[*ipc.Exception](err); !ok || !strings.HasSuffix(e.Class, ".UnknownServiceException") {
			t.Errorf("%v, want an unknown service", err)
		}
	}
}

func TestPing(t *testing.T) {
	_, c := dial(t, start(t, echoServer(nil, true)))
	for range 3 {
		if err := c.Ping(); err != nil {
			t.Error(err)
		}
		checkEcho(t, c, studyMessage, studyCells(1, 1), new(ipc.Response))
	}
}

// TestEchoErrors expects exceptions that the client returns, and that the
// connection lives on.
func TestEchoErrors(t *testing.T) {
	fast, study := dial(t, start(t, echoServer(nil, true)))
	for _, c := range []caller{fast, study} {
		for _, tt := range []struct {
			method string
			param  []byte
			want   string
		}{
			{"echo", []byte{1}, invalidMessage + ": echo request: byte 0: field number 0"},
			{"echo", nil, invalidMessage + ": echo request without a message"},
			{"error", nil, ioException + ": error"},
		} {
			if err := c.Call(context.Background(), tt.method, tt.param, nil, nil); err == nil || err.Error() != tt.want {
				t.Errorf("%s: %v, want %s", tt.method, err, tt.want)
			}
		}
		checkEcho(t, c, studyMessage, nil, new(ipc.Response))
	}
}
