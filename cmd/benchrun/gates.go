package main

import (
	"fmt"
	"strings"

	"hotpath/internal/host"
	"hotpath/internal/results"
)

// unmet returns, in words, the gates that a fork did not meet. They look at
// what the machine did and at how the fork ran, never at what it measured.
func unmet(m results.Manifest, c results.Cell, rec results.Record) ([]string, error) {
	lines, err := results.ParseText("output", strings.NewReader(strings.Join(rec.Units, "\n")+"\n"+rec.Result+"\n"))
	if err != nil {
		return nil, err
	}
	line := results.Fork{Metrics: lines[0].Metrics}
	ran, ok := line.Value("workers-run")
	if !ok {
		return nil, fmt.Errorf("%s reports no workers-run", c.Name)
	}
	parallelism, ok := line.Value("parallelism")
	if !ok {
		return nil, fmt.Errorf("%s reports no parallelism", c.Name)
	}
	facts := host.ForkFacts{
		Foreign: rec.Fork.Noise.Foreign,
		Steal:   rec.Fork.Noise.Steal,
		Workers: int(ran), Threads: c.Threads,
		Parallelism: parallelism,
	}
	if !c.Parks {
		facts.Possible = min(c.Threads, procs(c), m.Machine.CPUs)
	}
	if contends(c) {
		facts.Distance = m.Distance
		for _, unit := range []string{"handoff-start-ns", "handoff-end-ns"} {
			if h, ok := line.Value(unit); ok {
				facts.HandOffs = append(facts.HandOffs, h)
			}
		}
	}
	return host.Thresholds(m.Gates).Unmet(facts), nil
}

// contends reports whether a fork of the cell keeps more than one CPU busy, so
// that it matters where they are. A worker that waits waits for somebody: a
// server, with threads of its own.
func contends(c results.Cell) bool { return procs(c) > 1 && (c.Threads > 1 || c.Parks) }
