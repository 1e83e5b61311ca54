package chart

import (
	"math"
	"slices"

	"hotpath/internal/bench"
	"hotpath/internal/claims"
	"hotpath/internal/results"
	"hotpath/internal/results/synthetic"
	"hotpath/internal/study"
)

// contestant is one of a made-up experiment.
type contestant struct {
	impl  string
	role  bench.Role
	holds string
	cost  float64 // ns
	far   float64 // how many times as much where the CPUs are far apart
}

var counters = []contestant{
	{"floor", bench.Floor, "", 0.4, 1}, {"atomic", bench.Published, "", 18, 3}, {"hbase", bench.Published, "", 12, 2.2},
	{"hbase_tl", bench.Published, "a view", 4.1, 1.1}, {"longadder", bench.Published, "a view", 3.3, 1},
	{"perp", bench.Ours, "", 3.1, 1.05}, {"handle", bench.Ours, "a handle", 0.52, 1}, {"group", bench.Ours, "a number", 2.7, 1},
	{"atomic_again", bench.Control, "", 18, 3}, {"xsync", bench.Peer, "", 13, 1.4}, {"prometheus", bench.Peer, "", 21, 3}, {"otel", bench.Peer, "", 150, 1.5},
}

var recorders = []contestant{
	{"floor", bench.Floor, "", 13, 1}, {"fastlong", bench.Published, "", 610, 1.5}, {"fastlong_tl", bench.Published, "a view", 1300, 1},
	{"mutabletime", bench.Published, "", 710, 1.5}, {"hdratomic", bench.Published, "", 310, 1.3}, {"hdrconcurrent", bench.Published, "", 560, 1.3},
	{"fastlong_again", bench.Control, "", 610, 1.5}, {"atomic", bench.Ours, "", 190, 1.2}, {"set", bench.Ours, "a number", 76, 1}, {"set_batch", bench.Ours, "a batch", 61, 1},
	{"hdrgo3", bench.Peer, "", 350, 1.3}, {"hdrgo2", bench.Peer, "", 340, 1.3}, {"prometheus", bench.Peer, "", 210, 1.3}, {"promnative", bench.Peer, "", 280, 1.3},
	{"victoria", bench.Peer, "", 690, 1.3}, {"victoriaprom", bench.Peer, "", 105, 1.3}, {"otelexp", bench.Peer, "", 3550, 1}, {"gmexpdecay", bench.Peer, "", 4800, 1},
	{"ddsketch01", bench.Peer, "", 920, 1}, {"ddsketch1", bench.Peer, "", 900, 1}, {"circllhist", bench.Peer, "", 830, 1}, {"tdigest", bench.Peer, "", 2050, 1}, {"perks", bench.Peer, "", 5400, 1},
}

// recorded is the error of a histogram's p99 and its bytes.
var recorded = map[string][2]float64{
	"fastlong": {0.021, 4200}, "fastlong_tl": {0.021, 5100}, "mutabletime": {0.13, 61000}, "hdratomic": {0.0005, 270000}, "hdrconcurrent": {0.00051, 310000},
	"atomic": {0.0005, 131000}, "set": {0.0005, 49000}, "set_batch": {0.0005, 49000}, "hdrgo3": {0.00049, 270000}, "hdrgo2": {0.0045, 44000}, "prometheus": {0.31, 1900},
	"promnative": {0.042, 12000}, "victoria": {0.058, 7100}, "victoriaprom": {0.29, 1700}, "otelexp": {0.011, 9100}, "gmexpdecay": {0.1, 41000},
	"ddsketch01": {0.001, 34000}, "ddsketch1": {0.0097, 8800}, "circllhist": {0.019, 5600}, "tdigest": {0.003, 12700}, "perks": {0, 21000},
}

var paths = []contestant{
	{"floor", bench.Floor, "", 31e3, 1}, {"before", bench.Published, "", 141e3, 1}, {"oneframe", bench.Ours, "", 118e3, 1}, {"direct", bench.Ours, "", 91e3, 1},
	{"after", bench.Published, "", 109e3, 1}, {"presize", bench.Ours, "", 88e3, 1}, {"pooledblock", bench.Ours, "", 71e3, 1}, {"onecopy", bench.Ours, "", 49e3, 1},
	{"pooled", bench.Ours, "", 34e3, 1}, {"worker", bench.Ours, "", 39e3, 1}, {"before_again", bench.Control, "", 141e3, 1},
	{"grpc", bench.Peer, "", 420e3, 1}, {"grpcraw", bench.Peer, "", 130e3, 1}, {"netrpc", bench.Peer, "", 160e3, 1},
}

