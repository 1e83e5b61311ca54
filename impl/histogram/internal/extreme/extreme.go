// Package extreme keeps the smallest and the largest of the values that many
// goroutines have.
package extreme

import "sync/atomic"

// Lower makes least at most v. seen is what it held a moment ago.
func Lower(least *atomic.Int64, seen, v int64) {
	for v < seen && !least.CompareAndSwap(seen, v) {
		seen = least.Load()
	}
}

// Raise makes most at least v. seen is what it held a moment ago.
func Raise(most *atomic.Int64, seen, v int64) {
	for v > seen && !most.CompareAndSwap(seen, v) {
		seen = most.Load()
	}
}
