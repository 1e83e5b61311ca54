package run

import (
	"fmt"
	"runtime"
	"strings"

	"hotpath/internal/bench"
	"hotpath/internal/results"
)

// unmet returns the gates that a fork did not meet. They look at what the
// machine did and at how the fork ran, never at what it measured.
func unmet(m results.Manifest, c bench.Cell, rec results.Record) ([]bench.Unmet, error) {
	lines, err := results.ParseText("output", strings.NewReader(strings.Join(rec.Units, "\n")+"\n"+rec.Result+"\n"))
	if err != nil {
		return nil, err
	}
	line := results.Fork{Metrics: lines[0].Metrics}
	ran, ok := line.Value(bench.WorkersRun)
	if !ok {
		return nil, fmt.Errorf("%s reports no %s", c.Name, bench.WorkersRun)
	}
	parallelism, ok := line.Value(bench.Parallelism)
	if !ok {
		return nil, fmt.Errorf("%s reports no %s", c.Name, bench.Parallelism)
	}
	conditions := bench.Conditions{
		Foreign: rec.Fork.Noise.Foreign,
		Steal:   rec.Fork.Noise.Steal,
		Workers: int(ran), Threads: c.Threads,
		Parallelism: parallelism,
	}
	if !c.Parks {
		conditions.Possible = min(c.Threads, c.Reading.Procs(c.Threads, runtime.NumCPU()), m.Machine.CPUs)
	}
	if c.Contends(runtime.NumCPU()) {
		conditions.Distance = m.Distance
		for _, unit := range []bench.Unit{bench.HandOffStart, bench.HandOffEnd} {
			if h, ok := line.Value(unit); ok {
				conditions.HandOffs = append(conditions.HandOffs, h)
			}
		}
	}
	return m.Gates.Unmet(conditions), nil
}
