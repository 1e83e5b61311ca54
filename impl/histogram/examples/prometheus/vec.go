// Package prometheus is an example: a prometheus.HistogramVec whose histograms are
// those of a histogram.Set. Copy it, or import it; hotpath's other packages do not
// depend on Prometheus.
//
// HistogramVec takes the place of client_golang's: the same options, labels, methods
// and exposition, with classic buckets, native ones, or both. Observe costs what
// Set.Record costs, since buckets are made at a scrape alone, from a snapshot. What
// differs:
//
//   - A Range says which values it holds. Others are in no bucket and in no count,
//     but in a counter with the same labels, name_refused_total.
//   - A cell's values are counted together, in the bucket of the cell's highest
//     value. Buckets thus never count a value as smaller than it is, and as larger
//     only if their bound runs through its cell, by less than one part in 10^Digits
//     or by less than Lowest.
//   - A quantile that Prometheus computes lies in the right bucket, so it is off by
//     that bucket's width, and by the width of a cell on top.
//   - Count and sum are exact; the sum is a float64 as all of Prometheus's are.
//   - Native histograms have the values of the range's first cell, those that cannot
//     be told from 0, in the zero bucket, whose threshold is the highest of them. More
//     buckets than NativeHistogramMaxBucketNumber are made fewer at a scrape by doubling
//     their width; nothing is ever reset. The other fields of NativeHistogram that
//     concern the zero bucket and resets are not looked at.
//   - There are no exemplars. Who asks for some is told so by a panic.
//   - A deleted label set leaves the exposition; its memory stays with the vector.
//
// Prometheus must scrape native histograms as protobuf: of one that has no classic
// buckets besides, the text format shows count and sum only.
package prometheus

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"hotpath/impl/histogram"
)

// Opts are the options of a HistogramVec: client_golang's, and what a Set needs.
type Opts struct {
	prometheus.HistogramOpts

	// Range says which values are held and told apart, in steps. Scale is how many
	// steps make 1 of what is observed: 1e9 where seconds are observed in steps of a
	// nanosecond. A value is rounded to the nearest step.
	Range histogram.Range
	Scale float64

	// Series is for how many label sets memory is taken at once, 4 if it is 0. When
	// they are used up, memory is taken for twice as many. A Set's comment says how
	// much: of the order of 40 kB for each from 1 ns to 1 h with three digits.
	Series int
}

// HistogramVec is a prometheus.ObserverVec, to be registered as a Collector. All its
// methods may be called by any number of goroutines at once. Use NewHistogramVec.
type HistogramVec struct {
	*prometheus.MetricVec // by labels; its metrics are *series
	family                *family
}

var _ prometheus.ObserverVec = (*HistogramVec)(nil)

// family is what all series of a vector share.
type family struct {
	opts          Opts
	desc, refused *prometheus.Desc

	mu       sync.Mutex
	set      *histogram.Set // the last one, which may have room
	taken    int            // histograms of set that are in use
	snapshot histogram.Snapshot
}

// NewHistogramVec returns a vector with the given labels. It panics if Range is
// invalid, if Scale is not positive, and where client_golang's would.
func NewHistogramVec(opts Opts, labels []string) *HistogramVec {
	opts.HistogramOpts = checked(opts.HistogramOpts)
	if !(opts.Scale > 0) {
		panic(fmt.Sprintf("prometheus: %s has a scale of %g, want more than 0", opts.Name, opts.Scale))
	}
	if _, isConst := opts.ConstLabels["le"]; isConst || slices.Contains(labels, "le") {
		panic(fmt.Sprintf("prometheus: %s has a label le, which is that of its buckets", opts.Name))
	}
	name, names := prometheus.BuildFQName(opts.Namespace, opts.Subsystem, opts.Name), prometheus.UnconstrainedLabels(labels)
	f := &family{
		opts: opts,
		desc: prometheus.V2.NewDesc(name, opts.Help, names, opts.ConstLabels, prometheus.WithUnit(opts.Unit)),
		refused: prometheus.V2.NewDesc(name+"_refused_total", "Values that "+name+" does not hold: negative, too large or NaN.",
			names, opts.ConstLabels),
		set: histogram.NewSet(opts.Range, cmp.Or(opts.Series, 4)),
	}
	return &HistogramVec{prometheus.NewMetricVec(f.desc, f.newSeries), f}
}

