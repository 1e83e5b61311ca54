package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"hotpath/internal/bench"
	"hotpath/internal/chart"
	"hotpath/internal/study"
)

// lane is what the report shows of an experiment's originals.
type lane struct {
	*study.Lane
	X *section
}

// Originals are those of the experiment; nil where they took no part.
func (x *section) Originals() *lane {
	if x.Lane == nil {
		return nil
	}
	return &lane{x.Lane, x}
}

// Lanes are those of all experiments.
func (c *content) Lanes() []*lane {
	var all []*lane
	for _, x := range c.Experiments {
		if l := x.Originals(); l != nil {
			all = append(all, l)
		}
	}
	return all
}

// Counts are the verdicts on the originals in one line.
func (l *lane) Counts() string {
	if len(l.Judgement.Verdicts) == 0 {
		return "No claim is judged on it."
	}
	return "The claims, judged on the JVM here: " + tallied(l.Judgement.Verdicts) + "."
}

// ofLanes are the kinds of charts that stand with the originals, where they are of a
// block of theirs.
var ofLanes = []string{"forest", "originals", "percentiles"}

// Charts are those of the originals.
func (l *lane) Charts() []chart.Chart {
	return slices.DeleteFunc(l.X.Charts(ofLanes...), func(c chart.Chart) bool { return c.Block.Lane() == "" })
}

// Claims has each claim as it was published, of the originals here, and of their
// re-creations here; a claim of several comparisons has a row for each of them below
// its own.
func (l *lane) Claims() *table {
	t := &table{Head: []string{"claim", "published", "on the JVM here", "in Go here", "published / JVM", "Go / JVM", "verdict on the JVM"}, Left: 1, Words: 1}
	l.rows(t, func(p study.Parallel) []string { return []string{factor(p.Machine), factor(p.Language)} })
	return t
}

// Short is Claims with what makes the difference in words.
func (l *lane) Short() *table {
	t := &table{Head: []string{"claim", "published", "on the JVM here", "in Go here", "what makes the difference", "verdict on the JVM"}, Left: 1, Words: 2}
	l.rows(t, func(p study.Parallel) []string { return []string{difference(p)} })
	return t
}

// rows adds a row for each claim, with cells that last makes of its comparison.
func (l *lane) rows(t *table, last func(study.Parallel) []string) {
	at := 0
	for _, v := range l.Judgement.Verdicts {
		name := escape(v.Claim.Text)
		if len(v.Comparisons) > 1 {
			row := make([]string, len(t.Head))
			row[0], row[len(row)-1] = name, verdict(v.Word)
			t.add(row...)
			name = ""
		}
		for range v.Comparisons {
			p := l.Parallels[at]
			at++
			row := []string{cmp.Or(name, "· "+code(p.Baseline)+" / "+code(p.Candidate)), said(p), ratio(p.Original), ratio(p.Go)}
			t.add(append(append(row, last(p)...), verdict(p.Verdict))...)
		}
	}
}

// said is what was published of a comparison.
func said(p study.Parallel) string {
	switch {
	case p.Published == 0:
		return "> 1"
	case p.Claim.Published > 0:
		return bench.Exact(p.Claim.Published)
	}
	return bench.Ratio(p.Published)
}

// factor prints a ratio of ratios; nothing where there is none.
func factor(iv study.Interval) string {
	if iv.Estimate == 0 {
		return ""
	}
	return ratio(iv)
}

// off reports whether a ratio of ratios is another one than 1.
func off(iv study.Interval) bool { return iv.Level > 0 && !iv.Holds(1) }

// difference says what makes the published ratio another one than that in Go here.
func difference(p study.Parallel) string {
	switch {
	case off(p.Machine) && off(p.Language):
		return "the machine, and Go or the re-creation"
	case off(p.Machine):
		return "the machine"
	case off(p.Language):
		return "Go or the re-creation"
	case p.Language.Level == 0:
		return "not resolved"
	}
	return "nothing shows"
}

// comparisons are those of all claims, each once: with the magnitude of a claim, where
// one has it.
func (l *lane) comparisons() []study.Parallel {
	var all []study.Parallel
	for _, p := range l.Parallels {
		i := slices.IndexFunc(all, func(q study.Parallel) bool {
			return q.Baseline == p.Baseline && q.Candidate == p.Candidate && q.Claim.Metric == p.Claim.Metric
		})
		switch {
		case i < 0:
			all = append(all, p)
		case all[i].Claim.Published == 0:
			all[i] = p
		}
	}
	return all
}

