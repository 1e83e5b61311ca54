// Package expvar is an example: it publishes histograms of package histogram with
// the standard library alone, under /debug/vars and as a page of metrics. Copy what
// fits.
//
// Both show what has been recorded since the start. Who wants intervals instead
// takes a histogram.Reader per viewer: a page that reset what it shows would take it
// from the other viewers.
package expvar

import (
	"expvar"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"hotpath/impl/histogram"
)

// Summary is what a Var shows of a histogram, in the unit of the recorded values.
type Summary struct {
	Count    int64   `json:"count"`
	Mean     float64 `json:"mean"`
	Min      int64   `json:"min"`
	P50      int64   `json:"p50"`
	P99      int64   `json:"p99"`
	P999     int64   `json:"p99.9"`
	Max      int64   `json:"max"`
	Negative int64   `json:"negative"`
	TooLarge int64   `json:"too_large"`
}

// Var returns a variable for expvar.Publish whose value is a Summary of the
// histogram that read takes snapshots of, such as the method Snapshot of an Atomic.
func Var(read func(dst *histogram.Snapshot) *histogram.Snapshot) expvar.Var {
	return expvar.Func(func() any {
		s := read(nil)
		return Summary{s.Count, s.Mean(), s.Min, s.Quantile(0.5), s.Quantile(0.99), s.Quantile(0.999), s.Max, s.Negative, s.TooLarge}
	})
}

// Metrics is an http.Handler that writes histograms in the text format of
// Prometheus, as summaries. The key of Read is the value of the label that tells
// them apart; its value takes a snapshot. A histogram whose key is not valid UTF-8
// has no place in the format and is left out.
type Metrics struct {
	Name  string  // of the metric
	Label string  // its name
	Unit  float64 // recorded values are multiplied by it, 1e-9 makes seconds of nanoseconds
	Read  map[string]func(dst *histogram.Snapshot) *histogram.Snapshot
}

// ServeHTTP writes a new snapshot of each histogram. A client that goes away ends
// the page; there is no one left to report it to.
func (m *Metrics) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; version=0.0.4")
	fmt.Fprintf(w, "# TYPE %s summary\n", m.Name)
	var s *histogram.Snapshot // one buffer for all
	for _, value := range slices.Sorted(maps.Keys(m.Read)) {
		if !utf8.ValidString(value) {
			continue // or the scrape would fail for all
		}
		s = m.Read[value](s)
		label := fmt.Sprintf(`%s="%s"`, m.Label, escape.Replace(value))
		for _, q := range []float64{0.5, 0.9, 0.99, 0.999} {
			fmt.Fprintf(w, "%s{%s,quantile=\"%g\"} %g\n", m.Name, label, q, float64(s.Quantile(q))*m.Unit)
		}
		fmt.Fprintf(w, "%s_sum{%s} %g\n", m.Name, label, s.Total()*m.Unit)
		fmt.Fprintf(w, "%s_count{%s} %d\n", m.Name, label, s.Count)
	}
}

// escape writes the three characters that the format escapes in a label's value.
var escape = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)
