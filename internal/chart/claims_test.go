package chart

import (
	"math"

	"hotpath/internal/bench"
	"hotpath/internal/claims"
	"hotpath/internal/stats"
)

var sampled = func() bench.Block {
	b, err := bench.ParseBlock("BenchmarkAdd/mode=sample/threads=32@perthread")
	if err != nil {
		panic(err)
	}
	return b
}()

// published is what was published of two of the made-up counters.
func publishedCounters() claims.File {
	row := func(impl string, values ...float64) claims.Published {
		p := claims.Published{Impl: impl, Block: sampled, Count: 1e8}
		for i, v := range values {
			p.Percentiles = append(p.Percentiles, claims.PublishedQuantile{Percentile: []float64{0, 50, 90, 95, 99, 99.9, 99.99, 99.999, 100}[i], Value: v})
		}
		return p
	}
	return claims.File{Published: []claims.Published{
		row("hbase", 45, 232, 1138, 1600, 2648, 4456, 11824, 45903.487, 31424512),
		row("hbase_tl", 45, 194, 976, 1404, 2532, 4448, 11792, 41655.456, 105906176),
		row("nobody", 1, 2, 3),
	}}
}

// verdicts are made up: claims of every kind with verdicts of every kind, one of
// them not measured, one with an interval that no axis should hold.
func verdicts() []claims.Verdict {
	inf := math.Inf(1)
	iv := func(estimate, low, high float64) stats.Interval {
		return stats.Interval{Estimate: estimate, Low: low, High: high, N: 15, Level: 0.9931}
	}
	one := func(kind claims.Kind, base, cand string, said float64, band [2]float64, w claims.Word, m claims.Measured) claims.Verdict {
		claim := claims.Claim{ID: "x", Kind: kind, Metric: bench.MeanLatency, Block: sampled, Published: said, Low: 3, High: 6}
		return claims.Verdict{Claim: claim, Word: w, Level: 0.99, Comparisons: []claims.Comparison{{Baseline: base, Candidate: cand, Published: said, Band: band, Verdict: w, Measured: m}}}
	}
	order := claims.Claim{ID: "order", Kind: claims.Order, Metric: bench.MeanLatency, Block: sampled, Order: []string{"atomic", "hbase", "hbase_tl", "longadder"}}
	part := func(base, cand string, w claims.Word, m stats.Interval) claims.Comparison {
		return claims.Comparison{Baseline: base, Candidate: cand, Band: [2]float64{1.02, inf}, Verdict: w, Measured: claims.Measured{Interval: m}}
	}
	return []claims.Verdict{
		{Claim: order, Word: claims.Inconclusive, Level: 0.99, Comparisons: []claims.Comparison{
			part("atomic", "hbase", claims.Reproduced, iv(1.42, 1.39, 1.45)),
			part("hbase", "hbase_tl", claims.Reproduced, iv(3.43, 3.36, 3.52)),
			part("hbase_tl", "longadder", claims.Inconclusive, iv(1.09, 1.01, 1.14)),
		}},
		one(claims.Ratio, "atomic", "longadder", 24.1, [2]float64{16.1, 36.2}, claims.DirectionOnly, claims.Measured{Interval: iv(5.41, 5.2, 5.6)}),
		one(claims.AtLeast, "atomic", "hbase", 4.12, [2]float64{4.12, inf}, claims.NotReproduced, claims.Measured{Interval: iv(0.91, 0.88, 0.93)}),
		one(claims.Range, "hbase", "hbase_tl", 0, [2]float64{3, 6}, claims.Reproduced, claims.Measured{Interval: iv(3.43, 1.1, 4000)}),
		one(claims.Ratio, "hbase", "longadder", 5.86, [2]float64{3.9, 8.8}, claims.DependsOnDistance, claims.Measured{Interval: iv(3, 2, 7), Near: iv(1.4, 1.3, 1.5), Far: iv(6.1, 5.7, 6.6)}),
		one(claims.Ratio, "hbase", "nobody", 5.86, [2]float64{3.9, 8.8}, claims.Inconclusive, claims.Measured{}),
	}
}
