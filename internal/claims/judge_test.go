package claims

import (
	"fmt"
	"go/parser"
	"go/token"
	"math"
	"slices"
	"strings"
	"testing"

	"hotpath/internal/bench"
	"hotpath/internal/stats"
)

// The interval of each case reaches one line of the rule; with the hardware
// that the claim needs, and without.
func TestRule(t *testing.T) {
	ratio := Claim{Kind: Ratio, Published: 4, Tolerance: 1.25, Smallest: 1.05} // band 3.2 to 5
	const (
		hardware   = "hardware: needs 16 CPUs, this machine has 2"
		unresolved = "magnitude unresolved: the interval reaches beyond the band"
		noEffect   = "no effect of 1.05 or more"
	)
	for _, c := range []struct {
		claim    Claim
		low      float64
		high     float64
		word     Word
		reason   string
		lackWord Word   // without the hardware
		lack     string // then
	}{
		{ratio, 0.5, 0.9, NotReproduced, "opposite", Inconclusive, hardware + "; opposite here"},
		{ratio, 0.9, 0.999, NotReproduced, "opposite", Inconclusive, hardware + "; opposite here"},
		{ratio, 0.9, 1, NotReproduced, noEffect, Inconclusive, hardware + "; no effect of 1.05 or more here"},
		{ratio, 1.01, 1.049, NotReproduced, noEffect, Inconclusive, hardware + "; no effect of 1.05 or more here"},
		{ratio, 1.01, 1.05, Inconclusive, "the interval holds 1.05, the smallest ratio that counts; about", Inconclusive, "the interval holds 1.05"},
		{ratio, 1.05, 4, Inconclusive, "the interval holds 1.05", Inconclusive, "the interval holds 1.05"},
		{ratio, 0.2, 9, Inconclusive, "the interval holds 1.05", Inconclusive, "the interval holds 1.05"},
		{ratio, 1.051, 3.19, DirectionOnly, "smaller than published", DirectionOnly, hardware},
		{ratio, 2, 3.2, DirectionOnly, unresolved, DirectionOnly, hardware},
		{ratio, 2, 4, DirectionOnly, unresolved, DirectionOnly, hardware},
		{ratio, 3.2, 5, Reproduced, "", DirectionOnly, hardware},
		{ratio, 4.4, 4.4, Reproduced, "", DirectionOnly, hardware},
		{ratio, 4, 5.01, DirectionOnly, unresolved, DirectionOnly, hardware},
		{ratio, 5.01, 6, DirectionOnly, "larger than published", DirectionOnly, hardware},

		{Claim{Kind: Range, Low: 1.05, High: 1.11}, 1.06, 1.1, Reproduced, "", DirectionOnly, hardware},
		{Claim{Kind: Range, Low: 1.05, High: 1.11}, 1.03, 1.04, DirectionOnly, "smaller than published", DirectionOnly, hardware},
		{Claim{Kind: Range, Low: 1.05, High: 1.11}, 1.12, 1.2, DirectionOnly, "larger than published", DirectionOnly, hardware},
		{Claim{Kind: Range, Low: 1.05, High: 1.11}, 1.01, 1.1, Inconclusive, "the interval holds 1.02", Inconclusive, "the interval holds 1.02"},

		{Claim{Kind: AtLeast, Published: 10}, 10, 1e9, Reproduced, "", DirectionOnly, hardware},
		{Claim{Kind: AtLeast, Published: 10}, 9.9, 11, DirectionOnly, unresolved, DirectionOnly, hardware},
		{Claim{Kind: AtLeast, Published: 10}, 2, 9.9, DirectionOnly, "smaller than published", DirectionOnly, hardware},

		{Claim{Kind: Less}, 1.021, 3, Reproduced, "", DirectionOnly, hardware},
		{Claim{Kind: Less}, 1.02, 3, Inconclusive, "the interval holds 1.02", Inconclusive, "the interval holds 1.02"},
		{Claim{Kind: Less}, 0.9, 1.01, NotReproduced, "no effect of 1.02 or more", Inconclusive, hardware + "; no effect of 1.02 or more here"},
		{Claim{Kind: Less}, 0.9, 0.95, NotReproduced, "opposite", Inconclusive, hardware + "; opposite here"},
	} {
		comparison := Comparison{
			Measured: stats.Interval{Estimate: math.Sqrt(c.low * c.high), Low: c.low, High: c.high, N: 21, Level: 0.95},
			Smallest: c.claim.smallest(),
			Band:     c.claim.band(),
		}
		check := func(hardware string, word Word, reason string) {
			t.Helper()
			gotWord, gotReason := comparison.verdict(circumstances{hardware: hardware})
			if gotWord != word || !strings.HasPrefix(gotReason, reason) || (gotReason == "") != (reason == "") {
				t.Errorf("%s [%v, %v]: %s (%s), want %s (%s)", c.claim.Kind, c.low, c.high, gotWord, gotReason, word, reason)
			}
		}
		check(missing(Needs{CPUs: 16}, 16), c.word, c.reason)
		check(missing(Needs{CPUs: 16}, 2), c.lackWord, c.lack)
	}
}

