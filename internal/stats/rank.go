package stats

import (
	"math"
	"slices"
	"sort"

	mm "github.com/aclements/go-moremath/stats"
)

// Beyond these sizes the exact distributions cost more than they tell: the
// normal approximation then picks the same order statistics or a neighbour.
const (
	exactRatios   = 300  // observations of one sample
	exactProducts = 2500 // differences between two samples
)

// signedRank is the Hodges-Lehmann estimate of the middle of a symmetric
// distribution, with the interval of Wilcoxon's signed-rank statistic. It
// reports false, and sets no bounds, where xs are too few for the level. It
// sorts xs.
func signedRank(xs []float64, level float64) (Interval, bool) {
	n := len(xs)
	if n == 0 {
		return Interval{}, false
	}
	cdf := normal(float64(n*(n+1))/4, float64(n*(n+1)*(2*n+1))/24)
	if n <= exactRatios {
		cdf = signedRankCDF(n)
	}
	return averages(xs).interval(n, cdf, level)
}

// averages are those of each two of xs, each with itself included. It sorts xs,
// of which there must be some.
func averages(xs []float64) multiset {
	slices.Sort(xs)
	n := len(xs)
	atMost := func(t float64) int {
		c := 0
		for i, j := 0, n-1; i <= j; {
			if (xs[i]+xs[j])/2 <= t {
				c += j - i + 1
				i++
			} else {
				j--
			}
		}
		return c
	}
	return multiset{size: n * (n + 1) / 2, low: xs[0], high: xs[n-1], atMost: atMost}
}

// rankSum is the Hodges-Lehmann estimate of the shift between two samples, the
// middle of all differences b - c, with the interval of the Mann-Whitney
// statistic. It reports false, and sets no bounds, where the samples are too
// small for the level. It sorts both.
func rankSum(b, c []float64, level float64) (Interval, bool) {
	if len(b) == 0 || len(c) == 0 {
		return Interval{}, false
	}
	slices.Sort(b)
	slices.Sort(c)
	differences := func(t float64) int { // how many are at most t
		sum, i := 0, 0
		for _, v := range c {
			for i < len(b) && b[i]-v <= t {
				i++
			}
			sum += i
		}
		return sum
	}
	nb, nc := len(b), len(c)
	m := multiset{size: nb * nc, low: b[0] - c[nc-1], high: b[nb-1] - c[0], atMost: differences}
	cdf := normal(float64(nb*nc)/2, float64(nb*nc*(nb+nc+1))/12)
	if nb*nc <= exactProducts {
		u := mm.UDist{N1: nb, N2: nc}
		cdf = func(k int) float64 { return u.CDF(float64(k)) }
	}
	return m.interval(min(nb, nc), cdf, level)
}

// minRatios is the smallest number of ratios whose signed-rank interval reaches
// the level: with fewer, even the interval between the extremes misses too often.
func minRatios(level float64) int {
	return int(math.Ceil(1 - math.Log2(1-level)))
}

// multiset is a collection of numbers too many to list: it is known by how
// many of them are at most t.
type multiset struct {
	size      int
	low, high float64 // smallest and largest member
	atMost    func(t float64) int
}

// interval is the median and the interval between the k-th smallest and the
// k-th largest member, with the largest k that the level allows. The rank
// statistic that counts members below the true value has the distribution cdf,
// symmetric over 0..size.
func (m multiset) interval(n int, cdf func(int) float64, level float64) (Interval, bool) {
	iv := Interval{Estimate: m.median(), N: n}
	k := sort.Search(m.size/2, func(k int) bool { return 2*cdf(k) > 1-level })
	if k == 0 {
		return iv, false
	}
	iv.Low, iv.High = m.kth(k), m.kth(m.size+1-k)
	iv.Level = 1 - 2*cdf(k-1)
	return iv, true
}

func (m multiset) median() float64 { return (m.kth((m.size+1)/2) + m.kth(m.size/2+1)) / 2 }

// kth is the k-th smallest member, k from 1. It bisects the floating-point
// numbers between the extremes, of which there are fewer than 2^64, so the
// result is a member and not a neighbour of one.
func (m multiset) kth(k int) float64 {
	a, b := place(m.low), place(m.high)
	for a < b {
		mid := a + (b-a)/2
		if m.atMost(number(mid)) >= k {
			b = mid
		} else {
			a = mid + 1
		}
	}
	return number(a)
}

// place numbers the floats in their order; number is its inverse.
func place(f float64) uint64 {
	b := math.Float64bits(f)
	if b>>63 == 1 {
		return ^b
	}
	return b | 1<<63
}

func number(p uint64) float64 {
	if p>>63 == 1 {
		return math.Float64frombits(p &^ (1 << 63))
	}
	return math.Float64frombits(^p)
}

// signedRankCDF is the distribution of the sum of those of the ranks 1..n that
// an even coin picks. It answers for the lower half, sums up to n(n+1)/4.
func signedRankCDF(n int) func(int) float64 {
	p := make([]float64, n*(n+1)/4+1)
	p[0] = 1
	for rank := 1; rank <= n; rank++ {
		for s := len(p) - 1; s >= 0; s-- {
			p[s] /= 2
			if s >= rank {
				p[s] += p[s-rank] / 2
			}
		}
	}
	for s := 1; s < len(p); s++ {
		p[s] += p[s-1]
	}
	return func(k int) float64 { return p[k] }
}

// normal is the distribution of a sum of integers that is nearly normal.
func normal(mean, variance float64) func(int) float64 {
	d := mm.NormalDist{Mu: mean, Sigma: math.Sqrt(variance)}
	return func(k int) float64 { return d.CDF(float64(k) + 0.5) }
}