// cells are a block's, of those contestants that are wanted, or of all.
func cells(block string, tier bench.Tier, of []contestant, want ...string) []bench.Cell {
	var impls []string
	for _, c := range of {
		if len(want) == 0 || slices.Contains(want, c.impl) {
			impls = append(impls, c.impl)
		}
	}
	cs := synthetic.Cells(block, tier, impls...)
	for i := range cs {
		c := find(of, cs[i].Impl())
		cs[i].Role, cs[i].Holds = c.role, c.holds
		cs[i].Rival = c.impl == "xsync" || c.impl == "hdrgo3" || c.impl == "grpcraw"
		cs[i].Parks = cs[i].Name.Benchmark == "BenchmarkEcho"
		if cs[i].Mode() == bench.Sample {
			cs[i].Laps = 10
		}
	}
	return cs
}

func find(of []contestant, impl string) contestant {
	return of[slices.IndexFunc(of, func(c contestant) bool { return c.impl == impl })]
}

// handOff is how far apart the CPUs of a made-up machine are: near for two heats,
// far for one.
func handOff(_ bench.Block, heat, lap int) float64 {
	at := 57.0
	if heat%3 == 0 {
		at = 230
	}
	return at * synthetic.Noise(0.06, "apart", heat, lap)
}

// made is what a made-up experiment measures, so many heats of each block.
func made(name string, heats int, of []contestant, blocks ...[]bench.Cell) synthetic.Experiment {
	return synthetic.Experiment{
		Name: name, Heats: heats, Cells: slices.Concat(blocks...), HandOff: handOff,
		Cost: func(c bench.Cell, heat, lap int) float64 {
			k := find(of, c.Impl())
			cost := k.cost * synthetic.Noise(0.03, c.Impl(), heat) * synthetic.Noise(0.08, c.Name, heat, lap)
			if heat%3 == 0 {
				cost *= k.far
			}
			if c.Mode() == bench.Sample {
				cost += 30
			}
			return cost
		},
	}
}

func counterRun(heats int) synthetic.Experiment {
	judged := []string{"floor", "atomic", "hbase", "hbase_tl", "longadder", "atomic_again"}
	e := made("counter", heats, counters,
		cells("BenchmarkAdd/mode=thrpt/threads=1@one", bench.Peers, counters),
		cells("BenchmarkAdd/mode=thrpt/threads=32@numcpu", bench.Peers, counters),
		cells("BenchmarkAdd/mode=sample/threads=32@perthread", bench.Judged, counters, judged...))
	e.Unmet = func(c bench.Cell, heat, _ int) bench.GateSet {
		if c.Mode() == bench.Sample && heat == 5 {
			return bench.GateSet(0).With(bench.GateSteal)
		}
		return 0
	}
	e.Metrics = func(c bench.Cell, _ int) []results.Metric {
		if c.Mode() == bench.Sample {
			return nil
		}
		bytes := 8.0
		if k := find(counters, c.Impl()); k.far < 1.2 {
			bytes = 2048
		}
		return []results.Metric{{Value: bytes, Unit: bench.BytesPerCounter.Name}}
	}
	return e
}

// laneRun are counters and their originals.
func laneRun(heats int) synthetic.Experiment {
	all := slices.Concat(counters[:5], counters[8:9])
	for i, cost := range []float64{0.5, 17, 9, 4.4, 4.9, 17} {
		c := all[i]
		all = append(all, contestant{"jvm_" + c.impl, c.role, c.holds, cost, c.far})
	}
	inLane := slices.DeleteFunc(slices.Clone(all), func(c contestant) bool { return c.impl == "atomic_again" })
	return made("lane", heats, all,
		cells("BenchmarkAdd/mode=sample/threads=32@perthread", bench.Judged, all[:6]),
		cells("BenchmarkAdd/lane=jvm/mode=sample/threads=32@perthread", bench.Judged, inLane),
		cells("BenchmarkAdd/lane=jvm/mode=thrpt/threads=32@perthread", bench.Peers, inLane))
}

