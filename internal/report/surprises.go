package report

import (
	"fmt"
	"math"
	"slices"

	"hotpath/internal/bench"
	"hotpath/internal/study"
)

// surprises are what somebody who reads an experiment's figures would stumble
// over: each looks at the data and says one thing, or nothing.
var surprises = []func(*section) string{
	mostlyFloor, belowFloor, byLuck, notTheRival, moreGarbageLowerHeap, sameWait, farFromNear, sumsApart,
}

// Surprises are those of an experiment.
func (x *section) Surprises() []string {
	var all []string
	for _, look := range surprises {
		if s := look(x); s != "" {
			all = append(all, s)
		}
	}
	return all
}

// mostlyFloor is that a judged mean is for the greater part what the floor takes
// too, so that ratios of it are near 1 whatever the contestants do.
func mostlyFloor(x *section) string {
	for _, v := range x.Judgement.Verdicts {
		b := x.Block(v.Claim.Block)
		if b == nil || v.Claim.Metric != bench.MeanLatency {
			continue
		}
		floor := b.Best(bench.MeanLatency, bench.Floor)
		c := v.Comparisons[0]
		base := b.Row(c.Baseline)
		if floor == nil || base == nil || !base.Figure(bench.MeanLatency).Counts() {
			continue
		}
		of, least := base.Figure(bench.MeanLatency).Median.Estimate, floor.Median.Estimate
		if least < of/2 {
			continue
		}
		q := bench.MeanLatency.Quantity
		s := fmt.Sprintf("Of the %s that %s takes on average with every operation timed, the floor takes %s too: clocks and the wait for a CPU.",
			q.Print(of), code(c.Baseline), q.Print(least))
		far, ok := farthestNet(x, b)
		if !ok {
			return s + " Ratios of such means are near 1 whatever a contestant does."
		}
		return s + fmt.Sprintf(" Without it, %s takes %s times what %s takes; with it, %s times%s.",
			code(far.Baseline), ratio(far.net), code(far.Candidate), ratio(far.Measured.Interval), untimed(x, b, far.Comparison))
	}
	return ""
}

// untimed is the same comparison where no operation is timed, if that was measured.
func untimed(x *section, b *study.Block, c study.Comparison) string {
	for _, other := range x.Blocks {
		if other.Mode() != bench.Throughput || other.Short("mode") != b.Short("mode") {
			continue
		}
		if iv := other.Ratio(bench.TimePerOp, c.Baseline, c.Candidate); iv.Level > 0 {
			return fmt.Sprintf("; and where no operation is timed, %s times", ratio(iv))
		}
	}
	return ""
}

type netted struct {
	study.Comparison
	net study.Interval
}

// farthestNet is the comparison of the claims on a block that the floor changes
// most.
func farthestNet(x *section, b *study.Block) (netted, bool) {
	var far netted
	for _, v := range x.Judgement.Verdicts {
		if v.Claim.Block != b.Block || v.Claim.Metric != bench.MeanLatency {
			continue
		}
		for _, c := range v.Comparisons {
			net, ok := b.Net(bench.MeanLatency, c.Baseline, c.Candidate)
			apart := func(n netted) float64 { return math.Abs(math.Log(n.net.Estimate / n.Measured.Estimate)) }
			if n := (netted{c, net}); ok && (far.net.Estimate == 0 || apart(n) > apart(far)) {
				far = n
			}
		}
	}
	return far, far.net.Estimate > 0
}

// belowFloor is a contestant that takes less than the floor.
func belowFloor(x *section) string {
	for _, b := range x.Blocks {
		unit := b.Score()
		var below []*study.Row
		var most study.Interval
		for _, r := range b.Rows {
			floor := b.FloorOf(r)
			if floor == nil {
				continue
			}
			if iv := b.Ratio(unit, floor.Impl(), r.Impl()); r.Role.Ranked() && iv.Level > 0 && iv.Low > 1 {
				below = append(below, r)
				if iv.Estimate > most.Estimate {
					most = iv
				}
			}
		}
		if len(below) > 0 {
			return fmt.Sprintf("With %s, the floor takes more than %s (up to %s times as much): there it is no bound on what is possible, and differences from it mean nothing.",
				inWords(b.Block), names(below), ratio(most))
		}
	}
	return ""
}

// byLuck is the histogram that is farthest off at one quantile and right at another
// one.
func byLuck(x *section) string {
	var s string
	worst := 0.05
	for _, b := range x.Blocks {
		for _, t := range b.Trades() {
			for _, off := range t.Errors {
				for _, right := range t.Errors {
					if off.Value > worst && right.Value < off.Value/20 {
						worst = off.Value
						s = fmt.Sprintf("%s is off by %s at p%s and by %s at p%s: where its bins happen to lie decides, and being right at one quantile is luck. Histograms are compared by the worst of their quantiles.",
							code(t.Impl()), bench.Share.Print(off.Value), bench.Exact(off.Percentile), bench.Share.Print(right.Value), bench.Exact(right.Percentile))
					}
				}
			}
		}
	}
	return s
}

