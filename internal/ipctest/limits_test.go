package ipctest

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"hotpath/impl/ipc"
	"hotpath/impl/ipc/steps"
)

// TestHeld has clients send most of a large request each, together more than the
// server may hold: some are told to try later, under their call's id, and go on;
// when the others have finished or gone nothing is held.
func TestHeld(t *testing.T) {
	for _, path := range []ipc.Path{ipc.Pooled, steps.Before} {
		t.Run(path.String(), func(t *testing.T) {
			const clients, maxHeld, perConn = 60, 4 << 20, 128 << 10
			s := echoServer(true)
			s.Path, s.MaxFrame, s.MaxHeld = path, 1<<20, maxHeld
			addr := start(t, s)
			block := cells(9, 100<<10)
			large := echo(7, "large", block)
			peers := make([]*peer, clients)
			grown := heapGrowth(func() {
				for i := range peers {
					peers[i] = dial(t, addr, hello(codec), large[:len(large)-1000])
				}
				eventually(t, "some told", func() bool { return s.Stats().Exceptions > clients/2 })
			})
			if held := s.Stats().Held; held > maxHeld+clients*perConn {
				t.Errorf("%d bytes held, want at most %d and %d for each connection", held, maxHeld, perConn)
			}
			if most := int64(maxHeld + clients*2*perConn); grown > most && !race {
				t.Errorf("the heap has grown by %d bytes, want at most %d", grown, most)
			}
			served := 0
			for _, p := range peers {
				p.send(large[len(large)-1000:])
				switch a, err := p.read(); {
				case err != nil || a.id() != 7:
					t.Fatalf("answer %v, %v", a.head, err)
				case a.exception() == "":
					served++
					if !bytes.Equal(a.block, block) {
						t.Error("a wrong answer")
					}
				case a.exception() != "CallQueueTooBigException" || a.head.GetException().GetDoNotRetry():
					t.Errorf("answer %v", a.head)
				}
			}
			if served == 0 {
				t.Error("none was served")
			}
			eventually(t, "room", func() bool { return s.Stats().Held <= clients*perConn })
			for _, p := range peers { // one after the other there is room
				p.send(large)
				if a, err := p.read(); err != nil || a.exception() != "" || !bytes.Equal(a.block, block) {
					t.Fatalf("the next call: %v, %v", a.head, err)
				}
			}
			for _, p := range peers {
				p.Close()
			}
			eventually(t, "nothing held", func() bool { return s.Stats().Held == 0 })
		})
	}
}

// TestHeldByHandlers: frames that handlers keep count too.
func TestHeldByHandlers(t *testing.T) {
	s := echoServer(true)
	s.MaxFrame, s.MaxHeld = 1<<20, 4<<20
	var frames []*ipc.Frame
	s.Services[steps.EchoName]["keep"] = ipc.Method{NonBlocking: true, Handle: func(c *ipc.Call) error {
		frames = append(frames, c.Retain())
		return nil
	}}
	addr := start(t, s)
	p := dial(t, addr, hello(codec))
	block := cells(5, 100<<10)
	keep := prefixed(append(delimited(header(1, "keep", false, len(block))), block...))
	kept := 0
	for range 100 {
		p.send(keep)
		a, err := p.read()
		if err != nil {
			t.Fatal(err)
		}
		if a.exception() == "" {
			kept++
		}
	}
	if kept < 2 || kept > 8 {
		t.Errorf("%d requests of 500 kB were kept, 4 MiB are allowed", kept)
	}
	alive(t, addr)
	for _, f := range frames {
		f.Release()
	}
	p.send(keep)
	if a, err := p.read(); err != nil || a.exception() != "" {
		t.Errorf("with room again: %v, %v", a.head, err)
	}
	frames[len(frames)-1].Release()
}

// TestOptions: a server with a field that makes no sense says which, and closes.
func TestOptions(t *testing.T) {
	for field, s := range map[string]*ipc.Server{
		"Workers":          {Workers: -1},
		"MaxConns":         {MaxConns: -1},
		"MaxFrame":         {MaxFrame: -1},
		"MaxInFlight":      {MaxInFlight: -1},
		"MaxHeld":          {MaxHeld: -1},
		"less than two":    {MaxHeld: 1 << 20},
		"method m of":      {Services: map[string]ipc.Service{"s": {"m": {}}}},
		"server is closed": nil,
	} {
		if s == nil {
			s = new(ipc.Server)
			s.Close()
		}
		ln, err := ipc.Listen("")
		if err != nil {
			t.Fatal(err)
		}
		serving := time.AfterFunc(patience, func() { s.Close() })
		if err := s.Serve(ln); err == nil || !strings.Contains(err.Error(), field) {
			t.Errorf("%s: Serve returned %v", field, err)
		}
		serving.Stop()
		if _, err := ln.Accept(); err == nil {
			t.Errorf("%s: the listener is open", field)
		}
		if err := s.Close(); err != nil {
			t.Errorf("%s: Close returned %v", field, err)
		}
	}
	if _, err := (ipc.Dialer{MaxFrame: -1}).Dial(t.Context(), "127.0.0.1:1"); err == nil {
		t.Error("a client with MaxFrame = -1")
	}
}
