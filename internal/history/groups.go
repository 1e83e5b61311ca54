package history

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"hotpath/internal/bench"
	"hotpath/internal/study"
)

// Kind is a kind of machine: those that look the same.
type Kind struct {
	CPU  string
	CPUs int
}

func (k Kind) String() string { return k.CPU + ", " + bench.Plural(k.CPUs, "CPU") }

// Code is what was measured: runs of different code are never set beside one another
// as if the machine alone made the difference.
type Code struct {
	Go, Revision string
	Dirty        bool
}

func (c Code) String() string {
	s := c.Go + ", revision " + c.Revision[:min(len(c.Revision), 9)]
	if c.Dirty {
		s += " with changes"
	}
	return s
}

// Kind is that of the run's machine.
func (s *Summary) Kind() Kind { return Kind{s.CPU, s.CPUs} }

// Code is what the run measured.
func (s *Summary) Code() Code { return Code{s.Go, s.Revision, s.Dirty} }

// Group is the runs of one code on one kind of machine, the oldest first. They are
// shown beside one another and never pooled.
type Group struct {
	Kind
	Code
	Runs []*Summary
}

// Groups has the runs of a kind next to one another, those with the fewest CPUs
// first, and within a kind the code that was measured last first.
func Groups(runs []*Summary) []Group {
	var groups []Group
	for _, s := range runs {
		i := slices.IndexFunc(groups, func(g Group) bool { return g.Kind == s.Kind() && g.Code == s.Code() })
		if i < 0 {
			i = len(groups)
			groups = append(groups, Group{Kind: s.Kind(), Code: s.Code()})
		}
		groups[i].Runs = append(groups[i].Runs, s)
	}
	last := func(g Group) *Summary { return g.Runs[len(g.Runs)-1] }
	slices.SortStableFunc(groups, func(a, b Group) int {
		return cmp.Or(cmp.Compare(a.CPUs, b.CPUs), cmp.Compare(a.CPU, b.CPU), last(b).Start.Compare(last(a).Start))
	})
	return groups
}

// Newest keeps of each kind the group whose code was measured last.
func Newest(groups []Group) []Group {
	return slices.CompactFunc(slices.Clone(groups), func(a, b Group) bool { return a.Kind == b.Kind })
}

// OfCode keeps the groups of one code.
func OfCode(groups []Group, c Code) []Group {
	return slices.DeleteFunc(slices.Clone(groups), func(g Group) bool { return g.Code != c })
}

// Verdicts are those of the runs that judged a claim.
func (g Group) Verdicts(experiment, claim string) []Verdict {
	var all []Verdict
	for _, s := range g.Runs {
		if v := s.Verdict(experiment, claim); v.Word != "" {
			all = append(all, v)
		}
	}
	return all
}

// Agreement is how far the runs of a group agree, each judged by itself.
type Agreement struct {
	Claims, Same int     // that all of them judged, and those of one verdict
	Pairs, Apart int     // of runs, over all comparisons with intervals; and those whose intervals share no value
	Spread       float64 // the greatest ratio of one comparison over its least, of that where it is greatest
	Widest       string  // the comparison
}

// Agreement compares the runs of a group, of which there must be two.
func (g Group) Agreement() Agreement {
	var a Agreement
	for _, e := range g.Runs[0].Experiments {
		for _, v := range e.Verdicts {
			all := g.Verdicts(e.Name, v.Claim)
			if len(all) < len(g.Runs) {
				continue
			}
			a.Claims++
			if !slices.ContainsFunc(all, func(w Verdict) bool { return w.Word != v.Word }) {
				a.Same++
			}
			for i, m := range v.Measured {
				a.add(e.Name+": "+m.Baseline+" / "+m.Candidate, intervals(all, i, whole))
			}
		}
	}
	return a
}

func (a *Agreement) add(name string, ivs []study.Interval) {
	for i, iv := range ivs {
		for _, other := range ivs[:i] {
			a.Pairs++
			if !iv.Overlaps(other) {
				a.Apart++
			}
		}
	}
	if low, high := span(ivs); low > 0 && high/low > a.Spread {
		a.Spread, a.Widest = high/low, name
	}
}

// span is the least and the greatest of some estimates; 0 of none.
func span(ivs []study.Interval) (low, high float64) {
	for _, iv := range ivs {
		if low == 0 || iv.Estimate < low {
			low = iv.Estimate
		}
		high = max(high, iv.Estimate)
	}
	return low, high
}

func whole(m Measured) study.Interval { return m.All }
func near(m Measured) study.Interval  { return m.Near }
func far(m Measured) study.Interval   { return m.Far }

