package stats

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

var errNotPositive = errors.New("a value is not a positive number: it has no ratio")

// RatioOf is the middle of ratios that were measured independently of one
// another, such as one in each heat, with its interval: the exact one up to 300
// ratios, and by the normal approximation of the signed-rank distribution above.
//
// It returns an error where a ratio is not positive and finite, and where there
// are too few for the level; in the second case the Interval has its Estimate all
// the same.
func RatioOf(ratios []float64, level float64) (Interval, error) {
	n := len(ratios)
	ls, ok := logs(ratios)
	if !ok {
		return Interval{N: n}, errNotPositive
	}
	iv, ok := signedRank(ls, level)
	iv = iv.exp()
	if !ok {
		return iv, fmt.Errorf("an interval at level %.5g takes %d ratios, not %d", level, minRatios(level), n)
	}
	return iv, nil
}

// PairedRatio is the ratio baseline / candidate of values measured in pairs:
// baseline[i] and candidate[i] belong together. It is RatioOf their ratios. It
// panics when the slices differ in length.
func PairedRatio(baseline, candidate []float64, level float64) (Interval, error) {
	if len(baseline) != len(candidate) {
		panic(fmt.Sprintf("stats: %d baselines paired with %d candidates", len(baseline), len(candidate)))
	}
	ratios := make([]float64, len(baseline))
	for i, b := range baseline {
		if ratios[i] = b / candidate[i]; b < 0 {
			ratios[i] = math.NaN() // also where both are
		}
	}
	return RatioOf(ratios, level)
}

// Middle is the Hodges-Lehmann estimate of some ratios, without an interval: that
// of a heat's laps, which are not independent of one another. It is NaN for none,
// and where one is not positive and finite.
func Middle(ratios []float64) float64 {
	ls, ok := logs(ratios)
	if !ok || len(ls) == 0 {
		return math.NaN()
	}
	return math.Exp(averages(ls).median())
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

// HighestLevel is the highest confidence that RatioOf n ratios can have: that of
// the interval between the extremes. It is 0 for fewer than two.
func HighestLevel(n int) float64 { return max(0, 1-math.Pow(2, 1-float64(n))) }

// UnpairedRatio is the ratio baseline / candidate of two samples whose members
// do not belong together, such as two benchmark files made one after the
// other. The estimate is the median of all ratios of a baseline to a
// candidate, the interval lies between two of them, chosen by the distribution
// of the Mann-Whitney statistic: the exact one while len(baseline) x
// len(candidate) is at most 2500, its normal approximation above. A drift
// between the samples is part of the ratio, and the interval does not show it.
//
// Errors are those of RatioOf.
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
