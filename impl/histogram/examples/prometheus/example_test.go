package prometheus_test

import (
	"bytes"
	"fmt"
	"log"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/expfmt"

	"hotpath/impl/histogram"
	hotprometheus "hotpath/impl/histogram/examples/prometheus"
)

// A server's latencies by operation, in classic buckets and in native ones.
func Example() {
	latency := hotprometheus.NewHistogramVec(hotprometheus.Opts{
		HistogramOpts: prometheus.HistogramOpts{
			Name:                        "op_seconds",
			Help:                        "Latency of operations.",
			Buckets:                     []float64{0.001, 0.01, 0.1, 1},
			NativeHistogramBucketFactor: 1.1,
		},
		Range: histogram.Range{Lowest: 1000, Highest: int64(time.Minute), Digits: 3},
		Scale: 1e9, // from the seconds of Prometheus to the nanoseconds of Range
	}, []string{"op"})
	registry := prometheus.NewRegistry()
	registry.MustRegister(latency)

	get := latency.WithLabelValues("get") // kept, so that nothing is looked up later
	get.Observe(0.002)
	get.Observe((3 * time.Millisecond).Seconds())
	latency.With(prometheus.Labels{"op": "put"}).Observe(0.8)
	latency.WithLabelValues("put").Observe(time.Hour.Seconds())

	families, err := registry.Gather() // as promhttp.HandlerFor does at each scrape
	if err != nil {
		log.Fatal(err)
	}
	var page bytes.Buffer
	for _, f := range families {
		if _, err := expfmt.MetricFamilyToText(&page, f); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Print(page.String())
	// Output:
	// # HELP op_seconds Latency of operations.
	// # TYPE op_seconds histogram
	// op_seconds_bucket{op="get",le="0.001"} 0
	// op_seconds_bucket{op="get",le="0.01"} 2
	// op_seconds_bucket{op="get",le="0.1"} 2
	// op_seconds_bucket{op="get",le="1"} 2
	// op_seconds_bucket{op="get",le="+Inf"} 2
	// op_seconds_sum{op="get"} 0.005
	// op_seconds_count{op="get"} 2
	// op_seconds_bucket{op="put",le="0.001"} 0
	// op_seconds_bucket{op="put",le="0.01"} 0
	// op_seconds_bucket{op="put",le="0.1"} 0
	// op_seconds_bucket{op="put",le="1"} 1
	// op_seconds_bucket{op="put",le="+Inf"} 1
	// op_seconds_sum{op="put"} 0.8
	// op_seconds_count{op="put"} 1
	// # HELP op_seconds_refused_total Values that op_seconds does not hold: negative, too large or NaN.
	// # TYPE op_seconds_refused_total counter
	// op_seconds_refused_total{op="get"} 0
	// op_seconds_refused_total{op="put"} 1
}
