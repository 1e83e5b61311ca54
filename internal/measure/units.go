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
	{"gc-cycles/op", "lower", "nothing"},
	{"gc-cpu-ns/op", "lower", "nothing"},
	{"gc-pause-p99-ns", "lower", "nothing"},
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
