package chart

import (
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"hotpath/internal/bench"
	"hotpath/internal/study"
)

// line is a row of the forest plot: one comparison of a claim.
type line struct {
	claim study.Claim
	study.Comparison
}

// published is the ratio that the claim gives for this comparison, or 0.
func (l line) published() float64 {
	if l.claim.Kind == study.Ratio || l.claim.Kind == study.AtLeast {
		return l.claim.Published
	}
	return 0
}

// statement is what the claim predicts for its ratio, with the digits published.
func (l line) statement() string {
	switch l.claim.Kind {
	case study.Range:
		return bench.Exact(l.claim.Low) + "x to " + bench.Exact(l.claim.High) + "x"
	case study.AtLeast:
		return bench.Exact(l.claim.Published) + "x or more"
	case study.Ratio:
		return bench.Exact(l.claim.Published) + "x"
	}
	return "above 1x"
}

// measured reports whether there is a ratio to draw.
func (l line) measured() bool { return drawable(l.Measured.Estimate) }

// forest draws each comparison of the claims: the measured ratio with its
// interval, what was published, and the verdict.
func forest(d *drawing) []figure {
	var lines []line
	for _, v := range d.Judgement.Verdicts {
		for _, c := range v.Comparisons {
			lines = append(lines, line{v.Claim, c})
		}
	}
	if len(lines) == 0 {
		return nil
	}
	g := grid{rowHeight: 29}
	measured, said, verdict := aside{title: "measured"}, aside{title: "published"}, aside{title: "verdict"}
	verdict.mark = func(c *canvas, row int, x, y vg.Length) { c.verdictMark(lines[row].Verdict, x, y) }
	var alt strings.Builder
	alt.WriteString("Ratios baseline / candidate of the claims, measured with interval, published, and verdict.")
	for _, l := range lines {
		name, got := l.Baseline+" / "+l.Candidate, "not measured"
		if l.measured() {
			got = interval(l.Measured.Interval)
		}
		g.rows = append(g.rows, row{name: name, note: l.claim.ID + ", " + l.claim.Metric.Name})
		measured.cells = append(measured.cells, got)
		said.cells = append(said.cells, l.statement())
		verdict.cells = append(verdict.cells, string(l.Verdict))
		fmt.Fprintf(&alt, " %s (%s): measured %s, n=%d, published %s: %s.", name, l.claim.Metric, got, l.Measured.N, l.statement(), l.Verdict)
	}
	g.asides = []aside{measured, said, verdict}
	g.panels = []panel{{
		x:     logAxis(forestBounds(lines), 4, shortTimes),
		below: func(c *canvas, f frame) { c.bands(f, lines) },
		mark:  func(c *canvas, f frame, row int, y vg.Length) { c.comparison(f, lines[row], y) },
	}}
	fig := figure{height: g.height(), body: g.draw, alt: alt.String(), title: forestTitle(d.Judgement.Verdicts)}
	fig.note = "What the baseline takes over what the candidate takes, round by round (log scale)"
	if level := confidence(lines); level < 1 {
		fig.note += fmt.Sprintf("; intervals hold with at least %.2f %%", 100*level)
	}
	fig.note += "."
	fig.keys = []key{
		{func(c *canvas, x, y vg.Length) { c.mark(disc, c.ink, x, y, 3.2) }, "measured"},
		{func(c *canvas, x, y vg.Length) { c.hollow(diamond, c.series[0], x, y, 4.2) }, "published"},
		{func(c *canvas, x, y vg.Length) { c.fill(c.band, x-5, y-4.5, x+5, y+4.5) }, "ratios that reproduce it"},
	}
	return []figure{fig}
}

// forestBounds are the ratios that the axis must hold: open intervals and bands
// go to its edge.
func forestBounds(lines []line) []float64 {
	bounds := []float64{1}
	for _, l := range lines {
		bounds = append(bounds, l.Measured.Estimate, l.Measured.Low, l.Measured.High, l.published(), l.Band[0], l.Band[1])
	}
	return slices.DeleteFunc(bounds, func(v float64) bool { return !drawable(v) })
}

// confidence is the least of the intervals', or 1 where there is none.
func confidence(lines []line) float64 {
	least := 1.0
	for _, l := range lines {
		if l.Measured.Level > 0 {
			least = min(least, l.Measured.Level)
		}
	}
	return least
}

// bands draws what lies below the ratios: the bands, and the line at 1.
func (c *canvas) bands(f frame, lines []line) {
	c.text(small, c.ink, draw.XLeft, f.Min.X, f.Max.Y+lead/2+4, "baseline / candidate")
	for i, l := range lines {
		if l.Band[1] > 0 {
			lo, hi := max(log10(l.Band[0]), f.x.lo), min(log10(l.Band[1]), f.x.hi)
			y := f.atY(-float64(i))
			c.fill(c.band, f.atX(lo), y-9, f.atX(hi), y+9)
		}
	}
	c.one(f)
}

// comparison draws what was published of a ratio and what was measured.
func (c *canvas) comparison(f frame, l line, y vg.Length) {
	if p := log10(l.published()); f.x.holds(p) {
		c.hollow(diamond, c.series[0], f.atX(p), y, 4.6)
	}
	if l.measured() {
		c.estimate(f, disc, c.ink, l.Measured.Interval, y)
	}
}

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
	return "Of " + bench.Plural(len(verdicts), "published claim") + ": " + strings.Join(parts, ", ")
}
