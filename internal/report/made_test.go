package report

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"hotpath/internal/advice"
	"hotpath/internal/bench"
	"hotpath/internal/claims"
	"hotpath/internal/results"
	"hotpath/internal/results/synthetic"
	"hotpath/internal/study"
)

const experimentsDir = "testdata/experiments"

// contestant is one of a made-up experiment.
type contestant struct {
	impl string
	role bench.Role
	cost float64 // ns
	far  float64 // how many times as much where the CPUs are far apart
	more map[bench.Unit]float64
}

const (
	adds    = "BenchmarkAdd/mode=thrpt/threads=32@numcpu"
	addOne  = "BenchmarkAdd/mode=thrpt/threads=1@one"
	addTime = "BenchmarkAdd/mode=sample/threads=32@perthread"
	addJVM  = "BenchmarkAdd/lane=jvm/mode=sample/threads=32@perthread"
	addsJVM = "BenchmarkAdd/lane=jvm/mode=thrpt/threads=32@perthread"

	records    = "BenchmarkRecord/mode=thrpt/histograms=500/threads=200@numcpu"
	recordTime = "BenchmarkRecord/mode=sample/histograms=500/threads=200@perthread"

	echoTail  = "/cells=10/size=10240/gogc=100"
	echoes    = "BenchmarkEcho/mode=thrpt/procs=2/conns=16/depth=1" + echoTail + "@numcpu"
	echoOne   = "BenchmarkEcho/mode=thrpt/procs=2/conns=1/depth=1" + echoTail + "@numcpu"
	echoFixed = "BenchmarkEcho/mode=fixed/procs=1/conns=1/depth=1" + echoTail + "@numcpu"
	echoOpen  = "BenchmarkEcho/mode=open/procs=2/conns=1/depth=1" + echoTail + "/rate=500@numcpu"
)

var counters = []contestant{
	{"floor", bench.Floor, 0.4, 1, nil}, {"atomic", bench.Published, 18, 3, nil}, {"longadder", bench.Published, 3.3, 1, nil},
	{"perp", bench.Ours, 3.1, 1, nil}, {"handle", bench.Ours, 0.35, 1, nil}, {"atomic_again", bench.Control, 18, 3, nil},
	{"xsync", bench.Peer, 13, 1.4, nil}, {"crlib", bench.Peer, 6, 1, nil}, {"otel", bench.Peer, 150, 1, nil},
}

// originalCounters are counters on a JVM, and those that re-create them.
var originalCounters = slices.Concat(counters[:3], []contestant{
	{"jvm_floor", bench.Floor, 0.6, 1, nil}, {"jvm_atomic", bench.Published, 18, 3, nil}, {"jvm_longadder", bench.Published, 5, 1, nil},
	{"jvm_atomic_again", bench.Control, 18, 3, nil},
})

// recorder is a histogram with the errors of its quantiles and its bytes.
func recorder(impl string, role bench.Role, cost float64, errors [4]float64, heap float64) contestant {
	more := map[bench.Unit]float64{bench.TimePerUpdate: cost / 10, bench.BytesPerHistogram: heap, bench.SnapshotTime: heap / 3}
	for i, p := range bench.ErrorPercentiles {
		more[bench.QuantileError(p)] = errors[i]
	}
	return contestant{impl, role, cost, 1, more}
}

var fine = [4]float64{0.0004, 0.0005, 0.0005, 0.0009}

var recorders = []contestant{
	{"floor", bench.Floor, 13, 1, map[bench.Unit]float64{bench.TimePerUpdate: 1.3}},
	recorder("fastlong", bench.Published, 610, [4]float64{0.02, 0.1, 0.71, 0.001}, 4200),
	recorder("hdratomic", bench.Published, 310, fine, 270000),
	recorder("fastlong_again", bench.Control, 610, [4]float64{0.02, 0.1, 0.71, 0.001}, 4200),
	recorder("atomic", bench.Ours, 78, fine, 131000), recorder("set", bench.Ours, 76, fine, 49000),
	recorder("hdrgo3", bench.Peer, 350, fine, 270000), recorder("prometheus", bench.Peer, 50, [4]float64{0.3, 0.31, 0.3, 0.3}, 1900),
	recorder("ddsketch01", bench.Peer, 920, [4]float64{0.0009, 0.0009, 0.0009, 0.0009}, 34000),
}

