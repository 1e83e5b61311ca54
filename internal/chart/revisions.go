package chart

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"

	"hotpath/internal/bench"
	"hotpath/internal/study"
)

// Revisions is a comparison of B with A, the baseline, that were measured in the
// same heats.
type Revisions struct {
	Name     string  // of the comparison; the chart's is made of it
	Finding  string  // in words, for the title
	Margin   float64 // a difference up to this share is none
	Level    float64 // the confidence in all outcomes together
	Contests []Contest
}

// Contest is a benchmark of two revisions in one unit.
type Contest struct {
	Words    []string       // what tells it from other contests
	Ratios   []float64      // B / A, of each heat that counts
	Controls []float64      // A again / A, of the same heats
	Ratio    study.Interval // of all heats; without a level where they are too few
	Outcome  string         // in a word or two
	Differs  bool           // the outcome is that there is a difference
}

// Chart draws a row for each contest: what each heat says, the ratio that follows with
// its interval, and what each heat says of the control. It reports false where no
// heat counts.
func (r Revisions) Chart() (Chart, bool) {
	var counts []int
	var words [][]string
	for _, k := range r.Contests {
		words = append(words, k.Words)
		if len(k.Ratios) > 0 {
			counts = append(counts, len(k.Ratios))
		}
	}
	if counts == nil {
		return Chart{}, false
	}
	common, own := parted(words)
	if slices.ContainsFunc(own, func(words []string) bool { return len(words) == 0 }) {
		common, own = nil, words
	}
	st := stage{asides: []aside{{title: "all heats"}}}
	for i, k := range r.Contests {
		st.rows = append(st.rows, row{name: strings.Join(own[i], " "), strong: k.Differs, right: k.Outcome, bare: len(k.Ratios) == 0})
		st.asides[0].add(k.ratio(), k.Ratio.Level == 0)
	}
	st.panels = []panel{{
		head: []string{"B / A"},
		x:    r.axis(),
		mark: func(c *canvas, f frame, row int, y vg.Length) { c.contest(f, r.Contests[row], r.Margin, y) },
	}}
	fig := grid{above: true, rowHeight: lead + 28, stages: []stage{st}}.figure(bench.Block{})
	fig.title, fig.n = r.Finding, inHeats(counts)
	if len(common) > 0 {
		fig.note = "All are " + strings.Join(common, " ") + ". "
	}
	fig.note += "What B takes over what A takes in the same heat (log scale): right of the line B takes more. All outcomes together are right with " + percent(r.Level) + " confidence."
	fig.keys = []key{
		{func(c *canvas, x, y vg.Length) { c.heatOf(lookOf(bench.Ours), x, y) }, "a heat"},
		{func(c *canvas, x, y vg.Length) { c.mark(disc, c.ink, x, y, 2.9) }, "all heats, with interval"},
		{func(c *canvas, x, y vg.Length) { c.heatOf(lookOf(bench.Control), x, y) }, "control: A again / A"},
		{func(c *canvas, x, y vg.Length) { c.fill(c.band, x-5, y-5, x+5, y+5) }, "up to " + percent(r.Margin) + " is no difference"},
	}
	return Kind{Name: "revisions", form: "Two revisions, heat by heat"}.chart(slug(r.Name), fig), true
}

// ratio prints what all heats say.
func (k Contest) ratio() string {
	switch {
	case k.Ratio.Level > 0:
		return fine(k.Ratio.Estimate) + " [" + fine(k.Ratio.Low) + ", " + fine(k.Ratio.High) + "]"
	case len(k.Ratios) > 0:
		return "too few"
	}
	return ""
}

// fine prints a ratio with the digits that small differences take.
func fine(v float64) string {
	if v >= 0.1 && v < 10 {
		return fmt.Sprintf("%.3f", v)
	}
	return fmt.Sprintf("%.3g", v)
}

func percent(share float64) string {
	return strings.ReplaceAll(bench.Percent(share, 3), " ", bench.NBSP)
}

// axis holds three margins to each side, each ratio with its interval, and all heats
// but one in ten. Three times half a percent at least: less would make much of little.
func (r Revisions) axis() axis {
	var ivs []study.Interval
	var heats []float64
	for _, k := range r.Contests {
		heats = append(append(heats, k.Ratios...), k.Controls...)
		if k.Ratio.Level > 0 {
			ivs = append(ivs, k.Ratio)
		}
	}
	slices.Sort(heats)
	odd, edge := len(heats)/20, math.Pow(1+max(r.Margin, 0.005), 3)
	values := reached(ivs, 1, edge, 1/edge, heats[odd], heats[len(heats)-1-odd])
	lo, hi := log10(slices.Min(values)), log10(slices.Max(values))
	if hi-lo > 0.5 {
		a := logAxis(values, 5, shortTimes)
		a.ratio = true
		return a
	}
	pad := 0.04 * (hi - lo)
	a := axis{lo: lo - pad, hi: hi + pad, ratio: true}
	for _, v := range steps(math.Pow(10, a.lo), math.Pow(10, a.hi), 5) {
		a.ticks = append(a.ticks, tick{log10(v), bench.Decimal(v, 6) + "×"})
	}
	return a
}

// contest draws a row: the margin, the heats of B over the estimate, and those of the
// control under it.
func (c *canvas) contest(f frame, k Contest, margin float64, y vg.Length) {
	if len(k.Ratios) == 0 {
		return
	}
	const above, below = 14, 12
	at := func(v float64) vg.Length { return f.atX(min(max(log10(v), f.x.lo), f.x.hi)) }
	c.fill(c.band, at(1/(1+margin)), y-below, at(1+margin), y+above)
	c.line(c.muted, 0.9, nil, vg.Point{X: at(1), Y: y - below}, vg.Point{X: at(1), Y: y + above})
	c.heatsOf(f, lookOf(bench.Ours), k.Ratios, y+9)
	c.heatsOf(f, lookOf(bench.Control), k.Controls, y-8)
	if k.Ratio.Level > 0 && drawable(k.Ratio.Estimate) {
		c.estimate(f, disc, c.ink, k.Ratio, y)
	}
}

// heatsOf draws what each heat says. One beyond the frame is an arrow at its edge.
func (c *canvas) heatsOf(f frame, l look, ratios []float64, y vg.Length) {
	for _, v := range ratios {
		l, at := l, log10(v)
		switch {
		case at < f.x.lo:
			l.shape, at = left, f.x.lo
		case at > f.x.hi:
			l.shape, at = right, f.x.hi
		}
		c.heatOf(l, f.atX(at), y)
	}
}

func (c *canvas) heatOf(l look, x, y vg.Length) {
	c.mark(l.shape, faint(l.colour(c.theme)), x, y, 2.4)
}
