package multihistogram_test

import (
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"hotpath/internal/contest"
)

// lockedHDR makes an hdrhistogram-go safe for concurrent use.
type lockedHDR struct {
	mu sync.Mutex
	h  *hdrhistogram.Histogram
}

func (l *lockedHDR) record(v int64) {
	l.mu.Lock()
	if err := l.h.RecordValue(v); err != nil {
		panic(err)
	}
	l.mu.Unlock()
}

func (l *lockedHDR) read() *hdrhistogram.Histogram {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.h.Clone()
}

func newHDRGo(digits int) func(n int) contest.HistogramSubject {
	return func(n int) contest.HistogramSubject {
		hs := make([]*lockedHDR, n)
		for i := range hs {
			hs[i] = &lockedHDR{h: hdrhistogram.New(1, int64(time.Hour), digits)}
		}
		return contest.HistogramSubject{
			Worker: contest.SharedHistograms(func(l *contest.Load, n int) {
				for range n {
					for range contest.Updates {
						i, v := l.Next()
						hs[i].record(v)
					}
				}
			}, func(i int, v int64) { hs[i].record(v) }),
			Count:    func(i int) int64 { return hs[i].read().TotalCount() },
			Quantile: func(i int, q float64) float64 { return float64(hs[i].read().ValueAtQuantile(100 * q)) },
			Snapshot: func() {
				for _, h := range hs {
					h.read()
				}
			},
		}
	}
}
