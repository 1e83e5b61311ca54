package resultstest

import (
	"math"

	"hotpath/internal/bench"
	"hotpath/internal/results"
)

// Gate takes every so manieth fork out, as if others had used a CPU: it was
// faster for it.
func Gate(e *results.Experiment, every int) {
	for _, f := range e.Forks {
		if f.ID%every != 0 {
			continue
		}
		f.Gated = []bench.Unmet{{Gate: bench.GateForeign, Got: 0.12, Most: 0.05}}
		for i := range f.Metrics {
			f.Metrics[i].Value *= 0.3 + 0.1*float64(f.Round%7)
		}
	}
}

// Counter is an experiment like that of the counters: a sampled block that is
// judged, and three of throughput.
func Counter(rounds int) *results.Experiment {
	contestants := []struct {
		impl                    string
		role                    bench.Role
		sample, one, many, each float64 // ns per operation; 0 where it takes no part
	}{
		{"floor", bench.Floor, 29, 0.21, 0.11, 0.11},
		{"atomic", bench.Published, 270, 4.6, 21.4, 20.9},
		{"mutex", bench.Ours, 0, 9.8, 61, 140},
		{"hbase", bench.Published, 190, 5.3, 12.4, 12.9},
		{"hbase_tl", bench.Published, 55, 7.1, 3.6, 3.7},
		{"longadder", bench.Published, 50, 5.1, 2.7, 2.6},
		{"perp", bench.Ours, 0, 1.9, 1.02, 1.05},
		{"handle", bench.Ours, 0, 0.23, 0.20, 0.21},
		{"group", bench.Ours, 0, 2.1, 1.1, 1.2},
		{"atomic_again", bench.Control, 270, 0, 0, 0},
		{"xsync", bench.Peer, 0, 3.1, 5.9, 6.1},
		{"victoria", bench.Peer, 0, 4.7, 21.8, 21.1},
		{"prometheus", bench.Peer, 0, 5.0, 22.3, 21.7},
		{"otel", bench.Peer, 0, 61, 84, 88},
		{"gometrics", bench.Peer, 0, 4.7, 21.2, 20.5},
		{"expvar", bench.Peer, 0, 4.8, 21.5, 21},
	}
	blocks := []Block{
		{Name: "BenchmarkAdd/mode=sample/threads=32@perthread", Tier: bench.Judged},
		{Name: "BenchmarkAdd/mode=thrpt/threads=1@one", Tier: bench.Peers},
		{Name: "BenchmarkAdd/mode=thrpt/threads=32@numcpu", Tier: bench.Peers},
		{Name: "BenchmarkAdd/mode=thrpt/threads=32@perthread", Tier: bench.Peers},
	}
	for _, c := range contestants {
		if c.sample > 0 {
			blocks[0].Cells = append(blocks[0].Cells, Cell{Impl: c.impl, Role: c.role, Latency: c.sample, Values: sampled(c.sample)})
		}
		for i, ns := range []float64{c.one, c.many, c.each} {
			if ns == 0 {
				continue
			}
			allocated, collecting := 0.0, 0.0
			if c.impl == "otel" {
				allocated, collecting = 24, 3.1
			}
			blocks[1+i].Cells = append(blocks[1+i].Cells, Cell{Impl: c.impl, Role: c.role, Values: []Value{
				{bench.TimePerOp, ns}, {bench.CPUPerOp, 2 * ns}, {bench.BytesPerOp, allocated}, {bench.GCCPU, collecting},
				{bench.BytesPerCounter, 128 * float64(i+1)}, {bench.Trend, 1},
			}})
		}
	}
	return New("counter", rounds, blocks...)
}

func sampled(mean float64) []Value {
	return []Value{{bench.MeanLatency, mean}, {bench.Latency(50), mean * 0.9}, {bench.Latency(99), mean * 3}, {bench.Latency(99.9), mean * 40}, {bench.Trend, 0.9}}
}

