package chart

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"hotpath/internal/bench"
	"hotpath/internal/study"
)

// times prints how many times over.
func times(v float64) string { return bench.Significant(v) + "x" }

// shortTimes prints how many times over as ticks have it.
func shortTimes(v float64) string { return bench.Short(v) + "x" }

// interval prints a ratio with its bounds, where it has any.
func interval(iv study.Interval) string {
	if iv.Level == 0 {
		return times(iv.Estimate)
	}
	return times(iv.Estimate) + " [" + bench.Significant(iv.Low) + ", " + bench.Significant(iv.High) + "]"
}

// cleanForks are how many stand behind each of some figures.
func cleanForks(figures []*study.Figure) []int {
	var counts []int
	for _, f := range figures {
		counts = append(counts, len(f.Clean))
	}
	return counts
}

// noneCounts is the title where only gated forks are left.
func noneCounts(figures []*study.Figure) string {
	return "None of " + bench.Plural(len(figures), "contestant") + " has a clean fork: nothing here counts"
}

// each says how many of something stand behind each of several values.
func each(counts []int, noun string) string {
	if lo := slices.Min(counts); lo == slices.Max(counts) {
		return bench.Plural(lo, noun) + " each"
	}
	return span(counts) + " " + noun + "s each"
}

// span is the range of some counts: "21" or "18 to 21".
func span(counts []int) string {
	lo, hi := slices.Min(counts), slices.Max(counts)
	if lo == hi {
		return strconv.Itoa(lo)
	}
	return strconv.Itoa(lo) + " to " + strconv.Itoa(hi)
}

// sentence starts with a capital letter.
func sentence(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// printable makes text from the data safe to show on one line.
func printable(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t' || r == '\n' || r == '\r':
			return ' '
		// Format characters can turn the direction of text and hide parts of it.
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r), r == 0xFFFE, r == 0xFFFF, r == '\u2028', r == '\u2029':
			return -1
		}
		return r
	}, s)
}
