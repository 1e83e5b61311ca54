package explorer

import (
	"hotpath/internal/bench"
	"hotpath/internal/claims"
	"hotpath/internal/results"
	"hotpath/internal/results/synthetic"
	"hotpath/internal/study"
)

const (
	sampled = "BenchmarkAdd/mode=sample/threads=2@perthread"
	thrpt   = "BenchmarkAdd/mode=thrpt/threads=2@numcpu"
	fixed   = "BenchmarkEcho/mode=fixed/threads=2@numcpu"
)

// costs are the nanoseconds of an operation.
var costs = map[string]float64{
	"floor": 8, "base": 200, "base_again": 200, "mine": 21, "held": 12, "peer": 60, "other": 95, "slow": 900,
}

// half is which part of the block of throughput a contestant takes part in.
var half = map[string][]int{"base": {0, 1}, "base_again": {0, 1}, "peer": {0, 1}, "floor": {0}, "mine": {0}, "held": {1}, "other": {1}, "slow": {1}}

// made is an experiment that has all that the page shows: contestants that were
// never in one heat, laps near and far, turns and forks that do not count,
// latencies and heaps.
func made() synthetic.Experiment {
	e := synthetic.Experiment{Name: "counter", Heats: 12}
	e.Cells = append(e.Cells, synthetic.Cells(sampled, bench.Judged, "floor", "base", "base_again", "mine", "peer")...)
	e.Cells = append(e.Cells, synthetic.Cells(thrpt, bench.Peers, "floor", "base", "base_again", "mine", "held", "peer", "other", "slow")...)
	e.Cells = append(e.Cells, synthetic.Cells(fixed, bench.Judged, "base", "base_again", "mine")...)
	for i := range e.Cells {
		c := &e.Cells[i]
		switch impl := c.Impl(); impl {
		case "mine":
			c.Role, c.About = bench.Ours, "one cell for each P"
		case "held":
			c.Role, c.About, c.Holds = bench.Ours, "a cell of the caller's own", "a handle"
		case "peer", "other", "slow":
			c.Role, c.About = bench.Peer, "the library "+impl
		}
	}
	e.Parts = func(c bench.Cell) []int {
		if c.Mode() == bench.Throughput {
			return half[c.Impl()]
		}
		return []int{0}
	}
	e.HandOff = func(_ bench.Block, _, lap int) float64 { return []float64{57, 57, 170, 170, 100}[lap%5] }
	e.Cost = func(c bench.Cell, heat, lap int) float64 {
		cost := costs[c.Impl()] * synthetic.Noise(0.05, c.Name, heat, lap) * synthetic.Noise(0.2, heat, lap)
		if handOff := e.HandOff(c.Block, heat, lap); handOff > 150 && c.Impl() == "base" {
			cost *= 1.6
		}
		return cost
	}
	e.Unmet = func(c bench.Cell, heat, lap int) bench.GateSet {
		few := c.Impl() == "other" && heat > 4 && lap > 3 // of its heats count
		if few || c.Impl() == "peer" && lap <= 3 || c.Impl() == "mine" && heat == 2 && lap > 6 {
			return bench.GateSet(0).With(bench.GateSteal).With(bench.GateParallelism)
		}
		return 0
	}
	e.State = func(c bench.Cell, heat int) bench.State {
		if c.Impl() == "mine" && heat == 5 && c.Mode() == bench.Throughput {
			return bench.Failed
		}
		return bench.Complete
	}
	e.Metrics = func(c bench.Cell, heat int) []results.Metric {
		return []results.Metric{
			{Value: float64(len(c.Impl())*100 + heat%3), Unit: bench.BytesPerOp.Name},
			{Value: 0, Unit: bench.AllocsPerOp.Name},
			{Value: 0.01 * float64(len(c.Impl())) * synthetic.Noise(0.1, c.Name, heat), Unit: bench.GCShare.Name},
		}
	}
	e.Heap = func(c bench.Cell, heat int) []results.HeapSample {
		if c.Mode() != bench.Fixed {
			return nil
		}
		var course []results.HeapSample
		for i := range 80 {
			course = append(course, results.HeapSample{MS: float64(5 * i), Bytes: int64(4e6 + 1e5*costs[c.Impl()]*float64(i%8)), Cycles: int64(i / 8)})
		}
		return course
	}
	return e
}

// small is an experiment of one block, without a baseline, a control or claims.
func small() synthetic.Experiment {
	e := synthetic.Experiment{Name: "small", Heats: 3, Cells: synthetic.Cells("BenchmarkRecord/mode=thrpt/threads=1@one", bench.Peers, "base", "mine")}
	e.Cost = func(c bench.Cell, heat, lap int) float64 {
		return costs[c.Impl()] * synthetic.Noise(0.05, c.Name, heat, lap)
	}
	return e
}

// claimed are the claims of the made experiment.
func claimed() *claims.File {
	block, err := bench.ParseBlock(sampled)
	if err != nil {
		panic(err)
	}
	return &claims.File{Claims: []claims.Claim{
		{ID: "mine", Kind: claims.Ratio, Text: "Mine takes a tenth.", Metric: bench.MeanLatency, Block: block, Baseline: "base", Candidate: "mine", Published: 10},
		{ID: "order", Kind: claims.Order, Text: "Mine, then the peer.", Metric: bench.MeanLatency, Block: block, Order: []string{"base", "peer", "mine"}},
	}}
}

// runOf is a run with the experiments, of which each has the claims.
func runOf(file *claims.File, es ...synthetic.Experiment) *study.Run {
	run := synthetic.Run(synthetic.Manifest(), es...)
	r := &study.Run{Name: run.Name, Manifest: &run.Manifest}
	for _, x := range run.Experiments {
		r.Experiments = append(r.Experiments, study.New(r.Manifest, x, file))
	}
	return r
}