// checked returns the options with the defaults that client_golang gives them.
func checked(opts prometheus.HistogramOpts) prometheus.HistogramOpts {
	if opts.NativeHistogramMaxExemplars > 0 || opts.NativeHistogramExemplarTTL > 0 {
		panic(fmt.Sprintf("prometheus: %s is to keep exemplars, and a Set keeps none", opts.Name))
	}
	if len(opts.Buckets) == 0 && opts.NativeHistogramBucketFactor <= 1 {
		opts.Buckets = prometheus.DefBuckets
	}
	if n := len(opts.Buckets); n > 0 && math.IsInf(opts.Buckets[n-1], 1) {
		opts.Buckets = opts.Buckets[:n-1] // it is implied
	}
	for i := 1; i < len(opts.Buckets); i++ {
		if !(opts.Buckets[i-1] < opts.Buckets[i]) {
			panic(fmt.Sprintf("prometheus: %s has a bucket up to %g before one up to %g", opts.Name, opts.Buckets[i-1], opts.Buckets[i]))
		}
	}
	return opts
}

func (f *family) newSeries(labelValues ...string) prometheus.Metric {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.taken == f.set.Len() {
		f.set, f.taken = histogram.NewSet(f.opts.Range, 2*f.set.Len()), 0
	}
	s := &series{
		family: f, set: f.set, id: f.taken, scale: f.opts.Scale,
		labelValues: slices.Clone(labelValues), labels: prometheus.MakeLabelPairs(f.desc, labelValues), created: time.Now(),
	}
	f.taken++
	return s
}

// Describe implements prometheus.Collector.
func (v *HistogramVec) Describe(ch chan<- *prometheus.Desc) {
	ch <- v.family.desc
	ch <- v.family.refused
}

// Collect implements prometheus.Collector.
func (v *HistogramVec) Collect(ch chan<- prometheus.Metric) {
	all := make(chan prometheus.Metric)
	go func() {
		defer close(all)
		v.MetricVec.Collect(all)
	}()
	for m := range all {
		m.(*series).Collect(ch)
	}
}

// GetMetricWithLabelValues returns the Observer of these values of the labels, in
// their order. It is a prometheus.Histogram too. Keep it where performance counts:
// to find it takes longer than to Observe.
func (v *HistogramVec) GetMetricWithLabelValues(lvs ...string) (prometheus.Observer, error) {
	return observer(v.MetricVec.GetMetricWithLabelValues(lvs...))
}

// GetMetricWith is GetMetricWithLabelValues for labels with their names.
func (v *HistogramVec) GetMetricWith(labels prometheus.Labels) (prometheus.Observer, error) {
	return observer(v.MetricVec.GetMetricWith(labels))
}

func observer(m prometheus.Metric, err error) (prometheus.Observer, error) {
	if err != nil {
		return nil, err
	}
	return m.(*series), nil
}

// WithLabelValues is GetMetricWithLabelValues, and panics where that returns an error.
func (v *HistogramVec) WithLabelValues(lvs ...string) prometheus.Observer {
	return must(v.GetMetricWithLabelValues(lvs...))
}

// With is GetMetricWith, and panics where that returns an error.
func (v *HistogramVec) With(labels prometheus.Labels) prometheus.Observer {
	return must(v.GetMetricWith(labels))
}

// CurryWith returns the same vector with some labels given.
func (v *HistogramVec) CurryWith(labels prometheus.Labels) (prometheus.ObserverVec, error) {
	vec, err := v.MetricVec.CurryWith(labels)
	if err != nil {
		return nil, err
	}
	return &HistogramVec{vec, v.family}, nil
}

// MustCurryWith is CurryWith, and panics where that returns an error.
func (v *HistogramVec) MustCurryWith(labels prometheus.Labels) prometheus.ObserverVec {
	return must(v.CurryWith(labels))
}

func must[T any](t T, err error) T {
	if err != nil {
		panic(err)
	}
	return t
}
