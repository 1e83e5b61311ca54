package advice

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"hotpath/internal/bench"
	"hotpath/internal/claims"
	"hotpath/internal/results/synthetic"
	"hotpath/internal/study"
)

const (
	block   = "BenchmarkAdd/mode=thrpt/threads=2@numcpu"
	another = "BenchmarkRead/mode=thrpt/threads=2@numcpu"
)

// file is advice on one need; %s stands for further lines of its rule.
const file = `
[headline]
block = "BenchmarkAdd/mode=thrpt/threads=2@numcpu"
unit = "ns/op"
chart = "throughput"
usual = "atomic"

[[rule]]
need = "A counter"
block = "BenchmarkAdd/mode=thrpt/threads=2@numcpu"
unit = "ns/op"
use = ["plain", "fancy"]
usual = "atomic"
when-not = "Never."
%s
`

// run is an experiment in which each contestant costs so many nanoseconds, give or take
// a hundredth; those that end in ' are other libraries. In another block whoever
// costs less costs more.
func run(heats int, unmet func(lap int) bench.GateSet, costs map[string]float64) *study.Experiment {
	var impls []string
	for impl := range costs {
		impls = append(impls, strings.TrimSuffix(impl, "'"))
	}
	slices.Sort(impls)
	e := synthetic.Experiment{Name: "counter", Heats: heats, Cells: append(synthetic.Cells(block, bench.Peers, impls...), synthetic.Cells(another, bench.Peers, impls...)...)}
	for i, c := range e.Cells {
		if _, peer := costs[c.Impl()+"'"]; peer {
			e.Cells[i].Role = bench.Peer
		}
	}
	e.Cost = func(c bench.Cell, heat, lap int) float64 {
		cost := max(costs[c.Impl()], costs[c.Impl()+"'"])
		if c.Block.String() == another {
			cost = 100 / cost
		}
		return cost * synthetic.Noise(0.01, c.Impl(), heat) * synthetic.Noise(0.03, c.Impl(), heat, lap)
	}
	if unmet != nil {
		e.Unmet = func(_ bench.Cell, _, lap int) bench.GateSet { return unmet(lap) }
	}
	r := synthetic.Run(synthetic.Manifest(), e)
	return study.New(&r.Manifest, r.Experiments[0], new(claims.File))
}

func decide(t *testing.T, x *study.Experiment, more string) Choice {
	t.Helper()
	f, err := Parse("advice.toml", []byte(fmt.Sprintf(file, more)), x)
	if err != nil {
		t.Fatal(err)
	}
	return f.Decide(x)[0]
}

// told is a choice in a line: who is named, who serves as well, and against whom, with
// how sure.
func told(c Choice) string {
	if c.Named == nil {
		return "nobody"
	}
	s := c.Named.Impl()
	for _, r := range c.Equals {
		s += " or " + r.Impl()
	}
	for _, a := range c.Against {
		s += fmt.Sprintf(", %s %s", a.Impl(), a.Sure)
	}
	return s
}

// near are lines of a rule: whoever serves takes at most so many times in the other
// block what each of some takes there.
func near(of string, most float64) string {
	return fmt.Sprintf("\n[[rule.near]]\nblock = %q\nof = [%s]\nmost = %v\n", another, of, most)
}

