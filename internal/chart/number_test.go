package chart

import (
	"math"
	"slices"
	"strconv"
	"testing"

	"gonum.org/v1/plot/vg"
)

func parse(t *testing.T, s string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestNumbers(t *testing.T) {
	check := func(got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	check(significant(9.996), "10.0")
	check(significant(0.09996), "0.100")
	check(significant(123456), "123000")
	check(significant(0), "0")
	check(significant(123456789), "1.23e+08")
	check(significant(0.000012345), "1.23e-05")
	check(short(100000), "100000")
	check(short(1e9), "1e+09")
	check(short(0.30000000000000004), "0.3")
	check(onOneLine(nanoseconds(0.2134)), "0.213 ns")
	check(onOneLine(nanoseconds(999.4)), "999 ns")
	check(onOneLine(nanoseconds(999.6)), "1.00 µs")
	check(onOneLine(nanoseconds(31424512)), "31.4 ms")
	check(onOneLine(seconds(1.5)), "1.50 s")
	check(onOneLine(shortTime(1e5)), "100 µs")
	check(amount(999), "999")
	check(amount(80e6), "80.0M")
	check(onOneLine(size(24)), "24 B")
	check(onOneLine(size(10240)), "10.2 kB")
	check(onOneLine(shortSize(2e6)), "2 MB")
	check(onOneLine(percent(99.9999)), "99.9999 %")
	for _, p := range nines {
		if got := percentileAt(depth(p)); math.Abs(got-p) > 1e-9 {
			t.Errorf("percentile %v comes back as %v", p, got)
		}
	}
}

func TestLogTicks(t *testing.T) {
	for lo := -6.0; lo < 15; lo += 0.37 {
		for span := 0.5; lo+span < 21; span *= 1.3 {
			for _, most := range []int{4, 7, 9} {
				labels, last := 0, math.Inf(-1)
				for _, tick := range logTicks(lo, lo+span, most, short) {
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
