package multihistogram_test

import (
	"strings"
	"sync"

	"github.com/DataDog/sketches-go/ddsketch"
	perks "github.com/beorn7/perks/quantile"
	tdigest "github.com/caio/go-tdigest/v4"
	"github.com/circonus-labs/circonusllhist"

	"hotpath/internal/contest"
)

type lockedDDSketch struct {
	mu sync.Mutex
	s  *ddsketch.DDSketch
}

func (l *lockedDDSketch) add(v int64) {
	l.mu.Lock()
	if err := l.s.Add(float64(v)); err != nil {
		panic(err)
	}
	l.mu.Unlock()
}

func (l *lockedDDSketch) read() *ddsketch.DDSketch {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.s.Copy()
}

func newDDSketch(accuracy float64) func(n int) contest.HistogramSubject {
	return func(n int) contest.HistogramSubject {
		hs := make([]*lockedDDSketch, n)
		for i := range hs {
			s, err := ddsketch.NewDefaultDDSketch(accuracy)
			if err != nil {
				panic(err)
			}
			hs[i] = &lockedDDSketch{s: s}
		}
		return contest.HistogramSubject{
			Worker: contest.SharedHistograms(func(l *contest.Load, n int) {
				for range n {
					for range contest.Updates {
						i, v := l.Next()
						hs[i].add(v)
					}
				}
			}, func(i int, v int64) { hs[i].add(v) }),
			Count: func(i int) int64 { return int64(hs[i].read().GetCount()) },
			Quantile: func(i int, q float64) float64 {
				v, err := hs[i].read().GetValueAtQuantile(q)
				if err != nil {
					panic(err)
				}
				return v
			},
			Snapshot: func() {
				for _, h := range hs {
					h.read()
				}
			},
		}
	}
}

func newCircllhist(n int) contest.HistogramSubject {
	hs := make([]*circonusllhist.Histogram, n)
	for i := range hs {
		hs[i] = circonusllhist.New()
	}
	record := func(i int, v int64) {
		if err := hs[i].RecordIntScale(v, 0); err != nil {
			panic(err)
		}
	}
	return contest.HistogramSubject{
		Worker: contest.SharedHistograms(func(l *contest.Load, n int) {
			for range n {
				for range contest.Updates {
					i, v := l.Next()
					hs[i].RecordIntScale(v, 0)
				}
			}
		}, record),
		Count: func(i int) (count int64) {
			for _, bin := range hs[i].DecStrings() { // such as H[1.2e+06]=34
				_, n, _ := strings.Cut(bin, "=")
				count += int64(number(n))
			}
			return count
		},
		Quantile: func(i int, q float64) float64 {
			v, err := hs[i].ApproxQuantile([]float64{q})
			if err != nil {
				panic(err)
			}
			return v[0]
		},
		Snapshot: func() {
			for _, h := range hs {
				h.Copy()
			}
		},
	}
}

type lockedTDigest struct {
	mu sync.Mutex
	d  *tdigest.TDigest
}

func (l *lockedTDigest) add(v int64) {
	l.mu.Lock()
	if err := l.d.Add(float64(v)); err != nil {
		panic(err)
	}
	l.mu.Unlock()
}

func (l *lockedTDigest) read() *tdigest.TDigest {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.d.Clone()
}

func newTDigest(n int) contest.HistogramSubject {
	hs := make([]*lockedTDigest, n)
	for i := range hs {
		d, err := tdigest.New(tdigest.Compression(100))
		if err != nil {
			panic(err)
		}
		hs[i] = &lockedTDigest{d: d}
	}
	return contest.HistogramSubject{
		Worker: contest.SharedHistograms(func(l *contest.Load, n int) {
			for range n {
				for range contest.Updates {
					i, v := l.Next()
					hs[i].add(v)
				}
			}
		}, func(i int, v int64) { hs[i].add(v) }),
		Count:    func(i int) int64 { return int64(hs[i].read().Count()) },
		Quantile: func(i int, q float64) float64 { return hs[i].read().Quantile(q) },
		Snapshot: func() {
			for _, h := range hs {
				h.read()
			}
		},
	}
}

type lockedStream struct {
	mu sync.Mutex
	s  *perks.Stream
}

func (l *lockedStream) insert(v int64) {
	l.mu.Lock()
	l.s.Insert(float64(v))
	l.mu.Unlock()
}

func newPerks(n int) contest.HistogramSubject {
	hs := make([]*lockedStream, n)
	for i := range hs {
		// Each error is a tenth of what lies above the quantile.
		hs[i] = &lockedStream{s: perks.NewTargeted(map[float64]float64{0.5: 0.05, 0.99: 0.001, 0.999: 0.0001, 0.9999: 0.00001})}
	}
	query := func(h *lockedStream, qs ...float64) (v float64) {
		h.mu.Lock()
		defer h.mu.Unlock()
		for _, q := range qs {
			v = h.s.Query(q)
		}
		return v
	}
	return contest.HistogramSubject{
		Worker: contest.SharedHistograms(func(l *contest.Load, n int) {
			for range n {
				for range contest.Updates {
					i, v := l.Next()
					hs[i].insert(v)
				}
			}
		}, func(i int, v int64) { hs[i].insert(v) }),
		Count: func(i int) int64 {
			hs[i].mu.Lock()
			defer hs[i].mu.Unlock()
			return int64(hs[i].s.Count())
		},
		Quantile: func(i int, q float64) float64 { return query(hs[i], q) },
		Snapshot: func() {
			for _, h := range hs {
				query(h, shown...)
			}
		},
	}
}
