package chart

import (
	"fmt"
	"strings"
	"testing"

	"hotpath/internal/contention"
	"hotpath/internal/study"
)

func iv(estimate, width float64, level float64) study.Interval {
	return study.Interval{Estimate: estimate, Low: estimate / width, High: estimate * width, N: 15, Level: level}
}

// across is a claim on so many kinds of machine, with so many runs on each.
func across(kinds, runs int) Across {
	c := AcrossComparison{Name: "atomic / longadder", Published: 24.1, Band: [2]float64{16, 36}}
	for k := range kinds {
		g := AcrossGroup{Name: fmt.Sprintf("Evil <b>CPU & %s %d, %d CPUs", strings.Repeat("long ", 20), k, 2<<k), Verdicts: "✔ 3, ◐ 1"}
		for r := range runs {
			g.Runs = append(g.Runs, iv(float64(2+k)+0.1*float64(r), 1.1, 0.99))
			g.Near, g.Far = append(g.Near, iv(float64(1+k), 1.05, 0.97)), append(g.Far, iv(float64(3+k), 1.2, 0.97))
		}
		c.Groups = append(c.Groups, g)
	}
	return Across{Experiment: "counter", Claim: "magnitude", Finding: "a striped counter is 24.1 times as fast: in 4 runs 3 reproduced", Comparisons: []AcrossComparison{c, c}}
}

func TestMachines(t *testing.T) {
	for _, n := range [][2]int{{1, 1}, {2, 3}, {10, 20}} {
		a := across(n[0], n[1])
		c, ok := Machines(a)
		if !ok || c.Name != "machines-counter-magnitude" || !strings.Contains(c.Title, fmt.Sprintf("(n=%d run", n[0]*n[1])) {
			t.Errorf("%v: %v, %q, %q", n, ok, c.Name, c.Title)
		}
		checkSVG(t, c.Name, c.Light, c)
		checkSVG(t, c.Name, c.Dark, c)
		if again, _ := Machines(a); string(again.Light) != string(c.Light) {
			t.Errorf("%v: drawn otherwise the second time", n)
		}
	}
	some, _ := Machines(across(2, 3))
	golden(t, "machines", some)
	unmeasured := across(2, 0)
	if _, ok := Machines(unmeasured); ok {
		t.Error("drawn though no run measured it")
	}
	few := across(1, 1)
	few.Comparisons[0].Groups[0].Runs[0] = study.Interval{Estimate: 3, N: 3}
	c, ok := Machines(few)
	if !ok {
		t.Error("a run of few heats is not drawn")
	}
	checkSVG(t, c.Name, c.Light, c)
}

func TestContention(t *testing.T) {
	f, err := contention.Load("../../experiments", "counter")
	if err != nil {
		t.Fatal(err)
	}
	for _, cpus := range []int{2, 32, 512} {
		b := &contention.Band{CPUs: cpus, Alone: 4.6, Shared: contention.Range{Low: 17, Middle: 18, High: 19}, Way: contention.Range{Low: 60, Middle: 61, High: 62}}
		for i := range f.Tables {
			check := contention.Check{Table: &f.Tables[i]}
			for _, g := range f.Tables[i].Figures {
				check.Points = append(check.Points, contention.Point{Threads: g.Threads, Each: g.Each(), Off: 1})
			}
			b.Checks = append(b.Checks, check)
		}
		c := Contention("counter", b)
		if !strings.Contains(c.Title, "model") || !strings.Contains(c.Alt, "model") {
			t.Errorf("%q, %q: does not say that it is a model", c.Title, c.Alt)
		}
		checkSVG(t, c.Name, c.Light, c)
		checkSVG(t, c.Name, c.Dark, c)
		if cpus == 2 {
			golden(t, "contention", c)
		}
	}
}
