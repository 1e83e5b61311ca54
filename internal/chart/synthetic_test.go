package chart

import (
	"math"
	"math/rand/v2"

	"github.com/HdrHistogram/hdrhistogram-go"

	"hotpath/internal/claims"
	"hotpath/internal/results"
	"hotpath/internal/stats"
)

const (
	sampled     = "BenchmarkAdd/mode=sample/threads=32@perthread"
	uncontended = "BenchmarkAdd/mode=thrpt/threads=1@one"
	numcpu      = "BenchmarkAdd/mode=thrpt/threads=32@numcpu"
	perthread   = "BenchmarkAdd/mode=thrpt/threads=32@perthread"
)

// contestants are the columns of the synthetic run: mean of a sampled
// operation, and time per operation in the three blocks of mode thrpt, in ns.
// Zero means that the contestant is not in the block.
var contestants = []struct {
	impl                              string
	sample, uncontended, many, thread float64
}{
	{"floor", 29, 0.21, 0.11, 0.11},
	{"atomic", 270, 4.6, 21.4, 20.9},
	{"mutex", 0, 9.8, 61, 140},
	{"hbase", 190, 5.3, 12.4, 12.9},
	{"hbase_tl", 55, 7.1, 3.6, 3.7},
	{"longadder", 50, 5.1, 2.7, 2.6},
	{"perp", 41, 1.9, 1.02, 1.05},
	{"handle", 0, 0.23, 0.20, 0.21},
	{"group", 0, 2.1, 1.1, 1.2},
	{"atomic_again", 268, 0, 0, 0},
	{"xsync", 0, 3.1, 5.9, 6.1},
	{"victoria", 0, 4.7, 21.8, 21.1},
	{"prometheus", 0, 5.0, 22.3, 21.7},
	{"otel", 0, 61, 84, 88},
	{"gometrics", 0, 4.7, 21.2, 20.5},
	{"expvar", 0, 4.8, 21.5, 21},
}

var roles = map[string]results.Role{
	"floor": results.Floor, "atomic_again": results.Control,
	"atomic": results.Published, "hbase": results.Published, "hbase_tl": results.Published, "longadder": results.Published,
	"mutex": results.Ours, "perp": results.Ours, "handle": results.Ours, "group": results.Ours,
	"xsync": results.Peer, "victoria": results.Peer, "prometheus": results.Peer,
	"otel": results.Peer, "gometrics": results.Peer, "expvar": results.Peer,
}

// synthetic is an experiment like the real one: rounds of four blocks, every
// number drawn from a fixed seed.
func synthetic(rounds int) *results.Experiment {
	e := &results.Experiment{Name: "counter"}
	e.Plan = results.Plan{Experiment: "counter", Rounds: map[results.Tier]int{results.Judged: rounds, results.Peers: rounds}}
	random := rand.New(rand.NewPCG(16146, 5945))
	for _, block := range []string{sampled, uncontended, numcpu, perthread} {
		for _, c := range contestants {
			mean := map[string]float64{sampled: c.sample, uncontended: c.uncontended, numcpu: c.many, perthread: c.thread}[block]
			if mean == 0 {
				continue
			}
			cell := cellOf(block, c.impl)
			e.Plan.Cells = append(e.Plan.Cells, cell)
			for round := 1; round <= rounds; round++ {
				noise := math.Exp(0.03 * random.NormFloat64())
				f := &results.Fork{Cell: cell.Key(), Round: round, Attempt: 1, State: results.Complete}
				if random.IntN(12) == 0 {
					f.Gated = []string{"foreign CPU"}
					noise *= 0.3 + 0.7*random.Float64()
				}
				if cell.Tier == results.Judged {
					h := latencies(mean * noise)
					f.Hist = h
					f.Metrics = []results.Metric{{Value: h.Mean(), Unit: "mean-latency-ns"}}
				} else {
					f.Metrics = []results.Metric{
						{Value: mean * noise, Unit: "ns/op"},
						{Value: 2 * mean * noise, Unit: "cpu-ns/op"},
						{Value: map[string]float64{"otel": 24, "expvar": 0}[c.impl], Unit: "B/op"},
						{Value: map[string]float64{"otel": 3.1}[c.impl] * noise, Unit: "gc-cpu-ns/op"},
					}
				}
				e.Forks = append(e.Forks, f)
			}
		}
	}
	// In the order of running: block by block within a round.
	order := random.Perm(len(e.Forks))
	byRound := make([]*results.Fork, 0, len(e.Forks))
	for round := 1; round <= rounds; round++ {
		for _, i := range order {
			if e.Forks[i].Round == round {
				byRound = append(byRound, e.Forks[i])
				e.Forks[i].ID = len(byRound)
			}
		}
	}
	e.Forks = byRound
	return e
}

func cellOf(block, impl string) results.Cell {
	var name string
	var reading results.Reading
	for i := range block {
		if block[i] == '@' {
			name, reading = block[:i], results.Reading(block[i+1:])
		}
	}
	cell := results.Cell{Name: "BenchmarkAdd/impl=" + impl + name[len("BenchmarkAdd"):], Reading: reading, Role: roles[impl], Tier: results.Peers, Block: block}
	if block == sampled {
		cell.Tier = results.Judged
	}
	return cell
}

