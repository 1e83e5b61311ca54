package explorer

import (
	"fmt"
	"strings"
	"testing"

	"hotpath/internal/bench"
	"hotpath/internal/study"
)

// names are the contestants of the table.
func (b *tab) contestants() string {
	return value[string](b, `[...document.querySelectorAll("#contestants tbody tr")].map((tr) => tr.dataset.contestant).join(" ")`)
}

// cell is a cell of a contestant's row.
func (b *tab) cell(contestant string, column int) string {
	return b.text(fmt.Sprintf("#contestants tr[data-contestant=%s] td:nth-child(%d)", contestant, column))
}

func testContestants(t *testing.T, b *tab, _ *study.Experiment) {
	if got := b.contestants(); got != "floor mine peer base_again base" && got != "floor mine peer base base_again" {
		t.Errorf("by ratio: %s", got)
	}
	b.click("#sort-cost")
	if got := b.contestants(); !strings.HasPrefix(got, "floor mine peer base") {
		t.Errorf("by cost: %s", got)
	}
	b.click("#sort-cost")
	if got := b.contestants(); !strings.HasSuffix(got, "peer mine floor") {
		t.Errorf("by cost, the other way: %s", got)
	}
	b.click("#sort-name")
	if got := b.contestants(); got != "base base_again floor mine peer" {
		t.Errorf("by name: %s", got)
	}
	b.click("#role-floor")
	if got := b.contestants(); got != "base base_again mine peer" {
		t.Errorf("without the floor: %s", got)
	}
	b.choose("find", "each P")
	if got := b.contestants(); got != "mine" {
		t.Errorf("with a word: %s", got)
	}
	if got := b.cell("mine", 1); !strings.Contains(got, "one cell for each P") || !strings.Contains(got, "ours") {
		t.Errorf("the explanation: %s", got)
	}
	if n := value[int](b, `document.querySelectorAll("#contestants .chart .ratios circle, #contestants .chart .ratios path").length`); n != 1 {
		t.Errorf("%d contestants in the chart", n)
	}
	b.choose("find", "no such word")
	if got := b.contestants(); got != "" {
		t.Errorf("with a word that nobody has: %s", got)
	}
}

// told is how the page prints an interval.
func told(iv study.Interval) string {
	if iv.Level == 0 {
		return bench.Ratio(iv.Estimate) + "(" + bench.Plural(iv.N, "heat") + ")"
	}
	return bench.Ratio(iv.Estimate) + "[" + bench.Ratio(iv.Low) + "," + bench.NBSP + bench.Ratio(iv.High) + "]"
}

func testBaseline(t *testing.T, b *tab, x *study.Experiment) {
	for _, base := range []string{"base", "peer", "floor"} {
		b.choose("base", base)
		want := told(x.Blocks[0].Ratio(bench.MeanLatency, base, "mine"))
		if got := b.cell("mine", 3); got != want {
			t.Errorf("%s over mine: %s, want %s", base, got, want)
		}
		if got := b.cell(base, 3); got != "1" {
			t.Errorf("%s over itself: %s", base, got)
		}
	}
	b.choose("unit", "p99-latency-ns")
	if got, want := b.cell("mine", 3), told(x.Blocks[0].Ratio(bench.Latency(99), "floor", "mine")); got != want {
		t.Errorf("p99: %s, want %s", got, want)
	}
	if off := value[bool](b, `document.getElementById("place-n").disabled`); !off {
		t.Error("a quantile can be asked for by placement")
	}
}

func testPlacement(t *testing.T, b *tab, x *study.Experiment) {
	c := x.Blocks[0].Compare(bench.MeanLatency, "base", "mine", study.Level)
	seen := map[string]bool{}
	for letter, p := range placementOf {
		b.click("#place-" + letter)
		got := b.cell("mine", 3)
		if want := told(c.Groups[p]); got != want {
			t.Errorf("%s: %s, want %s", p, got, want)
		}
		seen[got] = true
		if note := b.text("#contestants .note"); !strings.Contains(note, string(p)) {
			t.Errorf("the note does not say %s: %s", p, note)
		}
	}
	b.click("#place-all")
	if got := b.cell("mine", 3); got != told(c.Interval) || seen[got] || len(seen) != 3 {
		t.Errorf("all laps: %s beside %v", got, seen)
	}
}

