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
func times(v float64) string { return bench.Ratio(v) + "×" }

// shortTimes prints how many times over as ticks have it.
func shortTimes(v float64) string { return bench.Short(v) + "×" }

// interval prints a ratio with its bounds, where it has any.
func interval(iv study.Interval) string {
	if iv.Level == 0 {
		return bench.Ratio(iv.Estimate)
	}
	return bench.Ratio(iv.Estimate) + " [" + bench.Ratio(iv.Low) + ", " + bench.Ratio(iv.High) + "]"
}

// faster says in words how many times as fast something is.
func faster(v float64) string { return bench.Ratio(v) + " times as fast" }

// dagger marks a contestant whose caller holds something for it.
const dagger = "†"

// named is a contestant's name, with a mark if its caller holds something for it.
func named(r *study.Row) string {
	if r.Holds != "" {
		return r.Impl() + dagger
	}
	return r.Impl()
}

// apart parts the words for some blocks into those that they share and those of
// each.
func apart(blocks []*study.Block) (common string, own []string) {
	var words [][]string
	for _, b := range blocks {
		words = append(words, b.Words())
	}
	shared, differing := parted(words)
	for _, words := range differing {
		own = append(own, strings.Join(words, ", "))
	}
	return strings.Join(append([]string{blocks[0].Func()}, shared...), ", "), own
}

// parted parts lists of words into the words that stand in all of them and those
// of each.
func parted(lists [][]string) (common []string, own [][]string) {
	differs := func(word string) bool {
		return slices.ContainsFunc(lists, func(words []string) bool { return !slices.Contains(words, word) })
	}
	for _, words := range lists {
		own = append(own, slices.DeleteFunc(slices.Clone(words), func(word string) bool { return !differs(word) }))
	}
	return slices.DeleteFunc(slices.Clone(lists[0]), differs), own
}

// pth names a percentile.
func pth(percentile float64) string { return "p" + bench.Exact(percentile) }

// heatsOf says how many clean forks, one in each heat, stand behind figures.
func heatsOf(figures []*study.Figure) string {
	var counts []int
	for _, f := range figures {
		counts = append(counts, len(f.Clean))
	}
	return inHeats(counts)
}

// inHeats says how many heats stand behind several values: 21, or 18 to 21.
func inHeats(counts []int) string {
	lo, hi := slices.Min(counts), slices.Max(counts)
	if lo == hi {
		return "n=" + bench.Plural(lo, "heat")
	}
	return "n=" + strconv.Itoa(lo) + " to " + bench.Plural(hi, "heat")
}

// onOneLine is text that stands outside of a drawing.
func onOneLine(s string) string { return strings.ReplaceAll(printable(s), bench.NBSP, " ") }

// shorten cuts text of more than most characters between two words.
func shorten(s string, most int) string {
	runes := []rune(s)
	if len(runes) <= most {
		return s
	}
	s = string(runes[:most-1])
	if i := strings.LastIndexByte(s, ' '); i > 0 {
		s = s[:i]
	}
	return s + "…"
}

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