// Histograms is an experiment like that of many histograms: a sampled block that
// is judged, and one of throughput with what accuracy costs.
func Histograms(rounds int) *results.Experiment {
	recorders := []struct {
		impl        string
		role        bench.Role
		time, error float64 // ns per update; of the p99, negative where it has no quantiles
		heap        float64 // bytes of one
	}{
		{"floor", bench.Floor, 1.3, -1, 0},
		{"fastlong", bench.Published, 61, 0.021, 4200},
		{"fastlong_tl", bench.Published, 34, 0.021, 5100},
		{"mutabletime", bench.Published, 71, 0.13, 61000},
		{"hdratomic", bench.Published, 31, 0.0005, 270000},
		{"hdrconcurrent", bench.Published, 29, 0.00051, 310000},
		{"fastlong_again", bench.Control, 61, 0.021, 4200},
		{"atomic", bench.Ours, 14, 0.0005, 131000},
		{"set", bench.Ours, 7.6, 0.0005, 49000},
		{"hdrgo3", bench.Peer, 62, 0.00049, 270000},
		{"hdrgo2", bench.Peer, 57, 0.0045, 44000},
		{"prometheus", bench.Peer, 41, 0.31, 1900},
		{"promnative", bench.Peer, 122, 0.042, 12000},
		{"victoria", bench.Peer, 39, 0.058, 7100},
		{"victoriaprom", bench.Peer, 38, 0.29, 1700},
		{"otel", bench.Peer, 310, 0.33, 2600},
		{"otelexp", bench.Peer, 355, 0.011, 9100},
		{"gmuniform", bench.Peer, 140, 0.12, 8300},
		{"gmexpdecay", bench.Peer, 480, 0.10, 41000},
		{"ddsketch01", bench.Peer, 92, 0.001, 34000},
		{"ddsketch1", bench.Peer, 90, 0.0097, 8800},
		{"circllhist", bench.Peer, 83, 0.019, 5600},
		{"tdigest", bench.Peer, 205, 0.003, 12700},
		{"perks", bench.Peer, 540, 0, 21000},
	}
	sample := Block{Name: "BenchmarkRecord/mode=sample/histograms=500/threads=200@perthread", Tier: bench.Judged}
	thrpt := Block{Name: "BenchmarkRecord/mode=thrpt/histograms=500/threads=200@numcpu", Tier: bench.Peers}
	for _, r := range recorders {
		values := []Value{{bench.TimePerOp, 10 * r.time}, {bench.TimePerUpdate, r.time}, {bench.CPUPerOp, 20 * r.time}}
		if r.error >= 0 {
			values = append(values, Value{bench.QuantileError(50), r.error * 0.7}, Value{bench.QuantileError(99), r.error},
				Value{bench.QuantileError(99.9), r.error * 1.4}, Value{bench.QuantileError(99.99), r.error * 2},
				Value{bench.BytesPerHistogram, r.heap}, Value{bench.SnapshotTime, r.heap / 3}, Value{bench.SnapshotAllocs, 2}, Value{bench.SnapshotBytes, r.heap})
		}
		thrpt.Cells = append(thrpt.Cells, Cell{Impl: r.impl, Role: r.role, Values: values})
		if r.role != bench.Peer && r.role != bench.Ours {
			sample.Cells = append(sample.Cells, Cell{Impl: r.impl, Role: r.role, Latency: 15 * r.time, Values: sampled(15 * r.time)})
		}
	}
	return New("multihistogram", rounds, sample, thrpt)
}

// path is a contestant of the made-up server.
type path struct {
	impl              string
	role              bench.Role
	copied, allocated float64 // bytes a call; negative where it is not counted
	server            float64 // ns of CPU a call
	service, response float64 // p50 in an open loop, in ns; 0 where it takes no part
	fixed             bool    // takes part in the fixed work
}

var paths = []path{
	{"floor", bench.Floor, 0, 0, 31e3, 90e3, 110e3, false},
	{"before", bench.Published, 410956, 554e3, 141e3, 190e3, 310e3, true},
	{"oneframe", bench.Ours, 308194, 246e3, 118e3, 0, 0, false},
	{"direct", bench.Ours, 205452, 143e3, 91e3, 0, 0, false},
	{"after", bench.Published, 308162, 246e3, 109e3, 160e3, 240e3, true},
	{"presize", bench.Ours, 205420, 103e3, 88e3, 0, 0, false},
	{"pooledblock", bench.Ours, 205420, 300, 71e3, 0, 0, false},
	{"views", bench.Ours, 102730, 280, 55e3, 0, 0, false},
	{"onecopy", bench.Ours, 102730, 16, 49e3, 0, 0, false},
	{"pooled", bench.Ours, 0, 0, 34e3, 93e3, 117e3, true},
	{"worker", bench.Ours, 0, 0, 39e3, 0, 0, false},
	{"before_again", bench.Control, 410956, 554e3, 141e3, 190e3, 310e3, true},
	{"grpc", bench.Peer, -1, -1, 420e3, 510e3, 3100e3, false},
	{"grpcraw", bench.Peer, -1, -1, 130e3, 210e3, 420e3, false},
}

