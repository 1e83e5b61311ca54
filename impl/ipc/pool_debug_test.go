//go:build ipcdebug && unix

package ipc

import (
	"context"
	"runtime/debug"
	"testing"
)

// fault returns the address that f touches without the right to, 0 if none.
func fault(f func()) (address uintptr) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if e, ok := recover().(interface{ Addr() uintptr }); ok {
			address = e.Addr()
		}
	}()
	f()
	return 0
}

// TestLateHandler keeps a view without retaining it.
func TestLateHandler(t *testing.T) {
	var kept KeyValue
	s := echoServer(true)
	s.Services[echoName]["steal"] = Method{NonBlocking: true, Handle: func(c *Call) error {
		kept = c.Cells()[0]
		return nil
	}}
	c := dial(t, start(t, s))
	if err := c.Call(context.Background(), "steal", nil, studyCells(1, 100), nil); err != nil {
		t.Fatal(err)
	}
	c.Close()
	s.Close()
	if fault(func() { _ = string(kept) }) == 0 {
		t.Error("a late read did not fault")
	}
}
