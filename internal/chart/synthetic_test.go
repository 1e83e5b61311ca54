package chart

import (
	"math"

	"hotpath/internal/bench"
	"hotpath/internal/claims"
	"hotpath/internal/results"
	"hotpath/internal/results/resultstest"
	"hotpath/internal/stats"
	"hotpath/internal/study"
)

// synthetic is made-up counters, of which every 13th fork is gated.
func synthetic(rounds int) *results.Experiment {
	e := resultstest.Counter(rounds)
	resultstest.Gate(e, 13)
	return e
}

// judged is what an experiment claims, with verdicts that were made up.
type judged struct {
	claims   claims.File
	verdicts []claims.Verdict
}

// of is the rows of an experiment.
func (j judged) of(e *results.Experiment) *study.Experiment {
	x := study.New(&results.Manifest{}, e, &j.claims)
	x.Judgement.Verdicts = j.verdicts
	return x
}

// context holds claims of every kind with verdicts of every kind, some of them
// open or unmeasured.
func context() judged {
	inf := math.Inf(1)
	sampled := resultstest.Counter(0).Plan.Cells[0].Block
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
		return claims.Claim{ID: id, Kind: kind, Metric: bench.MeanLatency, Block: sampled, Published: published, Low: 3, High: 6}
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
	return judged{file, verdicts}
}
