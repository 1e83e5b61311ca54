package stats

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

var errNotPositive = errors.New("a value is not a positive number: it has no ratio")

// PairedRatio is the ratio baseline / candidate of values measured in pairs:
// baseline[i] and candidate[i] come from the same round. The interval is exact
// up to 300 pairs and uses the normal approximation of the signed-rank
// distribution above.
//
// It returns an error where a value is not positive and finite, and where
// there are too few pairs for the level; in the second case the Interval has
// its Estimate all the same. It panics when the slices differ in length.
func PairedRatio(baseline, candidate []float64, level float64) (Interval, error) {
	if len(baseline) != len(candidate) {
		panic(fmt.Sprintf("stats: %d baselines paired with %d candidates", len(baseline), len(candidate)))
	}
	n := len(baseline)
	b, okB := logs(baseline)
	c, okC := logs(candidate)
	if !okB || !okC {
		return Interval{N: n}, errNotPositive
	}
	for i := range b {
		b[i] -= c[i]
	}
	iv, ok := signedRank(b, level)
	iv = iv.exp()
	if !ok {
		return iv, fmt.Errorf("an interval at level %.5g takes %d pairs, not %d", level, minPairs(level), n)
	}
	return iv, nil
}

// RatioOf is the middle of ratios that were measured independently of one another,
// one in each heat, with its interval. Errors are those of PairedRatio.
func RatioOf(ratios []float64, level float64) (Interval, error) {
	ones := make([]float64, len(ratios))
	for i := range ones {
		ones[i] = 1
	}
	return PairedRatio(ratios, ones, level)
}

// Middle is the Hodges-Lehmann estimate of some ratios, without an interval: that
// of a heat's laps, which are not independent of one another. It is NaN for none,
// and where one is not positive and finite.
func Middle(ratios []float64) float64 {
	ls, ok := logs(ratios)
	if !ok || len(ls) == 0 {
		return math.NaN()
	}
	iv, _ := signedRank(ls, 0)
	return math.Exp(iv.Estimate)
}

// Deviation is the standard deviation of the logarithms of ratios; NaN for fewer
// than two.
func Deviation(ratios []float64) float64 {
	ls, ok := logs(ratios)
	if !ok || len(ls) < 2 {
		return math.NaN()
	}
	mean, sum := 0.0, 0.0
	for _, l := range ls {
		mean += l / float64(len(ls))
	}
	for _, l := range ls {
		sum += (l - mean) * (l - mean)
	}
	return math.Sqrt(sum / float64(len(ls)-1))
}

// HighestLevel is the highest confidence that the interval of so many heats can
// have: that between the extremes.
func HighestLevel(n int) float64 { return 1 - math.Pow(2, 1-float64(n)) }

// UnpairedRatio is the ratio baseline / candidate of two samples whose members
// do not belong together, such as two benchmark files made one after the
// other. The estimate is the median of all ratios of a baseline to a
// candidate, the interval lies between two of them, chosen by the distribution
// of the Mann-Whitney statistic: the exact one while len(baseline) x
// len(candidate) is at most 2500, its normal approximation above. A drift
// between the samples is part of the ratio, and the interval does not show it.
//
// Errors are those of PairedRatio.
func UnpairedRatio(baseline, candidate []float64, level float64) (Interval, error) {
	n := min(len(baseline), len(candidate))
	b, okB := logs(baseline)
	c, okC := logs(candidate)
	if !okB || !okC {
		return Interval{N: n}, errNotPositive
	}
	iv, ok := rankSum(b, c, level)
	iv = iv.exp()
	if !ok {
		return iv, fmt.Errorf("an interval at level %.5g takes more than %d and %d values", level, len(baseline), len(candidate))
	}
	return iv, nil
}

// exp turns an interval of logarithms of ratios into one of ratios.
func (i Interval) exp() Interval {
	if i.N > 0 {
		i.Estimate = math.Exp(i.Estimate)
	}
	if i.Level > 0 {
		i.Low, i.High = math.Exp(i.Low), math.Exp(i.High)
	}
	return i
}

// logs reports false where a value has no finite logarithm.
func logs(values []float64) ([]float64, bool) {
	ls := make([]float64, len(values))
	for i, v := range values {
		ls[i] = math.Log(v)
	}
	return ls, !slices.ContainsFunc(ls, func(l float64) bool { return math.IsNaN(l) || math.IsInf(l, 0) })
}
