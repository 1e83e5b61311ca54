package chart

import (
	"math"
	"math/rand/v2"
	"strings"

	"hotpath/internal/results"
)

// values are the metrics of a contestant in a block, by unit; each fork's are
// the same but for noise.
type values map[string]float64

// part is one block of a synthetic experiment: its contestants in the order of
// the plan, with what they measure.
type part struct {
	block string
	tier  results.Tier
	of    func(impl string) values // nil where the contestant is not in the block
	hist  func(impl string) float64
	heap  func(impl string, random *rand.Rand) []results.HeapSample
}

// compose makes an experiment of parts, every number from a fixed seed.
func compose(name string, rounds int, impls []string, roles map[string]results.Role, parts []part) *results.Experiment {
	e := &results.Experiment{Name: name}
	e.Plan = results.Plan{Experiment: name, Rounds: map[results.Tier]int{results.Judged: rounds, results.Peers: rounds}}
	random := rand.New(rand.NewPCG(16146, 5945))
	var cells []results.Cell
	byCell := map[string]part{}
	for _, p := range parts {
		benchmark, rest, _ := strings.Cut(p.block, "/")
		rest, reading, _ := strings.Cut(rest, "@")
		for _, impl := range impls {
			if p.of(impl) == nil {
				continue
			}
			c := results.Cell{Name: benchmark + "/impl=" + impl + "/" + rest, Reading: results.Reading(reading), Role: roles[impl], Tier: p.tier, Block: p.block}
			cells = append(cells, c)
			byCell[c.Key()] = p
		}
	}
	e.Plan.Cells = cells
	for round := 1; round <= rounds; round++ {
		for _, c := range cells {
			p := byCell[c.Key()]
			f := &results.Fork{ID: len(e.Forks) + 1, Cell: c.Key(), Round: round, Attempt: 1, State: results.Complete}
			noise := math.Exp(0.03 * random.NormFloat64())
			of := p.of(c.Impl())
			for _, unit := range sortedUnits(of) {
				f.Metrics = append(f.Metrics, results.Metric{Value: of[unit] * noise, Unit: unit})
			}
			if p.hist != nil {
				f.Hist = latencies(p.hist(c.Impl()) * noise)
			}
			if p.heap != nil {
				f.Heap = p.heap(c.Impl(), random)
			}
			if random.IntN(12) == 0 {
				f.Gated = []string{"foreign CPU"}
			}
			e.Forks = append(e.Forks, f)
		}
	}
	return e
}

func sortedUnits(v values) []string {
	var units []string
	for _, known := range []string{
		"ns/op", "real-sec", "mean-latency-ns", "cpu-ns/op", "ns/update", "p50-error", "p99-error", "p99.9-error", "p99.99-error", "B/histogram",
		"server-cpu-ns/op", "server-B/op", "server-gc-share", "server-gc-pause-p99-ns", "copied-B/op", "path-alloc-B/op",
		"gc-share", "gc-pause-p50-ns", "gc-pause-p99-ns", "gc-pause-max-ns", "B/op",
		"p50-service-ns", "p99-service-ns", "p99.9-service-ns", "p99.99-service-ns",
		"p50-latency-ns", "p99-latency-ns", "p99.9-latency-ns", "p99.99-latency-ns",
	} {
		if _, ok := v[known]; ok {
			units = append(units, known)
		}
	}
	if len(units) != len(v) {
		panic("a unit is not in the list")
	}
	return units
}

// recorders are the contestants of the synthetic histograms: ns per update,
// error of the p99, and bytes of one.
var recorders = []struct {
	impl        string
	role        results.Role
	time, error float64
	heap        float64
}{
	{"floor", results.Floor, 1.3, -1, 0},
	{"fastlong", results.Published, 61, 0.021, 4200},
	{"fastlong_tl", results.Published, 34, 0.021, 5100},
	{"mutabletime", results.Published, 71, 0.13, 61000},
	{"hdratomic", results.Published, 31, 0.0005, 270000},
	{"hdrconcurrent", results.Published, 29, 0.00051, 310000},
	{"fastlong_again", results.Control, 61, 0.021, 4200},
	{"atomic", results.Ours, 14, 0.0005, 131000},
	{"set", results.Ours, 7.6, 0.0005, 49000},
	{"hdrgo3", results.Peer, 62, 0.00049, 270000},
	{"hdrgo2", results.Peer, 57, 0.0045, 44000},
	{"prometheus", results.Peer, 41, 0.31, 1900},
	{"promnative", results.Peer, 122, 0.042, 12000},
	{"victoria", results.Peer, 39, 0.058, 7100},
	{"victoriaprom", results.Peer, 38, 0.29, 1700},
	{"otel", results.Peer, 310, 0.33, 2600},
	{"otelexp", results.Peer, 355, 0.011, 9100},
	{"gmuniform", results.Peer, 140, 0.12, 8300},
	{"gmexpdecay", results.Peer, 480, 0.10, 41000},
	{"ddsketch01", results.Peer, 92, 0.001, 34000},
	{"ddsketch1", results.Peer, 90, 0.0097, 8800},
	{"circllhist", results.Peer, 83, 0.019, 5600},
	{"tdigest", results.Peer, 205, 0.003, 12700},
	{"perks", results.Peer, 540, 0, 21000},
}

