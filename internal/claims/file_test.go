package claims

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"hotpath/internal/bench"
)

func valid(t testing.TB) string {
	data, err := os.ReadFile(filepath.Join("testdata", "valid.toml"))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestParse(t *testing.T) {
	text := valid(t)
	f, err := Parse("valid.toml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("%x", sha256.Sum256([]byte(text))); f.SHA256 != want {
		t.Errorf("SHA256 %s, want %s", f.SHA256, want)
	}
	for lane, m := range map[string]int{"": 6, "jvm": 1} { // four ratios and an order of three; a ratio
		if f.Comparisons(lane) != m {
			t.Errorf("lane %q: %d comparisons, want %d", lane, f.Comparisons(lane), m)
		}
		if want := 1 - 0.05/float64(m); math.Abs(f.Level(lane)-want) > 1e-15 {
			t.Errorf("lane %q: level %v, want %v", lane, f.Level(lane), want)
		}
	}
	hardware := Claim{
		ID: "hardware", Lane: "jvm", Kind: Ratio, Text: "c is 1.2 times as fast as b", Source: "a paper",
		Metric: bench.MeanLatency, Block: f.Claims[0].Block,
		Baseline: "b", Candidate: "c", Published: 1.2, Tolerance: 1.25, Smallest: 1.03,
		Needs: Needs{CPUs: 16}, Reading: "as the ratio of two means",
	}
	if got := f.Claims[5]; !reflect.DeepEqual(got, hardware) {
		t.Errorf("got  %+v\nwant %+v", got, hardware)
	}
	percentiles := [][]PublishedQuantile{{{0, 45}, {99.9, 1000.5}}, {{50, 12}, {100, 12}}}
	for i, want := range percentiles {
		if got := f.Published[i].Percentiles; !reflect.DeepEqual(got, want) {
			t.Errorf("percentiles of row %d: %v, want %v", i, got, want)
		}
	}
}

func TestBands(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		claim    Claim
		smallest float64
		band     [2]float64
	}{
		{Claim{Kind: Ratio, Published: 24}, 1.05, [2]float64{16, 36}}, {Claim{Kind: Ratio, Published: 24}, 1.05, [2]float64{16, 36}},
		{Claim{Kind: Ratio, Published: 2}, 1.05, [2]float64{2 / 1.5, 3}}, {Claim{Kind: Ratio, Published: 2}, 1.05, [2]float64{2 / 1.5, 3}},
		{Claim{Kind: Ratio, Published: 1.1}, 1.02, [2]float64{1, 1.21}}, {Claim{Kind: Ratio, Published: 1.1}, 1.02, [2]float64{1, 1.21}},
		{Claim{Kind: Ratio, Published: 4, Tolerance: 1.25, Smallest: 1.3}, 1.3, [2]float64{3.2, 5}}, {Claim{Kind: Ratio, Published: 4, Tolerance: 1.25, Smallest: 1.3}, 1.3, [2]float64{3.2, 5}},
		{Claim{Kind: Range, Low: 1.05, High: 1.11}, 1.02, [2]float64{1.05, 1.11}}, {Claim{Kind: Range, Low: 1.05, High: 1.11}, 1.02, [2]float64{1.05, 1.11}},
		{Claim{Kind: Range, Low: 2, High: 3}, 1.05, [2]float64{2, 3}}, {Claim{Kind: Range, Low: 2, High: 3}, 1.05, [2]float64{2, 3}},
		{Claim{Kind: AtLeast, Published: 10}, 1.05, [2]float64{10, inf}}, {Claim{Kind: AtLeast, Published: 10}, 1.05, [2]float64{10, inf}},
		{Claim{Kind: AtLeast, Published: 1.5}, 1.02, [2]float64{1.5, inf}}, {Claim{Kind: AtLeast, Published: 1.5}, 1.02, [2]float64{1.5, inf}},
		{Claim{Kind: Less}, 1.02, [2]float64{1.02, inf}}, {Claim{Kind: Less}, 1.02, [2]float64{1.02, inf}},
		{Claim{Kind: Less, Smallest: 1.1}, 1.1, [2]float64{1.1, inf}}, {Claim{Kind: Less, Smallest: 1.1}, 1.1, [2]float64{1.1, inf}},
		{Claim{Kind: Order, Order: []string{"a", "b"}}, 1.02, [2]float64{1.02, inf}}, {Claim{Kind: Order, Order: []string{"a", "b"}}, 1.02, [2]float64{1.02, inf}},
	} {
		band := c.claim.band()
		if c.claim.smallest() != c.smallest || math.Abs(band[0]-c.band[0]) > 1e-12 || band[1] != c.band[1] && math.Abs(band[1]-c.band[1]) > 1e-12 {
			t.Errorf("%+v: smallest %v, band %v; want %v, %v", c.claim, c.claim.smallest(), band, c.smallest, c.band)
		}
	}
}

