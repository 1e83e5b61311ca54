package explorer

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"hotpath/internal/bench"
	"hotpath/internal/results/synthetic"
	"hotpath/internal/study"
)

// same are two numbers that agree to five digits: the page computes with numbers
// that are off by two in a million.
func same(a, b float64) bool { return a == b || math.Abs(a/b-1) <= 1e-5 }

// TestInBrowser opens the page in Chromium and uses it.
func TestInBrowser(t *testing.T) {
	run := runOf(claimed(), made(), small())
	b := openTab(t)
	b.wide(1280)
	b.open(file(t, pageOf(t, run)))
	x := run.Experiments[0]
	for _, test := range []struct {
		name string
		f    func(*testing.T, *tab, *study.Experiment)
	}{
		{"figures", func(t *testing.T, b *tab, _ *study.Experiment) { testUnits(t, b, run) }},
		{"printed", testPrinted}, {"ratios", testRatios}, {"latencies", testLatencies},
		{"contestants", testContestants}, {"baseline", testBaseline}, {"placement", testPlacement}, {"gated", testGated}, {"blocks", testBlocks}, {"experiments", testExperiments},
		{"laps", testLaps}, {"zoom", testZoom}, {"tips", testTips}, {"claims", testClaims}, {"themes", testThemes}, {"widths", testWidths}, {"print", testPrint},
		{"link", testLink}, {"comparison", testComparison}, {"hostile", testHostile}, {"committed", testCommitted},
	} {
		t.Run(test.name, func(t *testing.T) {
			b.t = t
			value[bool](b, `(document.getElementById("reset").click(), true)`)
			test.f(t, b, x)
			b.quiet()
		})
	}
}

// allFigures are those of the page: experiment, block, unit, contestant, the text of
// the estimate and those of its bounds.
const allFigures = `run.experiments.flatMap((x) => x.blocks.flatMap((b) => b.units.flatMap((u) => b.rows.map((r) => {
	const f = u.figures[r.row];
	return [x.name, b.name, u.name, r.name, f === null ? "" : printed(u.quantity, f.estimate), f === null || f.level === 0 ? "" : printed(u.quantity, f.low) + " " + printed(u.quantity, f.high)];
}))))`

// testFigures tests each figure of each block, and returns the names of the units.
func testFigures(t *testing.T, b *tab, run *study.Run) (units map[string]bool) {
	units = map[string]bool{}
	blocks, all := map[*study.Block]bool{}, 0
	for _, x := range run.Experiments {
		all += len(x.Blocks)
	}
	for _, f := range value[[][]string](b, allFigures) {
		block := blockOf(run, f[0], f[1])
		unit, ok := bench.UnitNamed(f[2])
		if block == nil || !ok || block.Row(f[3]) == nil {
			t.Fatalf("the run has no %q", f[:4])
		}
		units[unit.Name], blocks[block] = true, true
		m := block.Row(f[3]).Figure(unit).Median
		want, bounds := "", ""
		if m.N > 0 {
			want = unit.Quantity.Print(m.Estimate)
		}
		if m.Level > 0 {
			bounds = unit.Quantity.Print(m.Low) + " " + unit.Quantity.Print(m.High)
		}
		if f[4] != want || f[5] != bounds {
			t.Errorf("%s %s %s: %q [%s], want %q [%s]", f[1], f[2], f[3], f[4], f[5], want, bounds)
		}
	}
	if len(blocks) != all {
		t.Errorf("figures of %d blocks of %d", len(blocks), all)
	}
	return units
}

// The page has the units that tell contestants apart.
func testUnits(t *testing.T, b *tab, run *study.Run) {
	units := testFigures(t, b, run)
	for _, u := range []bench.Unit{bench.MeanLatency, bench.TimePerOp, bench.Real, bench.CPUPerOp, bench.BytesPerOp, bench.GCShare, bench.Latency(99)} {
		if !units[u.Name] {
			t.Errorf("the page has no %s", u)
		}
	}
	if units[bench.AllocsPerOp.Name] || units[bench.Turns.Name] {
		t.Error("the page has a unit that tells nobody apart")
	}
}