// The package comment tells the rule that is applied.
func TestRuleIsTold(t *testing.T) {
	f, err := parser.ParseFile(token.NewFileSet(), "claims.go", nil, parser.ParseComments|parser.PackageClauseOnly)
	if err != nil {
		t.Fatal(err)
	}
	told := strings.Join(strings.Fields(f.Doc.Text()), " ")
	for i, l := range Rule {
		if want := fmt.Sprintf("%d %s: %s", i+1, l.Test, l.Verdict); !strings.Contains(told, want) {
			t.Errorf("the package comment lacks %q", want)
		}
	}
}

func TestPairsThatWouldDecide(t *testing.T) {
	c := Comparison{Smallest: 1.05, Band: [2]float64{3, 5}}
	for _, m := range []struct {
		interval stats.Interval
		want     string
	}{
		{stats.Interval{Estimate: 1.1, Low: 1.04, High: 1.2, N: 20, Level: 0.95}, "about 30 pairs would decide"},
		{stats.Interval{Estimate: 1.05, Low: 1.04, High: 1.2, N: 20, Level: 0.95}, "too near to it for any run to decide"},
	} {
		c.Measured = m.interval
		if _, reason := c.verdict(circumstances{}); !strings.HasSuffix(reason, m.want) {
			t.Errorf("%+v: %s, want %s", m.interval, reason, m.want)
		}
	}
}

// pairs are the values of two contestants of a block, by round.
type pairs func(block bench.Block, metric bench.Unit, baseline, candidate string) (b, c []float64)

func (p pairs) measure(block bench.Block, metric bench.Unit, baseline, candidate string, level float64) (stats.Interval, error) {
	b, c := p(block, metric, baseline, candidate)
	return stats.PairedRatio(b, c, level)
}

// rounds returns pairs of contestants with the given costs; their ratios
// scatter by spread to both sides.
func rounds(n int, spread float64, costs map[string]float64) pairs {
	return func(_ bench.Block, _ bench.Unit, baseline, candidate string) (b, c []float64) {
		for i := range n {
			scatter := math.Exp(spread * (float64(i%5) - 2) / 2)
			b = append(b, costs[baseline]*scatter)
			c = append(c, costs[candidate])
		}
		return b, c
	}
}

func file(t *testing.T, claims ...Claim) *File {
	t.Helper()
	block := bench.Block{Benchmark: "BenchmarkAdd", Reading: bench.One}
	f := &File{Control: Control{Baseline: "a", Candidate: "a_again", Metric: bench.MeanLatency, Block: block}}
	for i, c := range claims {
		c.ID, c.Metric, c.Block = fmt.Sprint(i), bench.MeanLatency, block
		f.Claims = append(f.Claims, c)
	}
	return f
}