// path is a response path with the server's CPU, what a call allocates, and how high
// its heap stands.
func path(impl string, role bench.Role, server, allocated, peak float64) contestant {
	more := map[bench.Unit]float64{
		bench.ServerCPU: server, bench.BytesPerOp: allocated, bench.PeakHeap: peak, bench.CopiedBytes: allocated / 2, bench.ServerBytes: allocated,
		bench.User: server * 2e-5, bench.System: server * 1e-5, bench.GCShare: 1e-6 * server,
	}
	for i, p := range bench.Percentiles {
		service := server * []float64{1, 1.2, 1.4, 2.2, 4, 11}[i]
		more[bench.Service(p)], more[bench.Latency(p)] = service, service+80e3
	}
	return contestant{impl, role, 1.3 * server, 1, more}
}

var paths = []contestant{
	path("floor", bench.Floor, 31e3, 0, 4e6), path("before", bench.Published, 141e3, 554e3, 5e6), path("after", bench.Published, 125e3, 246e3, 7e6),
	path("pooled", bench.Ours, 34e3, 300, 4e6), path("before_again", bench.Control, 141e3, 554e3, 5e6),
	path("grpc", bench.Peer, 420e3, 9e5, 4e6), path("grpcraw", bench.Peer, 130e3, 4e5, 4e6),
}

func find(of []contestant, impl string) contestant {
	return of[slices.IndexFunc(of, func(c contestant) bool { return c.impl == impl })]
}

// cells are a block's, of the contestants that are wanted, or of all.
func cells(block string, tier bench.Tier, of []contestant, want ...string) []bench.Cell {
	var impls []string
	for _, c := range of {
		if len(want) == 0 || slices.Contains(want, c.impl) {
			impls = append(impls, c.impl)
		}
	}
	cs := synthetic.Cells(block, tier, impls...)
	for i := range cs {
		cs[i].Role = find(of, cs[i].Impl()).role
		cs[i].Rival = slices.Contains([]string{"xsync", "hdrgo3", "grpcraw"}, cs[i].Impl())
		cs[i].About = "What " + cs[i].Impl() + " is."
		if cs[i].Impl() == "handle" {
			cs[i].Holds = "a handle for each goroutine"
		}
	}
	return cs
}

// made is what a made-up experiment measures, in so many heats.
func made(name string, heats int, of []contestant, blocks ...[]bench.Cell) synthetic.Experiment {
	return synthetic.Experiment{
		Name: name, Heats: heats, Cells: slices.Concat(blocks...),
		HandOff: func(_ bench.Block, heat, lap int) float64 {
			at := map[bool]float64{true: 230, false: 57}[heat%2 == 0]
			return at * synthetic.Noise(0.05, "apart", heat, lap)
		},
		Cost: func(c bench.Cell, heat, lap int) float64 {
			k := find(of, c.Impl())
			cost := k.cost * synthetic.Noise(0.01, c.Name, heat) * synthetic.Noise(0.04, c.Name, heat, lap)
			if heat%2 == 0 && c.Threads > 1 {
				cost *= k.far
			}
			if c.Mode() == bench.Sample {
				cost += 40 // the clock, and the wait for a CPU
			}
			return cost
		},
		Metrics: func(c bench.Cell, heat int) []results.Metric {
			var ms []results.Metric
			for _, u := range bench.Units() {
				v, ok := find(of, c.Impl()).more[u]
				fixed := c.Mode() == bench.Fixed
				late := slices.ContainsFunc(bench.Percentiles, func(p float64) bool { return u == bench.Service(p) || u == bench.Latency(p) })
				whole := u == bench.BytesPerOp || u == bench.PeakHeap || u == bench.User || u == bench.System || u == bench.GCShare
				if ok && c.Mode() != bench.Sample && late == (c.Mode() == bench.Open) && whole == fixed && (!late || c.Mode() == bench.Open) {
					ms = append(ms, results.Metric{Value: v * synthetic.Noise(0.005, c.Name, u.Name, heat), Unit: u.Name})
				}
			}
			return ms
		},
	}
}