// Changed data change the advice.
func TestDecide(t *testing.T) {
	mostly := func(lap int) bench.GateSet {
		if lap%5 == 0 {
			return 0
		}
		return bench.GateSet(0).With(bench.GateForeign)
	}
	for name, c := range map[string]struct {
		heats       int
		unmet       func(int) bench.GateSet
		costs       map[string]float64
		more        string
		want        string
		recommended bool
	}{
		"by far":                {12, nil, map[string]float64{"atomic": 30, "plain": 20, "fancy": 10, "lib'": 15}, "", "fancy, atomic sure, lib sure", true},
		"the other way":         {12, nil, map[string]float64{"atomic": 30, "plain": 10, "fancy": 20, "lib'": 15}, "", "plain, atomic sure, lib sure", true},
		"the plainer of equals": {12, nil, map[string]float64{"atomic": 30, "plain": 10, "fancy": 10, "lib'": 15}, "", "plain or fancy, atomic sure, lib sure", true},
		"no difference":         {12, nil, map[string]float64{"atomic": 10, "plain": 10, "fancy": 10.1, "lib'": 10}, "", "atomic or plain or fancy, lib no difference, plain no difference", true},
		"small":                 {12, nil, map[string]float64{"atomic": 10.6, "plain": 10, "fancy": 20, "lib'": 30}, "", "plain, atomic sure, small, lib sure", true},
		"another library":       {12, nil, map[string]float64{"atomic": 30, "plain": 20, "fancy": 22, "lib'": 10}, "", "lib, atomic sure, plain sure", true},
		"the best library":      {12, nil, map[string]float64{"atomic": 30, "plain": 20, "fancy": 10, "lib'": 50, "slow'": 60, "fast'": 40}, "", "fancy, atomic sure, fast sure", true},
		"what is usual is best": {12, nil, map[string]float64{"atomic": 10, "plain": 20, "fancy": 15, "lib'": 30}, "", "atomic, lib sure, fancy sure", true},
		"few heats":             {3, nil, map[string]float64{"atomic": 30, "plain": 20, "fancy": 10, "lib'": 15}, "", "fancy, atomic noisy, lib noisy", false},
		"a machine in use":      {12, mostly, map[string]float64{"atomic": 30, "plain": 20, "fancy": 10, "lib'": 15}, "", "fancy, atomic noisy, lib noisy", false},
		"nothing left":          {12, func(int) bench.GateSet { return bench.GateSet(0).With(bench.GateSteal) }, map[string]float64{"atomic": 30, "plain": 20, "fancy": 10, "lib'": 15}, "", "nobody", false},
		"limits":                {12, nil, map[string]float64{"atomic": 30, "plain": 20, "fancy": 10, "lib'": 15}, `limits = [{ unit = "cpu-ns/op", most = 25 }]`, "fancy, atomic sure", true},
		"limits for nobody":     {12, nil, map[string]float64{"atomic": 30, "plain": 20, "fancy": 10, "lib'": 15}, `limits = [{ unit = "cpu-ns/op", most = 1 }]`, "nobody", false},
		"limits elsewhere":      {12, nil, map[string]float64{"atomic": 30, "plain": 20, "fancy": 10, "lib'": 15}, `limits = [{ unit = "cpu-ns/op", most = 15 }]` + "\nlimits-in = \"" + another + `"`, "lib, atomic sure, plain sure", true},
		"near elsewhere":        {12, nil, map[string]float64{"atomic": 30, "plain": 20, "fancy": 19, "lib'": 15}, near(`"atomic"`, 1.54), "plain, atomic sure", true},
		"near for one":          {12, nil, map[string]float64{"atomic": 30, "plain": 20, "fancy": 19, "lib'": 15}, near(`"atomic", "lib"`, 1), "atomic", false},
		"near without interval": {5, nil, map[string]float64{"atomic": 30, "plain": 20, "fancy": 19, "lib'": 15}, near(`"atomic"`, 9), "atomic", false},
	} {
		t.Run(name, func(t *testing.T) {
			choice := decide(t, run(c.heats, c.unmet, c.costs), c.more)
			if got := told(choice); got != c.want || choice.Recommended() != c.recommended {
				t.Errorf("%s (recommended: %v), want %s", got, choice.Recommended(), c.want)
			}
			for _, far := range choice.Far {
				if far.Known() != (c.heats >= 6) || far.In.String() != another || !slices.Contains(choice.Use, far.Impl()) || far.Ratio.Level > 0 && far.Ratio.Estimate < 1.4 {
					t.Errorf("too far: %s of %s, %+v", far.Impl(), far.Of.Impl(), far.Ratio)
				}
			}
			if strings.Contains(c.more, "near") != (len(choice.Far) > 0) {
				t.Errorf("%d candidates are told to be too far", len(choice.Far))
			}
			for _, a := range choice.Against {
				if a.Ratio.Estimate <= 0 || c.recommended != (a.Ratio.Level > 0) && c.unmet == nil {
					t.Errorf("against %s: %+v", a.Impl(), a.Ratio)
				}
			}
		})
	}
}

