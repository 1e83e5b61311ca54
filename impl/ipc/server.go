package ipc

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"hotpath/impl/ipc/internal/path"
	"hotpath/impl/ipc/internal/wire"
)

// Server serves the RPC protocol of HBase 0.96: clients send a preamble and the
// name of a service, then requests, of which any number may be under way; each is
// answered with its call id as soon as it is done.
//
// The zero value serves no service. The exported fields must not change after
// the first call of Serve. All methods may be called concurrently, but not by
// handlers.
//
// A request that has begun must be complete, or have 16 kB more, in every
// ReadTimeout; so must the handshake. Of an answer the client must take 256 kB,
// or what is left, in every WriteTimeout. Timeouts strike up to a quarter late.
// Of what a connection has sent and is not answered, and of the answers that it
// has not taken, the server holds one request and MaxInFlight bytes, and what is
// under way then; it reads nothing more until that has gone down.
//
// A client that closes its sending side is answered all that it has asked for, and
// then sees the end. Of one that has gone, what has not begun is dropped, and the
// contexts of its calls end (see [Call.Context]). A request over MaxFrame is
// answered with a RequestTooBigException, one that cannot be understood with an
// exception that ends the connection. A handler may panic, end its goroutine or
// never return: its call is answered with an exception, or not at all.
type Server struct {
	Services map[string]Service // by name

	// Path is how the bytes of a call pass through the server; nil is Pooled.
	Path Path

	// Workers is how many handlers that may block run at once, over all
	// connections; 0 is 64. Where more are called, connections wait. Handlers
	// whose context has ended are not counted.
	Workers int

	MaxConns    int // open connections; 0 is 256. A client over it is told so and refused.
	MaxFrame    int // bytes of a request behind its length; 0 is 64 MiB
	MaxInFlight int // bytes per connection; 0 is 256 KiB

	// MaxHeld bounds the bytes of all connections' requests that have been read, or
	// begun, and not been let go of by their handlers, besides 64 KiB for each
	// connection. A request that is too much is answered with a
	// CallQueueTooBigException, which asks clients to try again later. It is at
	// least twice MaxFrame; 0 is 256 MiB, or that if it is more.
	MaxHeld int

	// For each, 0 is the default and a negative value no timeout. IdleTimeout also
	// bounds how long a client that has closed its sending side waits for answers.
	IdleTimeout  time.Duration // without a request or a ping, and with none under way; 10 minutes
	ReadTimeout  time.Duration // 30 seconds
	WriteTimeout time.Duration // 30 seconds

	// Log is told of handlers that panic and of connections that cannot be
	// accepted; nil is slog.Default.
	Log *slog.Logger

	start    sync.Once
	invalid  error // what is wrong with the fields
	services map[string]map[string]*method
	slots    []slot
	free     chan *slot
	ctx      context.Context
	cancel   context.CancelFunc

	handoverSleeps atomic.Bool
	handoverWake   chan struct{}

	budget     *path.Budget   // of what is read
	goroutines sync.WaitGroup // all of the server's
	draining   atomic.Bool

	mu        sync.Mutex
	closed    bool
	listeners map[*net.Listener]struct{} // a listener itself may be no key
	conns     map[*conn]struct{}         // those that are cut off, until their handlers return, included
	open      int                        // connections that are not cut off
	gone      chan struct{}              // closed when draining and without connections

	past                                Stats // of closed connections
	accepted, refused, timedOut, broken atomic.Int64
	lingering                           atomic.Int64 // refused clients that are being told
}

// ErrServerClosed is what Serve returns after Shutdown or Close.
var ErrServerClosed = errors.New("server is closed")

// Listen listens on a TCP address. Without a host, that is the loopback
// interface alone: clients are not authenticated. Without a port the system
// chooses one.
func Listen(address string) (net.Listener, error) {
	if address == "" {
		address = ":0"
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	if host == "" {
		host = "127.0.0.1"
	}
	return net.Listen("tcp", net.JoinHostPort(host, port))
}

// Serve accepts connections until Shutdown or Close, and then returns
// ErrServerClosed, or until it cannot. It closes the listener. It serves nobody if
// one of the fields has a value that makes no sense, and says which.
func (s *Server) Serve(ln net.Listener) error {
	s.start.Do(s.begin)
	if s.invalid != nil {
		ln.Close()
		return s.invalid
	}
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		ln.Close()
		return ErrServerClosed
	}
	s.listeners[&ln] = struct{}{}
	s.goroutines.Add(1)
	s.mu.Unlock()
	defer s.goroutines.Done()
	defer ln.Close()
	for pause := time.Duration(0); ; {
		nc, err := ln.Accept()
		switch {
		case err == nil:
			pause = 0
			s.accept(nc)
		case s.isClosed():
			return ErrServerClosed
		case errors.Is(err, net.ErrClosed):
			return err
		default: // such as too many open files: it may get better
			pause = min(max(2*pause, 5*time.Millisecond), time.Second)
			s.log().Error("ipc: accept", "error", err, "pause", pause)
			select {
			case <-time.After(pause):
			case <-s.ctx.Done():
			}
		}
	}
}

