package report

import (
	"fmt"
	"slices"

	"hotpath/internal/bench"
	"hotpath/internal/history"
	"hotpath/internal/study"
)

// courses are how the ratios of a machine went from run to run.
type courses struct {
	Tables []course
	// Sentence compares the run that is shown with the one before.
	Sentence string
}

// course is an experiment's ratios: a row for each, a column for each run.
type course struct {
	Name  string
	Table *table
}

// abreastRuns is how many runs stand side by side: the last ones.
const abreastRuns = 4

// history reads what is kept of the machine's earlier runs, beside those that are
// there.
func (o Options) history(run *study.Run, there []*history.Summary) (courses, error) {
	all, err := history.Load(o.Results)
	if err != nil {
		return courses{}, err
	}
	for _, s := range there {
		all = slices.DeleteFunc(all, func(kept *history.Summary) bool { return kept.Run == s.Run })
		all = append(all, s)
	}
	slices.SortStableFunc(all, func(a, b *history.Summary) int { return a.Start.Compare(b.Start) })
	now := history.Of(run)
	runs := slices.DeleteFunc(all, func(s *history.Summary) bool {
		return !s.SameMachine(now) || s.Run == now.Run || !s.Start.Before(now.Start)
	})
	if len(runs) == 0 {
		return courses{}, nil
	}
	return coursesOf(append(runs[max(0, len(runs)-abreastRuns+1):], now)), nil
}

// coursesOf sets runs side by side, the oldest first.
func coursesOf(runs []*history.Summary) courses {
	now, before := runs[len(runs)-1], runs[len(runs)-2]
	var c courses
	apart, both, changed, claims := 0, 0, 0, 0
	for _, e := range now.Experiments {
		t := &table{Head: []string{"ratio"}, Left: 1}
		for _, s := range runs {
			t.Head = append(t.Head, s.Run)
		}
		t.Head = append(t.Head, "against the run before")
		for _, v := range e.Verdicts {
			row := []string{"claim " + escape(v.Claim)}
			for _, s := range runs {
				row = append(row, verdict(s.Verdict(e.Name, v.Claim).Word))
			}
			note := ""
			if old := before.Verdict(e.Name, v.Claim).Word; old != "" {
				if claims++; old != v.Word {
					changed++
					note = "another verdict"
				}
			}
			t.add(append(row, note)...)
		}
		for _, b := range e.Blocks {
			for _, r := range b.Rows {
				if r.Ratio == 0 {
					continue
				}
				row := []string{fmt.Sprintf("%s / %s, %s", code(b.Baseline), code(r.Impl), inWords(b.Block))}
				for _, s := range runs {
					row = append(row, pastRatio(s, e.Name, b, r.Impl))
				}
				note := ""
				if old, ok := before.Row(e.Name, b, r.Impl); ok && old.Low > 0 && r.Low > 0 {
					if both++; r.Apart(old) {
						apart++
						note = "apart"
					}
				}
				t.add(append(row, note)...)
			}
		}
		c.Tables = append(c.Tables, course{e.Name, t})
	}
	c.Sentence = fmt.Sprintf("Against the run before, %d of %s have another interval that does not overlap, and %d of %s another verdict. Runs of other revisions, of other versions of Go, and on CPUs that lie otherwise differ for these reasons too.",
		apart, bench.Plural(both, "ratio"), changed, bench.Plural(claims, "claim"))
	return c
}

func pastRatio(s *history.Summary, experiment string, b history.Block, impl string) string {
	r, ok := s.Row(experiment, b, impl)
	if !ok || r.Ratio == 0 {
		return ""
	}
	iv := study.Interval{Estimate: r.Ratio, Low: r.Low, High: r.High, N: r.Heats}
	if r.Low > 0 {
		iv.Level = study.Level
	}
	return ratio(iv)
}

// Agreement says how far two runs agree, each judged by itself.
func Agreement(o Options, before, now string) (string, error) {
	a, err := o.archive().Load(before)
	if err != nil {
		return "", err
	}
	b, err := o.archive().Load(now)
	if err != nil {
		return "", err
	}
	return study.Reproduce(a, b).String(), nil
}
