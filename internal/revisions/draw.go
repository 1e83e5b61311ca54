package revisions

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"hotpath/internal/bench"
	"hotpath/internal/chart"
	"hotpath/internal/compare"
)

// draw writes the chart of a trial into a folder, for light pages and for dark ones,
// and says where. The verdicts do not take it.
func (t *trial) draw(dir string) string {
	c, ok := t.chart()
	if !ok {
		return "no chart: no heat counts"
	}
	stem := filepath.Join(dir, time.Now().UTC().Format("20060102T150405Z-")+c.Name)
	light, dark := stem+"-light.svg", stem+"-dark.svg"
	err := os.MkdirAll(dir, 0o777)
	if err == nil {
		err = os.WriteFile(light, c.Light, 0o666)
	}
	if err == nil {
		err = os.WriteFile(dark, c.Dark, 0o666)
	}
	if err != nil {
		os.Remove(light)
		os.Remove(dark)
		return "no chart: " + compare.Show(err.Error())
	}
	return fmt.Sprintf("chart: %s, and for dark pages %s", compare.Show(light), compare.Show(filepath.Base(dark)))
}

// chart draws a trial.
func (t *trial) chart() (chart.Chart, bool) {
	r := chart.Revisions{
		Name:    "compare " + t.trees[ofA].called() + " " + t.trees[ofB].called(),
		Finding: t.finding(), Margin: t.o.Threshold, Level: 1 - familyError,
	}
	for _, e := range t.entries {
		words := strings.FieldsFunc(e.program+"/"+e.String(), func(r rune) bool { return r == '/' })
		if len(e.contests) == 0 {
			r.Contests = append(r.Contests, chart.Contest{Words: words, Outcome: Open.String()})
		}
		for i, c := range e.contests {
			r.Contests = append(r.Contests, chart.Contest{
				Words:  append(words[:len(words):len(words)], e.units[i]),
				Ratios: c.ratios, Controls: c.controls, Ratio: c.ratio,
				Outcome: c.outcome.String(), Differs: c.outcome == Slower || c.outcome == Faster,
			})
		}
	}
	return r.Chart()
}

// called is the side in a sentence.
func (t tree) called() string {
	if t.name == workTree {
		return "the work tree"
	}
	return t.name
}

// finding is the conclusion in a sentence.
func (t *trial) finding() string {
	a, b, all := t.trees[ofA].called(), t.trees[ofB].called(), bench.Plural(len(t.entries), "benchmark")
	words := fmt.Sprintf("%s is slower than %s in none of %s", b, a, all)
	if slower, open := t.count((*entry).slower), t.count((*entry).open); slower > 0 {
		words = fmt.Sprintf("%s is slower than %s in %d of %s, by a factor of up to %.3f", b, a, slower, all, t.worst())
	} else if open > 0 {
		words = fmt.Sprintf("cannot tell in %d of %s whether %s is slower than %s", open, all, b, a)
	}
	if faster := t.count(func(e *entry) bool { return e.has(Faster) }); faster > 0 {
		words += fmt.Sprintf("; it is faster in %d", faster)
	}
	return words
}

// worst is the highest ratio of what is slower.
func (t *trial) worst() float64 {
	worst := 1.0
	for _, e := range t.entries {
		for _, c := range e.contests {
			if c.outcome == Slower {
				worst = max(worst, c.ratio.Estimate)
			}
		}
	}
	return worst
}