func histogramRun(heats int) synthetic.Experiment {
	judged := []string{"floor", "fastlong", "fastlong_tl", "mutabletime", "hdratomic", "hdrconcurrent", "fastlong_again"}
	e := made("multihistogram", heats, recorders,
		cells("BenchmarkRecord/mode=thrpt/histograms=500/threads=200@numcpu", bench.Peers, recorders),
		cells("BenchmarkRecord/mode=sample/histograms=500/threads=200@perthread", bench.Judged, recorders, judged...))
	e.Metrics = func(c bench.Cell, heat int) []results.Metric {
		r, known := recorded[c.Impl()]
		if c.Mode() == bench.Sample || !known {
			return nil
		}
		ms := []results.Metric{
			{Value: find(recorders, c.Impl()).cost / 10, Unit: bench.TimePerUpdate.Name},
			{Value: r[1], Unit: bench.BytesPerHistogram.Name}, {Value: r[1] / 3, Unit: bench.SnapshotTime.Name},
		}
		for i, p := range bench.ErrorPercentiles {
			ms = append(ms, results.Metric{Value: r[0] * []float64{0.7, 1, 1.4, 2}[i], Unit: bench.QuantileError(p).Name})
		}
		return ms
	}
	return e
}

func echoRun(heats int) synthetic.Experiment {
	const tail = "/cells=10/size=10240/gogc=100@numcpu"
	some := []string{"floor", "before", "after", "pooled", "worker", "before_again", "grpc", "grpcraw", "netrpc"}
	blocks := [][]bench.Cell{
		cells("BenchmarkEcho/mode=fixed/procs=1"+tail, bench.Judged, paths, "before", "after", "pooled", "before_again"),
		cells("BenchmarkEcho/mode=thrpt/procs=2/conns=1/depth=1"+tail, bench.Peers, paths),
	}
	for _, load := range []string{"conns=16/depth=1/cells=10/size=10240", "conns=1/depth=8/cells=10/size=10240", "conns=1/depth=1/cells=10/size=100", "conns=16/depth=1/cells=10/size=100", "conns=1/depth=8/cells=10/size=100"} {
		blocks = append(blocks, cells("BenchmarkEcho/mode=thrpt/procs=2/"+load+"/gogc=100@numcpu", bench.Peers, paths, some...))
	}
	blocks = append(blocks,
		cells("BenchmarkEcho/mode=sample/procs=2/conns=1/depth=1"+tail, bench.Peers, paths, some...),
		cells("BenchmarkEcho/mode=open/procs=2/conns=1/depth=1/cells=10/size=10240/gogc=100/rate=500@numcpu", bench.Peers, paths, "floor", "before", "after", "pooled", "grpc"))
	e := made("ipc", heats, paths, blocks...)
	e.Metrics = func(c bench.Cell, _ int) []results.Metric { return echoed(c) }
	e.Heap = func(c bench.Cell, _ int) []results.HeapSample {
		if c.Mode() != bench.Fixed {
			return nil
		}
		return course(find(paths, c.Impl()).cost)
	}
	return e
}

// echoed is what a fork of a response path tells beside its turns.
func echoed(c bench.Cell) (ms []results.Metric) {
	k := find(paths, c.Impl())
	put := func(u bench.Unit, v float64) { ms = append(ms, results.Metric{Value: v, Unit: u.Name}) }
	if c.Name.Params.Get("procs") == "2" {
		put(bench.ServerCPU, k.cost)
		put(bench.ServerBytes, 4*max(0, k.cost-34e3))
	} else {
		put(bench.BytesPerOp, 2e5+4*k.cost)
		put(bench.PeakHeap, 4e6+40*k.cost)
		put(bench.GCShare, 0.04)
	}
	if c.Mode() == bench.Throughput && k.role != bench.Peer {
		put(bench.CopiedBytes, 4*max(0, k.cost-34e3))
		put(bench.PathAllocBytes, 4*max(0, k.cost-34e3))
	}
	if c.Mode() == bench.Open {
		for i, p := range []float64{50, 99, 99.9, 99.99} {
			times := []float64{1, 2.2, 4, 11}[i]
			put(bench.Service(p), k.cost*times)
			put(bench.Latency(p), k.cost*times*math.Sqrt(1+times))
		}
	}
	return ms
}

// course is a heap that grows and is collected.
func course(cost float64) []results.HeapSample {
	var samples []results.HeapSample
	bytes, cycles := 2.4e6, int64(0)
	for ms := 0.0; ms < 2.1e-3*cost; ms += 2 {
		samples = append(samples, results.HeapSample{MS: ms, Bytes: int64(bytes), Cycles: cycles})
		if bytes += 3e5 + 2*cost; bytes > 4.2e6+40*cost {
			bytes, cycles = 2.1e6, cycles+1
		}
	}
	return samples
}

// rows are a made-up experiment's, with verdicts if any.
func rows(e synthetic.Experiment, f claims.File, verdicts ...claims.Verdict) *study.Experiment {
	run := synthetic.Run(synthetic.Manifest(), e)
	x := study.New(&run.Manifest, run.Experiments[0], &f)
	x.Judgement.Verdicts = verdicts
	return x
}
