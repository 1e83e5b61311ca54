package advice

import (
	"cmp"
	"math"
	"slices"

	"hotpath/internal/bench"
	"hotpath/internal/study"
)

// Limit is the difference below which a choice is not worth making, as a share.
const Limit = 0.05

// Sure is how sure a run is that one contestant takes less than another.
type Sure string

const (
	Surely   Sure = "sure"          // by more than the limit, with the whole interval
	Slightly Sure = "sure, small"   // with the whole interval, though perhaps by less than the limit
	Same     Sure = "no difference" // the whole interval lies within the limit
	Open     Sure = "open"          // the interval holds 1, and reaches beyond the limit
	Noisy    Sure = "noisy"         // there is no interval over what counts
)

// Signs stand for the words where there is no room for them.
var Signs = map[Sure]string{Surely: "●", Slightly: "◐", Same: "=", Open: "?", Noisy: "~"}

// SureOf reads an interval of ratios: what another takes over what the one that is
// named takes.
func SureOf(iv study.Interval) Sure {
	switch {
	case iv.Level == 0:
		return Noisy
	case iv.Low > 1+Limit:
		return Surely
	case iv.Low >= 1/(1+Limit) && iv.High <= 1+Limit:
		return Same
	case iv.Low > 1:
		return Slightly
	}
	return Open
}

// Choice is what a run says to a rule.
type Choice struct {
	Rule
	Measured bool         // by the run
	Named    *study.Row   // nil where nobody that keeps the limits has a result
	Against  []Against    // what is usual, and the best of the other libraries where that is another one
	Equals   []*study.Row // further candidates that serve as well: the whole interval lies within the limit
	Beyond   []string     // candidates that do not keep the limits, or have no result
	Far      []Far        // where candidates are not near enough to the best: what is known before what is not, then the farthest
}

// Far is a candidate that is too far from another contestant somewhere.
type Far struct {
	*study.Row
	Of    *study.Row
	In    bench.Block
	Most  float64        // times that it may take
	Ratio study.Interval // what the candidate takes over what the other takes; without a level where too few heats count
}

// Known reports whether heats enough count to say that it is too far; otherwise they
// are too few to say that it is not.
func (f *Far) Known() bool { return f.Ratio.Level > 0 }

// Against is somebody else by whom the need could be served.
type Against struct {
	*study.Row
	Ratio study.Interval // what it takes over what the one that is named takes
	Sure  Sure
}

// Recommended reports whether the run knows enough to name somebody: there is an
// interval for each comparison.
func (c Choice) Recommended() bool {
	return len(c.Against) > 0 && !slices.ContainsFunc(c.Against, func(a Against) bool { return a.Sure == Noisy })
}

// Worth reports whether it matters who is chosen.
func (c Choice) Worth() bool {
	return slices.ContainsFunc(c.Against, func(a Against) bool { return a.Sure != Same })
}

// Decide applies the rules to a run.
func (f *File) Decide(x *study.Experiment) []Choice {
	var all []Choice
	for _, r := range f.Rules {
		c := Choice{Rule: r}
		if b := x.Block(r.Block); b != nil {
			c.Measured = b.Has(r.Unit) && !slices.ContainsFunc(r.Near, func(n Near) bool { return x.Block(n.Block) == nil })
			c.decide(x, b)
		}
		all = append(all, c)
	}
	return all
}

// decide names one of those who may serve in a block, and compares it.
func (c *Choice) decide(x *study.Experiment, b *study.Block) {
	able := c.able(x, b)
	if len(able) == 0 {
		return
	}
	best := c.least(b, able)
	c.Named = best
	for _, impl := range append([]string{c.Usual}, c.Use...) {
		r := b.Row(impl)
		if slices.Contains(able, r) && (r == best || SureOf(b.Ratio(c.Unit, impl, best.Impl())) == Same) {
			c.Named = r
			break
		}
	}
	var ours, others []*study.Row
	for _, r := range able {
		if slices.Contains(c.Use, r.Impl()) {
			ours = append(ours, r)
		} else if r.Role == bench.Peer && r != c.Named {
			others = append(others, r)
		}
	}
	for _, impl := range c.Use {
		r := b.Row(impl)
		if slices.Contains(ours, r) && r != c.Named && SureOf(b.Ratio(c.Unit, impl, c.Named.Impl())) == Same {
			c.Equals = append(c.Equals, r)
		}
	}
	rivals := []*study.Row{b.Row(c.Usual)}
	if len(others) > 0 {
		rivals = append(rivals, c.cheapest(others))
	}
	if !slices.Contains(ours, c.Named) && len(ours) > 0 {
		rivals = append(rivals, c.least(b, ours)) // somebody else serves better than every candidate: by how much?
	}
	c.compare(b, rivals)
}

