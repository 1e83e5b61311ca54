package chart

import (
	"math"
	"strconv"
)

// significant prints a number that is not negative with three significant
// digits.
func significant(v float64) string {
	if v == 0 {
		return "0"
	}
	// The digits before the point follow from the rounded number: 9.996 is 10.0.
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'e', 2, 64), 64)
	if rounded >= 1e6 || rounded < 1e-4 {
		return strconv.FormatFloat(v, 'e', 2, 64)
	}
	digits := 2 - int(math.Floor(math.Log10(rounded)))
	return strconv.FormatFloat(rounded, 'f', max(digits, 0), 64)
}

// short prints what significant prints without zeros at the end, for ticks.
func short(v float64) string {
	rounded, _ := strconv.ParseFloat(significant(v), 64)
	return strconv.FormatFloat(rounded, 'g', -1, 64)
}

// scaled divides by the largest of the units that leaves a number of at least 1.
func scaled(v float64, print func(float64) string, units []unit) string {
	u := units[0]
	for _, next := range units[1:] {
		// Half a digit less: 999.9 ns prints as 1.00 µs.
		if v >= next.size*0.9995 {
			u = next
		}
	}
	return print(v/u.size) + u.name
}

// nbsp keeps a number and its unit on one line.
const nbsp = "\u00A0"

type unit struct {
	size float64
	name string
}

var (
	times  = []unit{{1, nbsp + "ns"}, {1e3, nbsp + "µs"}, {1e6, nbsp + "ms"}, {1e9, nbsp + "s"}}
	sizes  = []unit{{1, nbsp + "B"}, {1e3, nbsp + "kB"}, {1e6, nbsp + "MB"}, {1e9, nbsp + "GB"}}
	powers = []unit{{1, ""}, {1e3, "k"}, {1e6, "M"}, {1e9, "G"}, {1e12, "T"}}
)

// nanoseconds prints a time given in ns.
func nanoseconds(v float64) string { return scaled(v, significant, times) }

// seconds prints a time given in s.
func seconds(v float64) string { return nanoseconds(v * 1e9) }

// shortTime prints a time given in ns as ticks have it.
func shortTime(v float64) string { return scaled(v, short, times) }

// size prints a number of bytes.
func size(v float64) string { return scaled(v, exact(v), sizes) }

// shortSize prints a number of bytes as ticks have it.
func shortSize(v float64) string { return scaled(v, short, sizes) }

// share prints a part of 1.
func share(v float64) string { return significant(100*v) + nbsp + "%" }

// shortShare prints a part of 1 as ticks have it.
func shortShare(v float64) string { return short(100*v) + nbsp + "%" }

// amount prints a number of things.
func amount(v float64) string { return scaled(v, exact(v), powers) }

// exact is the way to print a number of things: a small one as it is.
func exact(v float64) func(float64) string {
	if v == math.Trunc(v) && v < 1000 {
		return short
	}
	return significant
}

// ratio prints how many times over.
func ratio(v float64) string { return significant(v) + "x" }

func number(n int) string { return strconv.Itoa(n) }

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return number(n) + " " + noun + "s"
}