// Echo is an experiment like that of the RPC server: fixed work that is judged,
// throughput at three loads, latencies, and an open loop.
func Echo(rounds int) *results.Experiment {
	const tail = "/cells=10/size=10240/gogc=100@numcpu"
	fixed := Block{Name: "BenchmarkEcho/mode=fixed/procs=1" + tail, Tier: bench.Judged}
	sample := Block{Name: "BenchmarkEcho/mode=sample/procs=2/conns=1/depth=1" + tail, Tier: bench.Peers}
	open := Block{Name: "BenchmarkEcho/mode=open/procs=2/conns=16/rate=4000" + tail, Tier: bench.Peers}
	var loads []Block
	for _, load := range []string{"conns=16/depth=1", "conns=1/depth=1", "conns=1/depth=8"} {
		loads = append(loads, Block{Name: "BenchmarkEcho/mode=thrpt/procs=2/" + load + tail, Tier: bench.Peers})
	}
	for _, p := range paths {
		if p.fixed {
			fixed.Cells = append(fixed.Cells, Cell{Impl: p.impl, Role: p.role, Values: p.work(), Heap: p.course()})
		}
		for i := range loads {
			loads[i].Cells = append(loads[i].Cells, Cell{Impl: p.impl, Role: p.role, Values: p.call()})
		}
		sample.Cells = append(sample.Cells, Cell{Impl: p.impl, Role: p.role, Latency: p.server, Values: sampled(p.server)})
		if p.service > 0 {
			open.Cells = append(open.Cells, Cell{Impl: p.impl, Role: p.role, Values: p.waits()})
		}
	}
	return New("ipc", rounds, append([]Block{fixed, sample, open}, loads...)...)
}

func (p path) work() []Value {
	real := 2.1e-6 * p.server
	return []Value{
		{bench.Real, real}, {bench.User, real * 1.04}, {bench.System, 0.4 * real}, {bench.CPUSeconds, real * 1.44}, {bench.Operations, 2500},
		{bench.CPUPerOp, 2 * p.server}, {bench.BytesPerOp, 2e5 + 1.4*p.allocated}, {bench.GCShare, p.allocated / 5e6},
		{bench.GCPauseP50, 21e3}, {bench.GCPauseP99, 92e3}, {bench.GCPauseMax, 410e3}, {bench.PeakHeap, 4e6 + 8*p.allocated},
	}
}

func (p path) call() []Value {
	values := []Value{
		{bench.TimePerOp, 1.3 * p.server}, {bench.CPUPerOp, 2.2 * p.server}, {bench.ServerCPU, p.server}, {bench.ServerBytes, max(0, 1.4*p.allocated)},
		{bench.ServerGCShare, max(0, p.allocated) / 5e6}, {bench.ServerGCPause, 60e3}, {bench.Reads, 2}, {bench.Writes, 1},
	}
	if p.copied >= 0 {
		values = append(values, Value{bench.CopiedBytes, p.copied}, Value{bench.PathAllocBytes, p.allocated})
	}
	return values
}

func (p path) waits() []Value {
	values := []Value{{bench.MeanLatency, p.response * 1.2}, {bench.AchievedRate, 4000}}
	for i, percentile := range []float64{50, 99, 99.9, 99.99} {
		times := []float64{1, 2.2, 4, 11}[i]
		values = append(values, Value{bench.Service(percentile), p.service * times}, Value{bench.Latency(percentile), p.response * times * math.Sqrt(times)})
	}
	return values
}

// course is a heap that grows and is collected.
func (p path) course() []results.HeapSample {
	var samples []results.HeapSample
	bytes, cycles := 2.4e6, int64(0)
	for ms := 0.0; ms < 2.1e-3*p.server; ms += 5 {
		samples = append(samples, results.HeapSample{MS: ms, Bytes: int64(bytes), Cycles: cycles})
		if bytes += (3e4 + p.allocated*1.4) * 3.4; bytes > 4.2e6+p.allocated*8 {
			bytes, cycles = 2.1e6, cycles+1
		}
	}
	return samples
}
