package report

import (
	"fmt"
	"slices"
	"strings"

	"hotpath/internal/bench"
	"hotpath/internal/chart"
	"hotpath/internal/history"
	"hotpath/internal/study"
)

// machines is on which machines each claim holds, by all runs that are there.
type machines struct {
	Runs    []*history.Summary // the oldest first
	Groups  []history.Group
	LeftOut []string // what looks like a run and cannot be read
	shown   *study.Run
	here    history.Group // that of the run that is shown
	Claims  []across
}

// across is a claim on all machines.
type across struct {
	Experiment string
	Claim      study.Claim
	Chart      []chart.Chart // none where no run measured it
	Depends    string
}

const machinesName = "report/machines.md"

// machinesOf sets the runs beside one another that there are beside the one that is
// shown; nil where there is no other.
func machinesOf(run *study.Run, runs []*history.Summary, odd []error) *machines {
	if len(runs) < 2 {
		return nil
	}
	m := &machines{Runs: runs, Groups: history.Groups(runs), shown: run}
	for _, err := range odd {
		m.LeftOut = append(m.LeftOut, err.Error())
	}
	for _, g := range m.Groups {
		if slices.ContainsFunc(g.Runs, func(s *history.Summary) bool { return s.Run == run.Name }) {
			m.here = g
		}
	}
	for _, x := range run.Experiments {
		for _, v := range x.Judgement.Verdicts {
			m.Claims = append(m.Claims, m.across(x.Name, v))
		}
	}
	return m
}

// comparable are the groups of the code that is shown: others differ for its sake
// too.
func (m *machines) comparable() []history.Group { return history.OfCode(m.Groups, m.here.Code) }

func (m *machines) across(experiment string, v study.Verdict) across {
	a := across{Experiment: experiment, Claim: v.Claim, Depends: history.Depends(m.comparable(), experiment, v.Claim.ID)}
	drawn := chart.Across{Experiment: experiment, Claim: v.Claim.ID, Finding: m.finding(experiment, v.Claim)}
	for i, c := range v.Comparisons {
		of := chart.AcrossComparison{Name: c.Baseline + " / " + c.Candidate, Published: c.Published, Band: c.Band}
		for _, g := range m.Groups {
			of.Groups = append(of.Groups, m.dots(g, experiment, v.Claim.ID, i))
		}
		drawn.Comparisons = append(drawn.Comparisons, of)
	}
	if c, ok := chart.Machines(drawn); ok {
		a.Chart = append(a.Chart, c)
	}
	return a
}

// dots are those of a group's runs.
func (m *machines) dots(g history.Group, experiment, claim string, comparison int) chart.AcrossGroup {
	d := chart.AcrossGroup{Name: m.name(g), Verdicts: tally(g, experiment, claim)}
	for _, v := range g.Verdicts(experiment, claim) {
		if comparison >= len(v.Measured) || v.Measured[comparison].All.Estimate == 0 {
			continue
		}
		of := v.Measured[comparison]
		d.Runs = append(d.Runs, of.All)
		if of.Near.Level > 0 && of.Far.Level > 0 {
			d.Near, d.Far = append(d.Near, of.Near), append(d.Far, of.Far)
		}
	}
	return d
}

// name is that of a group: the kind of machine, and the code where it is another one
// than is shown.
func (m *machines) name(g history.Group) string {
	if g.Code == m.here.Code {
		return g.Kind.String()
	}
	return g.Kind.String() + " (" + g.Code.String() + ")"
}

// finding counts the verdicts on the kinds of machine of the code that is shown.
func (m *machines) finding(experiment string, claim study.Claim) string {
	n, all := map[study.Word]int{}, 0
	for _, g := range m.comparable() {
		for _, v := range g.Verdicts(experiment, claim.ID) {
			n[v.Word]++
			all++
		}
	}
	var words []string
	for _, w := range study.Words {
		if n[w] > 0 {
			words = append(words, fmt.Sprintf("%d %s", n[w], w))
		}
	}
	return claim.Text + ": in " + bench.Plural(all, "run") + " " + bench.List(words)
}

