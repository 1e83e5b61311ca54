package host

import (
	"math"
	"slices"
	"sync/atomic"
	"time"
)

// hiccups lets a goroutine sleep for a millisecond over and over until stop, and
// returns by how many nanoseconds each wake-up was late.
func hiccups(stop <-chan struct{}) []float64 {
	const period = time.Millisecond
	var ns []float64
	for {
		due := time.Now().Add(period)
		select {
		case <-time.After(period):
			ns = append(ns, float64(time.Since(due)))
		case <-stop:
			return ns
		}
	}
}

// quantile is the smallest value that at least a share q of all values does not
// exceed, the least of them for q = 0 and unseen for none. It sorts the values.
func quantile(values []float64, q float64) float64 {
	if len(values) == 0 {
		return unseen
	}
	slices.Sort(values)
	return values[max(int(math.Ceil(q*float64(len(values)))), 1)-1]
}

// passes returns the nanoseconds of each of n passes of a fixed loop of
// multiplications, each of which waits for the one before: a number of clock
// cycles that no cache and no neighbour changes, so that the time follows the
// clock rate of the CPU.
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
