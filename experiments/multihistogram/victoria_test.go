package multihistogram_test

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"

	victoria "github.com/VictoriaMetrics/metrics"

	"hotpath/internal/contest"
)

func newVictoria(n int) contest.HistogramSubject {
	set := victoria.NewSet()
	hs := make([]*victoria.Histogram, n)
	for i := range hs {
		hs[i] = set.NewHistogram("h" + strconv.Itoa(i))
	}
	read := func(i int) (buckets []bucket) {
		hs[i].VisitNonZeroBuckets(func(vmrange string, count uint64) {
			low, high, _ := strings.Cut(vmrange, "...")
			buckets = append(buckets, bucket{number(low), number(high), float64(count)})
		})
		return buckets
	}
	return contest.HistogramSubject{
		Worker: contest.SharedHistograms(func(l *contest.Load, n int) {
			for range n {
				for range contest.Updates {
					i, v := l.Next()
					hs[i].Update(float64(v))
				}
			}
		}, func(i int, v int64) { hs[i].Update(float64(v)) }),
		Count: func(i int) (count int64) {
			hs[i].VisitNonZeroBuckets(func(_ string, n uint64) { count += int64(n) })
			return count
		},
		Quantile: func(i int, q float64) float64 { return quantile(read(i), q, linear) },
		Snapshot: func() {
			for _, h := range hs {
				h.VisitNonZeroBuckets(func(string, uint64) {})
			}
		},
	}
}

// A PrometheusHistogram is read through the text of the set it belongs to: the
// library shows it nowhere else.
func newVictoriaPrometheus(n int) contest.HistogramSubject {
	set := victoria.NewSet()
	hs := make([]*victoria.PrometheusHistogram, n)
	for i := range hs {
		hs[i] = set.NewPrometheusHistogramExt("h"+strconv.Itoa(i), classicBounds)
	}
	var text bytes.Buffer
	write := func() {
		text.Reset()
		set.WritePrometheus(&text)
	}
	return contest.HistogramSubject{
		Worker: contest.SharedHistograms(func(l *contest.Load, n int) {
			for range n {
				for range contest.Updates {
					i, v := l.Next()
					hs[i].Update(float64(v))
				}
			}
		}, func(i int, v int64) { hs[i].Update(float64(v)) }),
		Count: func(i int) int64 {
			write()
			prefix := fmt.Sprintf("h%d_count ", i)
			for line := range strings.Lines(text.String()) {
				if count, ok := strings.CutPrefix(line, prefix); ok {
					return int64(number(count))
				}
			}
			return 0 // an empty histogram is left out
		},
		Quantile: func(i int, q float64) float64 {
			write()
			prefix := fmt.Sprintf(`h%d_bucket{le="`, i)
			var buckets []bucket
			low, below := 0.0, 0.0
			for line := range strings.Lines(text.String()) {
				if rest, ok := strings.CutPrefix(line, prefix); ok {
					bound, count, _ := strings.Cut(rest, `"} `)
					buckets = append(buckets, bucket{low, number(bound), number(count) - below})
					low, below = number(bound), number(count)
				}
			}
			return quantile(buckets, q, linear)
		},
		Snapshot: write,
	}
}

func number(text string) float64 {
	v, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil {
		return math.NaN()
	}
	return v
}