// Sentence says what the differences are made of.
func (l *lane) Sentence() string {
	all := l.comparisons()
	if !slices.ContainsFunc(all, func(p study.Parallel) bool { return p.Machine.Level > 0 || p.Language.Level > 0 }) {
		return "Too few heats count to tell the machine from the language."
	}
	words := func(of func(study.Parallel) study.Interval, what string, example func(study.Parallel) string) string {
		n, far := 0, study.Parallel{}
		for _, p := range all {
			if !off(of(p)) {
				continue
			}
			if n++; n == 1 || apart(of(p)) > apart(of(far)) {
				far = p
			}
		}
		if n == 0 {
			return fmt.Sprintf("In no comparison %s.", what)
		}
		return fmt.Sprintf("In %d of %s %s: most of all %s / %s, %s.", n, bench.Plural(len(all), "comparison"), what, code(far.Baseline), code(far.Candidate), example(far))
	}
	return words(func(p study.Parallel) study.Interval { return p.Machine },
		"the JVM here gives another ratio than was published, which is the machine's doing",
		func(p study.Parallel) string { return said(p) + " as published and " + ratio(p.Original) + " here" }) + " " +
		words(func(p study.Parallel) study.Interval { return p.Language },
			"Go gives another ratio than the JVM in the same heats, which is the language's or the re-creation's",
			func(p study.Parallel) string { return ratio(p.Language) + " times that of the originals" })
}

// apart is how far a ratio is from 1.
func apart(iv study.Interval) float64 { return math.Abs(math.Log(iv.Estimate)) }

// Pairs has a row for each original, with what its re-creation takes over what it takes
// itself.
func (l *lane) Pairs() *table {
	t := &table{Head: []string{"re-creation", "original"}, Left: 2}
	rows := map[string][]string{}
	var order []string
	for i, b := range l.Blocks {
		t.Head = append(t.Head, timing(b.Mode()), "the same beyond the floors")
		for _, p := range b.Pairs() {
			impl := p.Recreation.Impl()
			if rows[impl] == nil {
				order = append(order, impl)
				rows[impl] = make([]string, 2+2*len(l.Blocks))
				rows[impl][0], rows[impl][1] = code(impl), code(p.Original.Impl())
			}
			rows[impl][2+2*i], rows[impl][3+2*i] = ratio(p.Ratio), factor(p.Net)
		}
	}
	for _, impl := range order {
		t.add(rows[impl]...)
	}
	return t
}

// farPair is from how many times as much on a re-creation and its original are not
// alike.
const farPair = 1.5

// Unlike names the re-creations that take more than farPair times as much as their
// originals, or as much less, with the whole interval; beyond the floors where that is
// known.
func (l *lane) Unlike() string {
	var all []string
	resolved := false
	for _, b := range l.Blocks {
		for _, p := range b.Pairs() {
			iv := p.Net
			if iv.Level == 0 {
				iv = p.Ratio
			}
			resolved = resolved || iv.Level > 0
			if iv.Level > 0 && (iv.Low > farPair || iv.High < 1/farPair) {
				all = append(all, fmt.Sprintf("%s (%s times, %s)", code(p.Recreation.Impl()), ratio(iv), timing(b.Mode())))
			}
		}
	}
	switch {
	case !resolved:
		return "Too few heats count to tell which re-creations are far from their originals."
	case len(all) == 0:
		return fmt.Sprintf("No re-creation is surely farther from its original than %s times.", bench.Exact(farPair))
	}
	return fmt.Sprintf("Surely farther from their originals than %s times: %s.", bench.Exact(farPair), bench.List(all))
}

// NoLane says why no original took part, and what brings them; empty where one did, or
// where no experiment has one.
func (c *content) NoLane() string {
	some := false
	for _, x := range c.Experiments {
		if x.Lane != nil {
			return ""
		}
		some = some || x.Prose.Section(originals) != ""
	}
	if !some {
		return ""
	}
	for _, f := range c.Run.Manifest.Lanes {
		if f.Name == laneFact {
			return "The published contestants themselves took no part, on a JVM: " + escape(strings.TrimPrefix(f.Value, "left out: ")) + "."
		}
	}
	return "The published contestants themselves took no part, on a JVM: `make report JVM=1` takes them along where Debian's packages default-jdk-headless and libhdrhistogram-java are."
}

// originals is the heading of what a package comment says of them.
const originals = "The originals"

// laneFact is the name of what a run says of its JVM.
const laneFact = "JVM"
