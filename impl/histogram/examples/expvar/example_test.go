package expvar_test

import (
	"expvar"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"time"

	"hotpath/impl/histogram"
	hotexpvar "hotpath/impl/histogram/examples/expvar"
)

func ExampleVar() {
	latency := histogram.NewAtomic(histogram.Range{Lowest: 1000, Highest: int64(time.Minute), Digits: 3})
	expvar.Publish("latency", hotexpvar.Var(latency.Snapshot)) // a server of http.DefaultServeMux now shows it
	for ms := range int64(1000) {
		latency.Record(ms * 1_000_000)
	}
	fmt.Println(expvar.Get("latency"))
	// Output: {"count":1000,"mean":499500000,"min":0,"p50":499122175,"p99":989331455,"p99.9":998244351,"max":999000000,"negative":0,"too_large":0}
}

func ExampleMetrics() {
	operations := []string{"get", "put"}
	set := histogram.NewSet(histogram.Range{Lowest: 1000, Highest: int64(time.Minute), Digits: 3}, len(operations))
	m := &hotexpvar.Metrics{Name: "op_seconds", Label: "op", Unit: 1e-9, Read: map[string]func(*histogram.Snapshot) *histogram.Snapshot{}}
	for id, name := range operations {
		m.Read[name] = func(dst *histogram.Snapshot) *histogram.Snapshot { return set.Snapshot(id, dst) }
	}
	server := httptest.NewServer(m) // or http.Handle("/metrics", m)
	defer server.Close()

	set.RecordMany([]int{0, 0, 1}, []int64{2_000_000, 4_000_000, 1_000_000_000})

	page, err := http.Get(server.URL)
	if err != nil {
		log.Fatal(err)
	}
	defer page.Body.Close()
	text, err := io.ReadAll(page.Body)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(string(text))
	// Output:
	// # TYPE op_seconds summary
	// op_seconds{op="get",quantile="0.5"} 0.002000895
	// op_seconds{op="get",quantile="0.9"} 0.004
	// op_seconds{op="get",quantile="0.99"} 0.004
	// op_seconds{op="get",quantile="0.999"} 0.004
	// op_seconds_sum{op="get"} 0.006
	// op_seconds_count{op="get"} 2
	// op_seconds{op="put",quantile="0.5"} 1
	// op_seconds{op="put",quantile="0.9"} 1
	// op_seconds{op="put",quantile="0.99"} 1
	// op_seconds{op="put",quantile="0.999"} 1
	// op_seconds_sum{op="put"} 1
	// op_seconds_count{op="put"} 1
}
