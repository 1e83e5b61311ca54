package ipctest

import (
	"errors"
	"io"
	"log/slog"
	"net"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"

	"hotpath/impl/ipc"
)

// patience is how long a test waits for what must happen at once. Only a failure
// takes so long.
const patience = 10 * time.Second

// start serves s on a port of its own until the test ends; then nothing of it, or
// of the test's clients, may be left. A test that uses it and hangs fails.
func start(t testing.TB, s *ipc.Server, leaks ...goleak.Option) (addr string) {
	t.Helper()
	noLeaks(t, leaks...)
	hangs := time.AfterFunc(25*time.Second, func() { panic(t.Name() + " hangs") })
	t.Cleanup(func() { hangs.Stop() })
	return serve(t, s)
}

// noLeaks holds the test to end with the goroutines and the open files that it
// begins with.
func noLeaks(t testing.TB, leaks ...goleak.Option) {
	leaks = append(leaks, goleak.IgnoreCurrent())
	files := openFiles(t)
	t.Cleanup(func() {
		if err := goleak.Find(leaks...); err != nil {
			t.Error(err)
		}
		eventually(t, "all files closed", func() bool { return openFiles(t) <= files })
	})
}

func serve(t testing.TB, s *ipc.Server) (addr string) {
	t.Helper()
	if s.Log == nil {
		s.Log = slog.New(slog.NewTextHandler(io.Discard, nil)) // panics are planned here
	}
	ln, err := ipc.Listen("")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve(ln) }()
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
		select {
		case err := <-served:
			if !errors.Is(err, ipc.ErrServerClosed) {
				t.Errorf("serve: %v", err)
			}
		case <-time.After(patience):
			t.Fatal("Serve has not returned")
		}
	})
	return ln.Addr().String()
}

func openFiles(t testing.TB) int {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip(err) // not Linux
	}
	return len(entries)
}

// eventually waits until ok, for what shows itself only when asked for.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("after %v not so: %s", patience, what)
		}
	}
}

// TestMain opens what the runtime opens once, before any test counts files.
func TestMain(m *testing.M) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	ln.Close()
	os.Exit(m.Run())
}
