package report

import (
	"fmt"
	"slices"
	"strings"

	"hotpath/internal/advice"
	"hotpath/internal/bench"
	"hotpath/internal/study"
)

// choicesTable answers which contestant to use for what.
func choicesTable(xs []*section) *table {
	t := &table{Head: []string{"you need", "use", "instead of", "that takes … times as much", "not when"}, Left: 5}
	for _, x := range xs {
		for _, c := range x.Choices {
			instead, factors := againstCells(c)
			t.add(escape(c.Need), useCell(c), instead, factors, escape(c.WhenNot))
		}
	}
	return t
}

// useCell is who is named, what it takes, and what its caller holds.
func useCell(c advice.Choice) string {
	switch {
	case !c.Measured && c.Named == nil:
		return "not measured in this run"
	case c.Named == nil && len(c.Far) > 0:
		var far []string
		for _, f := range c.Far {
			word := "takes"
			if !f.Known() {
				word = "may take"
			}
			far = append(far, fmt.Sprintf("%s %s over %s times as much", code(f.Impl()), word, bench.Exact(f.Most)))
		}
		return "nobody: " + strings.Join(far, "; ")
	case c.Named == nil:
		return "nobody with a result keeps the limits"
	}
	s := code(c.Named.Impl())
	switch {
	case !c.Recommended():
		s = "no recommendation; " + s + " leads with"
	case !c.Worth():
		s += " or any: no difference worth a choice"
	case len(c.Equals) > 0:
		s += " or " + names(c.Equals)
	}
	s += " " + cost(c.Named.Figure(c.Unit), c.Unit)
	if c.Unit != bench.TimePerOp && c.Unit != bench.TimePerUpdate {
		s += " " + escape(c.Unit.Words)
	}
	for _, u := range c.Also {
		if f := c.Named.Figure(u); f.Median.N > 0 {
			s += "<br>" + cost(f, u) + " " + escape(u.Words)
		}
	}
	if c.Named.Holds != "" {
		s += "<br>holds " + escape(c.Named.Holds)
	}
	return s
}

// againstCells are who else there is with what it takes, and how many times as much
// that is with how sure: a line for each.
func againstCells(c advice.Choice) (instead, factors string) {
	var left, right []string
	for _, a := range c.Against {
		left = append(left, spent(c, a.Row))
		sure := strings.ReplaceAll(advice.Signs[a.Sure]+" "+string(a.Sure), " ", bench.NBSP)
		right = append(right, ratio(a.Ratio)+bench.NBSP+sure)
	}
	if c.Named == nil {
		for _, f := range c.Far {
			left, right = append(left, code(f.Of.Impl())+" with "+inWords(f.In)), append(right, farther(f.Ratio))
		}
	}
	return strings.Join(left, "<br>"), strings.Join(right, "<br>")
}

// spent is what somebody takes, of all that the choice tells of.
func spent(c advice.Choice, r *study.Row) string {
	s := code(r.Impl()) + bench.NBSP + cost(r.Figure(c.Unit), c.Unit)
	for _, u := range c.Also {
		if f := r.Figure(u); f.Median.N > 0 {
			s += ", " + cost(f, u)
		}
	}
	return s
}

// farther is what the other takes over what a candidate takes that is too far from it.
func farther(iv study.Interval) string {
	if iv.Level == 0 {
		return advice.Signs[advice.Noisy] + bench.NBSP + string(advice.Noisy)
	}
	iv.Estimate, iv.Low, iv.High = 1/iv.Estimate, 1/iv.High, 1/iv.Low
	return ratio(iv)
}

// names lists contestants.
func names(rows []*study.Row) string {
	var all []string
	for _, r := range rows {
		all = append(all, code(r.Impl()))
	}
	return bench.List(all)
}

// whoIsWho has a row for each contestant that the choices name, with what it is.
func whoIsWho(xs []*section) *table {
	t := &table{Head: []string{"named above", "what it is"}, Left: 2}
	for _, x := range xs {
		for _, r := range x.named() {
			t.add(code(r.Impl())+" ("+pageLink(x.Experiment)+")", about(r))
		}
	}
	return t
}

// named are the contestants that an experiment's choices name, each once.
func (x *section) named() []*study.Row {
	var all []*study.Row
	for _, c := range x.Choices {
		rows := slices.Clone(c.Equals)
		if c.Named != nil {
			rows = slices.Insert(rows, 0, c.Named)
		}
		for _, a := range c.Against {
			rows = append(rows, a.Row)
		}
		for _, r := range rows {
			known := slices.ContainsFunc(all, func(k *study.Row) bool { return k.Impl() == r.Impl() })
			if !known && r.About != "" {
				all = append(all, r)
			}
		}
	}
	return all
}