func TestJudge(t *testing.T) {
	f := file(t,
		Claim{Kind: Ratio, Baseline: "a", Candidate: "b", Published: 2},
		Claim{Kind: Ratio, Baseline: "a", Candidate: "b", Published: 2, Needs: Needs{CPUs: 16}},
		Claim{Kind: AtLeast, Baseline: "a", Candidate: "c", Published: 10},
		Claim{Kind: Order, Order: []string{"a", "b", "c"}},
		Claim{Kind: Order, Order: []string{"a", "c", "b"}},
	)
	costs := map[string]float64{"a": 4, "a_again": 4, "b": 2, "c": 1}
	j := Judge(f, 2, "", rounds(21, 0.02, costs).measure)
	if !j.Control.Holds || j.Control.Reason != "" || j.Control.Measured.Level < 0.99 || j.Control.Control != f.Control {
		t.Errorf("control: %+v", j.Control)
	}
	if j.Comparisons != 7 || j.Level != stats.Bonferroni(7) {
		t.Errorf("%d comparisons at %v", j.Comparisons, j.Level)
	}
	want := []struct {
		word   Word
		reason string
	}{
		{Reproduced, ""},
		{DirectionOnly, "hardware: needs 16 CPUs, this machine has 2"},
		{DirectionOnly, "smaller than published"},
		{Reproduced, ""},
		{NotReproduced, "c / b: opposite"},
	}
	for i, v := range j.Verdicts {
		if v.Word != want[i].word || v.Reason != want[i].reason {
			t.Errorf("claim %d: %s (%s), want %s (%s)", i, v.Word, v.Reason, want[i].word, want[i].reason)
		}
		if v.Claim.ID != f.Claims[i].ID {
			t.Errorf("claim %d: verdict of %s", i, v.Claim.ID)
		}
	}
	c := j.Verdicts[0].Comparisons[0]
	if c.Baseline != "a" || c.Candidate != "b" || c.Published != 2 || c.Smallest != 1.05 || math.Abs(c.Band[1]-3) > 1e-12 ||
		c.Measured.N != 21 || c.Measured.Level < j.Level || !(c.Measured.Low <= 2 && 2 <= c.Measured.High) {
		t.Errorf("comparison: %+v", c)
	}
	if cs := j.Verdicts[4].Comparisons; cs[0].Verdict != Reproduced || cs[1].Baseline != "c" || cs[1].Verdict != NotReproduced {
		t.Errorf("order: %+v", cs)
	}
}