// With turns that failed a gate a ratio is what it is without any gates.
func testGated(t *testing.T, b *tab, x *study.Experiment) {
	e := made()
	e.Unmet = nil
	ungated := runOf(claimed(), e).Experiments[0].Blocks[0]
	before := b.cell("peer", 3)
	b.click("#gated")
	after := b.cell("peer", 3)
	want := told(ungated.Ratio(bench.MeanLatency, "base", "peer"))
	if after != want || before == after {
		t.Errorf("with gated turns %s, without %s, want %s", after, before, want)
	}
	if note := b.text("#contestants .note"); !strings.Contains(note, "failed a gate") {
		t.Errorf("the note: %s", note)
	}
	b.click("#gated")
	if got := b.cell("peer", 3); got != before {
		t.Errorf("without them again %s, not %s", got, before)
	}
}

func testBlocks(t *testing.T, b *tab, x *study.Experiment) {
	b.choose("block", thrpt)
	block := x.Blocks[1]
	if got := b.text("#contestants h2"); got != block.Describe() {
		t.Errorf("the title: %s", got)
	}
	if shown := value[bool](b, `document.getElementById("percentiles").hidden && document.getElementById("heap").hidden`); !shown {
		t.Error("a block of throughput has percentiles or a heap")
	}
	b.choose("base", "mine")
	iv := block.Ratio(bench.TimePerOp, "mine", "held")
	if got, want := b.cell("held", 3), told(iv)+" over base"; got != want {
		t.Errorf("mine over held: %s, want %s", got, want)
	}
	if note := b.text("#contestants .note"); !strings.Contains(note, "compared over base") {
		t.Errorf("the note: %s", note)
	}
	if got := b.cell("held", 1); !strings.Contains(got, "holds a handle") {
		t.Errorf("what the caller holds: %s", got)
	}
}

func testExperiments(t *testing.T, b *tab, _ *study.Experiment) {
	b.choose("experiment", "small")
	if got := b.contestants(); got != "mine base" {
		t.Errorf("the other experiment has %s", got)
	}
	if got := b.cell("mine", 3); !strings.HasSuffix(got, "(3 heats)") {
		t.Errorf("a ratio of three heats: %s", got)
	}
	if got := b.text("#claims tbody"); !strings.Contains(got, "not measured") {
		t.Errorf("claims on what was not measured: %s", got)
	}
	b.click("#reset")
	if got := b.text("#experiment option:checked"); got != "counter" {
		t.Errorf("started over with %s", got)
	}
}

func testLaps(t *testing.T, b *tab, x *study.Experiment) {
	if hidden := value[bool](b, `document.getElementById("laps").hidden`); !hidden {
		t.Error("laps are shown before a heat is chosen")
	}
	b.click("#contestants tr[data-contestant=mine] button")
	if n := value[int](b, `document.querySelectorAll("#heats .pick circle").length`); n != 12 {
		t.Errorf("%d heats", n)
	}
	if n := value[int](b, `document.querySelectorAll("#heats .pick circle[fill='var(--paper)']").length`); n != 1 {
		t.Errorf("%d heats that do not count", n)
	}
	b.click("#heats .pick circle[aria-label='laps of heat 4']")
	if got := b.text("#laps h2"); got != "The laps of heat 4" {
		t.Fatalf("the title: %s", got)
	}
	heat := x.Blocks[0].Measured()[3]
	dots := value[int](b, `document.querySelectorAll("#laps .chart circle").length`)
	kept := value[int](b, `document.querySelectorAll("#laps .chart circle:not([fill='var(--paper)'])").length`)
	wantKept := 0
	for _, l := range heat.Laps {
		for _, turn := range l.Turns {
			if turn.Kept() {
				wantKept++
			}
		}
	}
	if want := len(heat.Laps) * len(heat.Forks); dots != want || kept != wantKept || kept == dots {
		t.Errorf("%d turns, %d of them kept, want %d and %d", dots, kept, want, wantKept)
	}
	if got := value[string](b, `location.hash`); !strings.Contains(got, "heat=3") {
		t.Errorf("the address: %s", got)
	}
	b.click("#laps .tools button:nth-child(2)")
	after := b.text("#laps h2")
	b.click("#laps .tools button:nth-child(1)")
	if before := b.text("#laps h2"); after != "The laps of heat 5" || before != "The laps of heat 4" {
		t.Errorf("after heat 4: %s, and before that: %s", after, before)
	}
	value[bool](b, `([...document.querySelectorAll("#laps .tools button")].at(-1).click(), true)`)
	if hidden := value[bool](b, `document.getElementById("laps").hidden`); !hidden {
		t.Error("laps cannot be hidden")
	}
}

