//go:build !ipcdebug

package path

import (
	"math/bits"
	"sync"
)

// Frames are pooled by their size, a power of two.
const (
	minClass = 12 // smaller ones would not be worth a pool
	maxClass = 24 // one of the largest must not outlive its use for long
)

var pools [maxClass + 1]sync.Pool

// take returns a frame of the next power of two.
func take(n int) (f *Frame, made bool) {
	class := max(minClass, bits.Len(uint(n-1)))
	if class <= maxClass {
		if f, ok := pools[class].Get().(*Frame); ok {
			return f, false
		}
	}
	return &Frame{Buf: make([]byte, 1<<class)}, true
}

// give returns a frame that nobody uses.
func give(f *Frame) {
	if class := bits.Len(uint(len(f.Buf) - 1)); class <= maxClass {
		pools[class].Put(f)
	}
}
