package chart

import (
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"

	"hotpath/internal/bench"
)

// What the steps of a response path move and cost.
var (
	copiedUnit    = measure{bench.CopiedBytes, "copied", size, shortSize}
	allocatedUnit = measure{bench.PathAllocBytes, "allocated by the path", size, shortSize}
	serverUnit    = measure{bench.ServerCPU, "server's CPU", nanoseconds, shortTime}
)

// ladder draws, for each block of mode thrpt whose contestants count the bytes
// they copy, those bytes, the bytes they allocate, and the CPU that they take,
// in the order of the plan: which step saves what.
func ladder(s *study) ([]figure, error) {
	var figures []figure
	for _, block := range s.Blocks() {
		if block.Mode() != bench.Throughput {
			continue
		}
		var panels []cost
		for _, m := range []measure{copiedUnit, allocatedUnit, serverUnit} {
			if scores := s.rungs(block, m.unit); len(scores) > 0 {
				panels = append(panels, cost{m, scores})
			}
		}
		if len(panels) == 3 && len(panels[0].scores) > 1 {
			figures = append(figures, s.ladderFigure(block, panels))
		}
	}
	return figures, nil
}

// rungs are the scores of the contestants that count copied bytes, with clean
// forks, but not of the control, which is no step.
func (s *study) rungs(block bench.Block, unit bench.Unit) []score {
	return slices.DeleteFunc(s.scores(block, unit), func(sc score) bool {
		return len(sc.clean) == 0 || s.roles[sc.impl] == bench.Control || len(s.Values(sc.cell, copiedUnit.unit)) == 0
	})
}

func (s *study) ladderFigure(block bench.Block, panels []cost) figure {
	t := table{rowHeight: 20}
	var impls []string
	var counts []int
	cpu := panels[2]
	first := s.contenders(cpu.scores)[0]
	steps := column{title: "of " + fit(small, first.impl, 60)}
	for _, sc := range panels[0].scores {
		impls = append(impls, sc.impl)
		counts = append(counts, len(sc.clean))
		t.rows = append(t.rows, s.row(sc.impl))
		step := ""
		if at, ok := cpu.of(sc.impl); ok && first.median.Estimate > 0 {
			step = share(at.median.Estimate / first.median.Estimate)
		}
		steps.cells = append(steps.cells, step)
	}
	for _, k := range panels {
		highest := 0.0
		for _, sc := range k.scores {
			highest = max(highest, sc.median.Estimate, sc.median.High)
		}
		t.panels = append(t.panels, panel{
			head: []string{k.text, k.unit.Name},
			// Room for the number behind the longest bar.
			x: linearAxis(max(highest, 1)*1.5, 3, k.tick),
			marks: func(c *canvas, f frame) {
				for i, impl := range impls {
					if sc, ok := k.of(impl); ok {
						s.drawBar(c, f, k, sc, f.atY(-float64(i)))
					}
				}
			},
		})
	}
	t.columns = []column{steps}

	fig := figure{block: block, height: t.height(), body: t.draw, keys: s.roleKeys(impls)}
	fig.title = s.ladderTitle(panels)
	fig.note = describe(block) + ": per call, medians of the clean forks, in the order of the steps (linear scales from zero; the CPU with its 95 % interval). " +
		"Bytes are counted by the path itself; n=" + span(counts) + "."
	var alt strings.Builder
	fmt.Fprintf(&alt, "Bytes copied, bytes allocated and server's CPU per call of %s, in the order of the steps.", describe(block))
	for _, impl := range impls {
		fmt.Fprintf(&alt, " %s:", impl)
		for _, k := range panels {
			if sc, ok := k.of(impl); ok {
				fmt.Fprintf(&alt, " %s %s,", k.text, k.print(sc.median.Estimate))
			}
		}
	}
	fmt.Fprintf(&alt, " n=%s clean forks.", span(counts))
	fig.alt = alt.String()
	return fig
}

// drawBar draws a bar from zero with its value behind it, and the interval of
// one that has any width.
func (s *study) drawBar(c *canvas, f frame, k cost, sc score, y vg.Length) {
	const half = 4.5
	l := lookOf(s.roles[sc.impl])
	col := l.colour(c.theme)
	end := f.atX(sc.median.Estimate)
	c.fill(faint(col), f.Min.X, y-half, end, y+half)
	to := end
	if sc.median.Level > 0 && sc.median.High > sc.median.Low {
		from := f.atX(sc.median.Low)
		to = f.atX(sc.median.High)
		c.line(c.ink, 1, nil, vg.Point{X: from, Y: y}, vg.Point{X: to, Y: y})
	}
	l.draw(c, end, y, 3.2)
	c.beside(f, f.Min.X, max(to, end), y, k.print(sc.median.Estimate))
}

// ladderTitle tells the first path, which is not the floor, from the best.
func (s *study) ladderTitle(panels []cost) string {
	copied, cpu := panels[0], panels[2]
	steps := s.contenders(cpu.scores)
	if len(steps) < 2 {
		return "One step: " + cpu.print(cpu.scores[0].median.Estimate) + " of CPU per call"
	}
	first, best := steps[0], byMedian(steps)[0]
	if best.impl == first.impl {
		best = byMedian(steps)[1]
	}
	of := func(k cost, sc score) string { at, _ := k.of(sc.impl); return k.print(at.median.Estimate) }
	return fmt.Sprintf("From %s to %s a call copies %s instead of %s and takes %s of the server's CPU instead of %s",
		first.impl, best.impl, of(copied, best), of(copied, first), of(cpu, best), of(cpu, first))
}