// intervals are those of a comparison in the verdicts that have one.
func intervals(vs []Verdict, comparison int, of func(Measured) study.Interval) []study.Interval {
	var ivs []study.Interval
	for _, v := range vs {
		if comparison < len(v.Measured) {
			if iv := of(v.Measured[comparison]); iv.Level > 0 {
				ivs = append(ivs, iv)
			}
		}
	}
	return ivs
}

// Depends says in sentences what a claim depends on, as far as groups of one code
// show it: on the number of CPUs, if the intervals of all runs on more CPUs lie beyond
// those of all runs on fewer; and on the distance of the CPUs, if the intervals of
// near and of far CPUs share no value in any run that has both.
func Depends(groups []Group, experiment, claim string) string {
	var all []Verdict
	var said []string
	asked := false
	for _, g := range groups {
		all = append(all, g.Verdicts(experiment, claim)...)
	}
	if len(all) == 0 {
		return ""
	}
	for i, m := range all[0].Measured {
		name := ""
		if len(all[0].Measured) > 1 {
			name = m.Baseline + " / " + m.Candidate + ": "
		}
		for _, ask := range []func() (string, bool){
			func() (string, bool) { return onCPUs(groups, experiment, claim, i) },
			func() (string, bool) { return onDistance(all, i) },
		} {
			s, could := ask()
			asked = asked || could
			if s != "" {
				said = append(said, name+s)
			}
		}
	}
	switch {
	case len(said) > 0:
		return strings.Join(said, " ")
	case asked:
		return "No dependence on the number of CPUs or on their distance shows."
	}
	return "With one number of CPUs, and no run on CPUs both near and far, nothing tells what it depends on."
}

// onCPUs tells whether a comparison depends on the number of CPUs, and whether the
// groups could show it.
func onCPUs(groups []Group, experiment, claim string, comparison int) (string, bool) {
	var counts []int
	by := map[int][]study.Interval{}
	for _, g := range groups {
		if ivs := intervals(g.Verdicts(experiment, claim), comparison, whole); len(ivs) > 0 {
			if by[g.CPUs] == nil {
				counts = append(counts, g.CPUs)
			}
			by[g.CPUs] = append(by[g.CPUs], ivs...)
		}
	}
	if len(counts) < 2 {
		return "", false
	}
	up, down := true, true
	var parts []string
	for i, n := range counts {
		parts = append(parts, fmt.Sprintf("%s on %d", between(by[n]), n))
		if i > 0 {
			up = up && beyond(by[n], by[counts[i-1]])
			down = down && beyond(by[counts[i-1]], by[n])
		}
	}
	switch {
	case up:
		return "The ratio grows with the number of CPUs: " + bench.List(parts) + ".", true
	case down:
		return "The ratio falls with the number of CPUs: " + bench.List(parts) + ".", true
	}
	return "", true
}

// beyond reports whether all of some intervals lie above all of some others.
func beyond(higher, lower []study.Interval) bool {
	for _, h := range higher {
		for _, l := range lower {
			if h.Low <= l.High {
				return false
			}
		}
	}
	return true
}

// onDistance tells whether a comparison depends on how far apart the CPUs are.
func onDistance(all []Verdict, comparison int) (string, bool) {
	up, down := true, true
	low, high, both := 0.0, 0.0, 0
	for _, v := range all {
		n, f := intervals([]Verdict{v}, comparison, near), intervals([]Verdict{v}, comparison, far)
		if len(n) == 0 || len(f) == 0 {
			continue
		}
		up, down = up && beyond(f, n), down && beyond(n, f)
		times := f[0].Estimate / n[0].Estimate
		if both++; both == 1 {
			low = times
		}
		low, high = min(low, times), max(high, times)
	}
	if both == 0 || !up && !down {
		return "", both > 0
	}
	return fmt.Sprintf("The ratio depends on how far apart the CPUs are: far apart it is %s times what it is near, in %s that had both.",
		fromTo(low, high), bench.Plural(both, "run")), true
}

// between is the estimates of some intervals in words.
func between(ivs []study.Interval) string {
	return fromTo(span(ivs))
}

func fromTo(low, high float64) string {
	if a, b := bench.Ratio(low), bench.Ratio(high); a != b {
		return a + " to " + b
	}
	return bench.Ratio(low)
}

// Ratios are the estimates of each comparison over the runs of a group that judged
// the claim, as "2.31" or "2.31 to 2.92".
func (g Group) Ratios(experiment, claim string) []string {
	all := g.Verdicts(experiment, claim)
	if len(all) == 0 {
		return nil
	}
	var words []string
	for i := range all[0].Measured {
		var ivs []study.Interval
		for _, v := range all {
			if i < len(v.Measured) && v.Measured[i].All.Estimate > 0 {
				ivs = append(ivs, v.Measured[i].All)
			}
		}
		if len(ivs) > 0 {
			words = append(words, between(ivs))
		}
	}
	return words
}
