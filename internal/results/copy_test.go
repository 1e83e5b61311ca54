package results_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"hotpath/internal/bench"
	"hotpath/internal/results"
	"hotpath/internal/results/synthetic"
)

// TestCopy copies a run byte for byte, again after a crash, and over nothing else.
func TestCopy(t *testing.T) {
	from, fromRoot := newRoot(t)
	into, intoRoot := newRoot(t)
	other := synthetic.Manifest()
	other.Seed++
	for name, m := range map[string]results.Manifest{"a": synthetic.Manifest(), "b": other} {
		if err := synthetic.Write(fromRoot, name, m, synthetic.Experiment{Name: "counter", Cells: synthetic.Cells("BenchmarkAdd/mode=thrpt/threads=2@numcpu", bench.Judged, "atomic"), Heats: 2,
			Cost: func(bench.Cell, int, int) float64 { return 20 }}); err != nil {
			t.Fatal(err)
		}
	}
	run, err := results.Load(fromRoot, "a")
	if err != nil {
		t.Fatal(err)
	}
	plant(t, into, map[string]string{"cut/counter.txt": "half", "cut/counter.hlog.tmp": "half", "taken/notes.txt": "x"})
	for _, as := range []string{"whole", "whole", "cut"} {
		if err := results.Copy(fromRoot, run, intoRoot, as); err != nil {
			t.Fatal(err)
		}
		same(t, filepath.Join(from, "a"), filepath.Join(into, as))
		if _, err := results.Load(intoRoot, as); err != nil {
			t.Error(err)
		}
	}
	if err := results.Copy(fromRoot, run, intoRoot, "taken"); !errors.Is(err, fs.ErrExist) {
		t.Errorf("over a foreign file: %v", err)
	}
	second, err := results.Load(fromRoot, "b")
	if err != nil {
		t.Fatal(err)
	}
	if err := results.Copy(fromRoot, second, intoRoot, "whole"); !errors.Is(err, fs.ErrExist) {
		t.Errorf("over another run: %v", err)
	}
	same(t, filepath.Join(from, "a"), filepath.Join(into, "whole"))
	plant(t, from, map[string]string{"b/counter.txt": "changed"})
	if err := results.Copy(fromRoot, second, intoRoot, "new"); err == nil {
		t.Error("a file that was changed after the run was loaded is copied")
	}
}

// same fails where two folders differ.
func same(t *testing.T, a, b string) {
	t.Helper()
	as, errA := os.ReadDir(a)
	bs, errB := os.ReadDir(b)
	if errA != nil || errB != nil || len(as) != len(bs) {
		t.Fatalf("%v %v: %d and %d files", errA, errB, len(as), len(bs))
	}
	for _, e := range as {
		x, errA := os.ReadFile(filepath.Join(a, e.Name()))
		y, errB := os.ReadFile(filepath.Join(b, e.Name()))
		if errA != nil || errB != nil || !bytes.Equal(x, y) {
			t.Errorf("%s differs: %v %v", e.Name(), errA, errB)
		}
	}
}
