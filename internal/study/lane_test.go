package study

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"hotpath/internal/bench"
	"hotpath/internal/claims"
	"hotpath/internal/results/synthetic"
)

const besideOriginals = "BenchmarkAdd/lane=jvm/mode=sample/threads=32@perthread"

// costs of the made-up counters and of their originals: a re-creation takes twice what
// its original takes, beyond the floors 2.4 times for atomic.
var laneCosts = map[string]float64{
	"floor": 1000, "atomic": 6000, "hbase": 4000, "longadder": 3000, "atomic_again": 6000,
	"jvm_floor": 900, "jvm_atomic": 3000, "jvm_hbase": 2000, "jvm_longadder": 1200, "jvm_atomic_again": 3000,
}

// withLane are counters and their originals, in two parts.
func withLane(heats int) synthetic.Experiment {
	e := counters(heats)
	e.Cells = append(e.Cells, synthetic.Cells(besideOriginals, bench.Judged,
		"jvm_atomic", "jvm_atomic_again", "floor", "jvm_floor", "atomic", "hbase", "jvm_hbase", "longadder", "jvm_longadder")...)
	e.Parts = func(c bench.Cell) []int {
		switch {
		case c.Block.Lane() == "":
			return []int{0}
		case c.Impl() == "jvm_atomic" || c.Role == bench.Control:
			return []int{0, 1}
		case c.Role == bench.Floor || c.Impl() == "atomic":
			return []int{0}
		}
		return []int{1}
	}
	e.Cost = func(c bench.Cell, heat, lap int) float64 {
		return laneCosts[c.Impl()] * synthetic.Noise(0.02, c.Name, heat, lap) * synthetic.Noise(0.2, c.Block, heat)
	}
	return e
}

// saidOfCounters are a magnitude and an order of all three, with what was published.
func saidOfCounters() *claims.File {
	f := less()
	block := f.Claims[0].Block
	f.Claims[1].Published, f.Claims[1].Needs = 5, claims.Needs{}
	f.Claims[2].Lane = ""
	f.Published = []claims.Published{{Impl: "atomic", Block: block, Score: 1900}, {Impl: "hbase", Block: block, Score: 475}, {Impl: "longadder", Block: block, Score: 80}}
	return f
}

func TestPairs(t *testing.T) {
	b := judged(withLane(15), saidOfCounters()).Lane.Blocks[0]
	net := map[string]float64{"atomic": 5000. / 2100, "hbase": 3000. / 1100, "longadder": 2000. / 300}
	pairs := b.Pairs()
	if len(pairs) != len(net) {
		t.Fatalf("%d pairs, want %d: the floors are none", len(pairs), len(net))
	}
	for _, p := range pairs {
		impl := p.Recreation.Impl()
		if p.Original.Impl() != "jvm_"+impl {
			t.Errorf("%s is paired with %s", impl, p.Original.Impl())
		}
		want := laneCosts[impl] / laneCosts["jvm_"+impl]
		if math.Abs(p.Ratio.Estimate/want-1) > 0.02 || !p.Ratio.Holds(want) {
			t.Errorf("%s / its original is %v, want %.3f", impl, p.Ratio, want)
		}
		if math.Abs(p.Net.Estimate/net[impl]-1) > 0.05 || !p.Net.Holds(net[impl]) {
			t.Errorf("%s / its original beyond the floors is %v, want %.3f", impl, p.Net, net[impl])
		}
	}
}

// A contestant is netted by the floor of its own language.
func TestFloorOf(t *testing.T) {
	b := judged(withLane(2), saidOfCounters()).Lane.Blocks[0]
	for impl, want := range map[string]string{"atomic": "floor", "jvm_hbase": "jvm_floor", "jvm_atomic_again": "jvm_floor"} {
		if f := b.FloorOf(b.Row(impl)); f == nil || f.Impl() != want {
			t.Errorf("the floor of %s is %v, want %s", impl, f, want)
		}
	}
}

