package study

import (
	"math"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Above is how many samples must lie above a quantile for it to be shown.
const Above = 10

// Latencies are the samples of all clean forks of a contestant in one
// distribution, in whole nanoseconds.
type Latencies struct {
	Forks int
	all   *hdrhistogram.Histogram
}

// Latencies returns nil where the contestant was not sampled.
func (r *Row) Latencies() *Latencies {
	if r.latencies != nil {
		return r.latencies
	}
	for _, f := range r.Clean {
		if f.Hist == nil {
			continue
		}
		if r.latencies == nil {
			h := f.Hist // the reader has seen to it that those of a cell have one range
			r.latencies = &Latencies{all: hdrhistogram.New(h.LowestTrackableValue(), h.HighestTrackableValue(), int(h.SignificantFigures()))}
		}
		r.latencies.Forks++
		r.latencies.all.Merge(f.Hist)
	}
	return r.latencies
}

// Samples is how many there are.
func (l *Latencies) Samples() int64 { return l.all.TotalCount() }

// At is the latency at a percentile; at 0 and 100 it is the extreme.
func (l *Latencies) At(percentile float64) int64 {
	switch percentile {
	case 0:
		return l.all.Min()
	case 100:
		return l.all.Max()
	}
	return l.all.ValueAtPercentile(percentile)
}

// Depth is where a percentile lies on an axis of tails: -log10 of the share of
// samples above it, the number of nines.
func Depth(percentile float64) float64 { return -math.Log10(1 - percentile/100) }

// End is the depth up to which enough samples lie above.
func (l *Latencies) End() float64 { return math.Log10(float64(l.Samples()) / Above) }

// Shows reports whether enough samples lie above a percentile; the extremes are
// what they are.
func (l *Latencies) Shows(percentile float64) bool {
	return percentile == 0 || percentile == 100 || float64(l.Samples())*(1-percentile/100) >= Above
}
