package chart

import (
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"

	"hotpath/internal/bench"
	"hotpath/internal/stats"
)

// panelsEach is how many blocks one chart of ratios shows side by side.
const panelsEach = 3

// comparison is a block with every contestant's time as a multiple of one
// contestant's.
type comparison struct {
	block  bench.Block
	base   score // the best peer, or the best contestant where there is no peer
	ratios map[string]stats.Interval
}

// ratios draws the blocks of mode thrpt of one benchmark side by side, each
// contestant's time over that of the block's fastest peer, round by round.
func ratios(s *study) ([]figure, error) {
	groups := map[string][]comparison{}
	var names []string
	for _, block := range s.Blocks() {
		if block.Mode() != bench.Throughput {
			continue
		}
		cmp, ok := s.compare(block)
		if !ok {
			continue
		}
		name := block.Benchmark
		if groups[name] == nil {
			names = append(names, name)
		}
		groups[name] = append(groups[name], cmp)
	}
	var figures []figure
	for _, name := range names {
		for part := range slices.Chunk(groups[name], panelsEach) {
			figures = append(figures, s.ratioFigure(part))
		}
	}
	return figures, nil
}

// compare reports false where a block has no two contestants to compare.
func (s *study) compare(block bench.Block) (comparison, bool) {
	var unit = bench.TimePerOp
	scores := byMedian(s.scores(block, unit))
	scores = slices.DeleteFunc(scores, func(sc score) bool { return !s.ranked(sc.impl) || len(sc.clean) == 0 })
	if len(scores) < 2 {
		return comparison{}, false
	}
	cmp := comparison{block: block, base: scores[0], ratios: map[string]stats.Interval{}}
	for _, sc := range scores {
		if s.roles[sc.impl] == bench.Peer {
			cmp.base = sc
			break
		}
	}
	for _, sc := range scores {
		values, base := s.Pairs(block, unit, sc.impl, cmp.base.impl)
		// Too few pairs for an interval leave the estimate, which is drawn alone.
		if iv, _ := stats.PairedRatio(values, base, level); iv.Estimate > 0 {
			cmp.ratios[sc.impl] = iv
		}
	}
	return cmp, len(cmp.ratios) > 1
}

func (s *study) ratioFigure(cmps []comparison) figure {
	impls := s.byRatio(cmps)
	t := table{rowHeight: 17}
	for _, impl := range impls {
		t.rows = append(t.rows, s.row(impl))
	}
	bounds := []float64{1}
	var counts []int
	for _, cmp := range cmps {
		for _, impl := range impls {
			if iv, ok := cmp.ratios[impl]; ok {
				bounds = append(bounds, iv.Estimate)
				if impl != cmp.base.impl {
					counts = append(counts, iv.N)
				}
				if iv.Level > 0 {
					bounds = append(bounds, iv.Low, iv.High)
				}
			}
		}
	}
	x := logAxis(bounds, 5, func(v float64) string { return short(v) + "x" })
	what, common, own := s.tellApart(cmps)
	for i, cmp := range cmps {
		t.panels = append(t.panels, panel{
			head:  append(own[i], "1x: "+cmp.base.impl+", "+nanoseconds(cmp.base.median.Estimate)),
			x:     x,
			marks: func(c *canvas, f frame) { s.drawRatios(c, f, cmp, impls) },
		})
	}

	fig := figure{height: t.height(), body: t.draw, keys: s.roleKeys(impls)}
	if len(cmps) == 1 {
		fig.block = cmps[0].block
	} else {
		fig.part = cmps[0].block.Benchmark
	}
	fig.title = s.ratioTitle(cmps, what)
	fig.note = fmt.Sprintf("%s: time per operation as a multiple of that of %s, round by round (log scale), 95 %% intervals; %s.",
		strings.Join(common, ", "), what, each(counts, "pair"))
	var alt strings.Builder
	fmt.Fprintf(&alt, "Time per operation as a multiple of that of %s, with 95 %% intervals.", what)
	for _, cmp := range cmps {
		fmt.Fprintf(&alt, " %s (1x is %s, %s):", describe(cmp.block), cmp.base.impl, nanoseconds(cmp.base.median.Estimate))
		for _, impl := range impls {
			if iv, ok := cmp.ratios[impl]; ok && impl != cmp.base.impl {
				fmt.Fprintf(&alt, " %s %s,", impl, intervalText(iv))
			}
		}
		alt.WriteString(" n=" + number(cmp.base.median.N) + ".")
	}
	fig.alt = alt.String()
	return fig
}

