package study

import (
	"math"
	"strings"
	"testing"

	"hotpath/internal/bench"
	"hotpath/internal/claims"
	"hotpath/internal/results"
	"hotpath/internal/results/synthetic"
)

const sampled = "BenchmarkAdd/mode=sample/threads=2@perthread"

// controlled is a block of two contestants, of which a takes twice what base
// takes, and base_again takes twin times as much as base in a heat; in a second
// block it takes as much.
func controlled(heats int, twin func(heat int) float64) synthetic.Experiment {
	return synthetic.Experiment{
		Name: "x", Heats: heats, Cells: append(synthetic.Cells(sampled, bench.Judged, "base", "base_again", "a"), synthetic.Cells(thrpt, bench.Judged, "base", "base_again", "a")...),
		Cost: func(c bench.Cell, heat, _ int) float64 {
			switch {
			case c.Impl() == "a":
				return 20000
			case c.Impl() == "base_again" && c.Mode() == bench.Sample:
				return 10000 / twin(heat)
			}
			return 10000
		},
	}
}

func TestControl(t *testing.T) {
	for name, c := range map[string]struct {
		heats       int
		twin        func(heat int) float64
		bias, widen float64
	}{
		"equal":         {12, func(int) float64 { return 1 }, 0, 0},
		"off":           {12, func(int) float64 { return 1.03 }, math.Log(1.03), math.Log(1.03)},
		"off below":     {12, func(int) float64 { return 1 / 1.03 }, math.Log(1.03), math.Log(1.03)},
		"narrow enough": {8, func(heat int) float64 { return math.Exp(0.0499 * float64(heat%2*2-1)) }, 0, 0},
		"holds 1":       {8, func(heat int) float64 { return math.Exp(0.005 + 0.04*float64(heat%2*2-1)) }, 0, 0},
		"wide":          {8, func(heat int) float64 { return math.Exp(0.08 * float64(heat%2*2-1)) }, 0, 0.03},
		"off and wide":  {8, func(heat int) float64 { return math.Exp(0.1 + 0.08*float64(heat%2*2-1)) }, 0.1, 0.13},
		"few, wide":     {6, func(heat int) float64 { return math.Exp(0.08 * float64(heat%2*2-1)) }, 0, 0.03},
		"five":          {5, func(int) float64 { return 1.1 }, math.Log(1.1), math.Log(1.1)},
		"one":           {1, func(int) float64 { return 1.1 }, 0, 0},
	} {
		x := of(controlled(c.heats, c.twin))
		b := x.Blocks[0]
		control := b.Control(bench.MeanLatency)
		if math.Abs(control.Bias-c.bias) > 1e-4 || math.Abs(control.Widen-c.widen) > 1e-4 || control.Baseline != "base" || control.Twin != "base_again" {
			t.Errorf("%s: %+v, want bias %v, widen %v", name, control, c.bias, c.widen)
		}
		iv := b.Ratio(bench.MeanLatency, "a", "base")
		if c.heats >= 6 && (math.Abs(iv.Low-2*math.Exp(-c.widen)) > 1e-3 || math.Abs(iv.High-2*math.Exp(c.widen)) > 1e-3 || math.Abs(iv.Estimate-2) > 1e-3) {
			t.Errorf("%s: %+v, want 2 widened by %v", name, iv, c.widen)
		}
		if group := b.Compare(bench.MeanLatency, "a", "base", Level).Groups[bench.Near]; c.heats >= 6 && (group.Low != iv.Low || group.High != iv.High) {
			t.Errorf("%s: near %+v, the whole %+v", name, group, iv)
		}
		if other := x.Blocks[1].Ratio(bench.TimePerOp, "a", "base"); c.heats >= 6 && (!near(other.Low, 2) || !near(other.High, 2)) {
			t.Errorf("%s: the control of another block widens: %+v", name, other)
		}
	}
}

// Each timed unit has its own control, and those that are counted have none.
func TestControlByUnit(t *testing.T) {
	e := controlled(12, func(int) float64 { return 1 })
	off := map[bench.Unit]float64{
		bench.Latency(99): 1.2, bench.User: 1.1, bench.GCShare: 1.3, bench.AchievedRate: 1.4, bench.GCPauseMax: 1.05, // timed
		bench.BytesPerOp: 2, bench.AllocsPerOp: 2, bench.GCCycles: 2, bench.PeakHeap: 2, bench.QuantileError(99): 2, bench.CopiedBytes: 2, // counted
	}
	e.Metrics = func(c bench.Cell, _ int) []results.Metric {
		var ms []results.Metric
		for unit, by := range off {
			value := 100.0
			if c.Impl() == "base_again" {
				value *= by
			}
			ms = append(ms, results.Metric{Value: value, Unit: unit.Name})
		}
		return ms
	}
	b := of(e).Blocks[0]
	for unit, by := range off {
		want := math.Log(by)
		if by == 2 {
			want = 0
		}
		if c := b.Control(unit); math.Abs(c.Widen-want) > 1e-9 || c.SumsDeviation != 0 && !math.IsNaN(c.SumsDeviation) || (c.missing() != nil) {
			t.Errorf("%s: %+v, %v; want %v", unit, c, c.missing(), want)
		}
		if iv := b.Ratio(unit, "a", "base"); math.Abs(iv.High-math.Exp(want)) > 1e-9 {
			t.Errorf("%s: %+v, want 1 widened by %v", unit, iv, want)
		}
	}
	for _, unit := range []bench.Unit{bench.MeanLatency, bench.TimePerOp} {
		if c := b.Control(unit); c.Unit != unit || c.Widen != 0 {
			t.Errorf("%s has the control of another unit: %+v", unit, c)
		}
	}
}

