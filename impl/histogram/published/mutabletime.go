package published

import (
	"strconv"
	"sync"
	"unicode"
	"unicode/utf8"

	counter "hotpath/impl/counter/published"
)

// MutableTime is HBase's metric for durations in milliseconds
// (hbase-hadoop2-compat, metrics2/lib/MutableTimeHistogram.java): a FastLong, one
// more counter, and at each snapshot the number of values in fixed ranges. In an
// update it differs from a FastLong only by that counter.
//
// Any number of goroutines may call any method. Use NewMutableTime.
type MutableTime struct {
	updates   counter.HBase
	values    *FastLong
	snapshots sync.Mutex
}

// Metric is one figure of a snapshot.
type Metric struct {
	Name  string
	Value int64
}

var mutableTimeRanges = [...]int64{
	1, 3, 10, 30, 100, 300, 1000, 3000, 10_000, 30_000, 60_000, 120_000, 300_000, 600_000,
}

var mutableTimeQuantiles = []struct {
	name string
	q    float64
}{
	{"_25th_percentile", 0.25},
	{"_median", 0.5},
	{"_75th_percentile", 0.75},
	{"_90th_percentile", 0.9},
	{"_95th_percentile", 0.95},
	{"_98th_percentile", 0.98},
	{"_99th_percentile", 0.99},
	{"_99.9th_percentile", 0.999},
}

// NewMutableTime returns a histogram that, as in HBase, expects values up to
// 300,000 until its first snapshot.
func NewMutableTime() *MutableTime {
	expected := mutableTimeRanges[len(mutableTimeRanges)-2]
	return &MutableTime{values: NewFastLongRange(fastLongBins, 1, expected)}
}

// Update adds v.
func (h *MutableTime) Update(v int64) {
	h.updates.Add(1)
	h.values.Add(v)
}

// Count returns the number of updates since the beginning, those with negative
// values too.
func (h *MutableTime) Count() int64 { return h.updates.Value() }

// Negative returns the number of negative values since the last snapshot. HBase
// has no such figure.
func (h *MutableTime) Negative() int64 { return h.values.Negative() }

// Quantiles returns estimates over the values since the last snapshot, as
// FastLong does.
func (h *MutableTime) Quantiles(q ...float64) []int64 { return h.values.Quantiles(q...) }

// Snapshot starts over, as Reset of FastLong does, and returns the figures of the
// values until now under the names that HBase gives them: the number of updates
// since the beginning, the extremes, the mean, quantiles, and for each range that
// has values their number. It returns nil if there were no values.
//
// A range's number is a difference of two results of CountAtOrBelow, so values
// above a bound that share its bin are in the range below it. HBase's loop over
// the ranges ends one too early, by which the values of 300000-600000 appear as
// 600000-inf; here they have their own range.
func (h *MutableTime) Snapshot(name string) []Metric {
	h.snapshots.Lock()
	defer h.snapshots.Unlock()
	values := h.values.Reset()
	if values == nil {
		return nil
	}
	name = capitalize(name)
	metrics := []Metric{
		{name + "_num_ops", h.Count()},
		{name + "_min", values.Min()},
		{name + "_max", values.Max()},
		{name + "_mean", values.Mean()},
	}
	var q []float64
	for _, quantile := range mutableTimeQuantiles {
		q = append(q, quantile.q)
	}
	for i, v := range values.Quantiles(q...) {
		metrics = append(metrics, Metric{name + mutableTimeQuantiles[i].name, v})
	}
	return appendRanges(metrics, name+"_TimeRangeCount_", values)
}

func appendRanges(metrics []Metric, prefix string, values *FastLong) []Metric {
	var from, below int64
	add := func(to string, atOrBelow int64) {
		if n := atOrBelow - below; n > 0 {
			metrics = append(metrics, Metric{prefix + strconv.FormatInt(from, 10) + "-" + to, n})
		}
		below = atOrBelow
	}
	for _, bound := range mutableTimeRanges {
		add(strconv.FormatInt(bound, 10), values.CountAtOrBelow(bound))
		from = bound
	}
	add("inf", values.Count())
	return metrics
}

func capitalize(name string) string {
	first, size := utf8.DecodeRuneInString(name)
	if size == 0 {
		return name
	}
	return string(unicode.ToTitle(first)) + name[size:]
}
