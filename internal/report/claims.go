package report

import (
	"fmt"
	"slices"
	"strings"

	"hotpath/internal/bench"
	"hotpath/internal/study"
)

var symbols = map[study.Word]string{
	study.Reproduced:        "✔",
	study.DirectionOnly:     "◐",
	study.NotReproduced:     "✘",
	study.DependsOnDistance: "↔",
	study.Inconclusive:      "?",
}

func verdict(w study.Word) string {
	if w == "" {
		return ""
	}
	return symbols[w] + bench.NBSP + strings.ReplaceAll(string(w), " ", bench.NBSP)
}

// counts are the verdicts of some experiments in one line: "9 reproduced, 6
// direction only".
func counts(xs []*section) string {
	var all []study.Verdict
	for _, x := range xs {
		all = append(all, x.Judgement.Verdicts...)
	}
	if len(all) == 0 {
		return "No published claim is on file for what was measured."
	}
	return fmt.Sprintf("Of %s: %s.", bench.Plural(len(all), "published claim"), tallied(all))
}

// exceptions are the claims of some experiments that are not borne out, or not
// decided, by what was measured: a sentence for each word
// that a quarter of them have at most. More are too long for the first lines of a
// report, and stand in its tables.
func exceptions(xs []*section) []string {
	var lines []string
	all := 0
	for _, x := range xs {
		all += len(x.Judgement.Verdicts)
	}
	for _, w := range study.Words {
		if w == study.Reproduced || w == study.DirectionOnly {
			continue
		}
		var texts []string
		for _, x := range xs {
			for _, v := range x.Judgement.Verdicts {
				if v.Word == w {
					texts = append(texts, escape(v.Claim.Metric.Words)+" of "+strings.Join(deciding(v), ", "))
				}
			}
		}
		if len(texts) > 0 && 4*len(texts) <= all {
			lines = append(lines, verdict(w)+": "+strings.Join(texts, "; ")+".")
		}
	}
	return lines
}

// deciding shows the comparisons that a verdict comes from.
func deciding(v study.Verdict) []string {
	return measured(slices.DeleteFunc(slices.Clone(v.Comparisons), func(c study.Comparison) bool { return c.Verdict != v.Word }))
}

// tallied counts verdicts by their words.
func tallied(all []study.Verdict) string {
	n := map[study.Word]int{}
	for _, v := range all {
		n[v.Word]++
	}
	var words []string
	for _, w := range study.Words {
		if n[w] > 0 {
			words = append(words, fmt.Sprintf("%d %s", n[w], w))
		}
	}
	return bench.List(words)
}

// verdicts is an experiment's claims in a short table, with the reasons that are
// too long for it or hold for several.
type verdicts struct {
	*section
	Table *table
	Notes []string
}

// longReason is how long a reason may be to stand in the table.
const longReason = 28

// Verdicts has a row for each claim: its orders first.
func (x *section) Verdicts() verdicts {
	v := verdicts{section: x, Table: &table{Head: []string{"claim", "published (what reproduces it)", "measured here", "verdict"}, Left: 4}}
	others := x.machines.columns()
	for _, g := range others {
		v.Table.Head = append(v.Table.Head, escape(x.machines.name(g)))
		v.Table.Left++
	}
	uses := map[string]int{}
	for _, j := range x.Judgement.Verdicts {
		uses[j.Reason]++
	}
	for _, orders := range []bool{true, false} {
		for _, j := range x.Judgement.Verdicts {
			if (j.Claim.Kind == study.Order) != orders {
				continue
			}
			word := verdict(j.Word)
			switch {
			case j.Reason == "":
			case uses[j.Reason] > 1 || len(j.Reason) > longReason:
				word += " " + v.note(j.Reason)
			default:
				word += ", " + escape(j.Reason)
			}
			row := []string{escape(j.Claim.Text), statement(j.Claim) + band(j), strings.Join(measured(j.Comparisons), "<br>"), word}
			for _, g := range others {
				row = append(row, cell(g, x.Name, j.Claim.ID))
			}
			v.Table.add(row...)
		}
	}
	return v
}

// note is the mark of a reason that stands below the table.
func (v *verdicts) note(reason string) string {
	i := slices.Index(v.Notes, reason)
	if i < 0 {
		i = len(v.Notes)
		v.Notes = append(v.Notes, reason)
	}
	return fmt.Sprintf("<sup>%d</sup>", i+1)
}

// Sources are where the claims were published, each once.
func (v verdicts) Sources() string {
	var all []string
	for _, j := range v.Judgement.Verdicts {
		if s := escape(j.Claim.Source); !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return strings.Join(all, "; ")
}

// statement is what a claim says of a ratio.
func statement(c study.Claim) string {
	switch c.Kind {
	case study.Order:
		names := make([]string, len(c.Order))
		for i, n := range c.Order {
			names[i] = code(n)
		}
		return strings.Join(names, " > ")
	case study.Range:
		return bench.Exact(c.Low) + " to " + bench.Exact(c.High)
	case study.AtLeast:
		return "≥ " + bench.Exact(c.Published)
	case study.Less:
		return "> 1"
	}
	return bench.Exact(c.Published)
}

// band says between which ratios an interval reproduces a claim of one.
func band(v study.Verdict) string {
	if v.Claim.Kind != study.Ratio || len(v.Comparisons) == 0 {
		return ""
	}
	b := v.Comparisons[0].Band
	return fmt.Sprintf("<br>(%s to %s)", bench.Ratio(b[0]), bench.Ratio(b[1]))
}

// measured shows the ratio of each of some comparisons.
func measured(all []study.Comparison) []string {
	var parts []string
	for _, c := range all {
		noisy := ""
		if c.Counting < c.N {
			noisy = "~" + bench.NBSP // from heats that do not count
		}
		parts = append(parts, fmt.Sprintf("%s / %s: %s%s", code(c.Baseline), code(c.Candidate), noisy, ratio(c.Measured.Interval)))
	}
	return parts
}