// Each obstacle makes every verdict inconclusive, says why, and leaves what
// was measured to be shown.
func TestObstacles(t *testing.T) {
	f := file(t,
		Claim{Kind: Ratio, Baseline: "a", Candidate: "b", Published: 2},
		Claim{Kind: Order, Order: []string{"a", "b", "c"}},
	)
	costs := map[string]float64{"a": 4, "a_again": 4, "b": 2, "c": 1}
	shifted := map[string]float64{"a": 4, "a_again": 3.7, "b": 2, "c": 1}
	wide := func(block bench.Block, metric bench.Unit, baseline, candidate string) (b, c []float64) {
		spread := 0.01
		if candidate == "a_again" {
			spread = 0.3
		}
		return rounds(21, spread, costs)(block, metric, baseline, candidate)
	}
	short := func(block bench.Block, metric bench.Unit, baseline, candidate string) (b, c []float64) {
		n := 21
		if candidate != "a_again" {
			n = 11
		}
		return rounds(n, 0.01, costs)(block, metric, baseline, candidate)
	}
	zero := func(block bench.Block, metric bench.Unit, baseline, candidate string) (b, c []float64) {
		b, c = rounds(21, 0.01, costs)(block, metric, baseline, candidate)
		if candidate != "a_again" {
			c[7] = 0
		}
		return b, c
	}
	for _, c := range []struct {
		name     string
		override string
		pairs    pairs
		holds    bool
		reason   string
		measured bool
	}{
		{"override", "a quick look", rounds(21, 0.01, costs), true, "a quick look", true},
		{"override of few", "a quick look", rounds(3, 0.01, costs), false, "a quick look", false},
		{"shifted control", "", rounds(21, 0.01, shifted), false, "control is out: a against itself is 1.081, and its interval [1.076, 1.087] does not hold 1", true},
		{"wide control", "", wide, false, "control is out: the interval of a against itself, [0.", true},
		{"few", "", rounds(11, 0.01, costs), false, "control is out: clean pairs: 11, at least 12 are needed", true},
		{"few of the claim", "", short, true, "clean pairs: 11, at least 12 are needed", true},
		{"none", "", rounds(0, 0, costs), false, "control is out: clean pairs: 0, at least 12 are needed", false},
		{"zero", "", zero, true, "a value is not a positive number", false},
	} {
		j := Judge(f, 2, c.override, c.pairs.measure)
		if j.Control.Holds != c.holds || (j.Control.Reason == "") != c.holds {
			t.Errorf("%s: control %+v", c.name, j.Control)
		}
		for _, v := range j.Verdicts {
			if v.Word != Inconclusive || !strings.HasPrefix(v.Reason, c.reason) {
				t.Errorf("%s: %s (%s), want inconclusive (%s)", c.name, v.Word, v.Reason, c.reason)
			}
			for _, comparison := range v.Comparisons {
				if comparison.Verdict != Inconclusive || (comparison.Measured.Level > 0) != c.measured {
					t.Errorf("%s: %+v", c.name, comparison)
				}
			}
		}
	}
}

// A level that takes more than 12 pairs has its own reason.
func TestTooManyComparisons(t *testing.T) {
	claims := slices.Repeat([]Claim{{Kind: Less, Baseline: "a", Candidate: "b"}}, 200)
	j := Judge(file(t, claims...), 2, "", rounds(12, 0, map[string]float64{"a": 2, "a_again": 2, "b": 1}).measure)
	if got := j.Verdicts[0]; got.Word != Inconclusive || got.Reason != "an interval at level 0.99975 takes 13 pairs, not 12" {
		t.Errorf("%s (%s)", got.Word, got.Reason)
	}
}

func TestWorst(t *testing.T) {
	comparison := func(pair string, w Word, reason string) Comparison {
		b, c, _ := strings.Cut(pair, "/")
		return Comparison{Baseline: b, Candidate: c, Verdict: w, Reason: reason}
	}
	for _, c := range []struct {
		comparisons []Comparison
		word        Word
		reason      string
	}{
		{[]Comparison{comparison("a/b", Reproduced, ""), comparison("b/c", Reproduced, "")}, Reproduced, ""},
		{[]Comparison{comparison("a/b", Reproduced, ""), comparison("b/c", DirectionOnly, "h")}, DirectionOnly, "b / c: h"},
		{[]Comparison{comparison("a/b", Inconclusive, "i"), comparison("b/c", DirectionOnly, "h")}, Inconclusive, "a / b: i"},
		{[]Comparison{comparison("a/b", Inconclusive, "i"), comparison("b/c", NotReproduced, "opposite")}, NotReproduced, "b / c: opposite"},
		{[]Comparison{comparison("a/b", Inconclusive, "i"), comparison("b/c", Inconclusive, "k")}, Inconclusive, "a / b: i; b / c: k"},
		{[]Comparison{comparison("a/b", Inconclusive, "i"), comparison("b/c", Inconclusive, "i")}, Inconclusive, "i"},
		{[]Comparison{comparison("a/b", Inconclusive, "i")}, Inconclusive, "i"},
	} {
		if word, reason := worst(c.comparisons); word != c.word || reason != c.reason {
			t.Errorf("%v: %s (%s), want %s (%s)", c.comparisons, word, reason, c.word, c.reason)
		}
	}
}
