package synthetic

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/HdrHistogram/hdrhistogram-go"

	"hotpath/internal/bench"
	"hotpath/internal/results"
)

// Records are the heats of a run as a runner commits them.
func Records(run *results.Run) []results.Record {
	var units bytes.Buffer
	if err := bench.WriteUnits(&units); err != nil {
		panic(err)
	}
	declared := strings.Split(strings.TrimSpace(units.String()), "\n")
	var records []results.Record
	for _, e := range run.Experiments {
		for _, h := range e.Heats {
			r := results.Record{Experiment: e.Name, Heat: *h, Laps: h.Laps}
			r.Heat.Forks, r.Heat.Laps = nil, nil
			for _, f := range h.Forks {
				fr := results.ForkRecord{Fork: *f}
				fr.Fork.Metrics, fr.Fork.Hist, fr.Fork.Heap = nil, nil, nil
				if f.State == bench.Complete {
					fr.Config, fr.Units = []string{"goos: linux", "goarch: amd64", "cpu: Test CPU"}, declared
					texts(&fr, f, h)
				}
				r.Forks = append(r.Forks, fr)
			}
			records = append(records, r)
		}
	}
	return records
}

// texts writes what a fork prints, and what its runner says of the turns that
// were not kept.
func texts(r *results.ForkRecord, f *results.Fork, h *results.Heat) {
	if f.Kept > 0 {
		r.Result = line(f.Cell, f.Metrics)
	}
	if f.Hist != nil {
		r.Hlog = interval(f.Hist)
	}
	for _, s := range f.Heap {
		r.Heap = append(r.Heap, fmt.Sprintf("%s,%d,%d", strconv.FormatFloat(s.MS, 'f', -1, 64), s.Bytes, s.Cycles))
	}
	var gated results.Turn
	for _, l := range h.Laps {
		if t, ok := l.Turn(f.ID); ok && !t.Kept() {
			add(&gated, t)
		}
	}
	if gated.Ops == 0 {
		return
	}
	r.GatedResult = line(f.Cell, []results.Metric{
		{Value: float64(gated.Wall) / float64(gated.Ops), Unit: bench.TimePerOp.Name},
		{Value: float64(gated.Ops), Unit: bench.Operations.Name},
	})
	if f.Hist != nil {
		r.GatedHlog = interval(Latencies(float64(gated.Latency)/float64(gated.Ops), gated.Ops))
	}
}

func line(cell bench.CellID, metrics []results.Metric) string {
	s := cell.Name.String() + "-2\t1"
	for _, m := range metrics {
		s += "\t" + strconv.FormatFloat(m.Value, 'f', -1, 64) + " " + m.Unit
	}
	return s
}

func interval(h *hdrhistogram.Histogram) string {
	var log bytes.Buffer
	if err := hdrhistogram.NewHistogramLogWriter(&log).OutputIntervalHistogram(h); err != nil {
		panic(err)
	}
	return strings.TrimSpace(log.String())
}
