package stats

import (
	"errors"
	"fmt"

	mm "github.com/aclements/go-moremath/stats"
)

// Median is the middle of the values with the interval between two of them,
// chosen by the binomial distribution of how many lie below the true median.
// It assumes nothing of how the values scatter. The same interval is behind
// the "±" of benchstat.
//
// Where the values are too few for the level it returns an error, and an
// Interval with only its Estimate and N. It does not change values.
func Median(values []float64, level float64) (Interval, error) {
	return Quantile(values, 0.5, level)
}

// Quantile is what Median is, for any q from 0 to 1.
func Quantile(values []float64, q, level float64) (Interval, error) {
	n := len(values)
	if n == 0 {
		return Interval{}, errors.New("no values")
	}
	ci := mm.QuantileCI(n, q, level)
	estimate, low, high := ci.SampleCI(mm.Sample{Xs: values})
	iv := Interval{Estimate: estimate, N: n}
	if ci.LoOrder < 1 || ci.HiOrder > n {
		return iv, fmt.Errorf("an interval at level %.5g takes more than %d values", level, n)
	}
	iv.Low, iv.High, iv.Level = low, high, ci.Confidence
	return iv, nil
}

// SteadyWithin is how far from 1 a fork's Trend may be before it is flagged.
const SteadyWithin = 0.03

// Trend tells whether a fork had settled: from the throughput of equal,
// consecutive slices of it, the mean of the last third over the mean of the
// first. It is 1 for fewer than three slices, and for a fork whose first third
// did nothing.
func Trend(throughput []float64) float64 {
	third := len(throughput) / 3
	first, last := sum(throughput[:third]), sum(throughput[len(throughput)-third:])
	if first == 0 {
		return 1
	}
	return last / first
}

// Steady reports whether a Trend is within SteadyWithin of 1.
func Steady(trend float64) bool { return trend >= 1-SteadyWithin && trend <= 1+SteadyWithin }

func sum(xs []float64) float64 {
	s := 0.0
	for _, x := range xs {
		s += x
	}
	return s
}
