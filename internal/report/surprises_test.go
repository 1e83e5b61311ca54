package report

import (
	"strings"
	"testing"

	"hotpath/internal/bench"
	"hotpath/internal/results"
	"hotpath/internal/results/synthetic"
)

// costs are an experiment with other costs.
func costs(e synthetic.Experiment, cost func(c bench.Cell, heat, lap int, was float64) float64) synthetic.Experiment {
	was := e.Cost
	e.Cost = func(c bench.Cell, heat, lap int) float64 { return cost(c, heat, lap, was(c, heat, lap)) }
	return e
}

// metrics are an experiment with other values of some units.
func metrics(e synthetic.Experiment, value func(c bench.Cell, unit string, was float64) float64) synthetic.Experiment {
	was := e.Metrics
	e.Metrics = func(c bench.Cell, heat int) []results.Metric {
		ms := was(c, heat)
		for i, m := range ms {
			ms[i].Value = value(c, m.Unit, m.Value)
		}
		return ms
	}
	return e
}

// Each surprise is told where the data have it, and not where they have it not.
func TestSurprises(t *testing.T) {
	for name, c := range map[string]struct {
		words   string
		with    synthetic.Experiment
		without synthetic.Experiment
	}{
		"mostly floor": {"on average with every operation timed, the floor takes", counterRun(14),
			costs(counterRun(14), func(c bench.Cell, _, _ int, was float64) float64 {
				if c.Role == bench.Floor {
					return was / 4
				}
				return was
			})},
		"below the floor": {"the floor takes more than `handle`", counterRun(14),
			costs(counterRun(14), func(c bench.Cell, _, _ int, was float64) float64 {
				if c.Impl() == "handle" {
					return was * 2
				}
				return was
			})},
		"by luck": {"`fastlong` is off by", histogramRun(14),
			metrics(histogramRun(14), func(_ bench.Cell, unit string, was float64) float64 {
				if strings.HasSuffix(unit, "error") {
					return min(was, 0.04)
				}
				return was
			})},
		"not the rival": {"the best of the other libraries is `crlib`: `xsync`", counterRun(14),
			costs(counterRun(14), func(c bench.Cell, _, _ int, was float64) float64 {
				if c.Impl() == "xsync" {
					return was / 5
				}
				return was
			})},
		"more garbage, lower heap": {"`before` allocates", echoRun(14),
			metrics(echoRun(14), func(c bench.Cell, unit string, was float64) float64 {
				if unit == bench.PeakHeap.Name {
					return 5e6
				}
				return was
			})},
		"the same wait": {"it is the caller's timer", echoRun(14),
			metrics(echoRun(14), func(c bench.Cell, unit string, was float64) float64 {
				if unit == bench.Latency(50).Name && c.Impl() == "before" {
					return was + 1e6
				}
				return was
			})},
		"far from near": {"How far apart the two CPUs are", counterRun(14),
			costs(counterRun(14), func(c bench.Cell, heat, _ int, was float64) float64 {
				clock := 0.0 // in each cost that is sampled
				if c.Mode() == bench.Sample {
					clock = 40
				}
				if heat%2 == 0 && c.Threads > 1 {
					return (was-clock)/find(counters, c.Impl()).far + clock
				}
				return was
			})},
		"sums apart": {"from the sums over the same laps",
			costs(counterRun(14), func(c bench.Cell, _, lap int, was float64) float64 {
				if lap == 7 && c.Impl() == "crlib" {
					return was * 50
				}
				return was
			}), counterRun(14)},
	} {
		t.Run(name, func(t *testing.T) {
			for _, run := range []struct {
				e    synthetic.Experiment
				want bool
			}{{c.with, true}, {c.without, false}} {
				r, err := inMemory(run.e)
				if err != nil {
					t.Fatal(err)
				}
				told := strings.Join(r.Surprises(), "\n")
				if strings.Contains(told, c.words) != run.want {
					t.Errorf("%q in these: %v, want %v\n%s", c.words, !run.want, run.want, told)
				}
			}
		})
	}
}
