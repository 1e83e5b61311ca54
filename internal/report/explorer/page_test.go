package explorer

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"hotpath/internal/bench"
	"hotpath/internal/results/synthetic"
	"hotpath/internal/study"
)

// same are two numbers that agree to three digits.
func same(a, b float64) bool { return a == b || math.Abs(a/b-1) <= 0.0005 }

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
		{"figures", testFigures}, {"ratios", testRatios}, {"latencies", testLatencies},
		{"contestants", testContestants}, {"baseline", testBaseline}, {"placement", testPlacement}, {"gated", testGated}, {"blocks", testBlocks}, {"experiments", testExperiments},
		{"laps", testLaps}, {"zoom", testZoom}, {"claims", testClaims}, {"themes", testThemes}, {"widths", testWidths}, {"print", testPrint},
		{"link", testLink}, {"comparison", testComparison}, {"hostile", testHostile},
	} {
		t.Run(test.name, func(t *testing.T) {
			b.t = t
			value[bool](b, `(document.getElementById("reset").click(), true)`)
			test.f(t, b, x)
			b.quiet()
		})
	}
}

// printed are all figures of the page: block, unit, contestant and text.
const allFigures = `run.experiments.flatMap((x) => x.blocks.flatMap((b) => b.units.flatMap((u) => b.rows.map((r) => {
	const f = u.figures[r.row];
	return [b.name, u.name, r.name, f === null ? "" : printed(u.quantity, f.estimate), f === null || !(f.low > 0) ? "" : printed(u.quantity, f.low) + " " + printed(u.quantity, f.high)];
}))))`

func testFigures(t *testing.T, b *tab, x *study.Experiment) {
	figures := value[[][]string](b, allFigures)
	units := map[string]bool{}
	for _, f := range figures {
		id, _ := bench.ParseBlock(f[0])
		unit, _ := bench.UnitNamed(f[1])
		units[f[1]] = true
		m := x.Block(id).Row(f[2]).Figure(unit).Median
		want, bounds := "", ""
		if m.N > 0 {
			want = unit.Quantity.Print(m.Estimate)
		}
		if m.Level > 0 {
			bounds = unit.Quantity.Print(m.Low) + " " + unit.Quantity.Print(m.High)
		}
		if f[3] != want || f[4] != bounds {
			t.Errorf("%s %s %s: %q [%s], want %q [%s]", f[0], f[1], f[2], f[3], f[4], want, bounds)
		}
	}
	for _, u := range []bench.Unit{bench.MeanLatency, bench.TimePerOp, bench.Real, bench.CPUPerOp, bench.BytesPerOp, bench.GCShare, bench.Latency(99)} {
		if !units[u.Name] {
			t.Errorf("the page has no %s", u)
		}
	}
	if units[bench.AllocsPerOp.Name] || units[bench.Turns.Name] {
		t.Error("the page has a unit that tells nobody apart")
	}
}

// allRatios has of a block's unit each pair of contestants at each placement: the
// baseline, the candidate, the placement's letter, the ratio, its bounds, and its
// heats.
const allRatios = `(() => {
	const b = run.experiments[0].block(%q), u = b.unit(%q), all = [];
	for (const one of b.rows) for (const two of b.rows) for (const place of ["", "n", "b", "f"]) {
		const c = b.compare(u, one.row, two.row, {place});
		all.push([one.name, two.name, place, c.estimate || 0, c.low, c.high, c.n]);
	}
	return all;
})()`

var placementOf = map[string]bench.Placement{"n": bench.Near, "b": bench.Between, "f": bench.Far}

func testRatios(t *testing.T, b *tab, x *study.Experiment) {
	compared, grouped, chained := 0, 0, 0
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
				}
				compared++
				if one == "mine" && two == "held" {
					chained++
				}
				if !same(got[0], want.Estimate) || !same(got[1], want.Low) || !same(got[2], want.High) || int(got[3]) != want.N {
					t.Errorf("%s %s %s/%s %q: %v, want %+v", block.Block, unit, one, two, place, got, want)
				}
			}
		}
	}
	if compared < 500 || grouped < 100 || chained == 0 {
		t.Errorf("only %d ratios compared, %d of groups, %d chained", compared, grouped, chained)
	}
}

func testLatencies(t *testing.T, b *tab, x *study.Experiment) {
	block := x.Blocks[0]
	rows := value[[][]string](b, `[...document.querySelectorAll("#percentiles tbody tr")].map((tr) => [...tr.cells].map((td) => td.textContent))`)
	if len(rows) != len(block.Rows) {
		t.Fatalf("%d rows", len(rows))
	}
	for _, cells := range rows {
		l := block.Row(cells[0]).Latencies()
		for i, p := range tabled {
			want := ""
			if l.Shows(p) {
				want = bench.Nanos.Print(float64(l.At(p)))
			}
			if cells[1+i] != want {
				t.Errorf("%s at %v: %q, want %q", cells[0], p, cells[1+i], want)
			}
		}
	}
}

// Numbers are printed as package bench prints them.
func TestPrinted(t *testing.T) {
	b := openTab(t)
	b.open(file(t, pageOf(t, runOf(claimed(), made()))))
	var values []float64
	for e := -6; e <= 13; e++ {
		for _, m := range []float64{1, 1.2344, 4.0049, 9.9949, 9.996} {
			values = append(values, m*math.Pow10(e))
		}
	}
	for i := range 30 {
		values = append(values, float64(i*37), math.Exp(float64(i)*synthetic.Noise(0.1, i)))
	}
	values = append(values, 0)
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
	b.quiet()
}