// check returns an error for values of the fields that make no sense.
func (s *Server) check() error {
	for _, f := range []struct {
		name  string
		value int
	}{
		{"Workers", s.Workers}, {"MaxConns", s.MaxConns}, {"MaxFrame", s.MaxFrame}, {"MaxInFlight", s.MaxInFlight}, {"MaxHeld", s.MaxHeld},
	} {
		if f.value < 0 {
			return fmt.Errorf("ipc: server with %s = %d", f.name, f.value)
		}
	}
	if s.maxHeld() < 2*int64(s.maxFrame()) {
		return fmt.Errorf("ipc: server with MaxHeld = %d, less than two requests of MaxFrame = %d bytes", s.maxHeld(), s.maxFrame())
	}
	for service, methods := range s.Services {
		for name, m := range methods {
			if m.Handle == nil {
				return fmt.Errorf("ipc: method %s of service %s without a handler", name, service)
			}
		}
	}
	return nil
}

// begin prepares what depends on the exported fields.
func (s *Server) begin() {
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.mu.Lock() // Stats may be called at any time
	s.listeners, s.conns, s.gone = map[*net.Listener]struct{}{}, map[*conn]struct{}{}, make(chan struct{})
	s.budget = path.NewBudget(s.maxHeld())
	s.mu.Unlock()
	s.services = map[string]map[string]*method{}
	mayBlock := false
	for service, methods := range s.Services {
		s.services[service] = map[string]*method{}
		for name, m := range methods {
			s.services[service][name] = &method{Method: m, name: name}
			mayBlock = mayBlock || !m.NonBlocking
		}
	}
	if s.invalid = s.check(); s.invalid != nil {
		return
	}
	workers := orDefault(s.Workers, 64)
	s.slots, s.free = make([]slot, workers), make(chan *slot, workers)
	for i := range s.slots {
		s.free <- &s.slots[i]
	}
	s.handoverWake = make(chan struct{}, 1)
	if mayBlock {
		s.goroutines.Go(s.handover)
	}
	s.goroutines.Go(s.watchdog)
}

func (s *Server) accept(nc net.Conn) {
	s.mu.Lock()
	closed, full := s.closed, s.open >= orDefault(s.MaxConns, 256)
	if !full && !closed {
		c := s.newConn(nc)
		s.conns[c] = struct{}{}
		s.open++
		s.goroutines.Go(c.serve)
	}
	s.mu.Unlock()
	s.accepted.Add(1)
	switch {
	case closed:
		nc.Close()
	case full:
		s.refuse(nc)
	}
}

// Shutdown stops accepting connections and reading from them, waits until every
// request that has been read is answered, and closes the connections. When ctx
// is done first, it cuts the connections off, cancels the contexts of the calls
// and returns ctx's error without waiting for handlers; Close does wait.
func (s *Server) Shutdown(ctx context.Context) error {
	s.stop()
	s.draining.Store(true)
	s.mu.Lock()
	for c := range s.conns {
		c.nc.SetReadDeadline(time.Unix(1, 0))
	}
	s.mu.Unlock()
	select {
	case <-s.gone:
		s.cancel()
		s.goroutines.Wait()
		return nil
	case <-ctx.Done():
		s.cut()
		return ctx.Err()
	}
}

// Close closes all connections and cancels the contexts of the calls. When it
// returns all handlers have, and nothing of the server is left.
func (s *Server) Close() error {
	s.stop()
	s.cut()
	s.goroutines.Wait()
	return nil
}

// stop closes the listeners.
func (s *Server) stop() {
	s.start.Do(s.begin)
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.closed = true
		s.closeIfGone()
	}
	for ln := range s.listeners {
		(*ln).Close()
		delete(s.listeners, ln)
	}
}

// cut cuts all connections off.
func (s *Server) cut() {
	for _, c := range s.connections() {
		c.cut()
	}
	s.cancel()
}

func (s *Server) connections() []*conn {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Keys(s.conns))
}

// lose takes a connection that is cut off from those that are open.
func (s *Server) lose() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open--
}

func (s *Server) isClosed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}

// forget takes a closed connection off the server's books.
func (s *Server) forget(c *conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c.totals.addTo(&s.past)
	delete(s.conns, c)
	if s.closed {
		s.closeIfGone()
	}
}

func (s *Server) closeIfGone() {
	if len(s.conns) == 0 {
		close(s.gone)
	}
}

// Stats returns the totals since the server was started.
func (s *Server) Stats() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := s.past
	for c := range s.conns {
		c.totals.addTo(&all)
	}
	all.Conns = int64(s.open)
	if s.budget != nil {
		all.Held = s.budget.Used()
	}
	all.Accepted, all.Refused = s.accepted.Load(), s.refused.Load()
	all.TimedOut, all.Broken = s.timedOut.Load(), s.broken.Load()
	return all
}

func (s *Server) path() Path {
	if s.Path == nil {
		return Pooled
	}
	return s.Path
}

func (s *Server) log() *slog.Logger {
	if s.Log == nil {
		return slog.Default()
	}
	return s.Log
}

func (s *Server) maxFrame() int { return min(orDefault(s.MaxFrame, 64<<20), wire.LargestFrame) }
func (s *Server) maxHeld() int64 {
	return orDefault(int64(s.MaxHeld), max(256<<20, 2*int64(s.maxFrame())))
}
func (s *Server) maxInFlight() int { return orDefault(s.MaxInFlight, 256<<10) }

func (s *Server) idleTimeout() time.Duration  { return orDefault(s.IdleTimeout, 10*time.Minute) }
func (s *Server) readTimeout() time.Duration  { return orDefault(s.ReadTimeout, 30*time.Second) }
func (s *Server) writeTimeout() time.Duration { return orDefault(s.WriteTimeout, 30*time.Second) }

func orDefault[T int | int64 | time.Duration](v, standard T) T {
	if v == 0 {
		return standard
	}
	return v
}
