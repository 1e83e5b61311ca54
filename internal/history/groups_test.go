package history

import (
	"strings"
	"testing"
	"time"

	"hotpath/internal/study"
)

func interval(estimate float64) study.Interval {
	return study.Interval{Estimate: estimate, Low: estimate / 1.1, High: estimate * 1.1, N: 15, Level: 0.99}
}

// ran is a run that measured one claim: over all laps, and on near and far CPUs if
// they are given.
func ran(run string, cpus int, day int, word study.Word, all float64, apart ...float64) *Summary {
	m := Measured{Baseline: "a", Candidate: "b", All: interval(all)}
	if len(apart) == 2 {
		m.Near, m.Far = interval(apart[0]), interval(apart[1])
	}
	return &Summary{
		Schema: schema, Run: run, Start: time.Date(2026, 1, day, 0, 0, 0, 0, time.UTC), CPU: "X", CPUs: cpus, Go: "go1", Revision: "0123456789abc",
		Experiments: []Experiment{{Name: "e", Verdicts: []Verdict{{"c", word, []Measured{m}}}}},
	}
}

func TestGroups(t *testing.T) {
	other := ran("other", 2, 3, study.Reproduced, 9)
	other.Revision = "fedcba9876543"
	dirty := ran("dirty", 2, 2, study.Reproduced, 9)
	dirty.Dirty = true
	groups := Groups([]*Summary{ran("one", 2, 1, study.Reproduced, 2), dirty, other, ran("two", 2, 1, study.Reproduced, 2.1), ran("many", 64, 1, study.Reproduced, 2)})
	var got []string
	for _, g := range groups {
		s := g.Kind.String() + ", " + g.Code.String() + ":"
		for _, r := range g.Runs {
			s += " " + r.Run
		}
		got = append(got, s)
	}
	want := "X, 2 CPUs, go1, revision fedcba987: other|X, 2 CPUs, go1, revision 012345678 with changes: dirty|X, 2 CPUs, go1, revision 012345678: one two|X, 64 CPUs, go1, revision 012345678: many"
	if strings.Join(got, "|") != want {
		t.Errorf("%s\nwant\n%s", strings.Join(got, "|"), want)
	}
	if n := Newest(groups); len(n) != 2 || n[0].Revision != other.Revision || n[1].CPUs != 64 {
		t.Errorf("newest: %v", n)
	}
	if n := OfCode(groups, groups[3].Code); len(n) != 2 || n[0].Runs[0].Run != "one" {
		t.Errorf("of a code: %v", n)
	}
}

// Two visits to one kind of machine may not agree, which the table says.
func TestAgreement(t *testing.T) {
	g := Groups([]*Summary{ran("one", 2, 1, study.DirectionOnly, 1.32), ran("two", 2, 2, study.Reproduced, 2.92), ran("three", 2, 3, study.Reproduced, 2.9)})[0]
	a := g.Agreement()
	if a.Claims != 1 || a.Same != 0 || a.Pairs != 3 || a.Apart != 2 || a.Spread < 2.2 || a.Spread > 2.22 || a.Widest != "e: a / b" {
		t.Errorf("%+v", a)
	}
}

func TestDepends(t *testing.T) {
	for what, c := range map[string]struct {
		runs []*Summary
		want string
	}{
		"grows":          {[]*Summary{ran("1", 2, 1, "x", 2), ran("2", 2, 2, "x", 2.1), ran("3", 16, 1, "x", 4)}, "The ratio grows with the number of CPUs: 2.00 to 2.10 on 2 and 4.00 on 16."},
		"falls":          {[]*Summary{ran("1", 2, 1, "x", 4), ran("2", 16, 1, "x", 2)}, "The ratio falls with the number of CPUs: 4.00 on 2 and 2.00 on 16."},
		"up and down":    {[]*Summary{ran("1", 2, 1, "x", 2), ran("2", 4, 1, "x", 4), ran("3", 8, 1, "x", 2)}, "No dependence on the number of CPUs or on their distance shows."},
		"one overlaps":   {[]*Summary{ran("1", 2, 1, "x", 2), ran("2", 2, 2, "x", 3.5), ran("3", 16, 1, "x", 4)}, "No dependence on the number of CPUs or on their distance shows."},
		"one kind":       {[]*Summary{ran("1", 2, 1, "x", 2), ran("2", 2, 2, "x", 9)}, "With one number of CPUs, and no run on CPUs both near and far, nothing tells what it depends on."},
		"distance":       {[]*Summary{ran("1", 2, 1, "x", 2, 1.5, 3), ran("2", 2, 2, "x", 2, 1.5, 6)}, "far apart it is 2.00 to 4.00 times what it is near, in 2 runs that had both."},
		"distance, once": {[]*Summary{ran("1", 2, 1, "x", 2, 1.5, 3), ran("2", 2, 2, "x", 2, 1.5, 1.6)}, "No dependence"},
		"not judged":     {[]*Summary{ran("1", 2, 1, "", 2)}, ""},
	} {
		got := Depends(Groups(c.runs), "e", "c")
		if !strings.Contains(got, c.want) || (c.want == "") != (got == "") {
			t.Errorf("%s: %q, want %q", what, got, c.want)
		}
	}
}

// What cannot have been measured is refused.
func TestMeasuredRefuses(t *testing.T) {
	for _, text := range []string{
		`["a","b",[2,1,3,15,0.99],[0,0,0,0,0]]`, `["a","b",[2,3,1,15,0.99],[0,0,0,0,0],[0,0,0,0,0]]`,
		`["a","b",[-2,1,3,15,0.99],[0,0,0,0,0],[0,0,0,0,0]]`, `["a","b",[2,0,3,15,0.99],[0,0,0,0,0],[0,0,0,0,0]]`, `["a","b",[2,1,3,15,1.99],[0,0,0,0,0],[0,0,0,0,0]]`,
	} {
		var m Measured
		if err := m.UnmarshalJSON([]byte(text)); err == nil && m.check() == nil {
			t.Errorf("%s is taken", text)
		}
	}
}
