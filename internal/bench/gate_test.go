package bench

import (
	"math"
	"slices"
	"testing"
)

func TestUnmet(t *testing.T) {
	clean := Conditions{Foreign: 0.01, Steal: 0, Workers: 32, Threads: 32, Parallelism: 1.99, Possible: 2}
	with := func(change func(*Conditions)) Conditions {
		f := clean
		change(&f)
		return f
	}
	for _, c := range []struct {
		name string
		fork Conditions
		want []string
	}{
		{"clean", clean, nil},
		{"at the limits", with(func(f *Conditions) { f.Foreign, f.Steal, f.Parallelism = 0.05, 0.01, 1.9 }), nil},
		{"foreign", with(func(f *Conditions) { f.Foreign = 0.12 }), []string{"foreign CPU 12 % > 5 %"}},
		{"foreign by a hair", with(func(f *Conditions) { f.Foreign = 0.05003 }), []string{"foreign CPU 5.003 % > 5 %"}},
		{"foreign in full", with(func(f *Conditions) { f.Foreign = 1 }), []string{"foreign CPU 100 % > 5 %"}},
		{"foreign Unseen", with(func(f *Conditions) { f.Foreign = Unseen }), []string{"foreign CPU not visible"}},
		{"foreign not a number", with(func(f *Conditions) { f.Foreign = math.NaN() }), []string{"foreign CPU not visible"}},
		{"steal", with(func(f *Conditions) { f.Steal = 0.034 }), []string{"steal 3.4 % > 1 %"}},
		{"parallelism", with(func(f *Conditions) { f.Parallelism = 1.523 }), []string{"parallelism 1.52 < 1.9"}},
		{"parallelism by a hair", with(func(f *Conditions) { f.Parallelism = 1.8996 }), []string{"parallelism 1.8996 < 1.9"}},
		{"parallelism of one", with(func(f *Conditions) { f.Parallelism, f.Possible = 0.97, 1 }), nil},
		{"parallelism Unseen", with(func(f *Conditions) { f.Parallelism = math.NaN() }), []string{"parallelism not visible"}},
		{"parks", with(func(f *Conditions) { f.Parallelism, f.Possible = 0.2, 0 }), nil},
		{"in place", with(func(f *Conditions) { f.HandOffs, f.Distance = []float64{71, 142}, 100 }), nil},
		{"moved together", with(func(f *Conditions) { f.HandOffs, f.Distance = []float64{100, 41}, 100 }), []string{"CPUs moved: hand-off 41 ns, not 70 to 143 ns"}},
		{"moved apart", with(func(f *Conditions) { f.HandOffs, f.Distance = []float64{240, 100}, 100 }), []string{"CPUs moved: hand-off 240 ns, not 70 to 143 ns"}},
		{"distance Unseen", with(func(f *Conditions) { f.HandOffs, f.Distance = []float64{1}, Unseen }), nil},
		{"one CPU", with(func(f *Conditions) { f.HandOffs = []float64{1, 1} }), nil},
		{"workers", with(func(f *Conditions) { f.Workers = 31 }), []string{"workers that ran 31 of 32"}},
		{"everything", Conditions{Foreign: 0.5, Steal: 0.5, Threads: 2, Possible: 2},
			[]string{"foreign CPU 50 % > 5 %", "steal 50 % > 1 %", "parallelism 0 < 1.9", "workers that ran 0 of 2"}},
	} {
		var got []string
		for _, u := range DefaultThresholds.Unmet(c.fork) {
			got = append(got, u.String())
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