// blockOf finds a block by its name, or returns nil.
func blockOf(run *study.Run, experiment, block string) *study.Block {
	id, err := bench.ParseBlock(block)
	i := slices.IndexFunc(run.Experiments, func(x *study.Experiment) bool { return x.Name == experiment })
	if err != nil || i < 0 {
		return nil
	}
	return run.Experiments[i].Block(id)
}

// allRatios has of a block's unit each pair of contestants at each placement: the
// baseline, the candidate, the placement's letter, the ratio, its bounds, its
// heats, and whether it is noisy.
const allRatios = `(() => {
	const b = run.experiments[0].block(%q), u = b.unit(%q), all = [];
	for (const one of b.rows) for (const two of b.rows) for (const place of ["", "n", "b", "f"]) {
		const c = b.compare(u, one.row, two.row, {place});
		all.push([one.name, two.name, place, c.estimate || 0, c.low, c.high, c.n, c.noisy]);
	}
	return all;
})()`

var placementOf = map[string]bench.Placement{"n": bench.Near, "b": bench.Between, "f": bench.Far}

func testRatios(t *testing.T, b *tab, x *study.Experiment) {
	compared, grouped, chained, noisy := 0, 0, 0, 0
	for _, block := range x.Blocks {
		for _, unit := range []bench.Unit{block.Score(), bench.CPUPerOp, bench.GCShare, bench.BytesPerOp} {
			for _, r := range value[[][]any](b, fmt.Sprintf(allRatios, block.Block, unit)) {
				one, two, place := r[0].(string), r[1].(string), r[2].(string)
				got := [4]float64{r[3].(float64), r[4].(float64), r[5].(float64), r[6].(float64)}
				c := block.Compare(unit, one, two, study.Level)
				want := c.Interval
				if _, lapwise := study.PerLap(unit); lapwise && place != "" {
					group, ok := c.Groups[placementOf[place]]
					if !ok {
						if got[1] != 0 {
							t.Errorf("%s %s %s/%s %s: %v, and the study has none", block.Block, unit, one, two, place, got)
						}
						continue
					}
					want, grouped = group, grouped+1
				} else if c.Noisy {
					noisy++
				}
				compared++
				if one == "mine" && two == "held" {
					chained++
				}
				if !same(got[0], want.Estimate) || !same(got[1], want.Low) || !same(got[2], want.High) || int(got[3]) != want.N || place == "" && r[7] != c.Noisy {
					t.Errorf("%s %s %s/%s %q: %v, want %+v", block.Block, unit, one, two, place, got, want)
				}
			}
		}
	}
	if compared < 500 || grouped < 100 || chained == 0 || noisy == 0 {
		t.Errorf("only %d ratios compared, %d of groups, %d chained, %d noisy", compared, grouped, chained, noisy)
	}
}

// shownRatios has of a block's unit what the page prints of the baseline over each
// contestant, and the ratio and its bounds behind that; nothing where the page does
// not have the unit.
const shownRatios = `(() => {
	const b = run.experiments.find((x) => x.name === %q).block(%q), u = b.unit(%q);
	if (u === undefined || b.baseline < 0) return [];
	return b.rows.map((r) => {
		const c = b.compare(u, b.baseline, r.row);
		return [r.name, ratioCell(c, false).textContent, c.estimate || 0, c.low, c.high];
	});
})()`

// What the page shows of the committed run is what the other pages show.
func testCommitted(t *testing.T, b *tab, _ *study.Experiment) {
	archive := study.Archive{Results: "../../../results", Experiments: "../../../experiments"}
	names, _, err := archive.Names()
	if err != nil || len(names) == 0 {
		t.Fatalf("no run: %v", err)
	}
	run, err := archive.Load(names[0])
	if err != nil {
		t.Fatal(err)
	}
	b.open(file(t, pageOf(t, run)))
	testFigures(t, b, run)
	compared := 0
	for _, x := range run.Experiments {
		b.choose("experiment", x.Name)
		testLatencies(t, b, x)
		for _, block := range x.Blocks {
			for _, unit := range []bench.Unit{block.Score(), bench.CPUPerOp} {
				for _, r := range value[[][]any](b, fmt.Sprintf(shownRatios, x.Name, block.Block, unit)) {
					compared++
					testRatio(t, block, unit, r[0].(string), r[1].(string), [3]float64{r[2].(float64), r[3].(float64), r[4].(float64)})
				}
			}
		}
	}
	if compared == 0 {
		t.Error("no ratio compared")
	}
}