func TestSureOf(t *testing.T) {
	for _, c := range []struct {
		low, high, level float64
		want             Sure
	}{
		{1.051, 2, 0.95, Surely}, {1.05, 2, 0.95, Slightly}, {1.001, 1.06, 0.95, Slightly}, {1.001, 1.05, 0.95, Same},
		{0.96, 1.04, 0.95, Same}, {0.94, 1.04, 0.95, Open}, {0.96, 1.06, 0.95, Open}, {0.5, 2, 0.95, Open}, {1.5, 2, 0, Noisy},
	} {
		if got := SureOf(study.Interval{Estimate: 1, Low: c.low, High: c.high, Level: c.level}); got != c.want {
			t.Errorf("[%v, %v] at %v: %s, want %s", c.low, c.high, c.level, got, c.want)
		}
		if Signs[c.want] == "" {
			t.Errorf("%s has no sign", c.want)
		}
	}
}

// A run that did not plan the block decides nothing, and that is no mistake.
func TestAnotherRun(t *testing.T) {
	x := run(2, nil, map[string]float64{"atomic": 1})
	text := strings.ReplaceAll(fmt.Sprintf(file, ""), "threads=2", "threads=8")
	f, err := Parse("advice.toml", []byte(text), x)
	if err != nil {
		t.Fatal(err)
	}
	if c := f.Decide(x)[0]; c.Measured || c.Named != nil {
		t.Errorf("%+v", c)
	}
	if f, err := Load(t.TempDir(), x); err != nil || len(f.Rules) > 0 {
		t.Errorf("no file: %+v, %v", f, err)
	}
}

func TestRefusals(t *testing.T) {
	x := run(2, nil, map[string]float64{"atomic": 1, "plain": 1, "fancy": 1})
	whole := fmt.Sprintf(file, "")
	for change, want := range map[[2]string]string{
		{`usual = "atomic"` + "\nwhen", `usual = "nobody"` + "\nwhen"}: `rule 1 ("A counter"): "nobody" takes no part`,
		{`use = ["plain", "fancy"]`, `use = []`}:                       "use: missing",
		{`"fancy"]`, `"plain"]`}:                                       `"plain" is missing, or stands there twice`,
		{`"fancy"]`, `"atomic"]`}:                                      `usual: "atomic" is a candidate too`,
		{`need = "A counter"`, `need = " "`}:                           "need: missing",
		{`when-not = "Never."`, ""}:                                    "when-not: missing",
		{`chart = "throughput"`, ""}:                                   "headline: chart: missing",
		{`unit = "ns/op"`, `unit = "furlongs"`}:                        "advice.toml:4:8",
		{`unit = "ns/op"`, `unit = "achieved-rate"`}:                   "headline: unit",
		{`block = "BenchmarkAdd`, `block = "Benchmark Add`}:            "advice.toml:3:9",
		{`need =`, `nead =`}:                                           "advice.toml:9: rule.nead: unknown field",
		{`when-not = "Never."`, "when-not = \"Never.\"\nlimits = [{ unit = \"p50-error\", most = 0.0 }]"}: "most must be a number above 0",
		{`when-not = "Never."`, "when-not = \"Never.\"\nlimits = [{ unit = \"p50-error\", most = 0.1 }]"}: "no contestant has any p50-error there",
		{`when-not = "Never."`, "when-not = \"Never.\"\nalso = [\"turns\"]"}:                              "is missing, or is nothing of which the least is the best",
		{`when-not = "Never."`, `when-not = "Never."` + near(`"atomic"`, 0.9)}:                            "near: BenchmarkRead/mode=thrpt/threads=2@numcpu: most must be a number from 1 on",
		{`when-not = "Never."`, `when-not = "Never."` + near(`"nobody"`, 1.1)}:                            `near: "nobody" takes no part`,
	} {
		text := strings.Replace(whole, change[0], change[1], 1)
		if text == whole {
			t.Fatalf("%q is not there", change[0])
		}
		if _, err := Parse("advice.toml", []byte(text), x); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", change[1], err, want)
		}
	}
}
