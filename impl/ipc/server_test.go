package ipc

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"math"
	"testing"
	"time"

	"hotpath/impl/ipc/internal/path"
	"hotpath/impl/ipc/internal/wire"
)

// patience is how long a test may take that serves; only one that hangs does.
const patience = 25 * time.Second

// start serves until the end of the test and returns the address.
func start(t testing.TB, s *Server) string {
	t.Helper()
	ln, err := Listen("")
	if err != nil {
		t.Fatal(err)
	}
	if s.Log == nil {
		s.Log = slog.New(slog.DiscardHandler)
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve(ln) }()
	hangs := time.AfterFunc(patience, func() { panic(t.Name() + " hangs") })
	t.Cleanup(func() {
		defer hangs.Stop()
		s.Close()
		if err := <-served; err != ErrServerClosed {
			t.Errorf("Serve returned %v", err)
		}
	})
	return ln.Addr().String()
}

func dial(t testing.TB, address string) *Client {
	t.Helper()
	c, err := echoDialer.Dial(context.Background(), address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// echoName is a service that answers what it is sent.
const echoName = "Echo"

var echoDialer = Dialer{Service: echoName}

func echoServer(nonBlocking bool) *Server {
	return &Server{Services: map[string]Service{echoName: {"echo": {echo, nonBlocking}, "ping": {ping, nonBlocking}}}}
}

func ping(*Call) error { return nil }

func echo(c *Call) error {
	c.SetMessage(c.Param())
	add(c, c.Cells())
	return nil
}

func add(c *Call, cells []KeyValue) {
	for _, kv := range cells {
		c.AddCell(kv)
	}
}

// studyMessage is of the size that the published study sent.
var studyMessage = wire.AppendBytes(nil, 1, append([]byte{8, 1, 18, 10}, "1588230740"...))

// studyCells returns the cells of the published study, n times the same.
func studyCells(n, valueSize int) []KeyValue {
	xyz := []byte("xyz")
	c := Cell{Row: xyz, Family: xyz, Qualifier: xyz, Timestamp: math.MaxInt64, Type: 4, Value: make([]byte, valueSize)}
	kv := KeyValue(c.AppendTo(nil))
	cells := make([]KeyValue, n)
	for i := range cells {
		cells[i] = kv
	}
	return cells
}

// blockOf encodes cells as a block.
func blockOf(cells []KeyValue) []byte {
	var o path.Output
	for _, kv := range cells {
		o.AddCell(kv, nil)
	}
	return bytes.Join(o.Bufs, nil)
}

// checkEcho calls echo and compares the answer.
func checkEcho(t testing.TB, c *Client, message []byte, cells []KeyValue, r *Response) {
	t.Helper()
	checkEchoOf(t, c, "echo", message, cells, r)
}

// checkEchoOf does so for another method that echoes. Any goroutine may use it.
func checkEchoOf(t testing.TB, c *Client, method string, message []byte, cells []KeyValue, r *Response) {
	t.Helper()
	if err := c.Call(context.Background(), method, message, cells, r); err != nil {
		t.Error(err)
		return
	}
	if !bytes.Equal(r.Message, message) {
		t.Errorf("message %x came back as %x", message, r.Message)
	}
	if !bytes.Equal(r.Block, blockOf(cells)) {
		t.Errorf("%d cells came back as a block of %d bytes", len(cells), len(r.Block))
	}
}

// TestPooledAllocatesNothing counts what the server and the fast client
// allocate together.
func TestPooledAllocatesNothing(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector makes pools forget")
	}
	for _, nonBlocking := range []bool{true, false} {
		c := dial(t, start(t, echoServer(nonBlocking)))
		var r Response
		cells := studyCells(10, 10<<10)
		echo := func() {
			if err := c.Call(context.Background(), "echo", studyMessage, cells, &r); err != nil {
				t.Fatal(err)
			}
		}
		for range 100 {
			echo()
		}
		if n := testing.AllocsPerRun(1000, echo); n > 0 {
			t.Errorf("nonBlocking=%t: %v allocations per call", nonBlocking, n)
		}
	}
}

// TestErrors checks which exceptions a call is answered with, and that the
// connection lives on.
func TestErrors(t *testing.T) {
	s := &Server{Services: map[string]Service{echoName: {
		"echo": {echo, true},
		"eof":  {func(*Call) error { return io.EOF }, true},
		"moved": {func(*Call) error {
			return &Exception{Class: "a.B", StackTrace: "a.B: c", Host: "h", Port: 7, DoNotRetry: true}
		}, true},
		"panics": {func(c *Call) error {
			c.SetMessage([]byte("lost"))
			panic("oh")
		}, false},
		"cells": {func(c *Call) error { c.AddCell(studyCells(1, 1)[0]); return nil }, true},
	}}}
	address := start(t, s)
	c := dial(t, address)
	bare, err := Dialer{Service: echoName, NoCells: true}.Dial(context.Background(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer bare.Close()
	for _, tt := range []struct {
		client *Client
		method string
		param  []byte
		cells  []KeyValue
		want   Exception
	}{
		{c, "eof", nil, nil, Exception{Class: ioException, StackTrace: "java.io.IOException: EOF", DoNotRetry: true}},
		{c, "moved", nil, nil, Exception{Class: "a.B", StackTrace: "a.B: c", Host: "h", Port: 7, DoNotRetry: true}},
		{c, "panics", nil, nil, Exception{Class: "java.lang.RuntimeException", StackTrace: "java.lang.RuntimeException: panic: oh", DoNotRetry: true}},
		{c, "none", nil, nil, Exception{Class: unsupportedOperation, StackTrace: unsupportedOperation + ": none", DoNotRetry: true}},
		{c, "echo", studyMessage, []KeyValue{{1}}, Exception{Class: ioException, StackTrace: ioException + ": cell block: byte 0: cell of 1 bytes, 1 left", DoNotRetry: true}},
		{bare, "cells", nil, nil, Exception{Class: noCodec, StackTrace: noCodec + ": answer with cells on a connection without codec", DoNotRetry: true}},
		{bare, "echo", studyMessage, studyCells(1, 1), Exception{Class: noCodec, StackTrace: noCodec + ": request with cells on a connection without codec", DoNotRetry: true}},
	} {
		err := tt.client.Call(context.Background(), tt.method, tt.param, tt.cells, nil)
		if got, ok := err.(*Exception); !ok || *got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.method, err, tt.want)
		}
	}
	var r Response
	checkEcho(t, c, studyMessage, studyCells(3, 5), &r)
	if got := s.Stats(); got.Panics != 1 || got.Exceptions != 7 || got.Calls != 8 {
		t.Errorf("%+v, want 8 calls, 7 exceptions, 1 panic", got)
	}
}