// latencies is a fork's histogram of four million samples: a narrow body and a
// tail that reaches milliseconds, as where threads wait for a CPU.
func latencies(mean float64) *hdrhistogram.Histogram {
	const samples = 4e6
	h := hdrhistogram.New(1, 60e9, 3)
	for d := 0.0; d < 6.6; d += 0.01 {
		value := mean * (0.75 + 0.4*d)
		if d > 3.2 {
			value += 60 * math.Pow(10, 1.6*(d-3.2)) * math.Pow(mean/50, 0.3)
		}
		n := samples * (math.Pow(10, -d) - math.Pow(10, -d-0.01))
		if err := h.RecordValues(int64(value), int64(math.Round(n))); err != nil {
			panic(err)
		}
	}
	return h
}

// context holds claims of every kind with verdicts of every kind, some of them
// open or unmeasured.
func context() Context {
	inf := math.Inf(1)
	file := claims.File{
		Control: claims.Control{Baseline: "atomic", Candidate: "atomic_again", Block: sampled},
		Published: []claims.Published{
			{Name: "IncrementBenchmark.testCounter", Impl: "hbase", Block: sampled, Count: 121837900, Percentiles: []claims.PublishedQuantile{
				{Percentile: 0, Value: 45}, {Percentile: 50, Value: 232}, {Percentile: 90, Value: 1138}, {Percentile: 95, Value: 1600}, {Percentile: 99, Value: 2648},
				{Percentile: 99.9, Value: 4456}, {Percentile: 99.99, Value: 11824}, {Percentile: 99.999, Value: 45903.487}, {Percentile: 99.9999, Value: 1528139.979}, {Percentile: 100, Value: 31424512}}},
			{Name: "IncrementBenchmark.testCounterThreadLocal", Impl: "hbase_tl", Block: sampled, Count: 104204449, Percentiles: []claims.PublishedQuantile{
				{Percentile: 0, Value: 45}, {Percentile: 50, Value: 194}, {Percentile: 90, Value: 976}, {Percentile: 95, Value: 1404}, {Percentile: 99, Value: 2532},
				{Percentile: 99.9, Value: 4448}, {Percentile: 99.99, Value: 11792}, {Percentile: 99.999, Value: 41655.456}, {Percentile: 99.9999, Value: 4312849}, {Percentile: 100, Value: 105906176}}},
		},
	}
	claim := func(id string, kind claims.Kind, published float64) claims.Claim {
		return claims.Claim{ID: id, Kind: kind, Metric: "mean-latency-ns", Block: sampled, Published: published, Low: 3, High: 6}
	}
	comparison := func(b, c string, estimate, low, high float64, band [2]float64, w claims.Word) claims.Comparison {
		return claims.Comparison{Baseline: b, Candidate: c, Verdict: w, Band: band,
			Measured: stats.Interval{Estimate: estimate, Low: low, High: high, N: 20, Level: 0.9931}}
	}
	order := claim("order", claims.Order, 0)
	order.Order = []string{"atomic", "hbase", "hbase_tl", "longadder"}
	file.Claims = []claims.Claim{order}
	verdicts := []claims.Verdict{
		{Claim: order, Word: claims.Inconclusive, Comparisons: []claims.Comparison{
			comparison("atomic", "hbase", 1.42, 1.39, 1.45, [2]float64{1.02, inf}, claims.Reproduced),
			comparison("hbase", "hbase_tl", 3.43, 3.36, 3.52, [2]float64{1.02, inf}, claims.Reproduced),
			comparison("hbase_tl", "longadder", 1.09, 1.01, 1.14, [2]float64{1.02, inf}, claims.Inconclusive),
		}},
		{Claim: claim("longadder", claims.Ratio, 24.1), Word: claims.DirectionOnly, Comparisons: []claims.Comparison{
			comparison("atomic", "longadder", 5.41, 5.2, 5.6, [2]float64{16.1, 36.2}, claims.DirectionOnly)}},
		{Claim: claim("patched", claims.AtLeast, 4.12), Word: claims.NotReproduced, Comparisons: []claims.Comparison{
			comparison("atomic", "hbase", 0.91, 0.88, 0.93, [2]float64{4.12, inf}, claims.NotReproduced)}},
		{Claim: claim("threadlocal", claims.Range, 0), Word: claims.Reproduced, Comparisons: []claims.Comparison{
			comparison("hbase", "hbase_tl", 3.43, 3.36, 3.52, [2]float64{3, 6}, claims.Reproduced)}},
		{Claim: claim("unmeasured", claims.Ratio, 5.86), Word: claims.Inconclusive, Comparisons: []claims.Comparison{
			{Baseline: "hbase", Candidate: "longadder", Band: [2]float64{3.9, 8.8}, Verdict: claims.Inconclusive}}},
	}
	return Context{Claims: file, Verdicts: verdicts}
}