func TestDeviations(t *testing.T) {
	e := controlled(12, func(heat int) float64 { return math.Exp(0.1 * float64(heat%2*2-1)) })
	c := of(e).Blocks[0].Control(bench.MeanLatency)
	if want := 0.1 * math.Sqrt(12.0/11); math.Abs(c.Deviation-want) > 1e-4 || math.Abs(c.SumsDeviation-want) > 1e-4 {
		t.Errorf("%+v, want deviations of %v", c, want)
	}
	if got := c.Resolution(); math.Abs(got-math.Expm1(0.1)) > 1e-3 {
		t.Errorf("tells apart %v", got)
	}
	e.Cells[1].Role, e.Cells[1].Twin = bench.Ours, ""
	if got := of(e).Blocks[0].Control(bench.MeanLatency).Resolution(); !math.IsInf(got, 1) {
		t.Errorf("without a control it tells apart %v", got)
	}
}

// What remains after the floor is less, and what the control may hide of it is as
// much as before.
func TestNetWidened(t *testing.T) {
	net := func(twin float64) (Interval, bool) {
		e := controlled(12, func(int) float64 { return twin })
		e.Cells = append(synthetic.Cells(sampled, bench.Judged, "floor"), e.Cells...)
		cost := e.Cost
		e.Cost = func(c bench.Cell, heat, lap int) float64 {
			if c.Impl() == "floor" {
				return 5000
			}
			return cost(c, heat, lap)
		}
		return of(e).Blocks[0].Net(bench.MeanLatency, "a", "base") // 15000 / 5000
	}
	want := (4*1.03 - 1) / 3 * (2*1.03 - 1) / 1
	if iv, ok := net(1.03); !ok || math.Abs(iv.High-3*want) > 1e-2 || math.Abs(iv.Low-3/want) > 1e-2 {
		t.Errorf("%+v, %v; want 3 widened by a factor of %v", iv, ok, want)
	}
	if iv, ok := net(2.1); ok {
		t.Errorf("the control is off by more than what the floor leaves: %+v", iv)
	}
}

// A verdict takes the control of its own metric and block.
func TestControlInVerdicts(t *testing.T) {
	claim := claims.Claim{ID: "x", Kind: claims.Less, Metric: bench.MeanLatency, Baseline: "a", Candidate: "base", Block: synthetic.Cells(sampled, bench.Judged, "a")[0].Block}
	other := claim
	other.Metric, other.Block = bench.TimePerOp, synthetic.Cells(thrpt, bench.Judged, "a")[0].Block
	for name, c := range map[string]struct {
		heats  int
		change func(*synthetic.Experiment)
		twin   float64
		word   claims.Word
		reason string
	}{
		"equal":      {12, nil, 1, claims.Reproduced, ""},
		"off":        {12, nil, 1.06, claims.Inconclusive, "the control is off by 6 %: equals did not come out as equal"},
		"off less":   {12, nil, 1.05, claims.Reproduced, ""},
		"no control": {12, func(e *synthetic.Experiment) { e.Cells[1].Role, e.Cells[1].Twin = bench.Ours, "" }, 1, claims.Inconclusive, "the block has no control"},
		"seven heats of the control": {12, func(e *synthetic.Experiment) {
			e.State = func(c bench.Cell, heat int) bench.State {
				if c.Impl() == "base_again" && c.Mode() == bench.Sample && heat > 7 {
					return bench.TimedOut
				}
				return bench.Complete
			}
		}, 1, claims.Inconclusive, "the control has 7 heats, too few"},
	} {
		e := controlled(c.heats, func(int) float64 { return c.twin })
		if c.change != nil {
			c.change(&e)
		}
		vs := judged(e, &claims.File{Claims: []claims.Claim{claim, other}}).Judgement.Verdicts
		if vs[0].Word != c.word || !strings.HasPrefix(vs[0].Reason, c.reason) {
			t.Errorf("%s: %s (%s)", name, vs[0].Word, vs[0].Reason)
		}
		if vs[1].Word != claims.Reproduced {
			t.Errorf("%s: the control of another block decides: %s (%s)", name, vs[1].Word, vs[1].Reason)
		}
	}
}
