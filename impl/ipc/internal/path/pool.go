//go:build !ipcdebug

package path

import (
	"math/bits"
	"sync"
)

// Frames are pooled by their size if that is a power of two: smaller ones would
// not be worth a pool, and one of the largest must not outlive its use for long.
var pools [maxClass + 1]sync.Pool

func take(n int) (f *Frame, made bool) {
	size := frameSize(n)
	if class := bits.Len(uint(size - 1)); class <= maxClass {
		if f, ok := pools[class].Get().(*Frame); ok {
			return f, false
		}
	}
	return &Frame{Buf: make([]byte, size)}, true
}

// give returns a frame that nobody uses.
func give(f *Frame) {
	if class := bits.Len(uint(len(f.Buf) - 1)); class <= maxClass {
		pools[class].Put(f)
	}
}
