package revisions

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"strings"
	"sync"

	"hotpath/internal/compare"
	"hotpath/internal/results"
	"hotpath/internal/run"
	"hotpath/internal/stats"
)

// The processes of a heat: of A, of B, and of A again, which is the control.
const (
	ofA = iota
	ofB
	ofAgain
	processes
)

// meter is a way to measure benchmarks of two trees side by side.
type meter interface {
	// round makes new binaries for some benchmarks, each with a layout of its own.
	round(ctx context.Context, of []benchmark) error
	// measure holds a heat of a benchmark. The error is one that ends everything.
	measure(ctx context.Context, b benchmark) (sample, error)
	// per is what the heats of a benchmark are counted in: so many of a noun in each.
	per() (each int, noun string)
}

// benchmark identifies what is compared with what.
type benchmark struct {
	program string // that holds it; empty for the package of calls
	reading string // of GOMAXPROCS, in programs that measure in turns
	name    string // without "Benchmark"; of calls with the -GOMAXPROCS suffix
}

// String is the benchmark's name, which may hold anything.
func (b benchmark) String() string {
	if b.reading != "" {
		return b.name + "@" + b.reading
	}
	return b.name
}

// full is the benchmark's name and program, harmless on a terminal.
func (b benchmark) full() string {
	return strings.TrimSpace(compare.Show(b.program) + " " + compare.Show(b.String()))
}

// result is what a process printed of a benchmark.
type result []results.Metric

// lineup is what a meter can measure.
type lineup struct {
	common []benchmark
	only   []string // what one side alone has
}

// sample is what a heat tells of a benchmark.
type sample struct {
	figures []figure
	a, b    []result // for benchstat's table
	failed  string   // why the benchmark cannot be measured
}

// figure is what a heat tells in a unit: the costs of B, and of A again, as multiples
// of A's.
type figure struct {
	unit           string
	ratio, control float64
}

// figureOf takes the middle of the laps' ratios. It reports false where too few laps
// count.
func figureOf(unit string, ratios, controls []float64, least int) (figure, bool) {
	f := figure{unit, stats.Middle(ratios), stats.Middle(controls)}
	return f, min(len(ratios), len(controls)) >= least && f.ratio > 0 && f.control > 0
}

// sources are the two trees, and what is built of them.
type sources struct {
	trees   [2]tree
	scratch string
	built   []string // the binaries of this round
}

// label names a side in a message.
func (s *sources) label(side int) string {
	return fmt.Sprintf("%c (%s)", 'A'+side, compare.Show(s.trees[side].name))
}

// drop removes the binaries of the round that has ended.
func (s *sources) drop() {
	for _, file := range s.built {
		os.Remove(file)
	}
	s.built = nil
}

// fresh links a program of each side, that of A twice.
func (s *sources) fresh(ctx context.Context, a, b run.Program) ([processes]string, error) {
	var built [processes]string
	var errs [processes]error
	var links sync.WaitGroup
	for i, p := range [processes]run.Program{ofA: a, ofB: b, ofAgain: a} {
		links.Go(func() { built[i], errs[i] = s.link(ctx, p, i%2) })
	}
	links.Wait()
	s.built = append(s.built, built[:]...)
	return built, cmp.Or(errs[ofA], errs[ofB], errs[ofAgain])
}

// link links a program of a side with a layout that is drawn for it.
func (s *sources) link(ctx context.Context, p run.Program, side int) (string, error) {
	bin, err := p.Build(ctx, s.scratch, 1+rand.IntN(1<<30))
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err != nil:
		head, words, _ := strings.Cut(err.Error(), "\n")
		if words == "" {
			words = head
		}
		return "", fmt.Errorf("%s: %s does not build: %s", s.label(side), p.Name, firstLine(words))
	}
	if _, err := os.Stat(bin); errors.Is(err, fs.ErrNotExist) { // as where there are no tests
		return "", fmt.Errorf("%s: %s has no benchmarks", s.label(side), p.Name)
	}
	return bin, nil
}
