package study

import (
	"cmp"
	"slices"

	"hotpath/internal/bench"
)

// Trade is what a histogram gives and takes: the error of its quantiles and the
// time of an update.
type Trade struct {
	*Row
	Time   float64    // ns per update
	Error  float64    // the largest of its quantiles': one alone may be right by luck
	Errors []Quantile // each quantile's
	Heap   float64    // bytes of one; 0 where it is not known
	Forks  int        // clean ones
	Best   bool       // all that are faster are less accurate
}

// Quantile is a value at a percentile.
type Quantile struct{ Percentile, Value float64 }

// moreAccurate is the largest share of another's error that is a difference:
// where in a bucket a quantile happens to lie makes less.
const moreAccurate = 0.5

// Trades are the contestants of a block of throughput that tell their errors, the
// fastest first.
func (b *Block) Trades() []Trade {
	if b.Mode() != bench.Throughput {
		return nil
	}
	var trades []Trade
	for _, r := range b.Rows {
		time := r.Figure(bench.TimePerUpdate)
		t := Trade{Row: r, Time: time.Median.Estimate, Forks: len(time.Clean)}
		for _, p := range bench.ErrorPercentiles {
			if f := r.Figure(bench.QuantileError(p)); f.Counts() {
				t.Errors = append(t.Errors, Quantile{p, f.Median.Estimate})
				t.Error = max(t.Error, f.Median.Estimate)
			}
		}
		if f := r.Figure(bench.BytesPerHistogram); f.Counts() {
			t.Heap = f.Median.Estimate
		}
		if time.Counts() && t.Time > 0 && len(t.Errors) > 0 && r.Role.Ranked() {
			trades = append(trades, t)
		}
	}
	slices.SortStableFunc(trades, func(a, b Trade) int { return cmp.Compare(a.Time, b.Time) })
	for i := range trades {
		trades[i].Best = !slices.ContainsFunc(trades[:i], func(faster Trade) bool { return trades[i].Error >= moreAccurate*faster.Error })
	}
	return trades
}
