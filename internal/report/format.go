package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"hotpath/internal/stats"
)

// number prints a value with four significant digits and commas.
func number(v float64) string {
	if v == 0 || math.IsNaN(v) || math.IsInf(v, 0) {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	digits := max(0, 3-int(math.Floor(math.Log10(math.Abs(v)))))
	return commas(strconv.FormatFloat(v, 'f', min(digits, 9), 64))
}

// published prints a figure as the study did, with commas.
func published(v float64) string { return commas(strconv.FormatFloat(v, 'f', -1, 64)) }

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

// ratio prints a ratio with its interval: 5.42 [5.31, 5.60].
func ratio(iv stats.Interval) string {
	if iv.N == 0 {
		return "n/a"
	}
	if iv.Level == 0 {
		return fmt.Sprintf("%s (n=%d)", ratioNumber(iv.Estimate), iv.N)
	}
	return fmt.Sprintf("%s [%s, %s]", ratioNumber(iv.Estimate), ratioNumber(iv.Low), ratioNumber(iv.High))
}

func ratioNumber(v float64) string {
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

// percent prints a share.
func percent(v float64) string { return fmt.Sprintf("%.3g %%", 100*v) }

// escape makes text from outside plain in Markdown, in a table cell too.
func escape(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r < ' ' || r == 0x7f || (r >= 0x80 && r < 0xa0) || (r >= 0x202a && r <= 0x202e) || (r >= 0x2066 && r <= 0x2069):
			b.WriteByte(' ')
		case strings.ContainsRune("\\`*_{}[]<>#|~&!", r):
			b.WriteByte('\\')
			b.WriteRune(r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
