package chart

import (
	"cmp"
	"fmt"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"hotpath/internal/bench"
	"hotpath/internal/study"
)

// placement draws, for the busiest block, what each lap cost against how far
// apart the CPUs were: what contends rises with the distance, and what does not
// stays flat.
func placement(d *drawing) []figure {
	b := d.Busiest()
	if b == nil || len(d.figures(b, b.Score())) == 0 {
		return nil
	}
	all := d.Distances(b, b.Score())
	if len(all) < 2 {
		return nil
	}
	return []figure{placementFigure(b, b.Score(), all)}
}

const (
	cloudHeight = vg.Length(90)
	cloudsMost  = 3             // side by side
	cloudsLeft  = vg.Length(52) // room for the labels of the first one's axis, at least
	cloudDots   = 70            // of one contestant
)

// cloudWidth is that of a panel where so many stand side by side.
func cloudWidth(across int, left vg.Length) vg.Length {
	return (pageWidth - 2*margin - left - panelGap/2*vg.Length(across-1)) / vg.Length(across)
}

// cloudsAcross is how many panels stand side by side: as many as leave their names
// whole.
func cloudsAcross(all []study.Distances) int {
	n := cloudsMost
	for ; n > 1; n-- {
		w := cloudWidth(n, cloudsLeft)
		if !slices.ContainsFunc(all, func(d study.Distances) bool {
			return textWidth(strong, named(d.Row))+6+textWidth(plain, times(d.Rise())) > w
		}) {
			break
		}
	}
	return n
}

func placementFigure(b *study.Block, unit bench.Unit, all []study.Distances) figure {
	across := cloudsAcross(all)
	rows := (len(all) + across - 1) / across
	laps := 0
	for _, d := range all {
		laps = max(laps, len(d.Laps))
	}
	fig := figure{block: b.Block, height: stackHeight(rows, cloudHeight) + lead, n: "n=" + bench.Plural(laps, "lap")}
	fig.title = placementTitle(all)
	fig.note = b.Describe() + ". A turn's " + unit.Words + " against the time of a cache line from one CPU to the other (log scales), at most " +
		fmt.Sprint(cloudDots) + " dots each. Behind each name: how many times as much " + placesOf(all[0]) + "."
	fig.keys = []key{{func(c *canvas, x, y vg.Length) {
		c.line(c.ink, 2.2, nil, vg.Point{X: x - 5, Y: y}, vg.Point{X: x + 5, Y: y})
	}, "middle of the near, between and far laps"}}
	fig.body = func(c *canvas) { c.clouds(unit, across, all) }
	return fig
}

// clouds draws a small panel for each contestant, all to one scale.
func (c *canvas) clouds(unit bench.Unit, across int, all []study.Distances) {
	var handOffs, costs []float64
	for _, d := range all {
		for _, l := range d.Laps {
			handOffs, costs = append(handOffs, l.HandOff), append(costs, l.Cost)
		}
	}
	x, y := logAxis(handOffs, 3, bench.Nanos.Tick), logAxis(costs, 4, unit.Quantity.Tick)
	left := max(cloudsLeft, y.labelWidth()+6)
	w := cloudWidth(across, left)
	for i, d := range all {
		col, row := vg.Length(i%across), vg.Length(i/across)
		f := frame{vg.Rectangle{}, x.unlabelled(), y}
		f.Min.X = margin + left + col*(w+panelGap/2)
		f.Max.X = f.Min.X + w
		f.Max.Y = c.Max.Y - stackHead - row*(cloudHeight+stackHead)
		f.Min.Y = f.Max.Y - cloudHeight + 6
		if i+across >= len(all) {
			f.x = x
		}
		if col > 0 {
			f.y = y.unlabelled()
		}
		c.ticksX(f)
		c.ticksY(f)
		c.over(f, named(d.Row), times(d.Rise()))
		c.cloud(f, d)
	}
	c.text(plain, c.muted, draw.XLeft, margin+left, c.Min.Y+lead/2, "time of a cache line from CPU to CPU")
}

// cloud draws a contestant's laps and the middle of each group.
func (c *canvas) cloud(f frame, d study.Distances) {
	col := lookOf(d.Role).colour(c.theme)
	var dots vg.Path
	for _, l := range d.Sample(cloudDots) {
		dots = append(dots, square.path(f.atX(log10(l.HandOff)), f.atY(log10(l.Cost)), 1.9)...)
	}
	c.SetColor(faint(col))
	c.Fill(dots)
	for _, g := range d.Groups {
		x, y := f.atX(log10(g.HandOff)), f.atY(log10(g.Cost))
		c.line(c.ink, 2.2, nil, vg.Point{X: x - 8, Y: y}, vg.Point{X: x + 8, Y: y})
	}
}

// placementTitle names who rises most and who least from the nearest CPUs to the
// farthest.
func placementTitle(all []study.Distances) string {
	by := slices.SortedStableFunc(slices.Values(all), func(a, b study.Distances) int { return cmp.Compare(a.Rise(), b.Rise()) })
	flat, steep := by[0], by[len(by)-1]
	return fmt.Sprintf("with the CPUs %s %s costs %s as much, %s %s", placesOf(steep), named(steep.Row), times(steep.Rise()), named(flat.Row), times(flat.Rise()))
}

// placesOf names the groups that a rise compares.
func placesOf(d study.Distances) string {
	return string(d.Groups[len(d.Groups)-1].Placement) + " instead of " + string(d.Groups[0].Placement)
}