// figureIn is what a contestant has of a unit in a block; nothing where it takes no
// part in it.
func figureIn(b *study.Block, impl string, unit bench.Unit) *study.Figure {
	if b == nil || b.Row(impl) == nil {
		return new(study.Figure)
	}
	return b.Row(impl).Figure(unit)
}

// able are those who may serve, have a result, and keep the limits.
func (c *Choice) able(x *study.Experiment, b *study.Block) []*study.Row {
	limits := c.tells(x)
	var able []*study.Row
	for _, r := range b.Rows {
		candidate := slices.Contains(c.Use, r.Impl())
		if !candidate && r.Impl() != c.Usual && r.Role != bench.Peer {
			continue
		}
		keeps := r.Figure(c.Unit).Median.N > 0
		for _, l := range c.Limits {
			f := figureIn(limits, r.Impl(), l.Unit)
			keeps = keeps && f.Median.N > 0 && f.Median.Estimate <= l.Most
		}
		if keeps && c.near(x, r.Impl()) {
			able = append(able, r)
		} else if candidate {
			c.Beyond = append(c.Beyond, r.Impl())
		}
	}
	return able
}

// near reports whether a contestant is near enough to the best wherever it must be,
// and keeps where a candidate is not.
func (c *Choice) near(x *study.Experiment, impl string) bool {
	var worst *Far
	for _, n := range c.Near {
		b := x.Block(n.Block)
		if b == nil || b.Row(impl) == nil {
			return false
		}
		for _, of := range n.Of {
			iv := b.Ratio(c.Unit, impl, of)
			if of == impl || iv.Level > 0 && iv.Estimate <= n.Most {
				continue
			}
			far := &Far{b.Row(impl), b.Row(of), n.Block, n.Most, iv}
			if worst == nil || far.Known() && !worst.Known() || far.Known() == worst.Known() && iv.Estimate > worst.Ratio.Estimate {
				worst = far
			}
		}
	}
	if worst != nil && slices.Contains(c.Use, impl) {
		c.Far = append(c.Far, *worst)
	}
	return worst == nil
}

// least is the one of rows that takes the least, by its ratio to the first.
func (c *Choice) least(b *study.Block, rows []*study.Row) *study.Row {
	cost := func(r *study.Row) float64 {
		if r == rows[0] {
			return 1
		}
		if iv := ratio(b, c.Unit, r.Impl(), rows[0].Impl()); iv.Estimate > 0 {
			return iv.Estimate
		}
		return math.Inf(1)
	}
	return slices.MinFunc(rows, func(r, s *study.Row) int { return cmp.Compare(cost(r), cost(s)) })
}

// cheapest is the one of rows with the lowest median, as the report names the best of
// the other libraries elsewhere.
func (c *Choice) cheapest(rows []*study.Row) *study.Row {
	median := func(r *study.Row) float64 { return r.Figure(c.Unit).Median.Estimate }
	return slices.MinFunc(rows, func(r, s *study.Row) int { return cmp.Compare(median(r), median(s)) })
}

// compare sets rivals against who is named.
func (c *Choice) compare(b *study.Block, rivals []*study.Row) {
	for i, r := range rivals {
		if r == nil || r == c.Named || slices.Contains(rivals[:i], r) {
			continue
		}
		a := Against{Row: r, Ratio: b.Ratio(c.Unit, r.Impl(), c.Named.Impl())}
		if a.Sure = SureOf(a.Ratio); a.Ratio.Estimate == 0 {
			a.Ratio = b.Noisy(c.Unit, r.Impl(), c.Named.Impl())
		}
		if a.Ratio.Estimate > 0 {
			c.Against = append(c.Against, a)
		}
	}
}

// ratio is that over what counts, or else over all that there is.
func ratio(b *study.Block, unit bench.Unit, baseline, candidate string) study.Interval {
	if iv := b.Ratio(unit, baseline, candidate); iv.Estimate > 0 {
		return iv
	}
	return b.Noisy(unit, baseline, candidate)
}
