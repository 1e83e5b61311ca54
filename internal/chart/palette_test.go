package chart

import (
	"fmt"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"

	"hotpath/internal/bench"
	"hotpath/internal/claims"
	"hotpath/internal/results/synthetic"
	"hotpath/internal/study"
)

// stroke is how a contestant's line looks.
func stroke(d *drawing, t theme, r *study.Row) string {
	col, _, dash := d.stroke(t, r.Impl(), r.Role)
	return fmt.Sprint(col, dash)
}

// A contestant looks the same whatever became of others, and no two of a block
// that lines are drawn of look alike.
func TestStrokes(t *testing.T) {
	failed := func(c bench.Cell, _ int) bench.State {
		if c.Impl() == "atomic" || c.Impl() == "before" {
			return bench.Failed
		}
		return bench.Complete
	}
	for _, e := range []synthetic.Experiment{counterRun(1), histogramRun(1), echoRun(1)} {
		whole := newDrawing(rows(e, claims.File{}))
		e.State = failed
		less := newDrawing(rows(e, claims.File{}))
		for i, b := range whole.Blocks {
			for _, th := range []theme{light, dark} {
				seen := map[string]string{}
				for j, r := range b.Rows {
					s := stroke(whole, th, r)
					if other := stroke(less, th, less.Blocks[i].Rows[j]); other != s {
						t.Errorf("%s: %s is %s, and %s where others failed", b.Block, r.Impl(), s, other)
					}
					if other := seen[s]; other != "" && b.Mode() == bench.Sample {
						t.Errorf("%s: %s looks like %s", b.Block, r.Impl(), other)
					}
					seen[s] = r.Impl()
				}
			}
		}
	}
}

// The hue of a role's contestants is the same wherever the role is drawn, and the
// control has that of its twin.
func TestShades(t *testing.T) {
	d := newDrawing(rows(counterRun(1), claims.File{}))
	for _, th := range []theme{light, dark} {
		for _, b := range d.Blocks {
			for _, r := range b.Rows {
				col, _, _ := d.stroke(th, r.Impl(), r.Role)
				own := th.shades[r.Role]
				if r.Role == bench.Control {
					twin, _, _ := d.stroke(th, r.Twin, bench.Published)
					if col != twin || lookOf(r.Role).colour(th) != twin {
						t.Errorf("%s is %v, its twin %v", r.Impl(), col, twin)
					}
					continue
				}
				found := false
				for _, c := range own {
					found = found || c == col
				}
				if !found || lookOf(r.Role).colour(th) != own[0] {
					t.Errorf("%s, %s, is %v", r.Impl(), r.Role, col)
				}
			}
		}
	}
}

// Few heats never look as sure as many.
func TestFaint(t *testing.T) {
	few, many := study.Interval{Estimate: 2, N: 5}, study.Interval{Estimate: 2, Low: 1.5, High: 3, N: 6, Level: 0.95}
	if light.sure(few) == light.sure(many) {
		t.Error("the text of few heats is as dark as that of many")
	}
	for iv, solid := range map[study.Interval]bool{few: false, many: true} {
		g := grid{rowHeight: rowHeight, stages: []stage{{rows: []row{{name: "x"}}, panels: []panel{{x: ratioAxis([]study.Interval{iv}, 4)}}}}}
		g.stages[0].panels[0].mark = func(c *canvas, f frame, _ int, y vg.Length) { c.estimate(f, disc, light.ink, iv, y) }
		svg := string(g.figure(bench.Block{}).svg(light, "x"))
		if faint := strings.Contains(svg, "fill-opacity"); faint == solid {
			t.Errorf("%d heats: faint %v", iv.N, faint)
		}
	}
}