// Each case edits the valid file in one place: the first occurrence of old
// behind the heading that it follows.
func TestRefusals(t *testing.T) {
	const block = `block = "BenchmarkAdd/mode=sample/threads=32@perthread"`
	for _, c := range []struct {
		after, old, new string
		want            string
	}{
		{`id = "ratio"`, "published = 24", `published = "24"`, "10:13: claim.published: cannot decode TOML string"},
		{`id = "ratio"`, "published = 24", "published = 24\nmaximum = 3", "11: claim.maximum: unknown field"},
		{`id = "ratio"`, "b is", "\xff is", "4:9: invalid UTF-8"},
		{`id = "ratio"`, `metric = "mean-latency-ns"`, "metric = 10", `6: "10" is no unit`},

		{`id = "ratio"`, block, `block = "BenchmarkAdd/impl=a@one"`, `7:9: claim.block: block "BenchmarkAdd/impl=a@one" names a contestant`},

		{"", `kind = "range"`, `kind = "between"`, `14: claim.kind: "between" is none of ratio, range, at-least, less, order`},
		{"", "kind = \"range\"\n", "", `12: claim.kind: "" is none of`},
		{"", `id = "range"`, `id = "ratio"`, `13: claim.id: "ratio" is the claim of line 2 already`},
		{"", "id = \"range\"\n", "", "12: claim.id: missing"},
		{"", `id = "range"`, `id = "` + strings.Repeat("x", 5000) + `"`, "13: claim.id: 5000 bytes, at most 200 can be shown"},
		{`id = "ratio"`, `source = "a paper"`, `source = "` + strings.Repeat("x", 5000) + `"`, "5: claim.source: 5000 bytes, at most 1000 can be shown"},
		{`id = "order"`, `["a", "b", "c"]`, `["a", "` + strings.Repeat("x", 5000) + `"]`, `53: claim.order: "xxxxxxxxxx`},
		{`id = "ratio"`, "text = \"b is 24 times as fast as a\"\n", "", "1: claim.text: missing"},
		{`id = "ratio"`, `source = "a paper"`, `source = " "`, "5: claim.source: is empty"},
		{`id = "ratio"`, "metric = \"mean-latency-ns\"\n", "", "1: claim.metric: missing"},
		{`id = "ratio"`, block + "\n", "", "1: claim.block: missing"},
		{`id = "ratio"`, "baseline = \"a\"\n", "", `1: claim.baseline: missing, and the kind "ratio" needs it`},
		{`id = "ratio"`, `candidate = "b"`, `candidate = "a"`, "9: claim.candidate: is the baseline"},
		{`id = "ratio"`, `candidate = "b"`, `candidate = ""`, "9: claim.candidate: is empty"},

		{`id = "ratio"`, "published = 24\n", "", `1: claim.published: missing, and the kind "ratio" needs it`},
		{`id = "ratio"`, "published = 24", "published = 1", "10: claim.published: must be a number above 1: orient the claim"},
		{`id = "ratio"`, "published = 24", "published = 0.5", "10: claim.published: must be a number above 1: orient the claim"},
		{`id = "ratio"`, "published = 24", "published = 0", "10: claim.published: must be a number above 1: orient the claim"},
		{`id = "ratio"`, "published = 24", "published = nan", "10: claim.published: must be a number above 1"},
		{`id = "ratio"`, "published = 24", "published = inf", "10: claim.published: must be a number above 1"},
		{`id = "at-least"`, "published = 10", "published = -10", "33: claim.published: must be a number above 1: orient the claim"},
		{`id = "hardware"`, `lane = "jvm"`, `lane = "a b"`, `57: claim.lane: "a b": letters, digits, - and _ only`},
		{`id = "hardware"`, `lane = "jvm"`, `lane = ""`, `57: claim.lane: "": letters`},
		{`id = "hardware"`, `lane = "jvm"`, "lane = 1", "57:8: claim.lane: cannot decode TOML integer"},
		{`id = "range"`, "low = 1.05\n", "", `12: claim.low: missing, and the kind "range" needs it`},
		{`id = "range"`, "low = 1.05", "low = 0.95", "21: claim.low: must be a number above 1: orient the claim"},
		{`id = "range"`, "low = 1.05", "low = 1.2", "22: claim.high: must be a number above low"},
		{`id = "range"`, "high = 1.11", "high = inf", "22: claim.high: must be a number above low"},
		{`id = "range"`, "high = 1.11", "high = nan", "22: claim.high: must be a number above low"},
		{`id = "order"`, `["a", "b", "c"]`, `["a"]`, "53: claim.order: takes two contestants or more"},
		{`id = "order"`, `["a", "b", "c"]`, `["a", "b", "a"]`, `53: claim.order: "a" is empty or stands there twice`},
		{`id = "order"`, "order = [\"a\", \"b\", \"c\"]\n", "", "46: claim.order: missing"},
		{`id = "order"`, "order = [", "baseline = \"a\"\norder = [", `53: claim.baseline: means nothing for the kind "order"`},
		{`id = "less"`, "smallest", "published = 2\nsmallest", `44: claim.published: means nothing for the kind "less"`},
		{`id = "at-least"`, "published = 10", "published = 10\ntolerance = 2", `34: claim.tolerance: means nothing for the kind "at-least"`},

		{`id = "hardware"`, "tolerance = 1.25", "tolerance = 0.8", "66: claim.tolerance: must be a number above 1"},
		{`id = "hardware"`, "tolerance = 1.25", "tolerance = 0", "66: claim.tolerance: must be a number above 1"},
		{`id = "hardware"`, "smallest = 1.03", "smallest = 0.99", "67: claim.smallest: must be a number of at least 1"},
		{`id = "hardware"`, "smallest = 1.03", "smallest = 0", "67: claim.smallest: must be a number of at least 1"},
		{`id = "hardware"`, "smallest = 1.03", "smallest = 1.2", "67: claim.smallest: 1.2 leaves nothing of a published 1.2"},
		{`id = "hardware"`, "published = 1.2\ntolerance = 1.25\nsmallest = 1.03", "published = 1.01", "55: claim.smallest: 1.02 leaves nothing of a published 1.01"},
		{`id = "hardware"`, "cpus = 16", "cpus = -1", "68: claim.needs.cpus: must not be negative"},
		{`id = "hardware"`, "cpus = 16", "cores = 16", "68: claim.cores: unknown field"},

		{"[[unjudged]]", "reason = \"no run can go there\"\n", "", "71: unjudged.reason: missing"},
		{"[[published]]", "impl = \"a\"\n", "", "76: published.impl: missing"},
		{"[[published]]", "score = 240.5", "score = 0", "82: published.score: must be a positive number"},
		{"[[published]]", "count = 100", "count = -1", "81: published.count: must not be negative"},
		{"[[published]]", "error = 1.5", "error = -1.5", "83: published.error: must be a number, and not negative"},
		{"[[published]]", "p = 99.9", "p = 100.1", "87: published.percentiles.p: must be from 0 to 100"},
		{"[[published]]", "p = 99.9", "p = 0", "87: published.percentiles.p: must be from 0 to 100, each above the one before"},
		{"[[published]]", "v = 1000.5", "v = 44", "87: published.percentiles.v: must be a positive number, and none below the one before"},
		{`name = "B.test"`, "p = 100", "p = 50", "103: published.percentiles.p: must be from 0 to 100, each above the one before"},
		{`name = "C.test"`, "sys = 17.712", "sys = 0", "116: published.times.sys: must be a positive number"},
		{`name = "C.test"`, "user = 46.050, ", "", "114: published.times.user: must be a positive number"},
		{`name = "C.test"`, "score = 43.1", "score = 43.2", "112: published.score: must be the mean of the real times, 43.100"},
	} {
		text := valid(t)
		start := strings.Index(text, c.after)
		if start < 0 || !strings.Contains(text[start:], c.old) {
			t.Fatalf("no %q behind %q", c.old, c.after)
		}
		text = text[:start] + strings.Replace(text[start:], c.old, c.new, 1)
		_, err := Parse("c.toml", []byte(text))
		if want := "c.toml:" + c.want; err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %q for %q:\ngot  %v\nwant %s", c.after, c.new, c.old, err, want)
		}
	}
	for text, want := range map[string]string{
		"":                                "c.toml:1: claim: missing: there is nothing to judge",
		"[[claim]]\nid = \"x\"\n":         `c.toml:1: claim.kind: "" is none of`,
		"claim = 1\n":                     "c.toml:1:9: claim: cannot decode TOML integer",
		"claim = [{ kind = \"less\" }]\n": `c.toml:1: claim.baseline: missing, and the kind "less" needs it`,
	} {
		if _, err := Parse("c.toml", []byte(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// A claim may also be written as an inline table, and stays checked.
func TestInlineClaims(t *testing.T) {
	inline := `claim = [
  { id = "x", kind = "less", text = "t", source = "s", metric = "mean-latency-ns",
    block = "BenchmarkAdd/mode=sample/threads=32@perthread", baseline = "a", candidate = "b" },
  { id = "y", kind = "less", text = "t", source = "s", metric = "mean-latency-ns",
    block = "BenchmarkAdd/mode=sample/threads=32@perthread", baseline = "a", candidate = "b", EXTRA },
]
`
	if _, err := Parse("c.toml", []byte(strings.ReplaceAll(inline, ", EXTRA", ""))); err != nil {
		t.Error(err)
	}
	_, err := Parse("c.toml", []byte(strings.ReplaceAll(inline, "EXTRA", "published = 2")))
	if want := `c.toml:5: claim.published: means nothing for the kind "less"`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestLoad(t *testing.T) {
	if _, err := Load(filepath.Join("testdata", "none.toml")); err == nil || !strings.Contains(err.Error(), "none.toml") {
		t.Errorf("a file that is not there: %v", err)
	}
	if _, err := Load(filepath.Join("testdata", "valid.toml")); err != nil {
		t.Error(err)
	}
}

// The claims of every experiment are well-formed.
func TestExperiments(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join("..", "..", "experiments", "*", "claims.toml"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no claims files: %v", err)
	}
	for _, path := range paths {
		if _, err := Load(path); err != nil {
			t.Error(err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(valid(f)))
	for _, part := range strings.Split(valid(f), "\n\n") {
		f.Add([]byte(part))
	}
	f.Add([]byte("[a.b]\n[[a.b.c]]\nd.e = [[{f = 1}]]\n"))
	position := regexp.MustCompile(`^fuzz\.toml:[1-9][0-9]*(:[1-9][0-9]*)?: .`)
	f.Fuzz(func(t *testing.T, data []byte) {
		before := bytes.Clone(data)
		file, err := Parse("fuzz.toml", data)
		if !bytes.Equal(data, before) {
			t.Fatal("the input was changed")
		}
		if err != nil {
			if !position.MatchString(err.Error()) {
				t.Fatalf("an error without a position: %v", err)
			}
			return
		}
		j := Judge(file, 2, heats(0, 0, nil).measure)
		if len(j.Verdicts) != len(file.Claims) || len(j.Verdicts) == 0 {
			t.Fatalf("%d claims, %d verdicts", len(file.Claims), len(j.Verdicts))
		}
		for _, v := range j.Verdicts {
			if v.Word != Inconclusive || v.Reason == "" {
				t.Fatalf("nothing was measured, and %s is %s: %q", v.Claim.ID, v.Word, v.Reason)
			}
			for _, c := range v.Comparisons {
				if !(c.Smallest >= 1) || !(c.Band[0] < c.Band[1]) || !(c.Smallest < c.Band[1]) {
					t.Fatalf("%s: smallest %v, band %v", v.Claim.ID, c.Smallest, c.Band)
				}
			}
		}
	})
}
