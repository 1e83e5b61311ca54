// Package stats holds the statistics of the study's comparisons: ratios with
// an interval, and the intervals that tables show beside a score.
//
// Noise on a shared machine drifts, so contestants measure in turns, lap by lap,
// and are compared within a lap: a drift slower than a lap moves both alike and
// cancels in their ratio. The logarithm of each lap's ratio is taken. A heat's
// ratio is the median of all averages of two of its laps (Hodges and Lehmann,
// 1963), each with itself included. Over the heats the same estimate is made, and
// its interval lies between two of the averages, chosen by the exact distribution
// of Wilcoxon's signed-rank statistic. It assumes only that the logarithms
// scatter alike to both sides of their middle: no normal distribution, and one
// wild heat moves it little. Laps of one heat are not independent, heats are: so
// an interval comes from the heats alone.
package stats

import "math"

// Interval is an estimate with a two-sided confidence interval.
//
// Where there are too few observations for the level asked for, only Estimate
// and N are set: a Level of 0 means that there is no interval.
type Interval struct {
	Estimate float64
	Low      float64
	High     float64
	N        int     // observations behind it; of two samples the smaller
	Level    float64 // attained confidence, at least the level asked for
}

// Widened is the interval with both bounds moved outwards by a factor of e^x.
func (i Interval) Widened(x float64) Interval {
	if i.Level > 0 {
		i.Low, i.High = i.Low*math.Exp(-x), i.High*math.Exp(x)
	}
	return i
}

// LogHalfWidth is half the distance between the logarithms of the bounds of an
// interval of ratios: 0.03 is about 3 % to each side. It is 0 without bounds.
func (i Interval) LogHalfWidth() float64 {
	if i.Level == 0 {
		return 0
	}
	return math.Log(i.High/i.Low) / 2
}

// Holds reports whether a value lies within the bounds.
func (i Interval) Holds(v float64) bool { return i.Level > 0 && i.Low <= v && v <= i.High }

// Overlaps reports whether two intervals share a value; one without bounds shares
// none.
func (i Interval) Overlaps(j Interval) bool {
	return i.Level > 0 && j.Level > 0 && i.Low <= j.High && j.Low <= i.High
}

// HalfWidth is half the distance between the bounds: the "±" of a table whose
// reader expects a symmetric error.
func (i Interval) HalfWidth() float64 { return (i.High - i.Low) / 2 }

// Bonferroni is the level at which each of m intervals is taken so that all of
// them together hold their true values with a confidence of 95 %. It panics
// unless m is positive.
func Bonferroni(m int) float64 {
	if m < 1 {
		panic("stats: a level for no comparison")
	}
	return 1 - 0.05/float64(m)
}