func testZoom(t *testing.T, b *tab, _ *study.Experiment) {
	b.choose("block", fixed)
	testZoomOf(t, b, "heap", "time")
	b.choose("block", sampled)
	testZoomOf(t, b, "percentiles", "tail")
	for id, want := range map[string]string{"most": "0 % 50 % 90 % 99 % 99.9 %", "rest": "99.9 % 99.99 % 99.999 % 99.9999 % 99.99999 % 99.999999 %"} {
		b.click("#tail-" + id)
		if got := strings.ReplaceAll(b.axis("percentiles"), bench.NBSP, " "); got != want {
			t.Errorf("the axis of #tail-%s: %s", id, got)
		}
	}
}

// axis is the labels of a chart's horizontal axis.
func (b *tab) axis(section string) string {
	b.t.Helper()
	return value[string](b, fmt.Sprintf(`[...document.querySelectorAll("#%s [aria-label='x-axis tick label'] text")].map((e) => e.textContent).join(" ")`, section))
}

// What the mouse is near is told in a tip.
func testTips(t *testing.T, b *tab, x *study.Experiment) {
	ratio := x.Blocks[0].Ratio(bench.MeanLatency, "base", "mine")
	for mark, want := range map[string]string{
		"#contestants .ratios circle":                      "mine: " + strings.Replace(told(ratio), "[", " [", 1),
		"#heats .pick circle[aria-label='laps of heat 4']": "heat 4: ",
	} {
		b.hover(mark)
		section, _, _ := strings.Cut(mark, " ")
		tip := fmt.Sprintf(`document.querySelector("%s [aria-label=tip]").textContent`, section)
		b.until(tip + ` !== ""`)
		if got := b.text(section + " [aria-label=tip]"); !strings.Contains(got, want) {
			t.Errorf("the tip of %s: %q, want %q", mark, got, want)
		}
	}
}

func testZoomOf(t *testing.T, b *tab, section, ends string) {
	curve := fmt.Sprintf(`document.querySelector("#%s .curve path").getAttribute("d")`, section)
	whole := value[string](b, curve)
	ticks := b.axis(section)
	b.choose(ends+"-from", fmt.Sprint(value[float64](b, fmt.Sprintf(`document.getElementById("%s-to").max / 2`, ends))))
	if value[string](b, curve) == whole || b.axis(section) == ticks {
		t.Errorf("%s: the slider changes nothing", section)
	}
	b.click("#" + ends + "-whole")
	if value[string](b, curve) != whole || b.axis(section) != ticks {
		t.Errorf("%s: the button does not show all of it", section)
	}
	b.drag("#" + section + " .brush .overlay")
	if value[string](b, curve) == whole || !strings.Contains(value[string](b, `location.hash`), ends+"=") {
		t.Errorf("%s: dragging changes nothing", section)
	}
	b.click("#" + ends + "-whole")
}

func testClaims(t *testing.T, b *tab, x *study.Experiment) {
	text := b.text("#claims tbody")
	for _, v := range x.Judgement.Verdicts {
		for _, want := range []string{v.Claim.Text, string(v.Word), v.Reason} {
			if !strings.Contains(text, want) {
				t.Errorf("the claims do not say %q: %s", want, text)
			}
		}
		for _, c := range v.Comparisons {
			if want := strings.Replace(told(c.Interval), "[", " [", 1); !strings.Contains(text, want) {
				t.Errorf("the claims do not say %q: %s", want, text)
			}
		}
	}
	b.choose("block", thrpt)
	b.click("#claims tbody tr:nth-child(2) button")
	if got := value[string](b, `[view.base, view.pick, document.getElementById("block").value].join(" ")`); got != "base peer "+sampled {
		t.Errorf("a claim shows %s", got)
	}
}