// tally is the signs of a group's verdicts on a claim, with their number where there
// are several.
func tally(g history.Group, experiment, claim string) string {
	all := g.Verdicts(experiment, claim)
	var words []string
	for _, w := range study.Words {
		n := 0
		for _, v := range all {
			if v.Word == w {
				n++
			}
		}
		switch {
		case n == 0:
		case len(all) == 1:
			words = append(words, symbols[w])
		default:
			words = append(words, fmt.Sprintf("%s%s%d", symbols[w], bench.NBSP, n))
		}
	}
	return strings.Join(words, ", ")
}

// cell is a claim in the runs of a group: the signs of its verdicts and its ratios.
func cell(g history.Group, experiment, claim string) string {
	s := tally(g, experiment, claim)
	if ratios := g.Ratios(experiment, claim); len(ratios) > 0 {
		s += bench.NBSP + strings.Join(ratios, " · ")
	}
	return s
}

// maxKinds is how many other kinds of machine have a column in REPORT.md.
const maxKinds = 2

// others are the kinds of machine but that which is shown, each with the code that it
// measured last, those with the most CPUs first.
func (m *machines) others() []history.Group {
	if m == nil {
		return nil
	}
	all := slices.DeleteFunc(history.Newest(m.Groups), func(g history.Group) bool { return g.Kind == m.here.Kind })
	slices.Reverse(all)
	return all
}

// columns are the other kinds that REPORT.md has a column for.
func (m *machines) columns() []history.Group {
	all := m.others()
	return all[:min(len(all), maxKinds)]
}

// Elsewhere says what the claims' tables of REPORT.md show of other machines.
func (m *machines) Elsewhere() string {
	others := m.others()
	s := fmt.Sprintf("%s of %s of machine are in results/, each judged by itself and none pooled", bench.Plural(len(m.Runs), "run"), bench.Plural(len(others)+1, "kind"))
	if len(others) > maxKinds {
		s += fmt.Sprintf("; %d of the other %d kinds have a column here", maxKinds, len(others))
	}
	return s + "."
}

// RunTable has a row for each run.
func (m *machines) RunTable() *table {
	t := &table{Head: []string{"machine", "run", "Go", "revision", "CPUs", "claims judged", "reproduced"}, Left: 4}
	for _, g := range m.Groups {
		for _, s := range g.Runs {
			judged, reproduced := 0, 0
			for _, e := range s.Experiments {
				for _, v := range e.Verdicts {
					judged++
					if v.Word == study.Reproduced {
						reproduced++
					}
				}
			}
			revision := code(g.Revision[:min(len(g.Revision), 9)])
			if g.Dirty {
				revision += " with changes"
			}
			t.add(escape(s.CPU), s.Run, escape(s.Go), revision, fmt.Sprint(s.CPUs), number(judged), number(reproduced))
		}
	}
	return t
}

// Matrices have a row for each claim and a column for each group, an experiment each.
func (m *machines) Matrices() []course {
	var all []course
	for _, x := range m.shown.Experiments {
		t := &table{Head: []string{"claim", "published"}, Left: 2 + len(m.Groups)}
		for _, g := range m.Groups {
			t.Head = append(t.Head, escape(m.name(g))+", "+bench.Plural(len(g.Runs), "run"))
		}
		for _, v := range x.Judgement.Verdicts {
			row := []string{escape(v.Claim.Text), statement(v.Claim)}
			for _, g := range m.Groups {
				row = append(row, cell(g, x.Name, v.Claim.ID))
			}
			t.add(row...)
		}
		all = append(all, course{x.Name, t})
	}
	return all
}

// Agreements has a row for each group of several runs.
func (m *machines) Agreements() *table {
	t := &table{Head: []string{"machine", "runs", "claims with one verdict in all", "pairs of ratios apart", "widest spread", "of"}, Left: 1, Words: 1}
	for _, g := range m.Groups {
		if len(g.Runs) < 2 {
			continue
		}
		a := g.Agreement()
		spread := ""
		if a.Spread > 0 {
			spread = bench.Ratio(a.Spread) + "×"
		}
		t.add(escape(m.name(g)), fmt.Sprint(len(g.Runs)), fmt.Sprintf("%d of %d", a.Same, a.Claims), fmt.Sprintf("%d of %d", a.Apart, a.Pairs), spread, escape(a.Widest))
	}
	return t
}
