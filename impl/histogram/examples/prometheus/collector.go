// Package prometheus is an example: it exposes histograms of package histogram as
// Prometheus native histograms. Copy what fits; hotpath's packages themselves do
// not depend on Prometheus.
//
// At a scrape each snapshot becomes a constant metric, so recording costs what it
// costs without Prometheus. The conversion:
//
//   - A native histogram of schema s has buckets (2^((i-1)/2^s), 2^(i/2^s)]. A cell's
//     values are counted together in the bucket of the cell's highest value. The
//     buckets thus never count a value as smaller than it is, and as larger only if
//     the bound runs through its cell: by less than one part in 10^Digits, or by less
//     than Lowest.
//   - A quantile that Prometheus computes lies in the right bucket, so it is off by
//     less than a factor of 2^(1/2^s), and by the width of a cell on top. See Schema.
//   - Values of the range's first cell, those that cannot be told from 0, are in the
//     zero bucket, whose threshold is the highest of them.
//   - Count and sum are exact; the sum is a float64 as all of Prometheus's are.
//   - Values that the range does not hold are in no bucket. They are a counter of
//     their own, name_refused_total.
//
// Prometheus must scrape native histograms, which the text format does not carry:
// there only count and sum are seen.
package prometheus

import (
	"math"
	"math/bits"
	"time"
	"unicode/utf8"

	"github.com/prometheus/client_golang/prometheus"

	"hotpath/impl/histogram"
)

// Schema is the resolution of the exposed histograms, between -4 and 8. 3 is what
// client_golang chooses for a bucket factor of 1.1: buckets are 2^(1/8) wide, so
// quantiles are off by less than 10 %. Each step up halves that and doubles the
// number of buckets to transfer and to store; at 8 a quantile is off by 0.3 %.
const Schema = 3

// Collector exposes histograms, told apart by one label. It may be scraped while
// others record, and by several scrapers at once.
type Collector struct {
	values, refused *prometheus.Desc
	unit            float64
	read            map[string]func(dst *histogram.Snapshot) *histogram.Snapshot
	created         time.Time
}

// NewCollector returns a Collector of histograms that have not recorded before.
// Recorded values times unit are what is exposed: 1e-9 for nanoseconds, since
// Prometheus wants seconds. The key of read is the value of the label; its value
// takes a snapshot, such as the method Snapshot of an Atomic. A histogram whose key
// is not valid UTF-8 cannot be exposed and is left out.
func NewCollector(name, help, label string, unit float64, read map[string]func(dst *histogram.Snapshot) *histogram.Snapshot) *Collector {
	return &Collector{
		values:  prometheus.NewDesc(name, help, []string{label}, nil),
		refused: prometheus.NewDesc(name+"_refused_total", "Values that "+name+" does not hold.", []string{label, "reason"}, nil),
		unit:    unit,
		read:    read,
		created: time.Now(),
	}
}

// Describe implements prometheus.Collector.
func (c *Collector) Describe(ch chan<- *prometheus.Desc) {
	ch <- c.values
	ch <- c.refused
}

// Collect implements prometheus.Collector.
func (c *Collector) Collect(ch chan<- prometheus.Metric) {
	var s *histogram.Snapshot // one buffer for all
	for label, read := range c.read {
		if !utf8.ValidString(label) {
			continue // or nobody would see the others
		}
		s = read(s)
		ch <- c.native(label, s)
		ch <- prometheus.MustNewConstMetric(c.refused, prometheus.CounterValue, float64(s.Negative), label, "negative")
		ch <- prometheus.MustNewConstMetric(c.refused, prometheus.CounterValue, float64(s.TooLarge), label, "too_large")
	}
}

func (c *Collector) native(label string, s *histogram.Snapshot) prometheus.Metric {
	indistinct := int64(1)<<(bits.Len64(uint64(s.Range.Lowest))-1) - 1 // the first cell ends here
	var zero uint64
	buckets := make(map[int]int64)
	for cell := range s.Cells() {
		if cell.High <= indistinct {
			zero += uint64(cell.Count)
		} else {
			buckets[bucket(float64(cell.High)*c.unit)] += cell.Count
		}
	}
	m, err := prometheus.NewConstNativeHistogram(c.values, uint64(s.Count), s.Total()*c.unit,
		buckets, nil, zero, Schema, float64(indistinct)*c.unit, c.created, label)
	if err != nil {
		return prometheus.NewInvalidMetric(c.values, err)
	}
	return m
}

// bucket returns the index of the bucket of v.
func bucket(v float64) int { return int(math.Ceil(math.Log2(v) * (1 << Schema))) }
