package chart

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"hotpath/internal/study"
)

// contest is made up: so many heats around a ratio, with their spread, and an
// interval of an arm to each side unless that is 0.
func contest(words, outcome string, heats int, ratio, spread, arm float64) Contest {
	k := Contest{Words: strings.Fields(words), Outcome: outcome, Differs: outcome == "slower" || outcome == "faster"}
	for i := range heats {
		k.Ratios = append(k.Ratios, ratio*math.Pow(1+spread, float64(i*7%11-5)/5))
		k.Controls = append(k.Controls, math.Pow(1+spread, float64(i*5%11-5)/5))
	}
	if arm > 0 {
		k.Ratio = study.Interval{Estimate: ratio, Low: ratio / arm, High: ratio * arm, N: heats, Level: 0.99}
	}
	return k
}

func comparison(contests ...Contest) Revisions {
	return Revisions{Name: "compare HEAD~1 the work tree", Finding: "the work tree is slower than HEAD~1 in 1 of 6 benchmarks, by a factor of up to 1.062; it is faster in 1",
		Margin: 0.02, Level: 0.95, Contests: contests}
}

// manyOutcomes has every outcome, what has too few heats, and what has none.
func manyOutcomes() Revisions {
	return comparison(
		contest("counter Add impl=atomic mode=thrpt threads=32@perthread ns/op", "no difference", 30, 1.001, 0.03, 1.008),
		contest("counter Add impl=perp mode=thrpt threads=1@one ns/op", "slower", 14, 1.062, 0.012, 1.02),
		contest("counter Add impl=perp mode=thrpt threads=32@percpu ns/op", "faster", 14, 0.957, 0.02, 1.025),
		contest("counter Add impl=group mode=thrpt threads=32@percpu ns/op", "cannot tell", 60, 1.02, 0.09, 1.035),
		contest("counter Add impl=handle mode=thrpt threads=1@one ns/op", "cannot tell", 4, 0.99, 0.01, 0),
		contest("counter Add impl=xsync mode=thrpt threads=1@one ns/op", "cannot tell", 0, 1, 0, 0),
	)
}

func TestRevisionsGolden(t *testing.T) {
	c, ok := manyOutcomes().Chart()
	if !ok {
		t.Fatal("no chart")
	}
	golden(t, "revisions", c)
	checkSVG(t, "light", c.Light, c)
	checkSVG(t, "dark", c.Dark, c)
	if c.Name != "compare-head-1-the-work-tree" || !strings.HasSuffix(c.Title, "(n=4 to 60 heats)") || !strings.Contains(c.Title, "in 1 of 6") {
		t.Errorf("name %q, title %q", c.Name, c.Title)
	}
	if c, ok := comparison(contest("X", "cannot tell", 0, 1, 0, 0)).Chart(); ok {
		t.Errorf("a chart of nothing: %s", c.Title)
	}
}

// texts are those of a chart, in the order of drawing.
func texts(t *testing.T, c Chart) (all []string) {
	t.Helper()
	for _, text := range read(t, c.Name, c.Light).Texts {
		all = append(all, text.String)
	}
	return all
}

// A row's name is what tells it from the others; what they share is said once.
func TestRevisionsNames(t *testing.T) {
	for name, c := range map[string]struct {
		words []string
		want  []string
		note  string
	}{
		"one":            {[]string{"Parse size=1 ns/op"}, []string{"Parse size=1 ns/op"}, ""},
		"two":            {[]string{"Parse size=1 ns/op", "Parse size=9 ns/op"}, []string{"size=1", "size=9"}, "All are Parse ns/op."},
		"units":          {[]string{"Echo ns/op", "Echo cpu-ns/op"}, []string{"ns/op", "cpu-ns/op"}, "All are Echo."},
		"one in another": {[]string{"Parse ns/op", "Parse all ns/op"}, []string{"Parse ns/op", "Parse all ns/op"}, ""},
		"nothing shared": {[]string{"Parse", "Print"}, []string{"Parse", "Print"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var contests []Contest
			for _, words := range c.words {
				contests = append(contests, contest(words, "slower", 12, 1.1, 0.01, 1.01))
			}
			chart, _ := comparison(contests...).Chart()
			got := texts(t, chart)
			for _, want := range c.want {
				if !slices.Contains(got, want) {
					t.Errorf("no row %q in %q", want, got)
				}
			}
			if all := strings.Join(got, " "); strings.Contains(all, "All are") != (c.note != "") || !strings.Contains(all, c.note) {
				t.Errorf("no note %q in %q", c.note, all)
			}
		})
	}
}

// Whatever the ratios are and the names hold, the chart stays legible.
func TestRevisionsLayout(t *testing.T) {
	wide := contest("X", "cannot tell", 12, 1.3, 0.2, 1.1)
	wide.Ratio.Low, wide.Ratio.High = 0, math.Inf(1)
	odd := contest("X", "slower", 40, 1.1, 0.01, 1.01)
	odd.Ratios[3], odd.Ratios[5], odd.Controls[7] = 1e30, 80, 1e-30
	many := []Contest{wide, odd}
	for range 30 {
		many = append(many, contest("Some more", "no difference", 12, 1, 0.005, 1.003))
	}
	tiny, huge := comparison(contest("X", "slower", 12, 1, 0, 1.00001)), comparison(contest("X", "slower", 12, 1.5, 0.1, 1.1))
	tiny.Margin, huge.Margin = 1e-9, 1e300
	for name, r := range map[string]Revisions{
		"one heat":     comparison(contest("X", "cannot tell", 1, 1.2, 0, 0)),
		"no bounds":    comparison(wide),
		"odd heats":    comparison(odd),
		"far apart":    comparison(contest("X", "slower", 12, 700, 0.1, 1.2), contest("Y", "faster", 12, 0.004, 0.1, 1.2)),
		"threefold":    comparison(contest("X", "slower", 12, 2.9, 0.01, 1.02)),
		"beyond all":   comparison(contest("X", "slower", 12, 1e20, 0.01, 1.02)),
		"many":         comparison(many...),
		"tiny margin":  tiny,
		"huge margin":  huge,
		"long names":   comparison(contest(strings.Repeat("a", 300), "no difference", 12, 1, 0.01, 1.01), contest(strings.Repeat("b", 300), "cannot tell", 0, 1, 0, 0)),
		"hostile name": comparison(contest("</text><script>alert(1)</script>\x00\x1b[31m\u202e&\"'\xff ../x", "slower", 12, 1.1, 0.01, 1.01)),
	} {
		t.Run(name, func(t *testing.T) {
			c, ok := r.Chart()
			if !ok {
				t.Fatal("no chart")
			}
			checkSVG(t, "light", c.Light, c)
			checkSVG(t, "dark", c.Dark, c)
			if bytes.Contains(c.Light, []byte("NaN")) || bytes.Contains(c.Light, []byte("Inf\"")) || bytes.ContainsAny(c.Light, "\x00\x1b\u202e") {
				t.Errorf("it has a place that is no number, or a character that acts:\n%s", c.Light)
			}
			if !slices.Contains(texts(t, c), "1×") {
				t.Errorf("the axis does not say where 1 is: %q", texts(t, c))
			}
		})
	}
}
