package history

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hotpath/internal/bench"
	"hotpath/internal/claims"
	"hotpath/internal/results/synthetic"
	"hotpath/internal/study"
)

// summary is that of a run of two blocks, in which longadder costs a third.
func summary(t *testing.T, heats int) *Summary {
	t.Helper()
	e := synthetic.Experiment{Name: "counter", Heats: heats, Cells: append(
		synthetic.Cells("BenchmarkAdd/mode=thrpt/threads=2@numcpu", bench.Judged, "floor", "atomic", "longadder", "atomic_again"),
		synthetic.Cells("BenchmarkAdd/mode=thrpt/threads=1@one", bench.Peers, "atomic", "longadder")...)}
	e.Cost = func(c bench.Cell, heat, lap int) float64 {
		cost := 30.0
		if c.Impl() == "longadder" {
			cost = 10
		}
		return cost * synthetic.Noise(0.02, c.Name, heat, lap)
	}
	m := synthetic.Manifest()
	m.Modules = []bench.Fact{{Name: "example.test/m", Value: "v1.2.3"}}
	r := synthetic.Run(m, e)
	run := &study.Run{Name: r.Name, Manifest: &r.Manifest}
	f := &claims.File{Claims: []claims.Claim{{ID: "less", Kind: claims.Less, Metric: bench.TimePerOp, Block: r.Experiments[0].Blocks()[0], Baseline: "atomic", Candidate: "longadder"}}}
	run.Experiments = append(run.Experiments, study.New(run.Manifest, r.Experiments[0], f))
	return Of(run)
}

func TestKeepAndLoad(t *testing.T) {
	s := summary(t, 12)
	dir := t.TempDir()
	if all, err := Load(dir); err != nil || len(all) > 0 {
		t.Fatalf("nothing kept: %v, %v", all, err)
	}
	if err := s.Check(dir); err == nil {
		t.Error("a summary that is not kept is as it is to be")
	}
	if err := s.Keep(dir); err != nil {
		t.Fatal(err)
	}
	if err := s.Check(dir); err != nil {
		t.Error(err)
	}
	all, err := Load(dir)
	if err != nil || len(all) != 1 {
		t.Fatalf("%v, %v", all, err)
	}
	got := all[0]
	if got.Run != s.Run || !got.Start.Equal(s.Start) || got.Go != "go1.26" || got.Revision != "0123abc" || len(got.Modules) != 1 || !got.SameMachine(s) {
		t.Errorf("%+v", got)
	}
	if v := got.Verdict("counter", "less"); v != study.Reproduced {
		t.Errorf("verdict %q", v)
	}
	first := got.Experiments[0].Blocks[0]
	if first.Baseline != "atomic" || first.Unit != bench.TimePerOp || len(first.Rows) != 2 {
		t.Errorf("%+v", first)
	}
	r, ok := got.Row("counter", first, "longadder")
	if !ok || r.Ratio < 2.9 || r.Ratio > 3.1 || !(r.Low > 2.9 && r.Low <= r.Ratio && r.Ratio <= r.High && r.High < 3.1) || r.Heats != 12 || r.Median < 9 || r.Median > 11 {
		t.Errorf("longadder: %+v", r)
	}
	if _, ok := got.Row("ipc", first, "longadder"); ok {
		t.Error("a row of an experiment that is not there")
	}
	second := got.Experiments[0].Blocks[1]
	if r, ok := got.Row("counter", second, "longadder"); !ok || r.Ratio != 0 || r.Median == 0 {
		t.Errorf("a block without a baseline: %+v", r)
	}
	again, err := json.Marshal(got)
	want, errWant := json.Marshal(s)
	if err != nil || errWant != nil || string(again) != string(want) {
		t.Errorf("%s\nwant\n%s", again, want)
	}
}

// Fewer heats than an interval takes leave the ratio without bounds.
func TestFewHeats(t *testing.T) {
	r := summary(t, 3).Experiments[0].Blocks[0].Rows[1]
	if r.Ratio == 0 || r.Low != 0 || r.High != 0 || r.Heats != 3 {
		t.Errorf("%+v", r)
	}
}

func TestApart(t *testing.T) {
	a := Row{Ratio: 2, Low: 1.9, High: 2.1}
	for _, c := range []struct {
		other Row
		want  bool
	}{
		{Row{Low: 2.11, High: 3}, true}, {Row{Low: 1, High: 1.89}, true}, {Row{Low: 2.1, High: 3}, false}, {Row{Low: 1, High: 3}, false}, {Row{Ratio: 9}, false},
	} {
		if a.Apart(c.other) != c.want || c.other.Apart(a) != c.want {
			t.Errorf("%+v and %+v: want %v", a, c.other, c.want)
		}
	}
}

func TestLoadRefuses(t *testing.T) {
	dir := t.TempDir()
	s := summary(t, 12)
	if err := s.Keep(dir); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, Folder, s.Run+".json")
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range [][2]string{
		{`"schema":1`, `"schema":2`}, {`"run":"`, `"run":"x`}, {`"cpus":2`, `"cpus":-2`}, {`"schema"`, `"scheme"`}, {`"reproduced"`, `"proven"`},
		{`["longadder",`, `["long adder",`}, {`["longadder",`, `["longadder",-`}, {`["longadder",`, `["longadder",1,`}, {`ns/op`, `furlongs`}, {`@one`, `@two`}, {"]}]}\n", "]}]}{}\n"}, {"{", ""},
	} {
		text := strings.Replace(string(whole), change[0], change[1], 1)
		if text == string(whole) {
			t.Fatalf("%q is not there", change[0])
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(dir); err == nil || !strings.Contains(err.Error(), file) {
			t.Errorf("%s in place of %s: %v", change[1], change[0], err)
		}
	}
	for n := range whole {
		if n%7 != 0 {
			continue
		}
		if err := os.WriteFile(file, whole[:n], 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(dir); err == nil && n < len(whole)-1 {
			t.Errorf("the first %d bytes are read as a summary", n)
		}
	}
}