// testRatio tests what the page prints of the baseline over a contestant, and the
// ratio and its bounds, of which it prints what package bench does.
func testRatio(t *testing.T, block *study.Block, unit bench.Unit, impl, text string, numbers [3]float64) {
	t.Helper()
	c := block.Compare(unit, block.Baseline(), impl, study.Level)
	if !same(numbers[0], c.Estimate) || !same(numbers[1], c.Low) || !same(numbers[2], c.High) {
		t.Errorf("%s %s %s: %v, want %+v", block.Block, unit, impl, numbers, c.Interval)
	}
	c.Estimate, c.Low, c.High = numbers[0], numbers[1], numbers[2]
	want := told(c.Interval)
	switch {
	case c.N == 0:
		want = "n/a"
	case c.Noisy:
		want = "~" + bench.NBSP + want
	}
	if text != want {
		t.Errorf("%s %s %s: %s, want %s", block.Block, unit, impl, text, want)
	}
}

// latencies are the table of percentiles: for each contestant what it has in each
// column, and in "" the columns in which nobody has anything.
const latencies = `(() => {
	if (byID("percentiles").hidden) return {"": {}};
	const [[, ...head], ...rows] = [...document.querySelectorAll("#percentiles tr")].map((tr) => [...tr.cells].map((cell) => cell.textContent));
	const told = (cells) => Object.fromEntries(head.map((word, i) => [word, cells[i]]).filter(([, text]) => text !== ""));
	const all = Object.fromEntries(rows.map(([name, ...cells]) => [name, told(cells)]));
	all[""] = Object.fromEntries(head.filter((word) => Object.values(all).every((of) => of[word] === undefined)).map((word) => [word, ""]));
	return all;
})()`

func testLatencies(t *testing.T, b *tab, x *study.Experiment) {
	for _, block := range x.Blocks {
		b.choose("block", block.Block.String())
		testLatenciesOf(t, b, block)
	}
}

func testLatenciesOf(t *testing.T, b *tab, block *study.Block) {
	want := map[string]map[string]string{"": {}}
	for _, r := range block.Rows {
		l := r.Latencies()
		if l == nil {
			continue
		}
		of := map[string]string{"least": bench.Nanos.Print(float64(l.At(0))), "most": bench.Nanos.Print(float64(l.At(100))), "Samples": bench.Number.Print(float64(l.Samples()))}
		for _, p := range tabled[1 : len(tabled)-1] {
			if l.Shows(p) {
				of[fmt.Sprintf("p%v", p)] = bench.Nanos.Print(float64(l.At(p)))
			}
		}
		want[r.Impl()] = of
	}
	if got := value[map[string]map[string]string](b, latencies); !maps.EqualFunc(got, want, maps.Equal) {
		t.Errorf("latencies of %s:\n%v, want\n%v", block.Block, got, want)
	}
}

// Numbers are printed as package bench prints them.
func testPrinted(t *testing.T, b *tab, _ *study.Experiment) {
	values := []float64{0, 170.5, 171.5, 0.125, 0.375, 1.125, 2.875, 10.25, 99.75, 100.5, 1024.5, 8388608.5}
	for e := -6; e <= 13; e++ {
		for _, m := range []float64{1, 1.2344, 4.0049, 9.9949, 9.996} {
			values = append(values, m*math.Pow10(e))
		}
	}
	for i := range 30 {
		values = append(values, float64(i*37), math.Exp(float64(i)*synthetic.Noise(0.1, i)))
	}
	var list []string
	for _, v := range values {
		list = append(list, fmt.Sprintf("%g", v))
	}
	all := "[" + strings.Join(list, ",") + "]"
	for q, name := range quantities {
		got := value[[]string](b, fmt.Sprintf(`%s.map((v) => printed(%q, v))`, all, name))
		for i, v := range values {
			if want := q.Print(v); got[i] != want {
				t.Errorf("%s %v: %q, want %q", name, v, got[i], want)
			}
		}
	}
	got := value[[]string](b, all+`.map(times)`)
	for i, v := range values {
		if want := bench.Ratio(v); got[i] != want {
			t.Errorf("ratio %v: %q, want %q", v, got[i], want)
		}
	}
}
