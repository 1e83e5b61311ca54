package measure

import (
	"fmt"
	"io"
)

// unit is a metric that the testing package does not know, with what benchstat
// needs to know of it.
type unit struct {
	name   string
	better string // lower, higher, or empty for a fact that is neither
	assume string
}

// units declares each metric of the study once.
var units = []unit{
	{"cpu-ns/op", "lower", "nothing"},
	{"mean-latency-ns", "lower", "nothing"},
	{"p50-latency-ns", "lower", "nothing"},
	{"p90-latency-ns", "lower", "nothing"},
	{"p95-latency-ns", "lower", "nothing"},
	{"p99-latency-ns", "lower", "nothing"},
	{"p99.9-latency-ns", "lower", "nothing"},
	{"p99.99-latency-ns", "lower", "nothing"},
	{"p50-service-ns", "lower", "nothing"},
	{"p90-service-ns", "lower", "nothing"},
	{"p95-service-ns", "lower", "nothing"},
	{"p99-service-ns", "lower", "nothing"},
	{"p99.9-service-ns", "lower", "nothing"},
	{"p99.99-service-ns", "lower", "nothing"},
	{"achieved-rate", "higher", "nothing"},
	{"real-sec", "lower", "nothing"},
	{"user-sec", "lower", "nothing"},
	{"sys-sec", "lower", "nothing"},
	{"cpu-sec", "lower", "nothing"},
	{"gc-share", "lower", "nothing"},
	{"peak-heap-B", "lower", "nothing"},
	{"gc-cycles/op", "lower", "nothing"},
	{"gc-cpu-ns/op", "lower", "nothing"},
	{"gc-pause-p50-ns", "lower", "nothing"},
	{"gc-pause-p99-ns", "lower", "nothing"},
	{"gc-pause-max-ns", "lower", "nothing"},
	{"server-cpu-ns/op", "lower", "nothing"},
	{"server-user-ns/op", "lower", "nothing"},
	{"server-sys-ns/op", "lower", "nothing"},
	{"server-B/op", "lower", "nothing"},
	{"server-allocs/op", "lower", "nothing"},
	{"server-gc-share", "lower", "nothing"},
	{"server-gc-cycles/op", "lower", "nothing"},
	{"server-gc-pause-p99-ns", "lower", "nothing"},
	{"copied-B/op", "lower", "nothing"},
	{"path-alloc-B/op", "lower", "nothing"},
	{"reads/op", "lower", "nothing"},
	{"writes/op", "lower", "nothing"},
	{"ns/update", "lower", "nothing"},
	{"p50-error", "lower", "nothing"},
	{"p99-error", "lower", "nothing"},
	{"p99.9-error", "lower", "nothing"},
	{"p99.99-error", "lower", "nothing"},
	{"snapshot-ns", "lower", "nothing"},
	{"snapshot-allocs", "lower", "nothing"},
	{"snapshot-B", "lower", "nothing"},
	{"B/histogram", "lower", "nothing"},
	{"B/counter", "lower", "nothing"},
	{"cells", "", "nothing"},
	{"ops", "", "nothing"},
	{"workers-run", "", "nothing"},
	{"parallelism", "", "nothing"},
	{"handoff-start-ns", "", "nothing"},
	{"handoff-end-ns", "", "nothing"},
	{"queue-wait-sec", "", "nothing"},
	{"trend", "", "nothing"},
}

// writeUnits prints the Unit lines that belong ahead of the results.
func writeUnits(w io.Writer) {
	for _, u := range units {
		fmt.Fprintf(w, "Unit %s", u.name)
		if u.better != "" {
			fmt.Fprintf(w, " better=%s", u.better)
		}
		fmt.Fprintf(w, " assume=%s\n", u.assume)
	}
}
