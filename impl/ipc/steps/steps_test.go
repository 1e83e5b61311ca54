package steps

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"math"
	"os"
	"sync"
	"testing"
	"time"

	"hotpath/impl/ipc"
	"hotpath/impl/ipc/internal/path"
	"hotpath/impl/ipc/internal/wire"
)

// TestMain runs the tests with poisoned frames.
func TestMain(m *testing.M) {
	path.Poison = true
	os.Exit(m.Run())
}

// caller is either client.
type caller interface {
	Call(context.Context, string, []byte, []ipc.KeyValue, *ipc.Response) error
	Ping() error
	Close() error
}

func echoServer(p ipc.Path, nonBlocking bool) *ipc.Server {
	return &ipc.Server{Path: p, Services: map[string]ipc.Service{EchoName: EchoService(nonBlocking)}}
}

// start serves until the end of the test and returns the address.
func start(t testing.TB, s *ipc.Server) string {
	t.Helper()
	ln, err := ipc.Listen("")
	if err != nil {
		t.Fatal(err)
	}
	s.Log = slog.New(slog.DiscardHandler)
	go s.Serve(ln)
	hangs := time.AfterFunc(25*time.Second, func() { panic(t.Name() + " hangs") })
	t.Cleanup(func() {
		s.Close()
		hangs.Stop()
	})
	return ln.Addr().String()
}

// dial connects a client of each kind.
func dial(t testing.TB, address string) (*ipc.Client, *Client) {
	t.Helper()
	fast, err := ipc.Dialer{Service: EchoName}.Dial(context.Background(), address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { fast.Close() })
	study, err := Dial(context.Background(), address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { study.Close() })
	return fast, study
}

// studyMessage is of the size that the published study sent.
var studyMessage = wire.AppendBytes(nil, 1, append([]byte{8, 1, 18, 10}, "1588230740"...))

// studyCells returns the cells of the published study, n times the same.
func studyCells(n, valueSize int) []ipc.KeyValue {
	xyz := []byte("xyz")
	c := ipc.Cell{Row: xyz, Family: xyz, Qualifier: xyz, Timestamp: math.MaxInt64, Type: 4, Value: make([]byte, valueSize)}
	kv := ipc.KeyValue(c.AppendTo(nil))
	cells := make([]ipc.KeyValue, n)
	for i := range cells {
		cells[i] = kv
	}
	return cells
}

// checkEcho calls echo and compares the answer. Any goroutine may use it.
func checkEcho(t testing.TB, c caller, message []byte, cells []ipc.KeyValue, r *ipc.Response) {
	t.Helper()
	if err := c.Call(context.Background(), "echo", message, cells, r); err != nil {
		t.Error(err)
		return
	}
	if !bytes.Equal(r.Message, message) || !bytes.Equal(r.Block, ipc.AppendBlock(nil, cells...)) {
		t.Errorf("message %x and %d cells came back as %x and a block of %d bytes", message, len(cells), r.Message, len(r.Block))
	}
}

// TestPaths makes calls of both kinds of clients over every path, several at a
// time, also with handlers that others overtake.
func TestPaths(t *testing.T) {
	for _, p := range Paths() {
		for _, nonBlocking := range []bool{true, false} {
			t.Run(fmt.Sprintf("path=%s/nonblocking=%t", p, nonBlocking), func(t *testing.T) {
				t.Parallel()
				s := echoServer(p, nonBlocking)
				echo := s.Services[EchoName]["echo"]
				s.Services[EchoName]["echo"] = ipc.Method{NonBlocking: nonBlocking, Handle: func(c *ipc.Call) error {
					if !nonBlocking && len(c.Cells()) == 7 {
						time.Sleep(10 * time.Millisecond) // another goroutine reads on
					}
					return echo.Handle(c)
				}}
				fast, study := dial(t, start(t, s))
				const depth, calls = 4, 20
				var all sync.WaitGroup
				for _, c := range []caller{fast, study} {
					for i := range depth {
						all.Go(func() {
							var r ipc.Response
							for n := range calls {
								message := wire.AppendBytes(nil, 1, bytes.Repeat([]byte{'m'}, 1+100*i+n))
								checkEcho(t, c, message, studyCells((n+i)%11, 1<<(n%14)), &r)
							}
						})
					}
				}
				all.Wait()
			})
		}
	}
}

