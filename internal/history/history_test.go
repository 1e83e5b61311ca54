package history

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
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
	if v := got.Verdict("counter", "less").Word; v != study.Reproduced {
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
	again, err := got.encoded()
	want, errWant := s.encoded()
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

// What a program wrote wrongly is refused though its checksum fits, and so is any
// change to what was written.
func TestLoadRefuses(t *testing.T) {
	s := summary(t, 12)
	whole, err := s.encoded()
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		change func(s *Summary)
		want   string
	}{
		"schema":     {func(s *Summary) { s.Schema = 3 }, "schema 3"},
		"run":        {func(s *Summary) { s.Run = "../x" }, "run"},
		"CPUs":       {func(s *Summary) { s.CPUs = -2 }, "-2 CPUs"},
		"experiment": {func(s *Summary) { s.Experiments[0].Name = "<b>" }, "experiment"},
		"verdict":    {func(s *Summary) { s.Experiments[0].Verdicts[0].Word = "proven" }, "no verdict"},
		"contestant": {func(s *Summary) { s.Experiments[0].Blocks[0].Rows[1].Impl = "long adder" }, "long adder"},
		"ratio":      {func(s *Summary) { s.Experiments[0].Blocks[0].Rows[1].Ratio = -1 }, "-1"},
		"interval":   {func(s *Summary) { s.Experiments[0].Blocks[0].Rows[1].Low = 1e9 }, "1e+09"},
		"heats":      {func(s *Summary) { s.Experiments[0].Blocks[0].Rows[1].Heats = -3 }, "-3 heats"},
	} {
		s := summary(t, 12)
		c.change(s)
		data, err := s.encoded()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := parse(data); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	refuse := func(data []byte) {
		if _, err := parse(data); err == nil {
			t.Errorf("read as a summary: %.2000q", data)
		}
	}
	for i := range whole {
		refuse(whole[:i])
		for bit := range 8 {
			changed := slices.Clone(whole)
			changed[i] ^= 1 << bit
			refuse(changed)
		}
	}
	refuse(append(slices.Clone(whole), "{}"...))
	dir := t.TempDir()
	if err := errors.Join(s.Keep(dir), os.Rename(filepath.Join(dir, s.name()), filepath.Join(dir, Folder, "copy.json"))); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(dir); err == nil || !strings.Contains(err.Error(), "copy.json: is the summary of run") {
		t.Errorf("a copy: %v", err)
	}
}