func counterRun(heats int) synthetic.Experiment {
	return made("counter", heats, counters, countersInGo()...)
}

func countersInGo() [][]bench.Cell {
	return [][]bench.Cell{cells(addTime, bench.Judged, counters, "floor", "atomic", "longadder", "atomic_again"),
		cells(addOne, bench.Peers, counters), cells(adds, bench.Peers, counters)}
}

// counterLanes has the originals of the counters too.
func counterLanes(heats int) synthetic.Experiment {
	blocks := append(countersInGo(), cells(addJVM, bench.Judged, originalCounters), cells(addsJVM, bench.Peers, originalCounters))
	return made("counter", heats, slices.Concat(counters, originalCounters[3:]), blocks...)
}

func histogramRun(heats int) synthetic.Experiment {
	return made("multihistogram", heats, recorders, cells(recordTime, bench.Judged, recorders, "floor", "fastlong", "hdratomic", "fastlong_again"),
		cells(records, bench.Peers, recorders))
}

func echoRun(heats int) synthetic.Experiment {
	e := made("ipc", heats, paths, cells(echoFixed, bench.Judged, paths, "before", "after", "pooled", "before_again"),
		cells(echoes, bench.Peers, paths), cells(echoOne, bench.Peers, paths), cells(echoOpen, bench.Peers, paths, "floor", "before", "after", "pooled"))
	e.Server = func(c bench.Cell, heat, lap int) float64 {
		if c.Name.Params.Get("procs") == "1" {
			return 0
		}
		return find(paths, c.Impl()).more[bench.ServerCPU] * synthetic.Noise(0.02, c.Name, "server", heat, lap)
	}
	e.Heap = func(c bench.Cell, _ int) []results.HeapSample {
		if c.Mode() != bench.Fixed {
			return nil
		}
		return []results.HeapSample{{MS: 1, Bytes: 2e6}, {MS: 3, Bytes: 4e6, Cycles: 1}, {MS: 5, Bytes: 3e6, Cycles: 2}}
	}
	return e
}

// write makes the folder of a run that was begun with the claims of testdata.
func write(t *testing.T, dir, name string, change func(*results.Manifest), es ...synthetic.Experiment) {
	t.Helper()
	m := synthetic.Manifest()
	m.Machine = bench.Machine{CPU: "Test | CPU <b>", CPUs: 2, Facts: []bench.Fact{{Name: "kernel", Value: "1_2"}}}
	m.Modules = []bench.Fact{{Name: "example.test/m", Value: "v1.2.3"}}
	m.Lanes = []bench.Fact{{Name: "JVM", Value: "OpenJDK | 17"}, {Name: "JVM flags", Value: "-XX:+UseG1GC"}}
	m.Claims = map[string]string{}
	for _, e := range es {
		data, err := os.ReadFile(filepath.Join(experimentsDir, e.Name, "claims.toml"))
		if err != nil {
			t.Fatal(err)
		}
		m.Claims[e.Name] = fmt.Sprintf("%x", sha256.Sum256(data))
	}
	if change != nil {
		change(&m)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if err := synthetic.Write(root, name, m, es...); err != nil {
		t.Fatal(err)
	}
}

// inMemory is the section of a made-up experiment that is in no folder.
func inMemory(e synthetic.Experiment) (*section, error) {
	run := synthetic.Run(synthetic.Manifest(), e)
	f, err := claims.Load(filepath.Join(experimentsDir, e.Name, "claims.toml"))
	if err != nil {
		return nil, err
	}
	x := study.New(&run.Manifest, run.Experiments[0], f)
	s := &section{Experiment: x}
	s.Advice, err = advice.Load(experimentsDir, x)
	return s, err
}
