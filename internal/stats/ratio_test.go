package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-12*math.Abs(b) }

func TestPairedRatio(t *testing.T) {
	// Six rounds of one ratio each, under a drift that takes everything from 1 to 32.
	var b, c []float64
	for i, ratio := range []float64{2, 2.1, 1.9, 2.2, 1.8, 2.05} {
		drift := math.Ldexp(1, i)
		b, c = append(b, ratio*drift), append(c, drift)
	}
	iv, err := PairedRatio(b, c, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	// At n=6 the interval is from the smallest ratio to the largest.
	if !near(iv.Low, 1.8) || !near(iv.High, 2.2) || iv.N != 6 || !near(iv.Level, 1-2.0/64) {
		t.Errorf("got %+v", iv)
	}
	if iv.Estimate < 1.95 || iv.Estimate > 2.05 {
		t.Errorf("estimate %v", iv.Estimate)
	}

	swapped, err := PairedRatio(c, b, 0.95)
	if err != nil || !near(swapped.Low, 1/iv.High) || !near(swapped.High, 1/iv.Low) || !near(swapped.Estimate, 1/iv.Estimate) {
		t.Errorf("the other way round: %+v, %v", swapped, err)
	}
}

func TestRatioToItself(t *testing.T) {
	values := []float64{3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8}
	if iv, err := PairedRatio(values, values, 0.99); err != nil || iv.Low != 1 || iv.High != 1 || iv.Estimate != 1 {
		t.Errorf("paired: %+v, %v", iv, err)
	}
	if iv, err := UnpairedRatio(values, values, 0.99); err != nil || iv.Estimate != 1 || iv.Low >= 1 || iv.High <= 1 {
		t.Errorf("unpaired: %+v, %v", iv, err)
	}
}

func TestRatioErrors(t *testing.T) {
	five := []float64{2, 2, 2, 2, 2}
	check := func(name string, iv Interval, err error, estimate float64, message string) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), message) {
			t.Errorf("%s: error %v, want %q", name, err, message)
		}
		if iv.Estimate != estimate || iv.Level != 0 || iv.Low != 0 || iv.High != 0 {
			t.Errorf("%s: %+v", name, iv)
		}
	}
	ones := []float64{1, 1, 1, 1, 1}
	iv, err := PairedRatio(five, ones, 0.95)
	check("five", iv, err, 2, "level 0.95 takes 6 ratios, not 5")
	iv, err = PairedRatio(five[:1], ones[:1], 0.99)
	check("one", iv, err, 2, "level 0.99 takes 8 ratios, not 1")
	iv, err = PairedRatio(nil, nil, 0.95)
	check("none", iv, err, 0, "not 0")
	iv, err = UnpairedRatio(five[:1], ones, 0.95)
	check("unpaired", iv, err, 2, "takes more than 1 and 5 values")
	iv, err = UnpairedRatio(five, nil, 0.95)
	check("unpaired none", iv, err, 0, "5 and 0 values")
	for _, bad := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		values := slices.Repeat([]float64{1}, 10)
		values[3] = bad
		iv, err = PairedRatio(values, slices.Repeat(ones, 2), 0.95)
		check("bad baseline", iv, err, 0, "not a positive number")
		iv, err = UnpairedRatio(ones, values, 0.95)
		check("bad candidate", iv, err, 0, "not a positive number")
	}
	defer func() {
		if recover() == nil {
			t.Error("slices of different length: no panic")
		}
	}()
	PairedRatio(five, ones[:4], 0.95)
}

// The middle of a heat's laps is the median of the averages of two logarithms: one
// wild lap of eight moves it little, and the order of the laps not at all.
func TestMiddle(t *testing.T) {
	for _, c := range []struct {
		ratios []float64
		want   float64
	}{
		{[]float64{2}, 2},
		{[]float64{2, 8}, 4},
		{[]float64{8, 1, 2}, math.Pow(2, 1.25)}, // averages of log2: 0 .5 1 1.5 2 3
		{[]float64{2, 2, 2, 2, 2, 2, 2, 1000}, 2},
	} {
		ratios := slices.Clone(c.ratios)
		if got := Middle(ratios); !near(got, c.want) || !slices.Equal(ratios, c.ratios) {
			t.Errorf("%v: %v, want %v", c.ratios, got, c.want)
		}
	}
	for _, bad := range [][]float64{nil, {1, 0}, {1, -1}, {math.NaN()}, {math.Inf(1)}} {
		if got := Middle(bad); !math.IsNaN(got) {
			t.Errorf("%v: %v", bad, got)
		}
	}
}

// The middle is the estimate that stands in the interval of the same ratios.
func TestMiddleIsTheEstimate(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for n := 1; n < 40; n++ {
		ratios := make([]float64, n)
		for i := range ratios {
			ratios[i] = math.Exp(rng.NormFloat64())
		}
		if iv, _ := RatioOf(ratios, 0.95); iv.Estimate != Middle(ratios) || iv.N != n {
			t.Errorf("%d ratios: %v in %+v", n, Middle(ratios), iv)
		}
	}
}

