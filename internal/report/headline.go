package report

import (
	"fmt"
	"slices"

	"hotpath/internal/advice"
	"hotpath/internal/bench"
	"hotpath/internal/chart"
	"hotpath/internal/study"
)

// Headline is the block that the short report shows, or nil where this run did
// not measure it.
func (x *section) Headline() *study.Block {
	b := x.Block(x.Advice.Headline.Block)
	if b == nil || len(b.Figures(x.Advice.Headline.Unit)) == 0 {
		return nil
	}
	return b
}

// HeadlineChart is the chart of the headline's kind and block, or one of the kind that
// shows several blocks; none where there is none.
func (x *section) HeadlineChart() []chart.Chart {
	h := x.Advice.Headline
	for _, c := range x.Charts(h.Chart) {
		if c.Block == h.Block {
			return []chart.Chart{c}
		}
	}
	return x.Across(h.Chart)
}

// Finding is the headline in a sentence: who is named where it decides, beside what
// is usual and the best of the other libraries.
func (x *section) Finding() string {
	h, b := x.Advice.Headline, x.Headline()
	i := slices.IndexFunc(x.Choices, func(c advice.Choice) bool { return c.Block == h.Block && c.Unit == h.Unit && c.Named != nil })
	if b == nil || i < 0 {
		return "This run did not measure what this experiment is shown by."
	}
	c := x.Choices[i]
	named := c.Named.Impl()
	s := fmt.Sprintf("With %s, %s takes %s (%s)", inWords(b.Block), code(named), cost(c.Named.Figure(h.Unit), h.Unit), escape(h.Unit.Words))
	others := []string{h.Usual}
	for _, a := range c.Against {
		others = append(others, a.Impl())
	}
	var words []string
	for i, impl := range others {
		if impl != named && !slices.Contains(others[:i], impl) {
			words = append(words, fmt.Sprintf("%s %s times", code(impl), compared(b, h.Unit, impl, named)))
		}
	}
	if len(words) > 0 {
		s += "; " + bench.List(words) + " as much"
	}
	return s + "."
}

// HeadlineTable has a row for each contestant of the headline, the best first.
func (x *section) HeadlineTable() *table {
	h, b := x.Advice.Headline, x.Headline()
	if b == nil {
		return nil
	}
	columns := []column{
		{h.Unit.Words, func(r *study.Row) string { return cost(r.Figure(h.Unit), h.Unit) }},
		{code(h.Usual) + " takes … times as much", func(r *study.Row) string { return compared(b, h.Unit, h.Usual, r.Impl()) }},
	}
	if trades := b.Trades(); len(trades) > 0 {
		columns = append(columns, column{"worst quantile off by", func(r *study.Row) string { return worstError(trades, r) }})
	}
	for _, u := range h.Also {
		columns = append(columns, column{u.Words, func(r *study.Row) string { return cost(r.Figure(u), u) }})
	}
	var rows []*study.Row
	for _, f := range b.Sorted(h.Unit) {
		if f.Role != bench.Control && f.Median.N > 0 {
			rows = append(rows, f.Row)
		}
	}
	t := contestants(rows, columns).trimmed()
	t.Head = append(t.Head, "what it is, and what its caller holds")
	t.Words = 1
	for i, r := range rows {
		what := about(r)
		if r.Role == bench.Ours {
			what = "**ours.** " + what
		}
		if r.Holds != "" {
			what += "; holds " + escape(r.Holds)
		}
		t.Rows[i] = append(t.Rows[i], what)
	}
	return t
}

// worstError is the greatest error of a histogram's quantiles; nothing for one that has
// none, and for one that does not count.
func worstError(trades []study.Trade, r *study.Row) string {
	i := slices.IndexFunc(trades, func(t study.Trade) bool { return t.Row == r })
	if i < 0 {
		return ""
	}
	return bench.Share.Print(trades[i].Error)
}

// HeadlineHeats says how many heats stand behind the headline's table: one number, or
// from the least to the most.
func (x *section) HeadlineHeats() string {
	var ns []int
	for _, f := range x.Headline().Figures(x.Advice.Headline.Unit) {
		ns = append(ns, len(f.Clean))
	}
	least, most := slices.Min(ns), slices.Max(ns)
	if least == most {
		return bench.Plural(most, "heat")
	}
	return fmt.Sprintf("%d to %s", least, bench.Plural(most, "heat"))
}

// Caveats are what to keep in mind about an experiment's figures.
func (x *section) Caveats() []string {
	var all []string
	n := tallyOf(x.Experiment)
	if n.Gated > n.Kept {
		all = append(all, fmt.Sprintf("Of its turns, %s were thrown away: what too few heats are left of has a ~, and decides nothing; the rest counts.", share(n.Gated, n.Kept+n.Gated)))
	}
	if n.Failed > 0 {
		all = append(all, fmt.Sprintf("%s gave no result: see [its page](%s#trouble).", processes(n.Failed), pageOf(x.Name)))
	}
	few := 0
	for _, b := range x.Blocks {
		if slices.ContainsFunc(b.Rows, func(r *study.Row) bool { return len(r.Clean) < study.Method.MinGroup }) {
			few++
		}
	}
	if few > 0 {
		all = append(all, fmt.Sprintf("In %d of its %s some contestant has fewer than %d heats that count: what has a ~ takes in heats that do not, and decides nothing.", few, bench.Plural(len(x.Blocks), "measurement"), study.Method.MinGroup))
	}
	if x.Changed && len(x.Claims.Claims) > 0 {
		all = append(all, "Its claims have changed since this run was begun: it was not measured to be judged by them.")
	}
	return all
}
