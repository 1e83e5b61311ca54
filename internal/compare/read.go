package compare

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"

	"hotpath/internal/results"
)

// side is what stands on one side of the comparison.
type side struct {
	path    string
	folder  bool        // of a run, not a file
	order   []benchmark // as first met
	results map[benchmark][]result
	facts   map[string][]string // what made the results: distinct values
}

// benchmark identifies what is compared with what.
type benchmark struct {
	pkg     string // of a file's "pkg:" line, or a run's experiment
	reading string // of GOMAXPROCS, in runs
	name    string // without "Benchmark"; in files with the -GOMAXPROCS suffix
}

type result struct {
	line    int // in the file; 0 in runs
	iters   int
	metrics []results.Metric
}

// agree tells for each configuration key that says where a result comes from
// whether both sides must agree on it. Within a side each has one value.
var agree = map[string]bool{
	"goos": true, "goarch": true, "cpu": true, "cpus": true, "gomaxprocs": true,
	"go": true, "goversion": true, "go-version": true, "toolchain": true,
	"GOARCH": true, "GOAMD64": true, "GOGC": true,
	"commit": false, "revision": false, "gate": false,
}

func newSide(path string) *side {
	return &side{path: path, results: map[benchmark][]result{}, facts: map[string][]string{}}
}

// standardInput is the path that stands for it.
const standardInput = "-"

// load reads A and B: two run folders, or two benchmark files, of which one may be
// standard input. The reader keeps the Unit lines of both sides and finds where
// they contradict each other.
func load(r *benchfmt.Reader, pathA, pathB string, input io.Reader) (a, b *side, notes []string, err error) {
	runA, err := isFolder(pathA)
	if err != nil {
		return nil, nil, nil, err
	}
	runB, err := isFolder(pathB)
	if err != nil {
		return nil, nil, nil, err
	}
	switch {
	case runA != runB:
		err = fmt.Errorf("one side is a run folder, the other a benchmark file: compare two of a kind")
	case runA:
		a, b, notes, err = loadRuns(r, pathA, pathB)
	case pathA == standardInput && pathB == standardInput:
		err = fmt.Errorf("both sides are standard input: one of them is a file")
	default:
		if a, err = loadFile(r, pathA, input); err == nil {
			b, err = loadFile(r, pathB, input)
		}
	}
	if err != nil {
		return nil, nil, nil, err
	}
	for _, s := range []*side{a, b} {
		if len(s.order) == 0 {
			return nil, nil, nil, fmt.Errorf("%s: no benchmark result in it", Show(s.path))
		}
	}
	return a, b, notes, nil
}

func isFolder(path string) (bool, error) {
	if path == standardInput {
		return false, nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return false, err
	}
	return info.IsDir(), nil
}

func (s *side) add(b benchmark, r result) {
	if s.results[b] == nil {
		s.order = append(s.order, b)
	}
	s.results[b] = append(s.results[b], r)
}

func (s *side) fact(name, value string) {
	if !slices.Contains(s.facts[name], value) {
		s.facts[name] = append(s.facts[name], value)
	}
}

// units lists the units of a benchmark as first met.
func (s *side) units(b benchmark) []string {
	var units []string
	for _, r := range s.results[b] {
		for _, m := range r.metrics {
			if !slices.Contains(units, m.Unit) {
				units = append(units, m.Unit)
			}
		}
	}
	return units
}

// values are a benchmark's values of a unit that at least one of its results has.
func (s *side) values(b benchmark, unit string) ([]float64, error) {
	var vs []float64
	for _, r := range s.results[b] {
		i := slices.IndexFunc(r.metrics, func(m results.Metric) bool { return m.Unit == unit })
		if i < 0 {
			return nil, fmt.Errorf("%s:%d: no %s, which other results of %s have: the line is cut off, or of another program", s.path, r.line, Show(unit), Show(b.name))
		}
		vs = append(vs, r.metrics[i].Value)
	}
	return vs, nil
}

// declare has the reader know units, as a file's Unit lines do.
func declare(r *benchfmt.Reader, path string, lines []byte) {
	r.Reset(bytes.NewReader(lines), path)
	for r.Scan() {
	}
}

// Show makes foreign text harmless on a terminal, and keeps different texts
// different.
func Show(s string) string {
	q := strconv.Quote(s)
	return strings.ReplaceAll(q[1:len(q)-1], `\"`, `"`)
}
