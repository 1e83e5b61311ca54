package prometheus

import (
	"math"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"google.golang.org/protobuf/types/known/timestamppb"

	"hotpath/impl/histogram"
)

// series is one histogram of a vector.
type series struct {
	set   *histogram.Set
	id    int
	scale float64

	family      *family
	labelValues []string
	labels      []*dto.LabelPair
	created     time.Time
}

var (
	_ prometheus.Histogram        = (*series)(nil)
	_ prometheus.ExemplarObserver = (*series)(nil)
)

// Observe implements prometheus.Observer.
func (s *series) Observe(v float64) { s.set.Record(s.id, steps(v*s.scale)) }

// ObserveWithExemplar implements prometheus.ExemplarObserver for those who ask any
// Observer for it, such as promhttp, and have no exemplar. It panics if there is one.
func (s *series) ObserveWithExemplar(v float64, exemplar prometheus.Labels) {
	if exemplar != nil {
		panic("prometheus: " + s.family.opts.Name + " got an exemplar, and a Set keeps none: call Observe")
	}
	s.Observe(v)
}

// steps rounds x to a whole number; what is refused comes out as what a Set refuses.
func steps(x float64) int64 {
	switch {
	case x >= -0.5 && x < 1<<62:
		return int64(x + 0.5)
	case x < 0:
		return -1
	}
	return math.MaxInt64 // or NaN
}

// Desc implements prometheus.Metric.
func (s *series) Desc() *prometheus.Desc { return s.family.desc }

// Write implements prometheus.Metric.
func (s *series) Write(out *dto.Metric) error {
	m, _ := s.read()
	return m.Write(out)
}

// Describe implements prometheus.Collector.
func (s *series) Describe(ch chan<- *prometheus.Desc) {
	ch <- s.family.desc
	ch <- s.family.refused
}

// Collect implements prometheus.Collector.
func (s *series) Collect(ch chan<- prometheus.Metric) {
	m, refused := s.read()
	ch <- m
	ch <- prometheus.MustNewConstMetric(s.family.refused, prometheus.CounterValue, float64(refused), s.labelValues...)
}

// read takes a snapshot, in the one buffer of the vector.
func (s *series) read() (m written, refused int64) {
	f := s.family
	f.mu.Lock()
	defer f.mu.Unlock()
	snapshot := s.set.Snapshot(s.id, &f.snapshot)
	h := expose(snapshot, f.opts)
	h.CreatedTimestamp = timestamppb.New(s.created)
	return written{s, h}, snapshot.Negative + snapshot.TooLarge
}

// written is a series as it was when it was collected.
type written struct {
	of        *series
	histogram *dto.Histogram
}

func (w written) Desc() *prometheus.Desc { return w.of.family.desc }

func (w written) Write(out *dto.Metric) error {
	out.Label, out.Histogram = w.of.labels, w.histogram
	return nil
}
