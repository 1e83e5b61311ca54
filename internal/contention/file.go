package contention

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"hotpath/internal/bench"
	"hotpath/internal/claims"
)

// File is an experiment's contention.toml: which of its cells the model takes, and
// what was published of other machines.
type File struct {
	Contestant string      `toml:"contestant"` // that adds to one line
	Alone      bench.Block `toml:"alone"`      // in which nobody contends for it
	Contended  bench.Block `toml:"contended"`  // in which more threads than CPUs do
	Tables     []Table     `toml:"table"`
}

// Table is figures of one machine that were published.
type Table struct {
	Machine string   `toml:"machine"`
	Source  string   `toml:"source"`
	Note    string   `toml:"note"`
	Figures []Figure `toml:"figures"`
}

// Figure is an add under a number of threads that run at the same time, as it was
// published: one of the three.
type Figure struct {
	Threads   int     `toml:"threads"`
	PerThread float64 `toml:"per-thread-ns"` // of each thread
	Together  float64 `toml:"together-ns"`   // of all threads together
	Rate      float64 `toml:"millions-per-s"`
}

// Each is the time of an add of each thread, in ns.
func (f Figure) Each() float64 {
	switch n := float64(f.Threads); {
	case f.PerThread > 0:
		return f.PerThread
	case f.Together > 0:
		return n * f.Together
	default:
		return n * 1e3 / f.Rate
	}
}

// Load reads the file of an experiment below a folder; one without has an empty File.
func Load(experiments, experiment string) (*File, error) {
	name := filepath.Join(experiments, experiment, "contention.toml")
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return new(File), nil
	}
	if err != nil {
		return nil, err
	}
	return Parse(name, data)
}

// Parse checks the contents of a file; name stands in its errors.
func Parse(name string, data []byte) (*File, error) {
	f := new(File)
	if err := claims.Decode(name, data, f); err != nil {
		return nil, err
	}
	if f.Contestant == "" || f.Alone.Benchmark == "" || f.Contended.Benchmark == "" {
		return nil, fmt.Errorf("%s: contestant, alone or contended: missing", name)
	}
	for i, t := range f.Tables {
		if t.Machine == "" || t.Source == "" || len(t.Figures) == 0 {
			return nil, fmt.Errorf("%s: table %d: machine, source or figures: missing", name, i+1)
		}
		for _, g := range t.Figures {
			if err := g.check(); err != nil {
				return nil, fmt.Errorf("%s: table %d (%.60q): %w", name, i+1, t.Machine, err)
			}
		}
	}
	return f, nil
}

func (f Figure) check() error {
	given := 0
	for _, v := range []float64{f.PerThread, f.Together, f.Rate} {
		if v != 0 {
			given++
		}
		if !(v >= 0 && v < 1e12) {
			return fmt.Errorf("%d threads: %v", f.Threads, v)
		}
	}
	if f.Threads < 2 || f.Threads > MostThreads || given != 1 {
		return fmt.Errorf("%d threads with %d figures: want one figure of 2 to %d threads", f.Threads, given, MostThreads)
	}
	return nil
}

// MostThreads is how far the model is drawn.
const MostThreads = 256
