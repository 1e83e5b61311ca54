package chart

import (
	"gonum.org/v1/plot/vg"

	"hotpath/internal/bench"
	"hotpath/internal/study"
)

// Across is a claim on several kinds of machine.
type Across struct {
	Experiment, Claim string // its id
	Finding           string // for the title
	Comparisons       []AcrossComparison
}

// AcrossComparison is one comparison of a claim.
type AcrossComparison struct {
	Name      string     // baseline / candidate
	Published float64    // 0 where no magnitude is
	Band      [2]float64 // ratios that reproduce it
	Groups    []AcrossGroup
}

// AcrossGroup is the runs of one kind of machine. Each run is drawn by itself.
type AcrossGroup struct {
	Name, Verdicts string
	Runs           []study.Interval // over all laps
	Near, Far      []study.Interval // of the runs that have both, over laps on CPUs that were so
}

// dots are those of a row in one shape, one above the other.
type dots struct {
	shape shape
	ivs   []study.Interval
}

// Machines draws a claim as a forest plot: a row for each kind of machine with a dot
// for each run, and below it one for the laps on near and on far CPUs. It reports false
// where no run measured the claim.
func Machines(a Across) (Chart, bool) {
	g := grid{above: true, rowHeight: lead + 20}
	runs := 0
	for _, c := range a.Comparisons {
		st, ok := c.stage()
		if !ok {
			continue
		}
		g.stages = append(g.stages, st)
		n := 0
		for _, group := range c.Groups {
			n += len(group.Runs)
		}
		runs = max(runs, n)
	}
	if len(g.stages) == 0 {
		return Chart{}, false
	}
	f := g.figure(bench.Block{})
	f.title, f.n = a.Experiment+": "+a.Finding, "n="+bench.Plural(runs, "run")
	f.note = "What the first takes over what the second takes, a dot for each run with the interval that its verdict was reached at (log scale). Runs are never pooled."
	f.keys = append([]key{
		{func(c *canvas, x, y vg.Length) { c.mark(left, c.ink, x, y, 3) }, "CPUs near"},
		{func(c *canvas, x, y vg.Length) { c.mark(right, c.ink, x, y, 3) }, "far apart"},
	}, forestKeys...)
	k := Kind{Name: "machines", form: "One claim on several kinds of machine"}
	return k.chart(slug("machines "+a.Experiment+" "+a.Claim), f), true
}

// stage is the panel of a comparison.
func (c AcrossComparison) stage() (stage, bool) {
	var st stage
	var rows [][]dots
	var ivs []study.Interval
	add := func(r row, of ...dots) {
		st.rows, rows = append(st.rows, r), append(rows, of)
		for _, d := range of {
			ivs = append(ivs, d.ivs...)
		}
	}
	for _, g := range c.Groups {
		if len(g.Runs) == 0 {
			continue
		}
		add(row{name: g.Name, strong: true, right: g.Verdicts}, dots{disc, g.Runs})
		if len(g.Near) > 0 {
			add(row{name: "near, and far apart"}, dots{left, g.Near}, dots{right, g.Far})
		}
	}
	if len(rows) == 0 {
		return stage{}, false
	}
	st.panels = []panel{{
		head: []string{c.Name},
		x:    ratioAxis(ivs, 5, c.Published, c.Band[0], c.Band[1]),
		mark: func(cv *canvas, f frame, row int, y vg.Length) { cv.across(f, c, rows[row], y) },
	}}
	return st, true
}

// across draws the runs of a row over the band that reproduces the claim.
func (c *canvas) across(f frame, of AcrossComparison, row []dots, y vg.Length) {
	at := func(v float64) vg.Length { return f.atX(min(max(log10(v), f.x.lo), f.x.hi)) }
	if of.Band[1] > 0 {
		c.fill(c.band, at(of.Band[0]), y-9, at(of.Band[1]), y+7)
	}
	for _, d := range row {
		step := min(5, 14/vg.Length(len(d.ivs)))
		for i, iv := range d.ivs {
			level := y + step*(vg.Length(len(d.ivs)-1)/2-vg.Length(i))
			if iv.Level > 0 {
				c.line(faint(c.ink), 1, nil, vg.Point{X: at(iv.Low), Y: level}, vg.Point{X: at(iv.High), Y: level})
			}
			c.mark(d.shape, c.sure(iv), at(iv.Estimate), level, 2.2)
		}
	}
	if of.Published > 0 {
		c.publishedMark(at(of.Published), y)
	}
}
