package explorer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"math"
	"strings"
	"testing"

	"hotpath/internal/bench"
	"hotpath/internal/claims"
	"hotpath/internal/results"
	"hotpath/internal/results/synthetic"
	"hotpath/internal/study"
)

func pageOf(t *testing.T, run *study.Run) []byte {
	t.Helper()
	p, err := Page(run)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// decode is the inverse of encode.
func decode(s series) []float64 {
	var values []float64
	for i := 0; i < len(s.Codes); i += width {
		code := 0
		for _, c := range s.Codes[i : i+width] {
			code = code<<6 | strings.IndexRune(characters, c)
		}
		switch code {
		case missing:
			values = append(values, math.NaN())
		case zero:
			values = append(values, 0)
		default:
			values = append(values, math.Exp(s.Low+float64(code-positive)*s.Step))
		}
	}
	return values
}

func TestSeries(t *testing.T) {
	var wide []float64
	for e := -4; e <= 16; e++ {
		wide = append(wide, 1.2345*math.Pow10(e), 9.876*math.Pow10(e))
	}
	for name, values := range map[string][]float64{
		"none": nil, "only missing": {math.NaN(), math.NaN()}, "only zero": {0, 0}, "equal": {57, 57}, "narrow": {1e9, 1e9 + 1e4, 1.0003e9},
		"wide": wide, "all kinds": {math.NaN(), 3, 0, 1e-3, 7e8},
	} {
		got := decode(encode(values))
		if len(got) != len(values) {
			t.Fatalf("%s: %d values of %d", name, len(got), len(values))
		}
		for i, v := range values {
			if math.IsNaN(v) != math.IsNaN(got[i]) || (v == 0) != (got[i] == 0) || v > 0 && math.Abs(got[i]/v-1) > 2e-6 {
				t.Errorf("%s: %v is %v", name, v, got[i])
			}
		}
	}
	if s := encode([]float64{1e9, 1.0003e9}); math.Abs(decode(s)[1]/1.0003e9-1) > 1e-8 {
		t.Errorf("a narrow range is not told finely: %+v", s)
	}
}

// The page is a function of the run, and of each thing that it shows.
func TestPageFollowsTheRun(t *testing.T) {
	base := pageOf(t, runOf(claimed(), made()))
	if again := pageOf(t, runOf(claimed(), made())); !bytes.Equal(base, again) {
		t.Error("the same run gives another page")
	}
	one := func(c bench.Cell, heat, lap int) bool {
		return c.Impl() == "mine" && c.Mode() == bench.Sample && heat == 3 && lap == 4
	}
	for name, change := range map[string]func(*synthetic.Experiment, *claims.File){
		"the cost of a turn": func(e *synthetic.Experiment, _ *claims.File) {
			cost := e.Cost
			e.Cost = func(c bench.Cell, heat, lap int) float64 {
				if one(c, heat, lap) {
					return 1.01 * cost(c, heat, lap)
				}
				return cost(c, heat, lap)
			}
		},
		"the gate of a turn": func(e *synthetic.Experiment, _ *claims.File) {
			unmet := e.Unmet
			e.Unmet = func(c bench.Cell, heat, lap int) bench.GateSet {
				if one(c, heat, lap) {
					return bench.GateSet(0).With(bench.GateForeign)
				}
				return unmet(c, heat, lap)
			}
		},
		"the placement of a lap": func(e *synthetic.Experiment, _ *claims.File) {
			handOff := e.HandOff
			e.HandOff = func(b bench.Block, heat, lap int) float64 {
				if heat == 3 && lap == 1 {
					return bench.Unseen
				}
				return handOff(b, heat, lap)
			}
		},
		"a value of a fork": func(e *synthetic.Experiment, _ *claims.File) {
			metrics := e.Metrics
			e.Metrics = func(c bench.Cell, heat int) []results.Metric {
				m := metrics(c, heat)
				if c.Impl() == "mine" && heat == 3 {
					m[0].Value *= 1.01
				}
				return m
			}
		},
		"a sample of the heap": func(e *synthetic.Experiment, _ *claims.File) {
			heap := e.Heap
			e.Heap = func(c bench.Cell, heat int) []results.HeapSample {
				h := heap(c, heat)
				if len(h) > 0 {
					h[7].Bytes += 1e5
				}
				return h
			}
		},
		"what a contestant is": func(e *synthetic.Experiment, _ *claims.File) { e.Cells[3].About = "something else" },
		"a claim":              func(_ *synthetic.Experiment, f *claims.File) { f.Claims[0].Published = 12 },
	} {
		e, f := made(), claimed()
		change(&e, f)
		if bytes.Equal(base, pageOf(t, runOf(f, e))) {
			t.Errorf("%s changes nothing", name)
		}
	}
}

// What a run says is no markup.
func TestNothingIsMarkup(t *testing.T) {
	e, f := made(), claimed()
	hostile := "</script><script>alert(1)</script><!-- \u2028\u2029 & ]]>"
	e.Cells[3].About, f.Claims[0].Text = hostile, hostile
	run := runOf(f, e)
	run.Manifest.Machine.CPU = hostile
	plain, got := pageOf(t, runOf(claimed(), made())), pageOf(t, run)
	for _, tag := range []string{"<script", "</script", "<!--", "-->", "\u2028", "\u2029"} {
		if n, want := bytes.Count(got, []byte(tag)), bytes.Count(plain, []byte(tag)); n != want {
			t.Errorf("%q is there %d times, and %d times without it", tag, n, want)
		}
	}
	data := got[bytes.Index(got, []byte(`id="data">`))+len(`id="data">`):]
	var read runData
	if err := json.Unmarshal(data[:bytes.Index(data, []byte("</script>"))], &read); err != nil {
		t.Fatal(err)
	}
	if got := read.Experiments[0].Claims[0].Text; got != hostile {
		t.Errorf("the claim says %q", got)
	}
}

// No file of the page ends a script or a comment before its end, and each script is
// in the page.
func TestFiles(t *testing.T) {
	listed := map[string]bool{"third_party/LICENSES": true}
	for _, name := range scripts {
		listed[name] = true
	}
	for _, dir := range []string{"js", "third_party"} {
		entries, err := fs.ReadDir(files, dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, entry := range entries {
			name := dir + "/" + entry.Name()
			text, err := files.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			for _, end := range []string{"</script", "<!--", "-->"} {
				if strings.Contains(strings.ToLower(string(text)), end) {
					t.Errorf("%s has %s in it", name, end)
				}
			}
			if !listed[name] {
				t.Errorf("%s is not in the page", name)
			}
		}
	}
}

// A run as large as those that are kept makes a page of at most 2 MB.
func TestSize(t *testing.T) {
	var es []synthetic.Experiment
	const parts, blocks, heats = 3, 8, 6 // three experiments of 24 parts
	for x := range 3 {
		e := synthetic.Experiment{Name: fmt.Sprintf("x%d", x), Heats: heats}
		for b := range blocks {
			impls := []string{"base", "base_again", "rival"}
			for i := range parts * 5 {
				impls = append(impls, fmt.Sprintf("contestant%d", i))
			}
			e.Cells = append(e.Cells, synthetic.Cells(fmt.Sprintf("BenchmarkAdd/mode=thrpt/threads=%d@numcpu", b+1), bench.Peers, impls...)...)
		}
		for i := range e.Cells {
			e.Cells[i].About = strings.Repeat("what it is, in a line of words ", 3)
		}
		e.Parts = func(c bench.Cell) []int {
			var n int
			if _, err := fmt.Sscanf(c.Impl(), "contestant%d", &n); err != nil {
				return []int{0, 1, 2}
			}
			return []int{n / 5}
		}
		e.Cost = func(c bench.Cell, heat, lap int) float64 { return 100 * synthetic.Noise(0.3, c.Name, heat, lap) }
		e.Metrics = func(c bench.Cell, heat int) (ms []results.Metric) {
			for i, u := range []bench.Unit{
				bench.BytesPerOp, bench.AllocsPerOp, bench.GCShare, bench.GCCycles, bench.GCCPU, bench.GCPauseP50, bench.GCPauseP99, bench.GCPauseMax,
				bench.PeakHeap, bench.CopiedBytes, bench.Reads, bench.Writes,
			} {
				ms = append(ms, results.Metric{Value: float64(i+1) * synthetic.Noise(0.5, c.Name, heat, i), Unit: u.Name})
			}
			return ms
		}
		es = append(es, e)
	}
	turns := 0
	run := runOf(new(claims.File), es...)
	for _, x := range run.Experiments {
		for _, f := range x.Forks {
			turns += f.Kept + f.Gated
		}
	}
	if n := len(pageOf(t, run)); n > 2e6 {
		t.Errorf("%d turns make a page of %d bytes", turns, n)
	} else {
		t.Logf("%d turns make a page of %d bytes", turns, n)
	}
}
