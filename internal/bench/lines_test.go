package bench

import (
	"strings"
	"testing"
	"time"
)

func TestLinesRoundTrip(t *testing.T) {
	for _, o := range []Order{
		TurnOrder(TurnLength{Millis: 2.5, LeadIn: 0.5}), TurnOrder(TurnLength{Ops: 100, Lead: 10}),
		{Verb: VerbKeep}, {Verb: VerbDrop}, {Verb: VerbEnd},
	} {
		if back, err := ParseOrder(o.String()); err != nil || back != o {
			t.Errorf("%q came back as %+v, %v", o, back, err)
		}
	}
	r := Ready{Held: 1 << 30, Most: 2 << 30, PIDs: []int{77, 78}}
	if back, err := ParseReady(r.String()); err != nil || back.String() != r.String() {
		t.Errorf("%q came back as %+v, %v", r, back, err)
	}
	a := Answer{Ops: 1, Wall: 2, CPU: 3, Server: 4, GC: 5, Latency: 6, Workers: 7, All: 8, Whole: 9}
	if back, err := ParseAnswer(a.String()); err != nil || back != a {
		t.Errorf("%q came back as %+v, %v", a, back, err)
	}
}

func TestLinesAreRefused(t *testing.T) {
	for _, line := range []string{"", "turn", "turn ns=0", "turn ns=5 ops=5", "turn ns=-1", "turn ns=1 ns=2", "stop", "turn ns", "turn ns=99999999999999999999"} {
		if o, err := ParseOrder(line); err == nil {
			t.Errorf("order %q is %+v", line, o)
		}
	}
	for _, line := range []string{"", "turned", "ready held", "ready held=1 pid=1", "ready pid=-5", "ready what=1", "ready" + strings.Repeat(" pid=7", 17)} {
		if r, err := ParseReady(line); err == nil {
			t.Errorf("%q is %+v", line, r)
		}
	}
	for _, line := range []string{"", "ready", "turned ops=x", "turned ops=-1", "turned ops=1 ops=1", "turned =1"} {
		if a, err := ParseAnswer(line); err == nil {
			t.Errorf("%q is %+v", line, a)
		}
	}
}

// An answer that no turn can give is refused, whichever figure it is in.
func TestAnswersThatCannotBe(t *testing.T) {
	length := TurnLength{Millis: 10, LeadIn: 1}
	good := Answer{Ops: 1000, Wall: 10e6, CPU: 19e6, All: 1100, Workers: 2}
	const took = 12 * time.Millisecond
	if err := good.Check(length, took, 2); err != nil {
		t.Errorf("a good answer: %v", err)
	}
	for name, change := range map[string]func(*Answer){
		"no operation":              func(a *Answer) { a.Ops = 0 },
		"more than all":             func(a *Answer) { a.All = 900 },
		"longer than it took":       func(a *Answer) { a.Wall = 13e6 },
		"shorter than ordered":      func(a *Answer) { a.Wall = 8e6 },
		"no time":                   func(a *Answer) { a.Wall = 0 },
		"whole longer than it took": func(a *Answer) { a.Whole = 13e6 },
		"counted longer than whole": func(a *Answer) { a.Whole = 9e6 },
		"more CPU than there is":    func(a *Answer) { a.CPU = 60e6 },
		"a server with more":        func(a *Answer) { a.Server = 60e6 },
		"negative CPU":              func(a *Answer) { a.CPU = -1 },
		"negative CPU of a server":  func(a *Answer) { a.Server = -1 },
		"negative latency":          func(a *Answer) { a.Latency = -1 },
		"negative workers":          func(a *Answer) { a.Workers = -1 },
		"negative collector":        func(a *Answer) { a.GC = -1 },
	} {
		a := good
		change(&a)
		if a.Check(length, took, 2) == nil {
			t.Errorf("%s: taken", name)
		}
	}
	work := TurnLength{Ops: 1000, Takes: 10}
	if err := good.Check(work, took, 2); err != nil {
		t.Errorf("a good answer for work: %v", err)
	}
	fewer := good
	fewer.Ops = 999
	if fewer.Check(work, took, 2) == nil {
		t.Error("fewer operations than ordered: taken")
	}
}

// What a turn kept busy is over the whole of it: contended operations are cheaper
// while the others have yet to wake up, so that the part that counts says less.
func TestBusy(t *testing.T) {
	for _, tt := range []struct {
		a    Answer
		want float64
	}{
		{Answer{Ops: 100, Wall: 10, CPU: 19}, 1.9},
		{Answer{Ops: 100, All: 110, Wall: 10, CPU: 18, Whole: 10}, 1.98},
	} {
		if got := tt.a.Busy(); got < tt.want-1e-9 || got > tt.want+1e-9 {
			t.Errorf("%v keeps %v CPUs busy, want %v", tt.a, got, tt.want)
		}
	}
}

func FuzzLines(f *testing.F) {
	for _, line := range []string{"turn ns=5 lead-ns=1", "ready held=1 most=2 pid=9", "turned ops=1 wall-ns=2 cpu-ns=3", "keep"} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		if o, err := ParseOrder(line); err == nil {
			if back, err := ParseOrder(o.String()); err != nil || back != o {
				t.Errorf("%q is %+v, which is %+v, %v", line, o, back, err)
			}
		}
		if a, err := ParseAnswer(line); err == nil {
			if back, err := ParseAnswer(a.String()); err != nil || back != a {
				t.Errorf("%q is %+v, which is %+v, %v", line, a, back, err)
			}
		}
		if r, err := ParseReady(line); err == nil {
			if back, err := ParseReady(r.String()); err != nil || back.String() != r.String() {
				t.Errorf("%q is %+v, which is %+v, %v", line, r, back, err)
			}
		}
	})
}
