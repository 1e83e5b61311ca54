package prometheus

import (
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"hotpath/impl/histogram"
)

// A label that the format cannot hold costs its own histogram and no other.
func TestBadLabel(t *testing.T) {
	h := histogram.NewAtomic(histogram.Range{Lowest: 1, Highest: 1000, Digits: 2})
	h.Record(7)
	registry := prometheus.NewRegistry()
	registry.MustRegister(NewCollector("x", "", "op", 1, reads{"good": h.Snapshot, "bad\xff": h.Snapshot, "odd\n\"\\": h.Snapshot}))
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	if len(families) != 2 || len(families[0].Metric) != 2 || families[0].Metric[0].Histogram.GetSampleCount() != 1 {
		t.Errorf("got %v, want the histograms of two labels, and what they refused", families)
	}
}
