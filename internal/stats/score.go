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
