package report

import (
	"fmt"
	"html"
	"regexp"
	"strings"
	"unicode"

	"hotpath/internal/bench"
	"hotpath/internal/study"
)

// percent prints a share.
func percent(v float64) string { return bench.Percent(v, 3) }

// nanos prints a time in nanoseconds in a unit that a person would choose.
func nanos(v float64) string { return bench.Nanos.Print(v) }

// ratio prints a ratio with its interval: 5.42 [5.31, 5.60].
func ratio(iv study.Interval) string {
	switch {
	case iv.Estimate == 0:
		return "n/a"
	case iv.Level == 0:
		return bench.Ratio(iv.Estimate) + bench.NBSP + "(" + bench.Plural(iv.N, "heat") + ")"
	}
	return bench.Ratio(iv.Estimate) + bench.NBSP + "[" + bench.Ratio(iv.Low) + "," + bench.NBSP + bench.Ratio(iv.High) + "]"
}

// processes is so many of them.
func processes(n int) string {
	if n == 1 {
		return "1 process"
	}
	return fmt.Sprintf("%d processes", n)
}

// paired prints the ratio of two contestants.
func paired(b *study.Block, unit bench.Unit, baseline, candidate string) string {
	if baseline == candidate {
		return "1"
	}
	return ratio(b.Ratio(unit, baseline, candidate))
}

// code is a name from a run in Markdown, in a table cell too. What is no plain
// name is shown as text.
func code(s string) string {
	for _, r := range s {
		if r <= ' ' || r > '~' || strings.ContainsRune("`|", r) {
			return escape(s)
		}
	}
	return "`" + s + "`"
}

// escape makes text from outside plain within a line of Markdown, in a table cell
// too: no markup, no link, no picture of a word, nothing that is not seen.
func escape(s string) string {
	var b strings.Builder
	visible := []rune(shown(s))
	for i, r := range visible {
		switch {
		case strings.ContainsRune("\\`*_[]#~|", r):
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '<' || r == '>' || r == '&':
			b.WriteString(html.EscapeString(string(r)))
		// What follows makes a link, a formula or a picture out of plain words, and an
		// entity does not prevent it.
		case r == '@' || r == '$' || r == ':' && i+1 < len(visible) && visible[i+1] != ' ' || r == '.' && i >= 3 && strings.EqualFold(string(visible[i-3:i]), "www"):
			b.WriteString("<span>" + string(r) + "</span>")
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// paragraph is escape for text at the start of a line.
func paragraph(s string) string {
	s = strings.TrimSpace(escape(s))
	if m := starts.FindStringSubmatch(s); m != nil {
		s = m[1] + "\\" + s[len(m[1]):]
	}
	return s
}

// starts finds the character that makes a list or a line of a paragraph.
var starts = regexp.MustCompile(`^([0-9]{0,9})[-+=.)]`)

// attribute is text in an attribute of HTML, between quotes.
func attribute(s string) string { return html.EscapeString(shown(s)) }

// shown is text on one line without what is not to be seen or changes how others
// are: control, direction, joining, variation and tag characters among them.
func shown(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\u00a0':
			return r
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsGraphic(r) || unicode.In(r, unicode.Cf, unicode.Variation_Selector):
			return -1
		}
		return r
	}, s)
}
