package contention

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hotpath/internal/bench"
	"hotpath/internal/claims"
	"hotpath/internal/results/synthetic"
	"hotpath/internal/study"
)

const (
	addOne = "BenchmarkAdd/mode=thrpt/threads=1@one"
	addAll = "BenchmarkAdd/mode=thrpt/threads=32@perthread"
)

// runOf is an experiment on which an add takes h alone and s of all threads together,
// while the line takes way from CPU to CPU.
func runOf(t *testing.T, h, s, way float64) *study.Experiment {
	t.Helper()
	e := synthetic.Experiment{
		Name: "counter", Heats: 12,
		Cells: append(synthetic.Cells(addOne, bench.Peers, "atomic", "atomic_again"), synthetic.Cells(addAll, bench.Peers, "atomic", "atomic_again")...),
		Cost: func(c bench.Cell, heat, lap int) float64 {
			if c.Threads == 1 {
				return h
			}
			return s * synthetic.Noise(0.02, heat, lap)
		},
		HandOff: func(_ bench.Block, heat, lap int) float64 { return way * synthetic.Noise(0.02, "way", heat, lap) },
	}
	m := synthetic.Manifest()
	r := synthetic.Run(m, e)
	return study.New(&r.Manifest, r.Experiments[0], new(claims.File))
}

// committed is the file of the counters.
func committed(t *testing.T) *File {
	t.Helper()
	f, err := Load("../../experiments", "counter")
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestBand finds the length of a run that the figures were made of, and sets the
// published tables beside the band of such a machine.
func TestBand(t *testing.T) {
	const h, way, k = 5, 70, 4
	s := float64(way+(k-1)*h) / k
	b := committed(t).Of(runOf(t, h, s, way), 2)
	if b == nil {
		t.Fatal("no band")
	}
	if math.Abs(b.Run.Middle-k) > 0.2 || math.Abs(b.Shared.Middle-s) > 0.5 || math.Abs(b.Way.Middle-way) > 1 || b.Alone != h || b.Laps < 100 {
		t.Errorf("%+v", b)
	}
	least, most := b.Each(2)
	if measured := 2 * b.Shared.Middle; least > measured || most < 3*measured || math.Abs(b.Overshoot()-way/s) > 0.2 {
		t.Errorf("at its own 2 CPUs the band is %.0f to %.0f, and %.0f was measured", least, most, measured)
	}
	for _, want := range []struct {
		machine  string
		n        int     // inside
		off      float64 // of the worst
		clusters bool
	}{
		{"Graviton2", 0, 12.6 / 20.9, false}, {"GCE n2", 1, 0.96, false}, {"M1 Pro", 1, 1.05, true}, {"96 CPUs", 0, 20.4 / 20.9, false},
		{"Xeon Silver", 1, 1, false}, {"36 CPUs", 1, 1, false}, {"published study", 1, 1, false},
	} {
		found := false
		for _, c := range b.Checks {
			if !strings.Contains(c.Machine, want.machine) {
				continue
			}
			found = true
			if w := c.Worst().Off; c.Inside() != want.n || math.Abs(w-want.off) > 0.04 {
				t.Errorf("%s: %d of %d inside, the worst by %.3f; want %d and %.3f", c.Machine, c.Inside(), len(c.Points), w, want.n, want.off)
			}
		}
		if !found {
			t.Errorf("no table of %s", want.machine)
		}
	}
}

// Without what the model takes there is none.
func TestNoBand(t *testing.T) {
	f := committed(t)
	for what, b := range map[string]*Band{
		"one CPU":                  f.Of(runOf(t, 5, 20, 70), 1),
		"no distance is visible":   f.Of(runOf(t, 5, 20, bench.Unseen), 2),
		"nothing contends":         f.Of(runOf(t, 5, 4, 70), 2),
		"no file":                  new(File).Of(runOf(t, 5, 20, 70), 2),
		"another block":            (&File{Contestant: "atomic", Alone: f.Contended}).Of(runOf(t, 5, 20, 70), 2),
		"no such contestant there": (&File{Contestant: "x", Alone: f.Alone, Contended: f.Contended}).Of(runOf(t, 5, 20, 70), 2),
	} {
		if b != nil {
			t.Errorf("%s: %+v", what, b)
		}
	}
}

func TestLoadRefuses(t *testing.T) {
	if f, err := Load(t.TempDir(), "counter"); err != nil || f.Contestant != "" {
		t.Errorf("%v, %v", f, err)
	}
	text, err := os.ReadFile(filepath.Join("../../experiments/counter/contention.toml"))
	if err != nil {
		t.Fatal(err)
	}
	for old, now := range map[string]string{
		`contestant = "atomic"`: "", `machine = "96 CPUs"`: `machine = ""`, `threads = 96,`: `threads = 1,`, `millions-per-s = 49`: `millions-per-s = 49, together-ns = 3`,
		`together-ns = 27.8`: `together-ns = -1`, `per-thread-ns = 487`: `per-thread-ns = nan`, `source = "HBASE-16146"`: `sauce = "HBASE-16146"`,
	} {
		changed := strings.Replace(string(text), old, now, 1)
		if changed == string(text) {
			t.Fatalf("%q is not there", old)
		}
		if _, err := Parse("x.toml", []byte(changed)); err == nil || !strings.Contains(err.Error(), "x.toml") {
			t.Errorf("%q in place of %q: %v", now, old, err)
		}
	}
}
