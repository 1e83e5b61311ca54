package ipc

import (
	"bytes"
	"context"
	"net"
	"reflect"
	"strings"
	"sync"
	"testing"

	"hotpath/impl/ipc/internal/path"
)

// gate is a connection whose writes wait until they are let through, one by one.
type gate struct {
	net.Conn // nil: nothing else is called
	writes   chan []byte
	through  chan struct{}
}

func (g gate) Write(b []byte) (int, error) {
	g.writes <- bytes.Clone(b)
	<-g.through
	return len(b), nil
}

// TestWriteQueue hands an answer to a connection while another goroutine writes,
// after that has looked into the queue: it is written all the same.
func TestWriteQueue(t *testing.T) {
	s := &Server{MaxInFlight: 1}
	s.start.Do(s.begin)
	defer s.Close()
	g := gate{writes: make(chan []byte, 2), through: make(chan struct{}, 2)}
	c := s.newConn(g)
	answer := func(text string) *Call {
		call := new(Call)
		call.exchange.Frame = path.HeapFrame(1)
		call.held = len(text)
		call.out.Add([]byte(text))
		return call
	}

	var all sync.WaitGroup
	first := answer("first")
	all.Go(func() { c.send(&first.out) })
	if got := <-g.writes; string(got) != "first" {
		t.Errorf("%q was written, want the first answer", got)
	}
	second := answer("second")
	c.inFlight.Add(int64(second.held))
	c.enqueue(second) // cannot write now, and does not wait
	g.through <- struct{}{}
	g.through <- struct{}{}
	all.Wait()
	select {
	case got := <-g.writes:
		if string(got) != "second" {
			t.Errorf("%q was written, want the second answer", got)
		}
	default:
		t.Error("the answer in the queue was not written")
	}
	if n := c.inFlight.Load(); n != 0 {
		t.Errorf("%d bytes are in flight after all was written", n)
	}
	select {
	case <-c.room:
	default:
		t.Error("nobody was told that there is room")
	}
}

// TestSharedScratch expects that a call knows of answers that wait in its memory,
// and does not pass that on.
func TestSharedScratch(t *testing.T) {
	shared := make(chan bool, 1)
	s := echoServer(true)
	s.Services[echoName]["shared"] = Method{NonBlocking: true, Handle: func(c *Call) error {
		shared <- c.shared
		return nil
	}}
	nc := hello(t, start(t, s))
	var o path.Output
	addRequest(&o, 1, &request{method: "ping"})
	addRequest(&o, 2, &request{method: "shared"})
	together := bytes.Join(o.Bufs, nil)
	for tries := 0; ; tries++ { // they may arrive in two pieces
		if _, err := nc.Write(together); err != nil {
			t.Fatal(err)
		}
		if <-shared {
			break
		}
		if tries == 100 {
			t.Fatal("no call knows of the answer before it")
		}
	}

	c := &Call{arena: make([]byte, 10, 100), shared: true}
	if c.reset(); c.arena != nil {
		t.Error("memory with earlier answers is used again")
	}
	c = &Call{arena: make([]byte, 10, 100)}
	if c.reset(); cap(c.arena) != 100 || len(c.arena) != 0 {
		t.Error("memory that is free is not used again")
	}
}

// TestLongException expects that a handler's error is cut before it becomes an
// answer that no client takes.
func TestLongException(t *testing.T) {
	s := echoServer(true)
	long := strings.Repeat("long", maxStackTrace)
	s.Services[echoName]["long"] = Method{NonBlocking: true, Handle: func(*Call) error {
		return &Exception{Class: "a.B", StackTrace: long}
	}}
	c := dial(t, start(t, s))
	err := c.Call(context.Background(), "long", nil, nil, nil)
	if e, ok := err.(*Exception); !ok || e.Class != "a.B" || len(e.StackTrace) > maxStackTrace+100 || !strings.HasPrefix(e.StackTrace, long[:maxStackTrace]) {
		t.Errorf("an exception of %d bytes, want %d of them", len(err.Error()), maxStackTrace)
	}
}

// TestNoCopy expects that go vet objects to copies of what must not be copied.
func TestNoCopy(t *testing.T) {
	for _, v := range []any{new(Server), new(Client), new(Call), new(Response), new(Frame)} {
		if typ := reflect.TypeOf(v).Elem(); !locked(typ) {
			t.Errorf("go vet does not see that a %s must not be copied", typ)
		}
	}
}

// locked is go vet's rule: a type with the methods of a lock, or with a field of
// one.
func locked(typ reflect.Type) bool {
	if reflect.PointerTo(typ).Implements(reflect.TypeFor[sync.Locker]()) {
		return true
	}
	if typ.Kind() == reflect.Struct {
		for i := range typ.NumField() {
			if locked(typ.Field(i).Type) {
				return true
			}
		}
	}
	return false
}