// histograms is an experiment like that of many histograms.
func histograms(rounds int) *results.Experiment {
	var impls []string
	of := map[string]values{}
	roles := map[string]results.Role{}
	for _, r := range recorders {
		impls = append(impls, r.impl)
		roles[r.impl] = r.role
		of[r.impl] = values{"ns/op": 10 * r.time, "ns/update": r.time, "cpu-ns/op": 20 * r.time}
		if r.error >= 0 {
			for unit, times := range map[string]float64{"p50-error": 0.7, "p99-error": 1, "p99.9-error": 1.4, "p99.99-error": 2} {
				of[r.impl][unit] = r.error * times
			}
			of[r.impl]["B/histogram"] = r.heap
		}
	}
	sampled := func(impl string) values {
		if roles[impl] == results.Peer || roles[impl] == results.Ours {
			return nil
		}
		return values{"mean-latency-ns": 15 * of[impl]["ns/update"]}
	}
	return compose("multihistogram", rounds, impls, roles, []part{
		{block: "BenchmarkRecord/mode=sample/histograms=500/threads=200@perthread", tier: results.Judged, of: sampled,
			hist: func(impl string) float64 { return 15 * of[impl]["ns/update"] }},
		{block: "BenchmarkRecord/mode=thrpt/histograms=500/threads=200@numcpu", tier: results.Peers, of: func(impl string) values { return of[impl] }},
	})
}

// paths are the contestants of the synthetic echo: bytes copied, bytes
// allocated and ns of server's CPU for each call, and what a call takes of one
// process.
var paths = []struct {
	impl              string
	role              results.Role
	copied, allocated float64
	server            float64
	service, response float64 // p50 of an open loop
}{
	{"floor", results.Floor, 0, 0, 31e3, 90e3, 110e3},
	{"before", results.Published, 410956, 554e3, 141e3, 190e3, 310e3},
	{"oneframe", results.Ours, 308194, 246e3, 118e3, 0, 0},
	{"direct", results.Ours, 205452, 143e3, 91e3, 0, 0},
	{"after", results.Published, 308162, 246e3, 109e3, 160e3, 240e3},
	{"presize", results.Ours, 205420, 103e3, 88e3, 0, 0},
	{"pooledblock", results.Ours, 205420, 300, 71e3, 0, 0},
	{"views", results.Ours, 102730, 280, 55e3, 0, 0},
	{"onecopy", results.Ours, 102730, 16, 49e3, 0, 0},
	{"pooled", results.Ours, 0, 0, 34e3, 93e3, 117e3},
	{"worker", results.Ours, 0, 0, 39e3, 0, 0},
	{"before_again", results.Control, 410956, 554e3, 141e3, 190e3, 310e3},
	{"grpc", results.Peer, -1, -1, 420e3, 510e3, 3100e3},
	{"grpcraw", results.Peer, -1, -1, 130e3, 210e3, 420e3},
}

// echo is an experiment like that of the RPC server.
func echo(rounds int) *results.Experiment {
	var impls []string
	roles := map[string]results.Role{}
	at := map[string]int{}
	for i, p := range paths {
		impls = append(impls, p.impl)
		roles[p.impl] = p.role
		at[p.impl] = i
	}
	fixed := func(impl string) values {
		switch impl {
		case "before", "after", "pooled", "before_again":
			p := paths[at[impl]]
			return values{
				"real-sec": 2.1e-6 * p.server, "cpu-ns/op": 2 * p.server, "B/op": 2e5 + 1.4*p.allocated,
				"gc-share": p.allocated / 5e6, "gc-pause-p50-ns": 21e3, "gc-pause-p99-ns": 92e3, "gc-pause-max-ns": 410e3,
			}
		}
		return nil
	}
	two := func(impl string) values {
		p := paths[at[impl]]
		v := values{"ns/op": 1.3 * p.server, "cpu-ns/op": 2.2 * p.server, "server-cpu-ns/op": p.server, "server-B/op": max(0, 1.4*p.allocated),
			"server-gc-share": max(0, p.allocated) / 5e6, "server-gc-pause-p99-ns": 60e3}
		if p.copied >= 0 {
			v["copied-B/op"], v["path-alloc-B/op"] = p.copied, p.allocated
		}
		return v
	}
	open := func(impl string) values {
		p := paths[at[impl]]
		if p.service == 0 {
			return nil
		}
		v := values{"mean-latency-ns": p.response * 1.2}
		for name, times := range map[string]float64{"p50": 1, "p99": 2.2, "p99.9": 4, "p99.99": 11} {
			v[name+"-service-ns"] = p.service * times
			v[name+"-latency-ns"] = p.response * times * math.Sqrt(times)
		}
		return v
	}
	heap := func(impl string, random *rand.Rand) []results.HeapSample {
		p := paths[at[impl]]
		var samples []results.HeapSample
		bytes, cycles, live := 2.4e6, int64(0), 2.1e6
		for ms := 0.0; ms < 2.1e-3*p.server; ms += 5 {
			samples = append(samples, results.HeapSample{MS: ms + 0.1*random.Float64(), Bytes: int64(bytes), Cycles: cycles})
			bytes += (3e4 + p.allocated*1.4) * (3 + random.Float64())
			if bytes > 4.2e6+p.allocated*8 {
				bytes, cycles = live*(1+0.2*random.Float64()), cycles+1
			}
		}
		return samples
	}
	const tail = "cells=10/size=10240/gogc=100@numcpu"
	return compose("ipc", rounds, impls, roles, []part{
		{block: "BenchmarkEcho/mode=fixed/procs=1/" + tail, tier: results.Judged, of: fixed, heap: heap},
		{block: "BenchmarkEcho/mode=thrpt/procs=2/conns=16/depth=1/" + tail, tier: results.Peers, of: two},
		{block: "BenchmarkEcho/mode=sample/procs=2/conns=1/depth=1/" + tail, tier: results.Peers,
			of:   func(impl string) values { return values{"mean-latency-ns": paths[at[impl]].server} },
			hist: func(impl string) float64 { return paths[at[impl]].server }},
		{block: "BenchmarkEcho/mode=open/procs=2/conns=16/rate=4000/" + tail, tier: results.Peers, of: open},
	})
}
