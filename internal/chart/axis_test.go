package chart

import (
	"math"
	"slices"
	"strconv"
	"testing"

	"gonum.org/v1/plot/vg"

	"hotpath/internal/bench"
	"hotpath/internal/study"
)

func parse(t *testing.T, s string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestPercentileAt(t *testing.T) {
	for _, p := range nines {
		if got := percentileAt(study.Depth(p)); math.Abs(got-p) > 1e-9 {
			t.Errorf("percentile %v comes back as %v", p, got)
		}
	}
	if got := onOneLine(percent(99.9999)); got != "99.9999 %" {
		t.Errorf("percentile 99.9999 is printed as %q", got)
	}
}

func TestLogTicks(t *testing.T) {
	for lo := -6.0; lo < 15; lo += 0.37 {
		for span := 0.5; lo+span < 21; span *= 1.3 {
			for _, most := range []int{4, 7, 9} {
				labels, last := 0, math.Inf(-1)
				for _, tick := range logTicks(lo, lo+span, most, bench.Short) {
					if tick.at < lo || tick.at > lo+span || tick.at <= last {
						t.Fatalf("[%v, %v]: tick at %v after %v", lo, lo+span, tick.at, last)
					}
					if last = tick.at; tick.text != "" {
						labels++
					}
				}
				if labels < 1 || labels > most {
					t.Errorf("[%v, %v]: %d labels, want 1 to %d", lo, lo+span, labels, most)
				}
			}
		}
	}
}

func TestSteps(t *testing.T) {
	check := func(first, last int, want ...float64) {
		t.Helper()
		var got []float64
		for _, tick := range steps(first, last, 5) {
			got = append(got, tick.at)
		}
		if !slices.Equal(got, want) {
			t.Errorf("steps %d to %d: %v, want %v", first, last, got, want)
		}
	}
	check(1, 1, 1)
	check(1, 4, 1, 2, 3, 4)
	check(1, 10, 2, 4, 6, 8, 10)
	check(7, 1093, 200, 400, 600, 800, 1000)
	check(1, 1000, 200, 400, 600, 800, 1000)
}

func TestSpread(t *testing.T) {
	check := func(places, want []vg.Length) {
		t.Helper()
		if got := spread(places, 10, 0, 100); !slices.Equal(got, want) {
			t.Errorf("spread %v: %v, want %v", places, got, want)
		}
	}
	check(nil, nil)
	check([]vg.Length{50}, []vg.Length{50})
	check([]vg.Length{20, 40}, []vg.Length{20, 40})
	check([]vg.Length{50, 50, 50}, []vg.Length{40, 50, 60})
	check([]vg.Length{0, 0, 90}, []vg.Length{0, 10, 90})
	check([]vg.Length{100, 100}, []vg.Length{90, 100})
	check([]vg.Length{10, 12, 14, 100}, []vg.Length{2, 12, 22, 100})
}
