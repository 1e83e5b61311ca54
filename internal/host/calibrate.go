package host

import (
	"sync/atomic"
	"time"
)

// Calibrate returns the nanoseconds of the fastest of many passes of a fixed
// loop of multiplications, each of which waits for the one before: a number of
// clock cycles that no cache and no neighbour changes, so that the time follows
// the clock rate of the CPU. It keeps the caller busy for a millisecond or two.
func Calibrate() float64 { return quantile(passes(256), 0) }

// passes returns the nanoseconds of each of n passes of the loop.
func passes(n int) []float64 {
	base := time.Now()
	ns := make([]float64, n)
	for i := range ns {
		start := time.Since(base)
		multiply()
		ns[i] = float64(time.Since(base) - start)
	}
	return ns
}

// product keeps the compiler from dropping the loop.
var product atomic.Uint64

//go:noinline
func multiply() {
	x := product.Load()
	for range 4096 {
		x = x*6364136223846793005 + 1442695040888963407
	}
	product.Store(x)
}