// tellApart names what all comparisons are with, and parts the words for their
// blocks into those that they share and those of each.
func (s *study) tellApart(cmps []comparison) (what string, common []string, own [][]string) {
	peers, same := 0, true
	for _, cmp := range cmps {
		if s.roles[cmp.base.impl] == bench.Peer {
			peers++
		}
		same = same && cmp.base.impl == cmps[0].base.impl
	}
	switch peers {
	case len(cmps):
		what = "the fastest other library"
	case 0:
		what = "the fastest contestant"
	default:
		what = "the fastest other library, or contestant where there is none"
	}
	if same {
		what = cmps[0].base.impl + ", " + what
	}
	benchmark, first := blockWords(cmps[0].block)
	common = []string{benchmark}
	shared := func(word string) bool {
		return !slices.ContainsFunc(cmps, func(cmp comparison) bool {
			_, words := blockWords(cmp.block)
			return !slices.Contains(words, word)
		})
	}
	for _, word := range first {
		if shared(word) {
			common = append(common, word)
		}
	}
	for _, cmp := range cmps {
		_, words := blockWords(cmp.block)
		own = append(own, slices.DeleteFunc(words, shared))
	}
	return what, common, own
}

// byRatio lists the contestants of some comparisons by the mean of their
// ratios' logarithms, the fastest first.
func (s *study) byRatio(cmps []comparison) []string {
	var sums []score
	seen := map[string]bool{}
	for _, cmp := range cmps {
		for _, cell := range s.Block(cmp.block) {
			impl := cell.Impl()
			if seen[impl] {
				continue
			}
			seen[impl] = true
			total, n := 0.0, 0
			for _, other := range cmps {
				if iv, ok := other.ratios[impl]; ok {
					total, n = total+log10(iv.Estimate), n+1
				}
			}
			if n > 0 {
				sums = append(sums, score{impl: impl, median: stats.Interval{Estimate: total / float64(n)}})
			}
		}
	}
	var impls []string
	for _, sc := range byMedian(sums) {
		impls = append(impls, sc.impl)
	}
	return impls
}

func (s *study) drawRatios(c *canvas, f frame, cmp comparison, impls []string) {
	one := f.atX(0)
	c.line(c.muted, 0.9, nil, vg.Point{X: one, Y: f.Min.Y}, vg.Point{X: one, Y: f.Max.Y})
	for i, impl := range impls {
		iv, ok := cmp.ratios[impl]
		if !ok {
			continue
		}
		y := f.atY(-float64(i))
		l := lookOf(s.roles[impl])
		x := f.atX(log10(iv.Estimate))
		if impl == cmp.base.impl {
			l.draw(c, x, y, 3.8)
			continue
		}
		c.estimate(f, l.shape, l.colour(c.theme), iv, y)
		from, to := x, x
		if iv.Level > 0 {
			from, to = f.atX(log10(iv.Low)), f.atX(log10(iv.High))
		}
		c.beside(f, from, to, y, ratio(iv.Estimate))
	}
}

// ratioTitle says how ours, or else the best, compare in each block.
func (s *study) ratioTitle(cmps []comparison, what string) string {
	var parts []string
	before := ""
	for _, cmp := range cmps {
		best := ""
		for _, cell := range s.Block(cmp.block) {
			impl := cell.Impl()
			if _, ok := cmp.ratios[impl]; !ok || impl == cmp.base.impl {
				continue
			}
			ours, bestOurs := s.roles[impl] == bench.Ours, s.roles[best] == bench.Ours
			if best == "" || ours && !bestOurs || ours == bestOurs && cmp.ratios[impl].Estimate < cmp.ratios[best].Estimate {
				best = impl
			}
		}
		if best == "" {
			continue
		}
		part := ratio(cmp.ratios[best].Estimate)
		switch {
		case before == "":
			part = best + " takes " + part
		case best != before:
			part = best + " " + part
		}
		before = best
		parts = append(parts, part)
	}
	list := strings.Join(parts, ", ")
	if n := len(parts); n > 1 {
		list = strings.Join(parts[:n-1], ", ") + " and " + parts[n-1]
	}
	return list + " the time of " + what
}

func intervalText(iv stats.Interval) string {
	if iv.Level == 0 {
		return ratio(iv.Estimate)
	}
	return ratio(iv.Estimate) + " [" + significant(iv.Low) + ", " + significant(iv.High) + "]"
}