// TestRetain keeps views beyond the handler and reads them after the connection
// has served other calls.
func TestRetain(t *testing.T) {
	for _, p := range Paths() {
		var mu sync.Mutex
		var frames []*ipc.Frame
		var views []ipc.KeyValue
		s := echoServer(p, true)
		s.Services[EchoName]["keep"] = ipc.Method{NonBlocking: true, Handle: func(c *ipc.Call) error {
			mu.Lock()
			defer mu.Unlock()
			frames, views = append(frames, c.Retain()), append(views, c.Cells()...)
			return nil
		}}
		fast, _ := dial(t, start(t, s))
		want := studyCells(3, 1000)
		for range 10 {
			if err := fast.Call(context.Background(), "keep", nil, want, nil); err != nil {
				t.Fatal(err)
			}
			checkEcho(t, fast, studyMessage, studyCells(5, 5000), new(ipc.Response))
		}
		mu.Lock()
		for i, kv := range views {
			if !bytes.Equal(kv, want[0]) {
				t.Errorf("%s: cell %d has changed", p, i)
			}
		}
		for _, f := range frames {
			f.Release()
		}
		mu.Unlock()
	}
}

// TestCosts checks the figures that the study rests on: what each path copies
// and allocates, and how often it calls the system, for an echo of ten cells of
// 10 kB.
func TestCosts(t *testing.T) {
	const (
		cells  = 10 * 10_269
		block  = 10 * (10_269 + 4)
		regrow = 10_277 + 30_823 + 61_642 // what the growing block copies of itself
		grown  = 16_384 + 32_768 + 65_536 + 131_072
		head   = 4 + 11 + 17 // length, header and message, less what a small call id saves
		frame  = block + head
	)
	for _, want := range []struct {
		path              ipc.Path
		copied, allocated int64
		reads, writes     int64
	}{
		{Before, 410_956, frame + cells + grown + 3*(frame-4), 4, 2},
		{OneFrame, cells + block + regrow + frame, frame + cells + grown + frame, 4, 2},
		{Direct, cells + block + regrow + 3*head, frame + cells + grown, 4, 2},
		{After, 308_162, frame + cells + grown, 4, 2},
		{Presize, cells + block, frame + cells + block, 4, 2},
		{PooledBlock, cells + block, frame + cells, 4, 2},
		{Views, block, frame, 4, 2},
		{OneCopy, block, 0, 2, 1},
		{ipc.Pooled, 0, 0, 2, 1},
	} {
		t.Run(want.path.String(), func(t *testing.T) {
			s := echoServer(want.path, true)
			c, _ := dial(t, start(t, s))
			var r ipc.Response
			for range 10 { // frames grow to the size of a request
				checkEcho(t, c, studyMessage, studyCells(10, 10<<10), &r)
			}
			const calls = 50
			from := s.Stats()
			for range calls {
				checkEcho(t, c, studyMessage, studyCells(10, 10<<10), &r)
			}
			got := s.Stats().Sub(from)
			if got.Calls != calls {
				t.Errorf("%d calls, want %d", got.Calls, calls)
			}
			const small = 64 // heads are a few bytes shorter or longer
			if copied := got.Copied / calls; copied < want.copied-small || copied > want.copied+small {
				t.Errorf("%d bytes copied per call, want %d", copied, want.copied)
			}
			// A garbage collection may empty the pool.
			lost := int64(0)
			if want.path == PooledBlock || want.path == Views || want.path == OneCopy {
				lost = calls / 10 * 131_072
			}
			if allocated := got.Allocated / calls; allocated < want.allocated-2*small || allocated > want.allocated+2*small+lost {
				t.Errorf("%d bytes allocated per call, want %d", allocated, want.allocated)
			}
			if got.Reads > want.reads*calls || got.Writes != want.writes*calls {
				t.Errorf("%d reads and %d writes for %d calls, want at most %d and %d each", got.Reads, got.Writes, calls, want.reads, want.writes)
			}
		})
	}
}
