// Package otel is an example: an OpenTelemetry histogram whose data points are
// histograms of a histogram.Set. Copy it, or import it; hotpath's other packages do
// not depend on OpenTelemetry.
//
// The SDK lets nobody put an aggregation of its own behind an instrument, but its
// Readers take metrics from a Producer. Histogram is both: the instrument that a
// program records in, and the Producer of what was recorded. Record costs what
// Set.Record costs for somebody who holds a Recorder, and the look-up of attributes
// on top for others. What differs from an instrument of the SDK:
//
//   - A Range says which values are held. Others are in no bucket and in no count,
//     but in a sum with the same attributes, called name.refused.
//   - It is exposed as an exponential histogram of as high a scale as MaxSize buckets
//     allow. A cell's values are counted together, in the bucket of the cell's highest
//     value; those of the range's first cell, which cannot be told from 0, are in the
//     zero bucket. Count, sum, minimum and maximum are exact.
//   - Temporality is cumulative whatever the Reader's exporter prefers: it is not told
//     to a Producer. Views, their filters, and limits of cardinality do not apply.
//   - There are no exemplars.
package otel

import (
	"cmp"
	"context"
	"maps"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/metric/embedded"
	"go.opentelemetry.io/otel/sdk/instrumentation"
	sdk "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"hotpath/impl/histogram"
)

// Opts describe a Histogram.
type Opts struct {
	Scope                   instrumentation.Scope // as a Meter has one
	Name, Description, Unit string

	// Range says which values are held and told apart, in Unit.
	Range histogram.Range

	// MaxSize is the largest number of buckets, 160 if it is 0, as in the SDK.
	MaxSize int

	// Series is for how many attribute sets memory is taken at once, 4 if it is 0. When
	// they are used up, memory is taken for twice as many. A Set's comment says how
	// much.
	Series int
}

// Histogram is a metric.Int64Histogram, and a Producer for a Reader's WithProducer.
// All its methods may be called by any number of goroutines at once. Use NewHistogram.
type Histogram struct {
	embedded.Int64Histogram
	opts Opts

	mu       sync.RWMutex
	series   map[attribute.Distinct]*Recorder
	set      *histogram.Set // the last one, which may have room
	taken    int            // histograms of set that are in use
	snapshot histogram.Snapshot
}

var (
	_ metric.Int64Histogram = (*Histogram)(nil)
	_ sdk.Producer          = (*Histogram)(nil)
)

// Recorder records with one set of attributes.
type Recorder struct {
	set        *histogram.Set
	id         int
	attributes attribute.Set
	start      time.Time
}

// Record adds v, from any number of goroutines at once.
func (r *Recorder) Record(v int64) { r.set.Record(r.id, v) }

// NewHistogram returns a histogram without data points. It panics if Range is invalid.
func NewHistogram(opts Opts) *Histogram {
	opts.MaxSize = cmp.Or(opts.MaxSize, 160)
	return &Histogram{
		opts:   opts,
		series: map[attribute.Distinct]*Recorder{},
		set:    histogram.NewSet(opts.Range, cmp.Or(opts.Series, 4)),
	}
}

// With returns the Recorder of these attributes. Keep it where performance counts.
func (h *Histogram) With(attributes attribute.Set) *Recorder {
	key := attributes.Equivalent()
	h.mu.RLock()
	r := h.series[key]
	h.mu.RUnlock()
	if r != nil {
		return r
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if r := h.series[key]; r != nil {
		return r
	}
	if h.taken == h.set.Len() {
		h.set, h.taken = histogram.NewSet(h.opts.Range, 2*h.set.Len()), 0
	}
	r = &Recorder{h.set, h.taken, attributes, time.Now()}
	h.series[key] = r
	h.taken++
	return r
}

// Record implements metric.Int64Histogram.
func (h *Histogram) Record(_ context.Context, v int64, options ...metric.RecordOption) {
	h.With(metric.NewRecordConfig(options).Attributes()).Record(v)
}

// Enabled implements metric.Int64Histogram.
func (h *Histogram) Enabled(context.Context) bool { return true }

// Produce implements Producer. It fails with ctx only.
func (h *Histogram) Produce(ctx context.Context) ([]metricdata.ScopeMetrics, error) {
	h.mu.Lock() // its snapshot's
	defer h.mu.Unlock()
	if len(h.series) == 0 {
		return nil, ctx.Err()
	}
	now := time.Now()
	held := metricdata.ExponentialHistogram[int64]{Temporality: metricdata.CumulativeTemporality}
	refused := metricdata.Sum[int64]{Temporality: metricdata.CumulativeTemporality, IsMonotonic: true}
	for r := range maps.Values(h.series) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		s := r.set.Snapshot(r.id, &h.snapshot)
		point := exponential(s, h.opts.MaxSize)
		point.Attributes, point.StartTime, point.Time = r.attributes, r.start, now
		held.DataPoints = append(held.DataPoints, point)
		refused.DataPoints = append(refused.DataPoints, metricdata.DataPoint[int64]{
			Attributes: r.attributes, StartTime: r.start, Time: now, Value: s.Negative + s.TooLarge,
		})
	}
	return []metricdata.ScopeMetrics{{Scope: h.opts.Scope, Metrics: []metricdata.Metrics{
		{Name: h.opts.Name, Description: h.opts.Description, Unit: h.opts.Unit, Data: held},
		{Name: h.opts.Name + ".refused", Description: "Values that " + h.opts.Name + " does not hold: negative or too large.", Unit: "{value}", Data: refused},
	}}}, nil
}
