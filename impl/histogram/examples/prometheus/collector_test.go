package prometheus

import (
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"hotpath/impl/histogram"
)

type reads = map[string]func(dst *histogram.Snapshot) *histogram.Snapshot

// A server's latencies, one histogram per operation.
func Example() {
	operations := []string{"get", "put"}
	set := histogram.NewSet(histogram.Range{Lowest: 1000, Highest: int64(time.Minute), Digits: 3}, len(operations))
	read := make(reads)
	for id, name := range operations {
		read[name] = func(dst *histogram.Snapshot) *histogram.Snapshot { return set.Snapshot(id, dst) }
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(NewCollector("op_seconds", "Latency of operations.", "op", 1e-9, read))

	set.Record(0, int64(2*time.Millisecond))
	set.Record(0, int64(3*time.Millisecond))
	set.Record(1, int64(time.Second))
	set.Record(1, int64(time.Hour))

	families, err := registry.Gather() // as promhttp.HandlerFor does at each scrape
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range families {
		for _, m := range f.Metric {
			for _, l := range m.Label {
				fmt.Print(l.GetValue(), " ")
			}
			if h := m.Histogram; h != nil {
				fmt.Println(f.GetName(), h.GetSampleCount(), h.GetSampleSum(), "seconds")
			} else {
				fmt.Println(f.GetName(), m.Counter.GetValue())
			}
		}
	}
	// Output:
	// get op_seconds 2 0.005 seconds
	// put op_seconds 1 1 seconds
	// get negative op_seconds_refused_total 0
	// get too_large op_seconds_refused_total 0
	// put negative op_seconds_refused_total 0
	// put too_large op_seconds_refused_total 1
}

// collected returns the native histogram of one Atomic.
func collected(t *testing.T, h *histogram.Atomic, unit float64) *dto.Histogram {
	t.Helper()
	ch := make(chan prometheus.Metric, 3)
	NewCollector("x", "", "op", unit, reads{"a": h.Snapshot}).Collect(ch)
	var m dto.Metric
	if err := (<-ch).Write(&m); err != nil {
		t.Fatal(err)
	}
	return m.Histogram
}

// atMost returns how many values the buckets tell to be at most the upper bound of
// the i-th, for each i that there is.
func atMost(h *dto.Histogram) map[int]int64 {
	sums := make(map[int]int64)
	sum, count, i, at := int64(h.GetZeroCount()), int64(0), 0, 0
	for _, span := range h.PositiveSpan {
		at += int(span.GetOffset())
		for range span.GetLength() {
			count += h.PositiveDelta[i]
			sum += count
			sums[at] = sum
			i++
			at++
		}
	}
	return sums
}

// No value is counted below its bucket, and above it only within a cell's width.
func TestBuckets(t *testing.T) {
	const unit = 1e-9
	r := histogram.Range{Lowest: 1000, Highest: int64(time.Hour), Digits: 2}
	h := histogram.NewAtomic(r)
	rng := rand.New(rand.NewPCG(1, 2))
	var values []float64
	sum := 0.0
	for range 20_000 {
		v := rng.Int64N(r.Highest) >> rng.IntN(42)
		h.Record(v)
		values = append(values, float64(v)*unit)
		sum += float64(v) * unit
	}
	got := collected(t, h, unit)
	if got.GetSampleCount() != 20_000 || math.Abs(got.GetSampleSum()-sum) > 1e-9*sum || got.GetSchema() != Schema {
		t.Errorf("count %d, sum %g, schema %d", got.GetSampleCount(), got.GetSampleSum(), got.GetSchema())
	}
	if math.Abs(got.GetZeroThreshold()-511*unit) > 1e-15 || got.GetZeroCount() == 0 {
		t.Errorf("%d values up to %g in the zero bucket", got.GetZeroCount(), got.GetZeroThreshold())
	}
	checked := 0
	for i, n := range atMost(got) {
		bound := math.Exp2(float64(i) / (1 << Schema))
		var most, least int64
		for _, v := range values {
			if v <= bound {
				most++
			}
			if v+max(v/100, 1000*unit) <= bound {
				least++
			}
		}
		if n > most || n < least {
			t.Errorf("%d values up to %g, want %d to %d", n, bound, least, most)
		}
		checked++
	}
	if checked < 100 {
		t.Errorf("only %d buckets", checked)
	}
}

// Values that are alone in their cells come out as from client_golang's own native
// histogram.
func TestSameAsClient(t *testing.T) {
	h := histogram.NewAtomic(histogram.Range{Lowest: 1, Highest: 1 << 40, Digits: 3})
	want := prometheus.NewHistogram(prometheus.HistogramOpts{Name: "x", NativeHistogramBucketFactor: 1.1})
	for v := range int64(2048) {
		h.Record(v)
		want.Observe(float64(v))
	}
	var m dto.Metric
	if err := want.Write(&m); err != nil {
		t.Fatal(err)
	}
	got := collected(t, h, 1)
	if got.GetSchema() != m.Histogram.GetSchema() || got.GetZeroCount() != m.Histogram.GetZeroCount() ||
		got.GetSampleSum() != m.Histogram.GetSampleSum() || fmt.Sprint(atMost(got)) != fmt.Sprint(atMost(m.Histogram)) {
		t.Errorf("got %v, want %v", got, m.Histogram)
	}
}
