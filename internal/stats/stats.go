// Package stats holds the statistics of the study's comparisons: ratios with
// an interval, and the intervals that tables show beside a score.
//
// Noise on a shared machine drifts, so contestants are measured in rounds, in
// a shuffled order, and compared round by round: a drift slower than a round
// moves both members of a pair alike and cancels in their ratio. The logarithm
// of each round's ratio is taken; the estimate is the median of all averages
// of two of them (Hodges and Lehmann, 1963), each with itself included, and
// the interval lies between two of these averages, chosen by the exact
// distribution of Wilcoxon's signed-rank statistic. It assumes only that the
// logarithms scatter alike to both sides of their middle: no normal
// distribution, and one wild round moves it little.
package stats

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
