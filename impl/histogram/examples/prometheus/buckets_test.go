package prometheus

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"google.golang.org/protobuf/proto"

	"hotpath/impl/histogram"
)

// scraped returns what a scrape finds of one series.
func scraped(t *testing.T, o prometheus.Observer) *dto.Histogram {
	t.Helper()
	var m dto.Metric
	if err := o.(prometheus.Metric).Write(&m); err != nil {
		t.Fatal(err)
	}
	return m.Histogram
}

// Values that are alone in their cells come out as from client_golang's vector.
func TestSameAsClient(t *testing.T) {
	classic := []float64{0, 1, 10, 20.5, 1000, 5000, math.Inf(1)}
	for name, opts := range map[string]prometheus.HistogramOpts{
		"default":  {},
		"classic":  {Buckets: classic},
		"native":   {NativeHistogramBucketFactor: 1.1},
		"both":     {Buckets: classic, NativeHistogramBucketFactor: 1.1},
		"finest":   {NativeHistogramBucketFactor: 1.0001},
		"coarsest": {NativeHistogramBucketFactor: 1e9},
		"few":      {NativeHistogramBucketFactor: 1.1, NativeHistogramMaxBucketNumber: 20},
		"one":      {NativeHistogramBucketFactor: 1.1, NativeHistogramMaxBucketNumber: 1},
	} {
		t.Run(name, func(t *testing.T) {
			opts.Name, opts.Help = "x", "X."
			opts.NativeHistogramZeroThreshold = prometheus.NativeHistogramZeroThresholdZero
			want := prometheus.NewHistogramVec(opts, []string{"a"}).WithLabelValues("b")
			got := NewHistogramVec(Opts{HistogramOpts: opts, Range: histogram.Range{Lowest: 1, Highest: 1 << 40, Digits: 3}, Scale: 1}, []string{"a"}).
				WithLabelValues("b")
			check := func(when string) {
				t.Helper()
				g, w := scraped(t, got), scraped(t, want)
				g.CreatedTimestamp, w.CreatedTimestamp = nil, nil
				if !proto.Equal(g, w) {
					t.Errorf("%s: got %v, want %v", when, g, w)
				}
			}
			check("empty")
			for v := range 2048 {
				if v%7 != 3 && (v < 100 || v > 700) {
					got.Observe(float64(v))
					want.Observe(float64(v))
				}
			}
			check("filled")
		})
	}
}

// No value is counted below its bucket, and above it only within a cell's width.
func TestBuckets(t *testing.T) {
	r := histogram.Range{Lowest: 1000, Highest: int64(time.Hour), Digits: 2}
	const scale, n = 1e9, 20_000
	o := NewHistogramVec(Opts{
		HistogramOpts: prometheus.HistogramOpts{Name: "x", Buckets: prometheus.ExponentialBuckets(1e-7, 1.3, 90), NativeHistogramBucketFactor: 1.1},
		Range:         r, Scale: scale,
	}, nil).WithLabelValues()
	rng := rand.New(rand.NewPCG(1, 2))
	var values []float64
	sum := 0.0
	for range n {
		v := float64(rng.Int64N(r.Highest)>>rng.IntN(42)) / scale
		o.Observe(v)
		values = append(values, v)
		sum += v
	}
	h := scraped(t, o)
	if h.GetSampleCount() != n || math.Abs(h.GetSampleSum()-sum) > 1e-9*sum || h.GetSchema() != 3 {
		t.Errorf("count %d, sum %g, schema %d", h.GetSampleCount(), h.GetSampleSum(), h.GetSchema())
	}
	if math.Abs(h.GetZeroThreshold()-511/scale) > 1e-15 || h.GetZeroCount() == 0 {
		t.Errorf("%d values up to %g in the zero bucket", h.GetZeroCount(), h.GetZeroThreshold())
	}
	check := func(bound float64, counted uint64) {
		var most, least uint64
		for _, v := range values {
			if v <= bound {
				most++
			}
			if v+max(v/100, 1000/scale) <= bound {
				least++
			}
		}
		if counted > most || counted < least {
			t.Errorf("%d values up to %g, want %d to %d", counted, bound, least, most)
		}
	}
	for _, b := range h.Bucket {
		check(b.GetUpperBound(), b.GetCumulativeCount())
	}
	index, delta, count, below, checked := 0, 0, int64(0), h.GetZeroCount(), 0
	for _, span := range h.PositiveSpan {
		index += int(span.GetOffset())
		for range span.GetLength() {
			count += h.PositiveDelta[delta]
			below += uint64(count)
			check(math.Exp2(float64(index)/8), below)
			index, delta, checked = index+1, delta+1, checked+1
		}
	}
	if checked < 100 {
		t.Errorf("only %d native buckets", checked)
	}
}
