package stats

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
)

// every calls f with each subset of 0..n-1, as a bit set.
func every(n int, f func(subset uint)) {
	for s := range uint(1) << n {
		f(s)
	}
}

func TestSignedRankDistribution(t *testing.T) {
	for n := 1; n <= 14; n++ {
		counts := make([]float64, n*(n+1)/2+1)
		every(n, func(subset uint) {
			sum := 0
			for i := range n {
				if subset>>i&1 == 1 {
					sum += i + 1
				}
			}
			counts[sum]++
		})
		cdf := signedRankCDF(n)
		below := 0.0
		for k := 0; k <= n*(n+1)/4; k++ {
			below += counts[k]
			if want := math.Ldexp(below, -n); math.Abs(cdf(k)-want) > 1e-12 {
				t.Errorf("n=%d: P(sum <= %d) = %v, want %v", n, k, cdf(k), want)
			}
		}
	}
}

// The largest k with P(W <= k-1) <= 0.025 is one above the critical value of
// the two-sided 5 % test in every printed table of the signed-rank statistic.
func TestSignedRankTables(t *testing.T) {
	for _, c := range []struct{ n, critical int }{
		{6, 0}, {7, 2}, {8, 3}, {9, 5}, {10, 8}, {12, 13}, {15, 25}, {20, 52}, {25, 89}, {30, 137},
	} {
		xs := make([]float64, c.n)
		for i := range xs {
			xs[i] = math.Pow(3, float64(i)) // averages of two are all different
		}
		iv, ok := signedRank(slices.Clone(xs), 0.95)
		if !ok {
			t.Fatalf("n=%d: no interval", c.n)
		}
		averages := walshAverages(xs)
		if want := averages[c.critical]; iv.Low != want {
			t.Errorf("n=%d: low is average %d, want %d", c.n, slices.Index(averages, iv.Low)+1, c.critical+1)
		}
		if want := averages[len(averages)-1-c.critical]; iv.High != want {
			t.Errorf("n=%d: high is average %d from the top, want %d", c.n, len(averages)-slices.Index(averages, iv.High), c.critical+1)
		}
	}
}

func walshAverages(xs []float64) []float64 {
	var averages []float64
	for i := range xs {
		for j := i; j < len(xs); j++ {
			averages = append(averages, (xs[i]+xs[j])/2)
		}
	}
	slices.Sort(averages)
	return averages
}

func TestRankSumDistribution(t *testing.T) {
	const level = 0.92
	for nb := 1; nb <= 6; nb++ {
		for nc := 1; nc <= 6; nc++ {
			counts := make([]float64, nb*nc+1)
			total := 0.0
			every(nb+nc, func(subset uint) {
				if bits.OnesCount(subset) != nb {
					return
				}
				u := 0
				for i := range nb + nc {
					if subset>>i&1 == 1 { // a b, above these c:
						u += i - bits.OnesCount(subset&(1<<i-1))
					}
				}
				counts[u]++
				total++
			})
			k, below := 0, 0.0
			for k < nb*nc/2 && 2*(below+counts[k])/total <= 1-level {
				below += counts[k]
				k++
			}

			b, c := make([]float64, nb), make([]float64, nc)
			for i := range b {
				b[i] = math.Pow(7, float64(i))
			}
			for i := range c {
				c[i] = math.Pow(5, float64(i)) + 0.25
			}
			var differences []float64
			for _, x := range b {
				for _, y := range c {
					differences = append(differences, x-y)
				}
			}
			slices.Sort(differences)
			iv, ok := rankSum(b, c, level)
			if ok != (k > 0) {
				t.Errorf("%d x %d: interval %v, want %v", nb, nc, ok, k > 0)
				continue
			}
			if !ok {
				continue
			}
			if iv.Low != differences[k-1] || iv.High != differences[len(differences)-k] {
				t.Errorf("%d x %d: [%v, %v], want differences %d from the ends of %v", nb, nc, iv.Low, iv.High, k, differences)
			}
			if want := 1 - 2*below/total; math.Abs(iv.Level-want) > 1e-12 {
				t.Errorf("%d x %d: level %v, want %v", nb, nc, iv.Level, want)
			}
		}
	}
}

func TestKthIsAMember(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, draw := range []func() float64{
		rng.NormFloat64,
		func() float64 { return float64(rng.IntN(3)) - 1 }, // ties and zeros
		func() float64 { return math.Ldexp(rng.NormFloat64(), rng.IntN(200)-100) },
	} {
		for n := 1; n <= 25; n++ {
			xs := make([]float64, n)
			for i := range xs {
				xs[i] = draw()
			}
			averages := walshAverages(xs)
			iv, ok := signedRank(xs, 0.80)
			m := len(averages)
			if want := (averages[(m-1)/2] + averages[m/2]) / 2; iv.Estimate != want {
				t.Errorf("estimate of %v is %v, want %v", xs, iv.Estimate, want)
			}
			if ok && (!slices.Contains(averages, iv.Low) || !slices.Contains(averages, iv.High)) {
				t.Errorf("bounds %v and %v are not averages of two of %v", iv.Low, iv.High, xs)
			}
		}
	}
}

// At the size where the exact distribution gives way, the approximation must
// pick nearly the same order statistic, at the levels that are in use.
func TestNormalApproximation(t *testing.T) {
	rank := func(cdf func(int) float64, size int, level float64) int {
		k := 0
		for k < size/2 && 2*cdf(k) <= 1-level {
			k++
		}
		return k
	}
	for _, level := range []float64{0.95, 0.99, Bonferroni(20)} {
		n := exactRatios
		exact := rank(signedRankCDF(n), n*(n+1)/2, level)
		approximate := rank(normal(float64(n*(n+1))/4, float64(n*(n+1)*(2*n+1))/24), n*(n+1)/2, level)
		if d := math.Abs(float64(exact - approximate)); d > 0.002*float64(exact) {
			t.Errorf("signed rank at %.4g: exact %d, approximate %d", level, exact, approximate)
		}
	}
	for _, size := range [][2]int{{50, 50}, {25, 100}, {10, 250}} {
		nb, nc := size[0], size[1]
		for _, level := range []float64{0.95, 0.99} {
			cdf := normal(float64(nb*nc)/2, float64(nb*nc*(nb+nc+1))/12)
			b, c := make([]float64, nb), make([]float64, nc)
			rng := rand.New(rand.NewPCG(3, uint64(nb)))
			for i := range b {
				b[i] = rng.NormFloat64()
			}
			for i := range c {
				c[i] = rng.NormFloat64()
			}
			exact, _ := rankSum(b, c, level)
			k := rank(cdf, nb*nc, level)
			if got := 1 - 2*cdf(k-1); math.Abs(got-exact.Level) > 0.002 {
				t.Errorf("%d x %d at %.4g: exact level %v, approximate %v", nb, nc, level, exact.Level, got)
			}
		}
	}
}

func TestLargeSamples(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	b, c := make([]float64, 3000), make([]float64, 3000)
	for i := range b {
		b[i] = 1.1 * math.Exp(0.1*rng.NormFloat64())
		c[i] = math.Exp(0.1 * rng.NormFloat64())
	}
	for name, ratio := range map[string]func(b, c []float64, level float64) (Interval, error){
		"paired": PairedRatio, "unpaired": UnpairedRatio,
	} {
		iv, err := ratio(b, c, 0.99)
		if err != nil || !(iv.Low < 1.1 && 1.1 < iv.High) || iv.High-iv.Low > 0.03 {
			t.Errorf("%s: %+v, %v", name, iv, err)
		}
	}
}
