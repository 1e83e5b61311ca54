package otel_test

import (
	"cmp"
	"context"
	"fmt"
	"log"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/sdk/instrumentation"
	sdk "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/metric/metricdata/metricdatatest"

	"hotpath/impl/histogram"
	"hotpath/impl/histogram/examples/otel"
)

func op(name string) attribute.Set { return attribute.NewSet(attribute.String("op", name)) }

// A server's latencies by operation.
func Example() {
	latency := otel.NewHistogram(otel.Opts{
		Scope: instrumentation.Scope{Name: "server"},
		Name:  "op.duration", Description: "Latency of operations.", Unit: "ns",
		Range: histogram.Range{Lowest: 1000, Highest: int64(time.Minute), Digits: 3},
	})
	reader := sdk.NewManualReader(sdk.WithProducer(latency)) // or a PeriodicReader, which exports
	provider := sdk.NewMeterProvider(sdk.WithReader(reader))
	defer provider.Shutdown(context.Background())

	get := latency.With(op("get")) // kept, so that nothing is looked up later
	get.Record(int64(2 * time.Millisecond))
	get.Record(int64(3 * time.Millisecond))
	ctx := context.Background()
	latency.Record(ctx, int64(time.Second), metric.WithAttributeSet(op("put")))
	latency.Record(ctx, int64(time.Hour), metric.WithAttributeSet(op("put")))

	var data metricdata.ResourceMetrics
	if err := reader.Collect(ctx, &data); err != nil {
		log.Fatal(err)
	}
	var lines []string
	for _, m := range data.ScopeMetrics[0].Metrics {
		switch d := m.Data.(type) {
		case metricdata.ExponentialHistogram[int64]:
			for _, p := range d.DataPoints {
				lines = append(lines, fmt.Sprintf("%s %v: %d values, %d %s together", m.Name, p.Attributes.ToSlice()[0].Value.AsString(), p.Count, p.Sum, m.Unit))
			}
		case metricdata.Sum[int64]:
			for _, p := range d.DataPoints {
				lines = append(lines, fmt.Sprintf("%s %v: %d", m.Name, p.Attributes.ToSlice()[0].Value.AsString(), p.Value))
			}
		}
	}
	slices.Sort(lines)
	fmt.Println(strings.Join(lines, "\n"))
	// Output:
	// op.duration get: 2 values, 5000000 ns together
	// op.duration put: 1 values, 1000000000 ns together
	// op.duration.refused get: 0
	// op.duration.refused put: 1
}

// produced returns the data point of the attributes.
func produced(t *testing.T, h *otel.Histogram, attributes attribute.Set) metricdata.ExponentialHistogramDataPoint[int64] {
	t.Helper()
	scopes, err := h.Produce(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range scopes[0].Metrics[0].Data.(metricdata.ExponentialHistogram[int64]).DataPoints {
		if p.Attributes.Equals(&attributes) {
			return p
		}
	}
	t.Fatalf("no data point of %v", attributes.ToSlice())
	panic("unreachable")
}

// Values that are alone in their cells come out as from the SDK's own histogram.
func TestSameAsSDK(t *testing.T) {
	for name, size := range map[string]int{"default": 0, "few": 20, "two": 2} {
		t.Run(name, func(t *testing.T) {
			ours := otel.NewHistogram(otel.Opts{Name: "x", Range: histogram.Range{Lowest: 1, Highest: 1 << 40, Digits: 3}, MaxSize: size})
			aggregation := sdk.AggregationBase2ExponentialHistogram{MaxSize: int32(cmp.Or(size, 160)), MaxScale: 20}
			reader := sdk.NewManualReader(sdk.WithAggregationSelector(func(sdk.InstrumentKind) sdk.Aggregation { return aggregation }))
			theirs, err := sdk.NewMeterProvider(sdk.WithReader(reader)).Meter("").Int64Histogram("x")
			if err != nil {
				t.Fatal(err)
			}
			for v := range int64(2048) {
				ours.Record(t.Context(), v)
				theirs.Record(t.Context(), v)
			}
			var data metricdata.ResourceMetrics
			if err := reader.Collect(t.Context(), &data); err != nil {
				t.Fatal(err)
			}
			want := data.ScopeMetrics[0].Metrics[0].Data.(metricdata.ExponentialHistogram[int64]).DataPoints[0]
			metricdatatest.AssertEqual(t, want, produced(t, ours, *attribute.EmptySet()), metricdatatest.IgnoreTimestamp(), metricdatatest.IgnoreExemplars())
		})
	}
}

// What the Range does not hold is in a sum, and nowhere else; what cannot be told
// from 0 is in the zero bucket.
func TestRefused(t *testing.T) {
	h := otel.NewHistogram(otel.Opts{Name: "x", Range: histogram.Range{Lowest: 1000, Highest: 1 << 20, Digits: 2}})
	for _, v := range []int64{-1, 1 << 40, 0, 500} {
		h.Record(t.Context(), v)
	}
	p := produced(t, h, *attribute.EmptySet())
	if p.Count != 2 || p.Sum != 500 || p.ZeroCount != 2 || p.ZeroThreshold != 511 || len(p.PositiveBucket.Counts) != 0 {
		t.Errorf("got %+v", p)
	}
	scopes, err := h.Produce(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	refused := scopes[0].Metrics[1]
	if sum := refused.Data.(metricdata.Sum[int64]); refused.Name != "x.refused" || sum.DataPoints[0].Value != 2 || !sum.IsMonotonic {
		t.Errorf("got %+v, want 2 refused", refused)
	}
}

func TestEmpty(t *testing.T) {
	h := otel.NewHistogram(otel.Opts{Name: "x", Range: histogram.Range{Lowest: 1, Highest: 1000, Digits: 2}})
	if scopes, err := h.Produce(t.Context()); len(scopes) > 0 || err != nil {
		t.Errorf("produced %v, %v of no series", scopes, err)
	}
	h.With(op("a"))
	if p := produced(t, h, op("a")); p.Count != 0 || len(p.PositiveBucket.Counts) != 0 {
		t.Errorf("got %+v of nothing", p)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := h.Produce(ctx); err == nil {
		t.Error("produced after the end of its context")
	}
}

// Many make series, record and produce at once, and nothing is lost.
func TestTogether(t *testing.T) {
	h := otel.NewHistogram(otel.Opts{Name: "x", Range: histogram.Range{Lowest: 1, Highest: 1000, Digits: 2}, Series: 1})
	const workers, series, each = 16, 20, 200
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			for i := range each * series {
				h.Record(t.Context(), 1, metric.WithAttributeSet(op(fmt.Sprint(i%series))))
				if i%(each*series/4) == 0 {
					if _, err := h.Produce(t.Context()); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	all.Wait()
	for i := range series {
		if got := produced(t, h, op(fmt.Sprint(i))).Count; got != workers*each {
			t.Errorf("series %d has %d values, want %d", i, got, workers*each)
		}
	}
}
