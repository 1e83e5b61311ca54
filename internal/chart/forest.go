package chart

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"hotpath/internal/claims"
)

// line is a row of the forest plot: one comparison of a claim.
type line struct {
	claim claims.Claim
	claims.Comparison
}

// published is the ratio that the claim gives for this comparison, or 0.
func (l line) published() float64 {
	if l.claim.Kind == claims.Ratio || l.claim.Kind == claims.AtLeast {
		return l.claim.Published
	}
	return 0
}

// check allows intervals and bands without an upper bound.
func (l line) check() error {
	m := l.Measured
	switch {
	case m.N > 0 && !drawable(m.Estimate),
		m.Level > 0 && !(m.Low >= 0 && m.High >= m.Low),
		l.published() != 0 && !drawable(l.published()),
		math.IsNaN(l.Band[0]), math.IsNaN(l.Band[1]):
		return fmt.Errorf("claim %s, %s / %s: measured %v [%v, %v], published %v, band %v: no chart can show it",
			clean(l.claim.ID), clean(l.Baseline), clean(l.Candidate), m.Estimate, m.Low, m.High, l.claim.Published, l.Band)
	}
	return nil
}

// forest draws each comparison of the claims: the measured ratio with its
// interval, what was published, and the verdict.
func forest(s *study) ([]figure, error) {
	var lines []line
	for _, v := range s.ctx.Verdicts {
		for _, c := range v.Comparisons {
			l := line{v.Claim, c}
			if err := l.check(); err != nil {
				return nil, err
			}
			lines = append(lines, l)
		}
	}
	if len(lines) == 0 {
		return nil, nil
	}

	t := table{rowHeight: 29}
	measured, said := column{title: "measured"}, column{title: "published"}
	verdict := column{title: "verdict"}
	verdict.mark = func(c *canvas, row int, x, y vg.Length) { c.verdictMark(lines[row].Verdict, x, y) }
	bounds := []float64{1}
	confidence := 1.0
	var alt strings.Builder
	alt.WriteString("Ratios baseline / candidate of the claims, measured with interval, published, and verdict.")
	for _, l := range lines {
		name, m := l.Baseline+" / "+l.Candidate, l.Measured
		t.rows = append(t.rows, row{name: name, note: l.claim.ID + ", " + l.claim.Metric.Name})
		got := "not measured"
		if m.N > 0 {
			got = intervalText(m)
			bounds = append(bounds, m.Estimate)
		}
		if m.Level > 0 {
			confidence = min(confidence, m.Level)
			bounds = append(bounds, m.Low, m.High)
		}
		bounds = append(bounds, l.published(), l.Band[0], l.Band[1])
		measured.cells = append(measured.cells, got)
		said.cells = append(said.cells, statement(l.claim))
		verdict.cells = append(verdict.cells, string(l.Verdict))
		fmt.Fprintf(&alt, " %s (%s): measured %s, n=%d, published %s: %s.", name, l.claim.Metric, got, m.N, statement(l.claim), l.Verdict)
	}
	// Open intervals and bands go to the edge.
	bounds = slices.DeleteFunc(bounds, func(v float64) bool { return !drawable(v) })
	t.columns = []column{measured, said, verdict}
	t.panels = []panel{{
		x:     logAxis(bounds, 4, func(v float64) string { return short(v) + "x" }),
		marks: func(c *canvas, f frame) { c.forest(f, lines) },
	}}

	fig := figure{height: t.height(), body: t.draw, alt: alt.String()}
	fig.title = forestTitle(s.ctx.Verdicts)
	fig.note = "What the baseline takes over what the candidate takes, round by round (log scale)"
	if confidence < 1 {
		fig.note += fmt.Sprintf("; intervals hold with at least %.2f %%", 100*confidence)
	}
	fig.note += "."
	fig.keys = []key{
		{func(c *canvas, x, y vg.Length) { c.mark(disc, c.ink, x, y, 3.2) }, "measured"},
		{func(c *canvas, x, y vg.Length) { c.hollow(diamond, c.series[0], x, y, 4.2) }, "published"},
		{func(c *canvas, x, y vg.Length) { c.fill(c.band, x-5, y-4.5, x+5, y+4.5) }, "ratios that reproduce it"},
	}
	return []figure{fig}, nil
}

// forest draws the lines' bands below and their ratios above the line at 1.
func (c *canvas) forest(f frame, lines []line) {
	c.text(small, c.ink, draw.XLeft, f.Min.X, f.Max.Y+lead/2+4, "baseline / candidate")
	for i, l := range lines {
		if l.Band[1] > 0 {
			lo, hi := max(log10(l.Band[0]), f.x.lo), min(log10(l.Band[1]), f.x.hi)
			y := f.atY(-float64(i))
			c.fill(c.band, f.atX(lo), y-9, f.atX(hi), y+9)
		}
	}
	one := f.atX(0)
	c.line(c.muted, 0.9, nil, vg.Point{X: one, Y: f.Min.Y}, vg.Point{X: one, Y: f.Max.Y})
	for i, l := range lines {
		y := f.atY(-float64(i))
		if p := l.published(); p > 0 {
			c.hollow(diamond, c.series[0], f.atX(log10(p)), y, 4.6)
		}
		if l.Measured.N > 0 {
			c.estimate(f, disc, c.ink, l.Measured, y)
		}
	}
}

// statement is what a claim predicts for its ratio, with the digits published.
func statement(c claims.Claim) string {
	times := func(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) + "x" }
	switch c.Kind {
	case claims.Range:
		return times(c.Low) + " to " + times(c.High)
	case claims.AtLeast:
		return times(c.Published) + " or more"
	case claims.Ratio:
		return times(c.Published)
	}
	return "above 1x"
}

func forestTitle(verdicts []claims.Verdict) string {
	counts := map[claims.Word]int{}
	for _, v := range verdicts {
		counts[v.Word]++
	}
	var parts []string
	for _, w := range []claims.Word{claims.Reproduced, claims.DirectionOnly, claims.NotReproduced, claims.Inconclusive} {
		if counts[w] > 0 {
			parts = append(parts, number(counts[w])+" "+string(w))
		}
	}
	return "Of " + plural(len(verdicts), "published claim") + ": " + strings.Join(parts, ", ")
}
