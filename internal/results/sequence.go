package results

import (
	"fmt"
	"slices"

	"github.com/HdrHistogram/hdrhistogram-go"

	"hotpath/internal/bench"
)

// sequence is what the heats of a run must agree on with those before them.
type sequence struct {
	heats, forks int
	planned      map[place]bool      // that there was a heat for
	configs      map[string][]string // of the results of each experiment
	sampled      map[contestant]*Fork
}

// contestant is a cell of a run.
type contestant struct {
	experiment string
	cell       bench.CellID
}

// place is where a heat stands in the plan.
type place struct {
	experiment   string
	block        bench.Block
	part, number int
}

func placeOf(r Record) place {
	return place{r.Experiment, r.Heat.Block, r.Heat.Part, r.Heat.Number}
}

func newSequence() *sequence {
	return &sequence{planned: map[place]bool{}, configs: map[string][]string{}, sampled: map[contestant]*Fork{}}
}

// check says why a heat, which r holds the record of, cannot be the next.
func (s *sequence) check(r Record, h *Heat) error {
	if want := s.heats + 1; h.ID != want {
		return fmt.Errorf("heat %d where %d is next", h.ID, want)
	}
	if s.planned[placeOf(r)] {
		return fmt.Errorf("heat %d is the second with number %d of part %d of %s", h.ID, h.Number, h.Part, h.Block)
	}
	for i, f := range h.Forks {
		if want := s.forks + 1 + i; f.ID != want {
			return fmt.Errorf("heat %d: fork %d where %d is next", h.ID, f.ID, want)
		}
		if g := s.sampled[contestant{r.Experiment, f.Cell}]; f.Hist != nil && g != nil && !mergeable(f.Hist, g.Hist) {
			return fmt.Errorf("forks %d and %d of %s have histograms of different ranges", g.ID, f.ID, f.Cell)
		}
	}
	return s.sameMachine(r)
}

// sameMachine refuses results under another configuration than those before.
func (s *sequence) sameMachine(r Record) error {
	config, known := s.configs[r.Experiment]
	for _, f := range r.Forks {
		if !f.hasResult() {
			continue
		}
		if !known {
			config, known = f.Config, true
		}
		if !slices.Equal(config, f.Config) {
			return fmt.Errorf("fork %d ran on another machine than those before it: %q, not %q", f.Fork.ID, f.Config, config)
		}
	}
	return nil
}

// add takes a heat that was checked.
func (s *sequence) add(r Record, h *Heat) {
	s.planned[placeOf(r)] = true
	s.heats++
	s.forks += len(h.Forks)
	for i, f := range h.Forks {
		if f.Hist != nil {
			s.sampled[contestant{r.Experiment, f.Cell}] = f
		}
		if r.Forks[i].hasResult() {
			s.configs[r.Experiment] = r.Forks[i].Config
		}
	}
}

// mergeable reports whether the histograms have the same cells.
func mergeable(a, b *hdrhistogram.Histogram) bool {
	return a.HighestTrackableValue() == b.HighestTrackableValue() &&
		a.LowestTrackableValue() == b.LowestTrackableValue() &&
		a.SignificantFigures() == b.SignificantFigures()
}
