//go:build ipcdebug && unix

package path

import (
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

func TestLateUse(t *testing.T) {
	f, _ := NewFrame(10)
	view := f.Buf[5:10]
	view[0] = 1
	f.Release()
	if fault(func() { _ = string(view) }) == 0 {
		t.Error("a late read did not fault")
	}
	if fault(func() { view[1] = 2 }) == 0 {
		t.Error("a late write did not fault")
	}
}
