package bench

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// NBSP keeps a number and its unit on one line.
const NBSP = "\u00A0"

// digits are the significant ones of a value that a reader is to compare by eye.
const digits = 3

// Significant prints a number that is not negative with three significant
// digits, and with an exponent where it has seven places or four zeros.
func Significant(v float64) string {
	if v == 0 {
		return "0"
	}
	// The places before the point follow from the rounded number: 9.996 is 10.0.
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'e', digits-1, 64), 64)
	if rounded >= 1e6 || rounded < 1e-4 {
		return strconv.FormatFloat(v, 'e', digits-1, 64)
	}
	return strconv.FormatFloat(rounded, 'f', max(digits-1-magnitude(rounded), 0), 64)
}

// Short prints what Significant prints without zeros at the end.
func Short(v float64) string {
	rounded, _ := strconv.ParseFloat(Significant(v), 64)
	return strconv.FormatFloat(rounded, 'g', -1, 64)
}

// Full prints a value with at least so many significant digits and
// commas.
func Full(v float64, digits int) string {
	if v == 0 || math.IsNaN(v) || math.IsInf(v, 0) {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return commas(strconv.FormatFloat(v, 'f', min(max(digits-1-magnitude(v), 0), 9), 64))
}

// Exact prints a value with all the digits that it has, and commas.
func Exact(v float64) string { return commas(strconv.FormatFloat(v, 'f', -1, 64)) }

// Count prints a number of things with commas.
func Count(n int64) string { return commas(strconv.FormatInt(n, 10)) }

// Decimal writes a number with at most so many decimals, and no zeros behind
// them.
func Decimal(v float64, decimals int) string {
	s := strconv.FormatFloat(v, 'f', decimals, 64)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}

// Ratio prints a ratio with two or three significant digits.
func Ratio(v float64) string {
	switch {
	case math.IsInf(v, 1):
		return "∞"
	case v >= 100:
		return fmt.Sprintf("%.0f", v)
	case v >= 10:
		return fmt.Sprintf("%.1f", v)
	case v < 0.1:
		return fmt.Sprintf("%.3f", v)
	}
	return fmt.Sprintf("%.2f", v)
}

// Percent prints a share with so many significant digits at most.
func Percent(share float64, digits int) string { return fmt.Sprintf("%.*g %%", digits, 100*share) }

// magnitude is the power of ten of a number.
func magnitude(v float64) int { return int(math.Floor(math.Log10(math.Abs(v)))) }

// commas groups the digits ahead of the point.
func commas(s string) string {
	whole, frac, point := strings.Cut(s, ".")
	sign := ""
	if rest, ok := strings.CutPrefix(whole, "-"); ok {
		sign, whole = "-", rest
	}
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if point {
		whole += "." + frac
	}
	return sign + whole
}

// scale is a unit of measurement that a reader knows.
type scale struct {
	size float64
	name string
}

// scales are those of each quantity, the smallest first; of seconds those of
// nanoseconds, of shares those of percent.
var scales = map[Quantity][]scale{
	Number: {{1, ""}, {1e3, "k"}, {1e6, "M"}, {1e9, "G"}, {1e12, "T"}},
	Nanos:  {{1, NBSP + "ns"}, {1e3, NBSP + "µs"}, {1e6, NBSP + "ms"}, {1e9, NBSP + "s"}},
	Bytes:  {{1, NBSP + "B"}, {1e3, NBSP + "kB"}, {1e6, NBSP + "MB"}, {1e9, NBSP + "GB"}},
	Share:  {{1, NBSP + "%"}},
}

// Print prints a value with three significant digits in a unit that a person
// would choose. A small number of things that are whole is printed as it is.
func (q Quantity) Print(v float64) string {
	if (q == Number || q == Bytes) && v == math.Trunc(v) && v < 1000 {
		return q.Tick(v)
	}
	return q.scaled(v, Significant)
}

// Tick prints what Print prints without zeros at the end, for axes.
func (q Quantity) Tick(v float64) string { return q.scaled(v, Short) }

func (q Quantity) scaled(v float64, print func(float64) string) string {
	switch q {
	case Seconds:
		q, v = Nanos, v*1e9
	case Share:
		v *= 100
	}
	all := scales[q]
	s := all[0]
	for _, next := range all[1:] {
		// Half a digit less: 999.9 ns prints as 1.00 µs.
		if v >= next.size*0.9995 {
			s = next
		}
	}
	return print(v/s.size) + s.name
}

// Plural is "1 fork", "2 forks".
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// List is "a", "a and b", "a, b and c".
func List(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}