// notTheRival is another library that takes less than the one that was named ahead
// of the run as the one to beat.
func notTheRival(x *section) string {
	for _, b := range x.Blocks {
		unit := b.Score()
		if b.Has(bench.ServerCPU) {
			unit = bench.ServerCPU
		}
		best := b.Best(unit, bench.Peer)
		i := slices.IndexFunc(b.Rows, func(r *study.Row) bool { return r.Rival })
		if best == nil || i < 0 || best.Row == b.Rows[i] {
			continue
		}
		if iv := b.Ratio(unit, b.Rows[i].Impl(), best.Impl()); iv.Level > 0 && iv.Low > 1 {
			return fmt.Sprintf("With %s, the best of the other libraries is %s: %s, which was taken for the one to beat, takes %s times as much.",
				inWords(b.Block), code(best.Impl()), code(b.Rows[i].Impl()), ratio(iv))
		}
	}
	return ""
}

// moreGarbageLowerHeap is a contestant that allocates more than another and has
// the lower peak heap.
func moreGarbageLowerHeap(x *section) string {
	for _, b := range x.Blocks {
		if b.Mode() != bench.Fixed {
			continue
		}
		for _, r := range b.Rows {
			for _, s := range b.Rows {
				garbage, peak := b.Ratio(bench.BytesPerOp, r.Impl(), s.Impl()), b.Ratio(bench.PeakHeap, s.Impl(), r.Impl())
				if r.Role.Ranked() && s.Role.Ranked() && garbage.Level > 0 && garbage.Low > 1 && peak.Level > 0 && peak.Low > 1 {
					return fmt.Sprintf("With %s, %s allocates %s times as much as %s, and yet the heap of %s rises %s times as high: how high it stands follows from when the collector begins.",
						inWords(b.Block), code(r.Impl()), ratio(garbage), code(s.Impl()), code(s.Impl()), ratio(peak))
				}
			}
		}
	}
	return ""
}

// sameWait is that operations at a fixed rate begin late by the same time whoever
// serves them.
func sameWait(x *section) string {
	for _, b := range x.Blocks {
		for _, w := range b.Waits() {
			if w.Percentile != 50 {
				continue
			}
			var late []float64
			for _, r := range b.Rows {
				if service, response, ok := w.Of(r.Impl()); ok {
					late = append(late, response-service)
				}
			}
			if len(late) < 3 {
				continue
			}
			if least, most := slices.Min(late), slices.Max(late); least > 0 && most < 1.5*least {
				return fmt.Sprintf("With %s, half of the operations begin %s to %s late whoever serves them, the floor too: it is the caller's timer that wakes late, and no queue.",
					inWords(b.Block), bench.Nanos.Print(least), bench.Nanos.Print(most))
			}
		}
	}
	return ""
}

// usual is who all are compared with in a block; nil where it takes no part.
func (x *section) usual(b *study.Block) *study.Row {
	if r := b.Row(x.Advice.Headline.Usual); r != nil {
		return r
	}
	return baseline(b)
}

// farFromNear is the ratio that depends most on how far apart the CPUs are.
func farFromNear(x *section) string {
	var s string
	greatest := 0.0
	for _, b := range x.Blocks {
		unit := b.Score()
		base := x.usual(b)
		if base == nil {
			continue
		}
		for _, r := range b.Rows {
			if !r.Role.Ranked() || r == base {
				continue
			}
			g := b.Compare(unit, base.Impl(), r.Impl(), study.Level).Groups
			near, far := g[bench.Near], g[bench.Far]
			if near.Level == 0 || far.Level == 0 || near.High >= far.Low && far.High >= near.Low {
				continue
			}
			if apart := math.Abs(math.Log(near.Estimate / far.Estimate)); apart > greatest {
				greatest = apart
				s = fmt.Sprintf("How far apart the two CPUs are changes who wins by how much: with %s, %s takes %s times what %s takes while they are near each other, and %s times while they are far apart.",
					inWords(b.Block), code(base.Impl()), ratio(near), code(r.Impl()), ratio(far))
			}
		}
	}
	return s
}

// sumsApart counts the ratios that the printed costs do not give.
func sumsApart(x *section) string {
	var worst study.Versus
	var pair, load string
	apart, all := 0, 0
	for _, b := range x.Blocks {
		unit, base := b.Score(), x.usual(b)
		if base == nil {
			continue
		}
		for _, r := range b.Rows {
			c := b.Compare(unit, base.Impl(), r.Impl(), study.Level)
			if !r.Role.Ranked() || r == base || c.Level == 0 || c.Sums == 0 {
				continue
			}
			if all++; !c.Apart() {
				continue
			}
			apart++
			if off := math.Abs(math.Log(c.Sums / c.Estimate)); worst.Estimate == 0 || off > math.Abs(math.Log(worst.Sums/worst.Estimate)) {
				worst, pair, load = c, code(base.Impl())+" / "+code(r.Impl()), inWords(b.Block)
			}
		}
	}
	if apart == 0 {
		return ""
	}
	return fmt.Sprintf("Of %s of this experiment, %d differ by more than their intervals from the sums over the same laps: a slow phase of the machine weighs more in a sum than in a ratio, which is taken within laps of milliseconds. Most so, with %s, %s: %s against %s. Printed costs, when divided, can be farther off: they are medians over all heats.",
		bench.Plural(all, "ratio"), apart, load, pair, ratio(worst.Interval), bench.Ratio(worst.Sums))
}
