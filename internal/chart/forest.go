package chart

import (
	"fmt"
	"strings"

	"gonum.org/v1/plot/vg"

	"hotpath/internal/bench"
	"hotpath/internal/study"
)

// line is a row of the forest plot: a claim of several comparisons, or one
// comparison.
type line struct {
	study.Verdict
	*study.Comparison // nil of a claim's own row
	part              bool
}

// lines are in the order of the claims.
func lines(verdicts []study.Verdict) (all []line) {
	for _, v := range verdicts {
		if len(v.Comparisons) > 1 {
			all = append(all, line{Verdict: v})
		}
		for i := range v.Comparisons {
			all = append(all, line{v, &v.Comparisons[i], len(v.Comparisons) > 1})
		}
	}
	return all
}

// name is what a row compares, and what the claim predicts of it with the digits
// published.
func (l line) name() string {
	c, lane := l.Claim, ""
	if c.Lane != "" {
		lane = " (" + c.Lane + ")"
	}
	switch {
	case l.Comparison == nil:
		return strings.Join(c.Order, " > ") + lane
	case l.part:
		return l.Baseline + " / " + l.Candidate
	}
	said := "above 1"
	switch c.Kind {
	case study.Range:
		said = bench.Exact(c.Low) + " to " + bench.Exact(c.High)
	case study.AtLeast:
		said = bench.Exact(c.Published) + " or more"
	case study.Ratio:
		said = bench.Exact(c.Published)
	}
	name := l.Baseline + " / " + l.Candidate + lane + ", "
	if textWidth(strong, name+c.Metric.Words+": "+said+l.word()) > pageWidth-2*margin-nameGap {
		return name + c.Metric.Name + ": " + said
	}
	return name + c.Metric.Words + ": " + said
}

// measured reports whether there is a ratio to draw.
func (l line) measured() bool { return l.Comparison != nil && drawable(l.Measured.Estimate) }

// word is the verdict on the row.
func (l line) word() string {
	if l.Comparison == nil {
		return string(l.Word)
	}
	return string(l.Comparison.Verdict)
}

// byDistance reports whether the row has a ratio for near and one for far CPUs in
// place of one for all.
func (l line) byDistance() bool {
	return l.Comparison != nil && l.Comparison.Verdict == study.DependsOnDistance
}

// forest draws each comparison of the claims: the measured ratio with its
// interval, what was published, and the verdict. What is said of the originals has a
// figure of its own.
func forest(d *drawing) []figure {
	figures := forestOf(d.Judgement.Verdicts)
	if d.Lane != nil {
		for _, fig := range forestOf(d.Lane.Judgement.Verdicts) {
			fig.block = d.Lane.Blocks[0].Block
			fig.title = "the originals: " + fig.title
			figures = append(figures, fig)
		}
	}
	return figures
}

func forestOf(verdicts []study.Verdict) []figure {
	all := lines(verdicts)
	if len(all) == 0 {
		return nil
	}
	st := stage{asides: []aside{{title: "measured"}}}
	for _, l := range all {
		text := ""
		switch {
		case l.byDistance():
			text = bench.Ratio(l.Near.Estimate) + " near, " + bench.Ratio(l.Far.Estimate) + " far"
		case l.measured():
			text = interval(l.Measured.Interval)
		case l.Comparison != nil:
			text = "not measured"
		}
		st.rows = append(st.rows, row{name: l.name(), strong: !l.part, right: l.word(), bare: l.Comparison == nil})
		st.asides[0].add(text, l.Comparison != nil && l.Measured.Level == 0)
	}
	x := forestAxis(all)
	st.panels = []panel{{
		head: []string{"baseline / candidate"},
		x:    x,
		mark: func(c *canvas, f frame, row int, y vg.Length) { c.comparison(f, all[row], y) },
	}}
	g := grid{above: true, rowHeight: lead + 22, stages: []stage{st}}
	fig := g.figure(bench.Block{})
	fig.title, fig.n = forestTitle(verdicts), heatsBehind(all)
	fig.note = "What the baseline takes over what the candidate takes, and what was published of it (log scale)."
	level := 1.0
	for _, l := range all {
		level = min(level, l.Level)
	}
	fig.note += fmt.Sprintf(" Each interval holds with %.2f"+bench.NBSP+"%% at least.", 100*level)
	fig.keys = forestKeys
	return []figure{fig}
}

func forestAxis(all []line) axis {
	var ivs []study.Interval
	var others []float64
	for _, l := range all {
		switch {
		case l.Comparison == nil:
			continue
		case l.byDistance():
			ivs = append(ivs, l.Near, l.Far)
		case l.measured():
			ivs = append(ivs, l.Measured.Interval)
		}
		others = append(others, l.Comparison.Published, l.Band[0], l.Band[1])
	}
	return ratioAxis(ivs, 5, others...)
}

var forestKeys = []key{
	{func(c *canvas, x, y vg.Length) { c.mark(disc, c.ink, x, y, 3) }, "measured"},
	{func(c *canvas, x, y vg.Length) { c.publishedMark(x, y) }, "published"},
	{func(c *canvas, x, y vg.Length) { c.fill(c.band, x-5, y-5, x+5, y+5) }, "reproduces it"},
}

func (c *canvas) publishedMark(x, y vg.Length) {
	c.hollow(diamond, c.shade(bench.Published, 0), x, y, 4.4)
}

// comparison draws the band that reproduces the claim, what was published at its
// upper edge, and what was measured at its lower.
func (c *canvas) comparison(f frame, l line, y vg.Length) {
	at := func(v float64) vg.Length { return f.atX(min(max(log10(v), f.x.lo), f.x.hi)) }
	if l.Comparison == nil {
		return
	}
	if l.Band[1] > 0 {
		c.fill(c.band, at(l.Band[0]), y-7, at(l.Band[1]), y+7)
	}
	c.line(c.grid, 0.7, nil, vg.Point{X: f.Min.X, Y: y}, vg.Point{X: f.Max.X, Y: y})
	switch {
	case l.byDistance():
		c.estimate(f, left, c.ink, l.Near, y-2)
		c.estimate(f, right, c.ink, l.Far, y-2)
	case l.measured():
		c.estimate(f, disc, c.ink, l.Measured.Interval, y-2)
	}
	if l.Comparison.Published > 0 {
		c.publishedMark(at(l.Comparison.Published), y+5)
	}
}

// forestTitle counts the claims by their verdict.
func forestTitle(verdicts []study.Verdict) string {
	counts := map[study.Word]int{}
	for _, v := range verdicts {
		counts[v.Word]++
	}
	var parts []string
	for _, w := range study.Words {
		if counts[w] > 0 {
			parts = append(parts, fmt.Sprint(counts[w], " ", w))
		}
	}
	return "of " + bench.Plural(len(verdicts), "published claim") + " " + strings.Join(parts, ", ")
}

// heatsBehind is how many heats the ratios rest on.
func heatsBehind(all []line) string {
	var counts []int
	for _, l := range all {
		if l.measured() {
			counts = append(counts, l.Measured.N)
		}
	}
	if counts == nil {
		return ""
	}
	return inHeats(counts)
}