func TestParallels(t *testing.T) {
	x := judged(withLane(15), saidOfCounters())
	type want struct{ published, original, here float64 }
	wants := []want{
		{1900. / 80, 2.5, 2}, // a claim without a magnitude has that of the scores
		{5, 2.5, 2},
		{4, 1.5, 1.5}, {475. / 80, 2000. / 1200, 4. / 3},
	}
	if len(x.Lane.Parallels) != len(wants) {
		t.Fatalf("%d comparisons, want %d", len(x.Lane.Parallels), len(wants))
	}
	for i, p := range x.Lane.Parallels {
		w := wants[i]
		near := func(what string, got Interval, want float64) {
			t.Helper()
			if math.Abs(got.Estimate/want-1) > 0.02 || !got.Holds(want) {
				t.Errorf("comparison %d: %s is %v, want %.3f", i, what, got, want)
			}
		}
		if math.Abs(p.Published-w.published) > 1e-9 {
			t.Errorf("comparison %d: published %v, want %v", i, p.Published, w.published)
		}
		near("of the originals", p.Original, w.original)
		near("in Go", p.Go, w.here)
		near("the machine", p.Machine, w.published/w.original)
		near("the language", p.Language, w.here/w.original)
	}
	if words := x.Lane.Judgement.Verdicts; words[0].Word != Reproduced || words[1].Word != DirectionOnly || words[2].Word != Reproduced {
		t.Errorf("verdicts on the originals: %v", words)
	}
	if p := x.Lane.Blocks[0].Published; len(p) != 3 || p[0].Impl != "jvm_atomic" {
		t.Errorf("published of the originals: %v", p)
	}
}

// Originals change no verdict on Go's contestants, nor its level.
func TestLaneApart(t *testing.T) {
	with, without := judged(withLane(15), saidOfCounters()), judged(counters(15), saidOfCounters())
	if without.Lane != nil {
		t.Error("a run without originals has a lane")
	}
	for i, v := range with.Judgement.Verdicts {
		w := without.Judgement.Verdicts[i]
		if v.Level != w.Level || v.Word != w.Word || len(v.Comparisons) != len(w.Comparisons) {
			t.Errorf("%s (%v) with originals, %s (%v) without", v.Word, v.Level, w.Word, w.Level)
		}
	}
	if v := with.Lane.Judgement.Verdicts[0]; v.Claim.Lane != bench.JVM || v.Level != with.Judgement.Verdicts[0].Level {
		t.Errorf("lane %q at level %v, want as many comparisons as Go has", v.Claim.Lane, v.Level)
	}
	if !reflect.DeepEqual(with.Claims, saidOfCounters()) {
		t.Error("the claims on file are others than they were")
	}
}

// An original that dies leaves the claims about it open, and all others as they are; one
// that takes no part has none.
func TestLaneWithout(t *testing.T) {
	e := withLane(15)
	e.State = func(c bench.Cell, heat int) bench.State {
		if c.Impl() == "jvm_longadder" {
			return bench.Failed
		}
		return bench.Complete
	}
	x := judged(e, saidOfCounters())
	for i, v := range x.Lane.Judgement.Verdicts {
		if v.Word != Inconclusive || x.Judgement.Verdicts[i].Word == Inconclusive {
			t.Errorf("claim %d: %s of the originals, %s in Go", i, v.Word, x.Judgement.Verdicts[i].Word)
		}
	}
	if p := x.Lane.Parallels[2]; p.Original.Level == 0 || p.Language.Level == 0 {
		t.Errorf("atomic / hbase is %+v though both took part", p)
	}
	if p := x.Lane.Parallels[0]; p.Original.Estimate != 0 || p.Machine.Estimate != 0 || p.Language.Estimate != 0 {
		t.Errorf("atomic / longadder is %+v without its original", p)
	}
	e = withLane(15)
	e.Cells = slices.DeleteFunc(e.Cells, func(c bench.Cell) bool { return c.Impl() == "jvm_longadder" })
	if v := judged(e, saidOfCounters()).Lane.Judgement.Verdicts; len(v) != 0 {
		t.Errorf("%d claims about an original that takes no part", len(v))
	}
}
