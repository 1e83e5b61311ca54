package results_test

import (
	"math/rand/v2"
	"testing"

	"hotpath/internal/bench"
	"hotpath/internal/results"
	"hotpath/internal/results/synthetic"
)

// A run of an hour and a quarter stays small in a repository.
func TestTurnsSize(t *testing.T) {
	cells := synthetic.Cells("BenchmarkAdd/mode=thrpt/threads=32@numcpu", bench.Judged, "a", "b", "c", "d", "e", "f", "g", "h")
	for i := range cells {
		cells[i].Laps = 25
	}
	random := rand.New(rand.NewPCG(2, 3))
	run := synthetic.Run(synthetic.Manifest(), synthetic.Experiment{
		Name: "counter", Cells: cells, Heats: 300,
		Cost: func(c bench.Cell, heat, lap int) float64 { return 20 * (1 + random.Float64()) },
	})
	records := synthetic.Records(run)
	turns := 0
	for _, r := range records {
		for i := range r.Laps {
			l := &r.Laps[i]
			l.Before = bench.Probe{HandOff: 300 * random.Float64(), Got: 1.9 + 0.1*random.Float64()}
			l.After = bench.Probe{HandOff: 300 * random.Float64(), Got: 1.9 + 0.1*random.Float64()}
			for j := range l.Turns {
				turns++
				turn := &l.Turns[j]
				turn.Wall += random.Int64N(1e6)
				turn.CPU += random.Int64N(1e6)
				turn.Latency = random.Int64N(1e9)
				turn.Workers = 1 + random.IntN(32)
			}
		}
	}
	size := results.TurnsSize(records)
	t.Logf("%d turns of noise are %d bytes", turns, size)
	if turns != 60_000 || size > 5e6 {
		t.Errorf("%d turns are %d bytes, want 60,000 in 5 MB", turns, size)
	}
}
