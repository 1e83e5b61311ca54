package contest

import (
	"fmt"
	"math"
	"slices"
	"sync"
)

// checkQuantiles records known values from several goroutines and compares
// quantiles of the last histogram with the values of their ranks. Definitions of
// a quantile differ by one rank to each side. Without a stated error, a quantile
// must still lie between the extremes, and not below one of a smaller part.
func checkQuantiles(s HistogramSubject, stated float64) error {
	const workers, values = 8, 25_000
	var all [workers][]float64
	var working sync.WaitGroup
	for i := range all {
		working.Go(func() {
			w, l := s.Worker(), NewLoad(uint64(i), 1)
			for range values {
				_, v := l.Next()
				w.Record(1, v)
				all[i] = append(all[i], float64(v))
			}
			if w.Done != nil {
				w.Done()
			}
		})
	}
	working.Wait()
	exact := slices.Concat(all[:]...)
	slices.Sort(exact)

	last := 0.0
	for _, q := range []float64{0.01, 0.1, 0.5, 0.9, 0.99, 0.999, 0.9999} {
		rank := int(math.Ceil(q * float64(len(exact))))
		low, high := exact[0], exact[len(exact)-1]
		if stated > 0 {
			low, high = exact[rank-2]*(1-stated), exact[rank]*(1+stated)
		}
		got := s.Quantile(1, q)
		if got < low || got > high {
			return fmt.Errorf("quantile %v is %.0f, want %.0f to %.0f", q, got, low, high)
		}
		if got < last {
			return fmt.Errorf("quantile %v is %.0f, below the one before, %.0f", q, got, last)
		}
		last = got
	}
	if n := s.Count(0); n != 0 {
		return fmt.Errorf("a histogram that nobody updated counts %d", n)
	}
	return nil
}
