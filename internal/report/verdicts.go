package report

import (
	"fmt"
	"strings"

	"hotpath/internal/bench"
	"hotpath/internal/study"
)

// canJudge says in two sentences what the run's machine can decide, and how much
// of that the run did.
func canJudge(run *study.Run) string {
	cpus, r := run.Manifest.Machine.CPUs, run.Reach()
	s := fmt.Sprintf("A run on %s can judge which of two contestants needs less (%s)", bench.Plural(cpus, "CPU"), bench.Plural(r.Orders, "claim"))
	switch r.Beyond {
	case 0:
		if r.Magnitudes > 0 {
			s += fmt.Sprintf(" and by how much (%s)", bench.Plural(r.Magnitudes, "claim"))
		}
	case r.Magnitudes:
		s += fmt.Sprintf("; by how much (%s) it cannot judge, since those magnitudes were published for %d CPUs or more", bench.Plural(r.Magnitudes, "claim"), r.Need)
	default:
		s += fmt.Sprintf(" and %d of %d published magnitudes; the others were published for %d CPUs or more", r.Magnitudes-r.Beyond, r.Magnitudes, r.Need)
	}
	return s + fmt.Sprintf(". This one decided %d of %s.", r.Decided, bench.Plural(r.Orders+r.Magnitudes, "claim"))
}

// claimsTable lists the verdicts of all experiments, of each its orders first.
func claimsTable(xs []*section) *table {
	t := &table{Head: []string{"experiment", "claim", "metric", "published", "measured, with its interval", "verdict"}, Left: 6}
	for _, x := range xs {
		for _, orders := range []bool{true, false} {
			for _, v := range x.Judgement.Verdicts {
				if (v.Claim.Kind == study.Order) == orders {
					t.add(x.Name, fmt.Sprintf("%s (%s)", escape(v.Claim.Text), escape(v.Claim.Source)), code(v.Claim.Metric.Name),
						statement(v.Claim), measured(v), verdict(v.Word)+reason(v.Reason))
				}
			}
		}
	}
	return t
}

// statement is what a claim says of a ratio.
func statement(c study.Claim) string {
	switch c.Kind {
	case study.Order:
		names := make([]string, len(c.Order))
		for i, n := range c.Order {
			names[i] = code(n)
		}
		return strings.Join(names, " > ")
	case study.Range:
		return bench.Exact(c.Low) + " to " + bench.Exact(c.High)
	case study.AtLeast:
		return "≥ " + bench.Exact(c.Published)
	case study.Less:
		return "> 1"
	}
	return bench.Exact(c.Published)
}

// measured shows the ratio of each comparison of a verdict.
func measured(v study.Verdict) string {
	var parts []string
	for _, c := range v.Comparisons {
		together := strings.ReplaceAll(ratio(c.Measured), " ", bench.NBSP)
		parts = append(parts, fmt.Sprintf("%s / %s = %s", code(c.Baseline), code(c.Candidate), together))
	}
	return strings.Join(parts, "<br>")
}

var symbols = map[study.Word]string{
	study.Reproduced:    "✔",
	study.DirectionOnly: "◐",
	study.NotReproduced: "✘",
	study.Inconclusive:  "?",
}

func verdict(w study.Word) string {
	if w == "" {
		return ""
	}
	return symbols[w] + " **" + string(w) + "**"
}

func reason(s string) string {
	if s == "" {
		return ""
	}
	return ": " + escape(s)
}

// matrix has a row for each claim of a run and a column for each of some runs.
func matrix(run *study.Run, runs []*study.Run) *table {
	t := &table{Head: []string{"claim"}, Left: 1 + len(runs)}
	for _, r := range runs {
		m := r.Manifest.Machine
		t.Head = append(t.Head, fmt.Sprintf("%s, %s (%s)", escape(m.CPU), bench.Plural(m.CPUs, "CPU"), r.Name))
	}
	for _, a := range run.Agreements(runs) {
		row := []string{escape(a.Claim.Text)}
		for _, w := range a.Words {
			row = append(row, verdict(w))
		}
		t.add(row...)
	}
	return t
}

// Agreement sets the verdicts on the same claims side by side for two runs, as
// a Markdown table, and counts those that agree. Each run is judged by itself.
func Agreement(o Options, before, now string) (string, error) {
	var runs []*study.Run
	for _, name := range []string{before, now} {
		run, err := o.archive().Load(name)
		if err != nil {
			return "", err
		}
		runs = append(runs, run)
	}
	agree, all := 0, runs[1].Agreements(runs)
	for _, a := range all {
		if a.Agree() {
			agree++
		}
	}
	return fmt.Sprintf("%s\n%d of %s agree.\n", matrix(runs[1], runs), agree, bench.Plural(len(all), "claim")), nil
}
