package ipc

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"math"
	"testing"
)

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
	t.Cleanup(func() {
		s.Close()
		if err := <-served; err != ErrServerClosed {
			t.Errorf("Serve returned %v", err)
		}
	})
	return ln.Addr().String()
}

func dial(t testing.TB, address string) *Client {
	t.Helper()
	c, err := Dialer{}.Dial(context.Background(), address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func echoServer(path Path, nonBlocking bool) *Server {
	return &Server{Path: path, Services: map[string]Service{EchoName: EchoService(nonBlocking)}}
}

// studyMessage is of the size that the published study sent.
var studyMessage = appendBytes(nil, 1, append([]byte{8, 1, 18, 10}, "1588230740"...))

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
	var o output
	for _, kv := range cells {
		o.addCell(kv, nil)
	}
	return bytes.Join(o.bufs, nil)
}

// caller is either client.
type caller interface {
	Call(context.Context, string, []byte, []KeyValue, *Response) error
	Close() error
}

// checkEcho calls echo and compares the answer.
func checkEcho(t testing.TB, c caller, message []byte, cells []KeyValue, r *Response) {
	t.Helper()
	checkEchoOf(t, c, "echo", message, cells, r)
}

// checkEchoOf does so for another method that echoes. Any goroutine may use it.
func checkEchoOf(t testing.TB, c caller, method string, message []byte, cells []KeyValue, r *Response) {
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
		path              Path
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
		{Pooled, 0, 0, 2, 1},
	} {
		t.Run(want.path.String(), func(t *testing.T) {
			s := echoServer(want.path, true)
			c := dial(t, start(t, s))
			var r Response
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

// TestPooledAllocatesNothing counts what the server and the fast client
// allocate together.
func TestPooledAllocatesNothing(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector makes pools forget")
	}
	for _, nonBlocking := range []bool{true, false} {
		c := dial(t, start(t, echoServer(Pooled, nonBlocking)))
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
	s := &Server{Services: map[string]Service{EchoName: {
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
	bare, err := Dialer{NoCells: true}.Dial(context.Background(), address)
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
		{c, "echo", []byte{1}, nil, Exception{Class: invalidMessage, StackTrace: invalidMessage + ": echo request: byte 0: field number 0", DoNotRetry: true}},
		{c, "echo", nil, nil, Exception{Class: invalidMessage, StackTrace: invalidMessage + ": echo request without a message", DoNotRetry: true}},
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
	if got := s.Stats(); got.Panics != 1 || got.Exceptions != 9 || got.Calls != 10 {
		t.Errorf("%+v, want 10 calls, 9 exceptions, 1 panic", got)
	}
}
