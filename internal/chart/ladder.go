package chart

import (
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"

	"hotpath/internal/bench"
	"hotpath/internal/study"
)

// rungUnits are what the steps of a response path move and cost.
var rungUnits = []bench.Unit{bench.CopiedBytes, bench.PathAllocBytes, bench.ServerCPU}

// ladder draws, for each block of mode thrpt whose contestants count the bytes
// they copy, those bytes, the bytes they allocate, and the CPU that they take,
// in the order of the plan: which step saves what.
func ladder(d *drawing) []figure {
	var figures []figure
	for _, b := range d.Blocks {
		if b.Mode() != bench.Throughput {
			continue
		}
		var panels []cost
		for _, unit := range rungUnits {
			// The control is no step.
			rungs := slices.DeleteFunc(d.figures(b, unit), func(f *study.Figure) bool {
				return !f.Counts() || f.Role == bench.Control || !f.Figure(bench.CopiedBytes).Counts()
			})
			if len(rungs) > 0 {
				panels = append(panels, cost{unit, rungs})
			}
		}
		if len(panels) == len(rungUnits) && len(panels[0].figures) > 1 {
			figures = append(figures, ladderFigure(b, panels))
		}
	}
	return figures
}

func ladderFigure(b *study.Block, panels []cost) figure {
	rows := study.Rows(panels[0].figures)
	g := lineup(rows, 20)
	first := study.Contenders(panels[2].figures)[0]
	steps := aside{title: "of " + fit(small, first.Impl(), 60)}
	forks := span(cleanForks(panels[0].figures))
	var alt strings.Builder
	fmt.Fprintf(&alt, "Bytes copied, bytes allocated and server's CPU per call of %s, in the order of the steps.", b.Describe())
	for _, r := range rows {
		step := ""
		if cpu := r.Figure(bench.ServerCPU); cpu.Counts() && first.Median.Estimate > 0 {
			step = bench.Share.Print(cpu.Median.Estimate / first.Median.Estimate)
		}
		steps.cells = append(steps.cells, step)
		fmt.Fprintf(&alt, " %s:", r.Impl())
		for _, k := range panels {
			if f := r.Figure(k.Unit); f.Counts() {
				fmt.Fprintf(&alt, " %s %s,", k.Words, k.Quantity.Print(f.Median.Estimate))
			}
		}
	}
	fmt.Fprintf(&alt, " n=%s clean forks.", forks)
	for _, k := range panels {
		highest := 1.0
		for _, f := range k.figures {
			highest = max(highest, f.Median.Estimate, f.Median.High)
		}
		g.panels = append(g.panels, panel{
			head: []string{k.Words, k.Name},
			// Room for the number behind the longest bar.
			x:    linearAxis(highest*1.5, 3, k.Quantity.Tick),
			mark: func(c *canvas, f frame, row int, y vg.Length) { c.bar(f, k.Unit, rows[row].Figure(k.Unit), y) },
		})
	}
	g.asides = []aside{steps}
	fig := g.figure(b.Block, rows)
	fig.title = ladderTitle(panels[2].figures)
	fig.note = b.Describe() + ": per call, medians of the clean forks, in the order of the steps (linear scales from zero; the CPU with its 95 % interval). " +
		"Bytes are counted by the path itself; n=" + forks + "."
	fig.alt = alt.String()
	return fig
}

// bar draws a bar from zero with its value behind it, and the interval of one
// that has any width.
func (c *canvas) bar(f frame, unit bench.Unit, fig *study.Figure, y vg.Length) {
	const half = 4.5
	if !fig.Counts() {
		return
	}
	l, m := lookOf(fig.Role), fig.Median
	end := f.atX(m.Estimate)
	c.fill(faint(l.colour(c.theme)), f.Min.X, y-half, end, y+half)
	to := end
	if m.Level > 0 && m.High > m.Low {
		to = f.atX(m.High)
		c.line(c.ink, 1, nil, vg.Point{X: f.atX(m.Low), Y: y}, vg.Point{X: to, Y: y})
	}
	l.draw(c, end, y, 3.2)
	c.beside(f, f.Min.X, max(to, end), y, unit.Quantity.Print(m.Estimate))
}

// ladderTitle tells the first path, which is not the floor, from the best.
func ladderTitle(cpu []*study.Figure) string {
	steps := study.Contenders(cpu)
	if len(steps) < 2 {
		return "One step: " + bench.Nanos.Print(cpu[0].Median.Estimate) + " of CPU per call"
	}
	first, best := steps[0], study.ByMedian(steps)[0]
	if best == first {
		best = study.ByMedian(steps)[1]
	}
	of := func(f *study.Figure, unit bench.Unit) string {
		return unit.Quantity.Print(f.Figure(unit).Median.Estimate)
	}
	return fmt.Sprintf("From %s to %s a call copies %s instead of %s and takes %s of the server's CPU instead of %s",
		first.Impl(), best.Impl(), of(best, bench.CopiedBytes), of(first, bench.CopiedBytes), of(best, bench.ServerCPU), of(first, bench.ServerCPU))
}
