package results

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/HdrHistogram/hdrhistogram-go"

	"hotpath/internal/bench"
)

// fork reads a fork's texts and checks them against what its turns come to.
func (r ForkRecord) fork(heat int, cell bench.Cell, turns turnCount, at where) (*Fork, error) {
	f := r.Fork
	if err := f.check(heat, cell, turns); err != nil {
		return nil, fmt.Errorf("%s: %w", at(ofFork, f.ID, 0), err)
	}
	if err := r.checkTexts(turns); err != nil {
		return nil, fmt.Errorf("%s: %w", at(ofFork, f.ID, 0), err)
	}
	var err error
	if r.Result != "" {
		if f.Metrics, err = r.metrics(r.Result, turns.keptOps); err != nil {
			return nil, fmt.Errorf("%s: fork %d: %w", at(ofResult, f.ID, 0), f.ID, err)
		}
	}
	if r.GatedResult != "" {
		if _, err := r.metrics(r.GatedResult, turns.gatedOps); err != nil {
			return nil, fmt.Errorf("%s: fork %d: %w", at(ofGated, f.ID, 0), f.ID, err)
		}
	}
	if f.Hist, err = r.histogram(r.Hlog, turns.keptOps); err != nil {
		return nil, fmt.Errorf("%s: fork %d: %w", at(ofHlog, f.ID, 0), f.ID, err)
	}
	if r.GatedHlog != "" {
		if _, err := r.histogram(r.GatedHlog, turns.gatedOps); err != nil {
			return nil, fmt.Errorf("%s: fork %d: %w", at(ofGatedHlog, f.ID, 0), f.ID, err)
		}
	}
	samples, bad, err := parseHeap(r.Heap)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", at(ofHeap, f.ID, bad), err)
	}
	f.Heap = samples
	return &f, nil
}

// check refuses a fork that contradicts its cell, its heat or its turns.
func (f *Fork) check(heat int, cell bench.Cell, turns turnCount) error {
	u := f.Usage
	switch {
	case f.Heat != heat:
		return fmt.Errorf("fork %d is of heat %d, not %d", f.ID, f.Heat, heat)
	case f.State != bench.Complete && f.State != bench.Failed && f.State != bench.TimedOut:
		return fmt.Errorf("fork %d ended in state %.40q", f.ID, string(f.State))
	case f.Kept != turns.kept || f.Gated != turns.gated:
		return fmt.Errorf("fork %d has %d turns kept and %d not, its turns say %d and %d", f.ID, f.Kept, f.Gated, turns.kept, turns.gated)
	case f.Enough && f.Kept < cell.Turn.LeastTurns():
		return fmt.Errorf("fork %d counts with %d turns, fewer than %d", f.ID, f.Kept, cell.Turn.LeastTurns())
	case f.State == bench.Complete && f.Tail != "":
		return fmt.Errorf("fork %d is complete and has last words", f.ID)
	case !isText(strings.ReplaceAll(f.Tail, "\n", " "), maxTail):
		return fmt.Errorf("last words of fork %d: over %d bytes, or not text", f.ID, maxTail)
	}
	for _, v := range []float64{u.Wall, u.User, u.System} {
		if !(v >= 0 && v < 1e18) {
			return fmt.Errorf("fork %d used %+v", f.ID, u)
		}
	}
	return nil
}

// unitPattern is a Unit line with a name that is safe to show.
var unitPattern = regexp.MustCompile(`^Unit [A-Za-z0-9][A-Za-z0-9_./%-]{0,63}( [a-z]+=[a-z]+)*$`)

// checkTexts refuses texts that a fork in its state does not have, and the lack
// of those that it must have.
func (r ForkRecord) checkTexts(turns turnCount) error {
	f := r.Fork
	switch {
	case f.State != bench.Complete && (r.hasResult() || r.Hlog != "" || r.GatedHlog != ""):
		return fmt.Errorf("fork %d is %s and has a result", f.ID, f.State)
	case f.State == bench.Complete && (r.Result != "") != (turns.kept > 0):
		return fmt.Errorf("fork %d is complete with %d turns kept: a result belongs to them, and to nothing else", f.ID, turns.kept)
	case r.GatedResult != "" && turns.gated == 0:
		return fmt.Errorf("fork %d has a gated result, and no gated turn", f.ID)
	case len(r.Heap) > 0 && r.Result == "":
		return fmt.Errorf("fork %d has a heap over time, and no result", f.ID)
	}
	for _, c := range r.Config {
		if !isConfig(c) || !isText(c, 500) {
			return fmt.Errorf("fork %d: configuration %.60q", f.ID, c)
		}
	}
	for _, u := range r.Units {
		if !unitPattern.MatchString(u) {
			return fmt.Errorf("fork %d: unit %.60q", f.ID, u)
		}
	}
	return nil
}

// metrics reads a result line of the fork over so many operations.
func (r ForkRecord) metrics(result string, ops int64) ([]Metric, error) {
	text := strings.Join(append(r.Units[:len(r.Units):len(r.Units)], result), "\n") + "\n"
	lines, err := ParseText("result", strings.NewReader(text))
	switch {
	case err != nil:
		return nil, err
	case len(lines) != 1 || !isText(strings.ReplaceAll(result, "\t", " "), 1<<14):
		return nil, fmt.Errorf("%.60q is not one result", result)
	}
	if got := bench.Procless(lines[0].Name); got != r.Fork.Cell.Name.String() {
		return nil, fmt.Errorf("the result is of %s, the fork measured %s", got, r.Fork.Cell.Name)
	}
	f := Fork{Metrics: lines[0].Metrics}
	if got, ok := f.Value(bench.Operations); !ok || got != float64(ops) {
		return nil, fmt.Errorf("%v operations, %d in its turns", got, ops)
	}
	return f.Metrics, nil
}

// sampled reports whether forks of the mode time their operations.
func sampled(m bench.Mode) bool { return m == bench.Sample || m == bench.Open }

// histogram reads an interval over so many operations. A fork that samples and
// has a result has one of its kept turns, and no other fork has any.
func (r ForkRecord) histogram(interval string, ops int64) (*hdrhistogram.Histogram, error) {
	switch must := sampled(r.Fork.Cell.Mode()); {
	case must && r.Result != "" && interval == "":
		return nil, fmt.Errorf("no histogram of its operations")
	case !must && interval != "":
		return nil, fmt.Errorf("a histogram, and its mode is %.20q", string(r.Fork.Cell.Mode()))
	case interval == "":
		return nil, nil
	}
	h, err := decodeInterval(interval)
	if err != nil {
		return nil, err
	}
	if h.TotalCount() != ops {
		return nil, fmt.Errorf("%d samples in the histogram, %d operations in its turns", h.TotalCount(), ops)
	}
	return h, nil
}