func TestDeviation(t *testing.T) {
	if got := Deviation([]float64{math.E, 1, 1 / math.E}); !near(got, 1) {
		t.Errorf("of logarithms 1, 0, -1: %v", got)
	}
	if got := Deviation([]float64{3, 3, 3, 3}); got != 0 {
		t.Errorf("of equals: %v", got)
	}
	for _, few := range [][]float64{nil, {2}, {2, 0}} {
		if got := Deviation(few); !math.IsNaN(got) {
			t.Errorf("%v: %v", few, got)
		}
	}
}

// The highest level is reached by so many ratios, and by no fewer.
func TestHighestLevel(t *testing.T) {
	for n := 2; n < 30; n++ {
		level := HighestLevel(n)
		if iv, err := RatioOf(slices.Repeat([]float64{2}, n), level); err != nil || iv.Level != level {
			t.Errorf("%d: %+v, %v", n, iv, err)
		}
		if _, err := RatioOf(slices.Repeat([]float64{2}, n-1), level); err == nil {
			t.Errorf("%d ratios reach the highest level of %d", n-1, n)
		}
	}
	for n := range 2 {
		if HighestLevel(n) != 0 {
			t.Errorf("%d: %v", n, HighestLevel(n))
		}
	}
}

func TestInterval(t *testing.T) {
	iv := Interval{Estimate: 2, Low: 1, High: 4, N: 9, Level: 0.95}
	wide := iv.Widened(math.Log(2))
	if !near(wide.Low, 0.5) || !near(wide.High, 8) || wide.Estimate != 2 || wide.N != 9 || wide.Level != 0.95 {
		t.Errorf("widened: %+v", wide)
	}
	if got := iv.LogHalfWidth(); !near(got, math.Log(2)) {
		t.Errorf("half width %v", got)
	}
	for v, holds := range map[float64]bool{1: true, 3: true, 4: true, 0.99: false, 4.01: false} {
		if iv.Holds(v) != holds {
			t.Errorf("holds %v: %v", v, !holds)
		}
	}
	for bounds, overlaps := range map[[2]float64]bool{{4, 5}: true, {0.5, 1}: true, {2, 3}: true, {0.5, 9}: true, {4.01, 5}: false, {0.5, 0.99}: false} {
		other := Interval{Low: bounds[0], High: bounds[1], Level: 0.9}
		if iv.Overlaps(other) != overlaps || other.Overlaps(iv) != overlaps {
			t.Errorf("overlaps %v: %v", bounds, !overlaps)
		}
	}
	none := Interval{Estimate: 2, N: 3}
	if none.Widened(1) != none || none.LogHalfWidth() != 0 || none.Holds(0) || none.Overlaps(iv) || iv.Overlaps(none) {
		t.Error("an interval without bounds has some")
	}
}

func TestMinRatios(t *testing.T) {
	for _, level := range []float64{0.5, 0.9, 0.95, 0.99, Bonferroni(3), Bonferroni(7), Bonferroni(100)} {
		n := minRatios(level)
		if _, ok := signedRank(make([]float64, n), level); !ok {
			t.Errorf("level %v: %d pairs do not do", level, n)
		}
		if _, ok := signedRank(make([]float64, n-1), level); ok {
			t.Errorf("level %v: %d pairs would do", level, n-1)
		}
	}
}

// The intervals hold the true ratio as often as they say, whatever the shape
// of the noise, and without being wider than they need.
func TestCoverage(t *testing.T) {
	const truth, level = 1.3, 0.95
	rng := rand.New(rand.NewPCG(7, 8))
	for name, noise := range map[string]func() float64{
		"uniform": func() float64 { return rng.Float64() - 0.5 },
		"normal":  rng.NormFloat64,
		"laplace": func() float64 { return rng.ExpFloat64() - rng.ExpFloat64() },
		"student": func() float64 { return rng.NormFloat64() / math.Sqrt(rng.ExpFloat64()) },
	} {
		for _, design := range []struct {
			name   string
			nb, nc int
			trials int
			ratio  func(b, c []float64, level float64) (Interval, error)
		}{
			{"paired", 12, 12, 4000, PairedRatio}, {"paired", 21, 21, 4000, PairedRatio}, {"unpaired", 8, 10, 2000, UnpairedRatio},
		} {
			covered, attained := 0, 0.0
			for range design.trials {
				b, c := make([]float64, design.nb), make([]float64, design.nc)
				for i := range b {
					b[i] = truth * math.Exp(0.1*noise())
				}
				for i := range c {
					c[i] = math.Exp(0.1 * noise())
				}
				iv, err := design.ratio(b, c, level)
				if err != nil {
					t.Fatal(err)
				}
				if iv.Low <= truth && truth <= iv.High {
					covered++
				}
				attained = iv.Level
			}
			got := float64(covered) / float64(design.trials)
			sd := math.Sqrt(attained * (1 - attained) / float64(design.trials))
			if math.Abs(got-attained) > 4*sd || attained < level || attained > level+0.03 {
				t.Errorf("%s, %s n=%d: covers %.3f, attained level %.3f", name, design.name, design.nb, got, attained)
			}
		}
	}
}
