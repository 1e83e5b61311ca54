package claims

import (
	"errors"
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
			Measured: Measured{Interval: within(c.low, c.high), Counting: 21},
			Smallest: c.claim.smallest(),
			Band:     c.claim.band(),
		}
		check := func(hardware string, word Word, reason string) {
			t.Helper()
			gotWord, gotReason := comparison.verdict(hardware)
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

// within is an interval of many heats.
func within(low, high float64) stats.Interval {
	return stats.Interval{Estimate: math.Sqrt(low * high), Low: low, High: high, N: 21, Level: 0.99}
}

func TestDistance(t *testing.T) {
	const hardware = "hardware: needs 16 CPUs, this machine has 2"
	group := func(n int, low, high float64) stats.Interval {
		iv := within(low, high)
		iv.N = n
		return iv
	}
	none := stats.Interval{}
	for name, c := range map[string]struct {
		near, far stats.Interval
		lack      string
		word      Word
		reason    string
	}{
		"no group":          {none, none, "", DirectionOnly, "magnitude unresolved"},
		"near alone":        {group(9, 0.8, 0.9), none, "", DirectionOnly, "magnitude unresolved"},
		"opposite near":     {group(6, 0.8, 0.9), group(6, 3.3, 4), "", DependsOnDistance, "near 0.849 [0.800, 0.900] (opposite), far 3.63 [3.30, 4.00] (reproduced)"},
		"nothing far":       {group(6, 3.3, 4), group(8, 0.99, 1.04), "", DependsOnDistance, "near 3.63 [3.30, 4.00] (reproduced), far 1.01 [0.990, 1.04] (no effect of 1.05 or more)"},
		"five heats":        {group(5, 0.8, 0.9), group(6, 3.3, 4), "", DirectionOnly, "magnitude unresolved"},
		"open near":         {group(6, 1.04, 1.2), group(6, 3.3, 4), "", DirectionOnly, "magnitude unresolved"},
		"open far":          {group(6, 0.8, 0.9), group(6, 1.05, 4), "", DirectionOnly, "magnitude unresolved"},
		"alike":             {group(6, 1.1, 1.2), group(6, 1.3, 1.4), "", DirectionOnly, "magnitude unresolved"},
		"unlike, overlap":   {group(6, 2, 3.4), group(6, 3.3, 4), "", DirectionOnly, "magnitude unresolved"},
		"unlike, apart":     {group(6, 2, 3.1), group(6, 3.3, 4), "", DependsOnDistance, "near 2.49 [2.00, 3.10] (direction only), far 3.63 [3.30, 4.00] (reproduced)"},
		"hardware":          {group(6, 0.8, 0.9), group(6, 3.3, 4), hardware, DependsOnDistance, "near 0.849 [0.800, 0.900] (opposite), far 3.63 [3.30, 4.00] (direction only)"},
		"hardware, alike":   {group(6, 1.1, 1.2), group(6, 3.3, 4), hardware, DirectionOnly, hardware},
		"hardware, nowhere": {group(6, 0.8, 0.9), group(6, 0.95, 1.01), hardware, DirectionOnly, hardware},
	} {
		comparison := Comparison{
			Measured: Measured{Interval: within(2, 4), Counting: 21, Near: c.near, Far: c.far},
			Smallest: 1.05, Band: [2]float64{3.2, 5},
		}
		if word, reason := comparison.verdict(c.lack); word != c.word || !strings.HasPrefix(reason, c.reason) {
			t.Errorf("%s: %s (%s), want %s (%s)", name, word, reason, c.word, c.reason)
		}
	}
}

func TestHeatsThatWouldDecide(t *testing.T) {
	c := Comparison{Smallest: 1.05, Band: [2]float64{3, 5}}
	for _, m := range []struct {
		estimate, bias float64
		want           string
	}{
		{1.1, 0, "about 30 heats would decide"},
		{1.1, 0.02, "about 38 heats would decide"},
		{1.1, 0.0466, "too near to it for any run to decide"},
		{1.05, 0, "too near to it for any run to decide"},
	} {
		c.Measured = Measured{Interval: stats.Interval{Estimate: m.estimate, Low: 1.04, High: 1.2, N: 20, Level: 0.95}, Counting: 20, Bias: m.bias}
		if _, reason := c.verdict(""); !strings.HasSuffix(reason, m.want) {
			t.Errorf("%+v: %s, want %s", m, reason, m.want)
		}
	}
}

// made is what was measured of contestants with known costs.
type made struct {
	heats  int
	spread float64
	costs  map[string]float64
	Measured
}

// heats measures contestants of the given costs; their ratios scatter by spread
// to both sides.
func heats(n int, spread float64, costs map[string]float64) *made {
	return &made{heats: n, spread: spread, costs: costs}
}

func (m *made) measure(_ bench.Block, _ bench.Unit, baseline, candidate string, level float64) Measured {
	var ratios []float64
	for i := range m.heats {
		ratios = append(ratios, m.costs[baseline]/m.costs[candidate]*math.Exp(m.spread*(float64(i%5)-2)/2))
	}
	measured := m.Measured
	if measured.Counting == 0 {
		measured.Counting = m.heats
	}
	iv, err := stats.RatioOf(ratios, level)
	if measured.Interval = iv; err != nil {
		measured.Err = err
	}
	return measured
}

func file(claims ...Claim) *File {
	f := new(File)
	for i, c := range claims {
		c.ID, c.Metric, c.Block = fmt.Sprint(i), bench.MeanLatency, bench.Block{Benchmark: "BenchmarkAdd", Reading: bench.One}
		f.Claims = append(f.Claims, c)
	}
	return f
}

func TestJudge(t *testing.T) {
	f := file(
		Claim{Kind: Ratio, Baseline: "a", Candidate: "b", Published: 2},
		Claim{Kind: Ratio, Baseline: "a", Candidate: "b", Published: 2, Needs: Needs{CPUs: 16}},
		Claim{Kind: AtLeast, Baseline: "a", Candidate: "c", Published: 10},
		Claim{Kind: Order, Order: []string{"a", "b", "c"}},
		Claim{Kind: Order, Order: []string{"a", "c", "b"}},
		Claim{Kind: Less, Baseline: "a", Candidate: "b", Lane: "jvm"},
	)
	j := Judge(f, 2, heats(21, 0.02, map[string]float64{"a": 4, "b": 2, "c": 1}).measure)
	want := []struct {
		word   Word
		reason string
		m      int // comparisons of the lane
	}{
		{Reproduced, "", 7},
		{DirectionOnly, "hardware: needs 16 CPUs, this machine has 2", 7},
		{DirectionOnly, "smaller than published", 7},
		{Reproduced, "", 7},
		{NotReproduced, "c / b: opposite", 7},
		{Reproduced, "", 1},
	}
	for i, v := range j.Verdicts {
		if v.Word != want[i].word || v.Reason != want[i].reason {
			t.Errorf("claim %d: %s (%s), want %s (%s)", i, v.Word, v.Reason, want[i].word, want[i].reason)
		}
		if v.Claim.ID != f.Claims[i].ID {
			t.Errorf("claim %d: verdict of %s", i, v.Claim.ID)
		}
		if v.Level != stats.Bonferroni(want[i].m) {
			t.Errorf("claim %d: at %v, want that of %d comparisons", i, v.Level, want[i].m)
		}
		for _, c := range v.Comparisons {
			if c.Level < v.Level || c.Level > v.Level+0.01 && want[i].m > 1 {
				t.Errorf("claim %d: an interval at %v where %v was asked for", i, c.Level, v.Level)
			}
		}
	}
	c := j.Verdicts[0].Comparisons[0]
	if c.Baseline != "a" || c.Candidate != "b" || c.Published != 2 || c.Smallest != 1.05 || math.Abs(c.Band[1]-3) > 1e-12 ||
		c.N != 21 || !c.Holds(2) {
		t.Errorf("comparison: %+v", c)
	}
	if cs := j.Verdicts[4].Comparisons; cs[0].Verdict != Reproduced || cs[1].Baseline != "c" || cs[1].Verdict != NotReproduced {
		t.Errorf("order: %+v", cs)
	}
}

// Each obstacle makes every verdict inconclusive, says why, and leaves what
// was measured to be shown.
func TestObstacles(t *testing.T) {
	f := file(
		Claim{Kind: Ratio, Baseline: "a", Candidate: "b", Published: 2},
		Claim{Kind: Order, Order: []string{"a", "b", "c"}},
	)
	costs := map[string]float64{"a": 4, "b": 2, "c": 1}
	with := func(n int, m Measured) *made {
		of := heats(n, 0.01, costs)
		of.Measured = m
		return of
	}
	for name, c := range map[string]struct {
		of       *made
		word     Word // of the first claim
		reason   string
		measured bool
	}{
		"none of it":  {with(12, Measured{}), Reproduced, "", true},
		"bias":        {with(12, Measured{Bias: 0.0501}), Inconclusive, "the control is off by 5.1 %: equals did not come out as equal", true},
		"less bias":   {with(12, Measured{Bias: 0.05}), Reproduced, "", true},
		"few":         {with(11, Measured{}), Inconclusive, "11 heats count, at least 12 are needed", true},
		"few by gate": {with(11, Measured{Spoilt: "steal (3 turns)"}), Inconclusive, "11 heats count, at least 12 are needed; turns were thrown away for steal (3 turns)", true},
		"few count":   {with(21, Measured{Counting: 11}), Inconclusive, "11 heats count, at least 12 are needed", true},
		"bias first":  {with(11, Measured{Bias: 1}), Inconclusive, "the control is off by 1.7e+02 %", true},
		"no control":  {with(21, Measured{Err: errors.New("no control")}), Inconclusive, "no control", true},
		"none":        {with(0, Measured{}), Inconclusive, "0 heats count, at least 12 are needed", false},
		"zero":        {heats(21, 0, map[string]float64{"a": 0, "b": 1, "c": 0.5}), Inconclusive, "a value is not a positive number", false},
	} {
		for i, v := range Judge(f, 2, c.of.measure).Verdicts {
			if v.Word != c.word || i == 0 && !strings.HasPrefix(v.Reason, c.reason) {
				t.Errorf("%s: %s (%s), want %s (%s)", name, v.Word, v.Reason, c.word, c.reason)
			}
			if first := v.Comparisons[0]; (first.Level > 0) != c.measured {
				t.Errorf("%s: %+v", name, first)
			}
		}
	}
}

// A level that takes more than 12 heats has its own reason.
func TestTooManyComparisons(t *testing.T) {
	claims := slices.Repeat([]Claim{{Kind: Less, Baseline: "a", Candidate: "b"}}, 200)
	j := Judge(file(claims...), 2, heats(12, 0, map[string]float64{"a": 2, "b": 1}).measure)
	if got := j.Verdicts[0]; got.Word != Inconclusive || got.Reason != "an interval at level 0.99975 takes 13 ratios, not 12" {
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
		{[]Comparison{comparison("a/b", DependsOnDistance, "d"), comparison("b/c", DirectionOnly, "h")}, DependsOnDistance, "a / b: d"},
		{[]Comparison{comparison("a/b", DependsOnDistance, "d"), comparison("b/c", Inconclusive, "i")}, Inconclusive, "b / c: i"},
	} {
		if word, reason := worst(c.comparisons); word != c.word || reason != c.reason {
			t.Errorf("%v: %s (%s), want %s (%s)", c.comparisons, word, reason, c.word, c.reason)
		}
	}
}
