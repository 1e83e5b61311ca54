package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestMedian(t *testing.T) {
	values := []float64{9, 1, 8, 2, 7, 3, 6, 4, 5}
	before := slices.Clone(values)
	iv, err := Median(values, 0.95)
	if err != nil || iv.Estimate != 5 || iv.N != 9 || iv.Level < 0.95 {
		t.Errorf("%+v, %v", iv, err)
	}
	// n=9: the second and the eighth value, or one step narrower to one side.
	if iv.Low < 2 || iv.High > 8 || iv.HalfWidth() != (iv.High-iv.Low)/2 {
		t.Errorf("%+v", iv)
	}
	if !slices.Equal(values, before) {
		t.Error("values were reordered")
	}
	if iv, err := Median(values[:5], 0.95); err == nil || iv.Estimate != 7 || iv.Level != 0 {
		t.Errorf("five values: %+v, %v", iv, err)
	}
	if _, err := Median(nil, 0.95); err == nil {
		t.Error("no values: no error")
	}
}

func TestQuantileCoverage(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	for _, c := range []struct {
		n int
		q float64
	}{{21, 0.5}, {60, 0.5}, {100, 0.9}} {
		const trials = 4000
		covered, attained := 0, 0.0
		for range trials {
			values := make([]float64, c.n)
			for i := range values {
				values[i] = rng.ExpFloat64()
			}
			iv, err := Quantile(values, c.q, 0.95)
			if err != nil {
				t.Fatal(err)
			}
			if truth := -math.Log(1 - c.q); iv.Low <= truth && truth <= iv.High {
				covered++
			}
			attained = iv.Level
		}
		// The normal approximation of the binomial costs up to a hundredth.
		if got := float64(covered) / trials; math.Abs(got-attained) > 0.024 {
			t.Errorf("n=%d q=%v: covers %.3f, attained level %.3f", c.n, c.q, got, attained)
		}
	}
}

func TestBonferroni(t *testing.T) {
	for m, want := range map[int]float64{1: 0.95, 5: 0.99, 50: 0.999} {
		if got := Bonferroni(m); !near(got, want) {
			t.Errorf("Bonferroni(%d) = %v, want %v", m, got, want)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("no comparison: no panic")
		}
	}()
	Bonferroni(0)
}

func TestHeatsNeeded(t *testing.T) {
	iv := Interval{Estimate: 1.1, Low: 1.1 / 1.2, High: 1.1 * 1.2, N: 20, Level: 0.95}
	for _, c := range []struct {
		threshold float64
		want      int
	}{
		{1.1 / 1.2, 20},            // the bound itself
		{1.1 * 1.2, 20},            //
		{1.1 / math.Sqrt(1.2), 80}, // half the way takes four times the heats
		{1.1 * math.Sqrt(1.2), 80},
		{0.1, 1},
		{math.Inf(1), 1},
		{1.1, 0},       // on the estimate
		{1.1000001, 0}, // too near for any run
	} {
		got := HeatsNeeded(iv, 0, c.threshold)
		if d := got - c.want; d < 0 || d > 1 { // rounded up
			t.Errorf("threshold %v: %d heats, want %d", c.threshold, got, c.want)
		}
	}
	if got := HeatsNeeded(Interval{Estimate: 2, N: 3}, 0, 1); got != 0 {
		t.Errorf("without an interval: %d heats", got)
	}
}

// A part of the reach that no heat takes away is not shrunk, and lies between the
// estimate and the threshold.
func TestHeatsNeededFixed(t *testing.T) {
	iv := Interval{Estimate: math.Exp(0.2), Low: 1, High: math.Exp(0.4), N: 10, Level: 0.95}
	for fixed, want := range map[float64]int{0: 40, 0.05: 90, 0.09: 1210, 0.1: 0, 0.15: 0} {
		got := HeatsNeeded(iv, fixed, math.Exp(0.1))
		if d := got - want; d < 0 || d > 1 {
			t.Errorf("%v fixed: %d heats, want %d", fixed, got, want)
		}
	}
}

// What HeatsNeeded says is about what it takes.
func TestHeatsNeededDecides(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	sample := func(n int) Interval {
		b, c := make([]float64, n), make([]float64, n)
		for i := range b {
			b[i], c[i] = 1.05*math.Exp(0.08*rng.NormFloat64()), math.Exp(0.08*rng.NormFloat64())
		}
		iv, err := PairedRatio(b, c, 0.95)
		if err != nil {
			t.Fatal(err)
		}
		return iv
	}
	const trials = 400
	needed, decided := 0.0, 0.0
	for range trials {
		iv := sample(15)
		off := 1.05 / iv.Estimate // as if the estimate had been right
		iv.Low, iv.High, iv.Estimate = iv.Low*off, iv.High*off, 1.05
		needed += float64(HeatsNeeded(iv, 0, 1)) / trials
	}
	for range trials {
		if sample(int(needed)).Low > 1 {
			decided += 1.0 / trials
		}
	}
	// At the border half of the runs decide: the estimate moves.
	if decided < 0.35 || decided > 0.8 {
		t.Errorf("%.0f heats decided %.2f of the runs", needed, decided)
	}
}
