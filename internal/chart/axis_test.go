package chart

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/plot/vg"

	"hotpath/internal/bench"
	"hotpath/internal/study"
)

func TestPercentileAt(t *testing.T) {
	for _, p := range nines {
		if got := percentileAt(study.Depth(p)); math.Abs(got-p) > 1e-9 {
			t.Errorf("percentile %v comes back as %v", p, got)
		}
	}
	if got := pth(99.99); got != "p99.99" {
		t.Errorf("percentile 99.99 is printed as %q", got)
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

// An axis holds every estimate and what else it is told to, and the intervals but
// for a few that are far wider than the others.
func TestEstimateAxis(t *testing.T) {
	at := func(estimate, factor float64) study.Interval {
		return study.Interval{Estimate: estimate, Low: estimate / factor, High: estimate * factor, Level: 0.95}
	}
	few := study.Interval{Estimate: 90}
	narrow := []study.Interval{at(1, 1.1), at(2, 1.05), at(3, 1.2), at(4, 1.1), few}
	for name, c := range map[string]struct {
		ivs         []study.Interval
		holds, cuts []float64
	}{
		"one is wide":      {append(slices.Clip(narrow), at(2, 1000)), []float64{0.91, 90, 20}, []float64{0.002, 2000}},
		"one has no bound": {append(slices.Clip(narrow), study.Interval{Estimate: 2, High: math.Inf(1), Level: 0.95}), []float64{0.91, 90}, []float64{1e-5, 2000}},
		"all are wide":     {[]study.Interval{at(1, 5), at(2, 6), at(3, 4)}, []float64{0.2, 12}, []float64{100}},
		"too wide":         {[]study.Interval{at(1, 1e5), at(2, 1e5)}, []float64{0.11, 19}, []float64{0.01, 1e4}},
	} {
		a := estimateAxis(c.ivs, 5, bench.Short, 20)
		for _, v := range c.holds {
			if !a.holds(log10(v)) {
				t.Errorf("%s: from %v to %v without %v", name, a.lo, a.hi, log10(v))
			}
		}
		for _, v := range c.cuts {
			if a.holds(log10(v)) {
				t.Errorf("%s: from %v to %v with %v", name, a.lo, a.hi, log10(v))
			}
		}
	}
	if a := ratioAxis([]study.Interval{at(8, 1.1)}, 5); !a.holds(0) || !a.ratio {
		t.Errorf("an axis of ratios without 1: %+v", a)
	}
}

func TestSpread(t *testing.T) {
	check := func(places, want []vg.Length) {
		t.Helper()
		if got := spread(places, 10, 0, 100); !slices.Equal(got, want) {
			t.Errorf("spread %v: %v, want %v", places, got, want)
		}
	}
	check(nil, []vg.Length{})
	check([]vg.Length{50}, []vg.Length{50})
	check([]vg.Length{20, 40}, []vg.Length{20, 40})
	check([]vg.Length{50, 50, 50}, []vg.Length{40, 50, 60})
	check([]vg.Length{0, 0, 90}, []vg.Length{0, 10, 90})
	check([]vg.Length{100, 100}, []vg.Length{90, 100})
	check([]vg.Length{10, 12, 14, 100}, []vg.Length{5, 15, 25, 100})
}

// Names of panels are never cut: fewer of them stand side by side.
func TestCloudsAcross(t *testing.T) {
	for names, want := range map[[2]string]int{{"atomic", "perp"}: 3, {"atomic", "hdrconcurrent"}: 2, {"perp", "a_name_that_is_longer_than_any_of_ours_is"}: 1} {
		var all []study.Distances
		for _, n := range names {
			name, err := bench.ParseName("BenchmarkAdd/impl=" + n + "/mode=thrpt/threads=2")
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, study.Distances{Row: &study.Row{Cell: bench.Cell{Name: name}}, Groups: []study.Group{{Cost: 1}, {Cost: 1.23}}})
		}
		if got := cloudsAcross(all); got != want {
			t.Errorf("%v: %d side by side, want %d", names, got, want)
		}
	}
}
