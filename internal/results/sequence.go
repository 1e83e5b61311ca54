package results

import (
	"fmt"
	"maps"
	"strings"

	"github.com/HdrHistogram/hdrhistogram-go"

	"hotpath/internal/bench"
)

// sequence is what the heats of a run must agree on with those before them.
type sequence struct {
	heats, forks int
	planned      map[place]bool               // that there was a heat for
	configs      map[string]map[string]string // by experiment and key
	sampled      map[contestant]*Fork         // one with a histogram
}

// contestant is a cell of a run.
type contestant struct {
	experiment string
	cell       bench.CellID
}

// place is where a heat stands in the plan.
type place struct {
	experiment        string
	block             bench.Block
	part, number, try int
}

func placeOf(r Record) place {
	return place{r.Experiment, r.Heat.Block, r.Heat.Part, r.Heat.Number, r.Heat.Try}
}

func newSequence() *sequence {
	return &sequence{planned: map[place]bool{}, configs: map[string]map[string]string{}, sampled: map[contestant]*Fork{}}
}

// check says why a heat, which r holds the record of, cannot be the next.
func (s *sequence) check(r Record, h *Heat) error {
	if want := s.heats + 1; h.ID != want {
		return fmt.Errorf("heat %d where %d is next", h.ID, want)
	}
	if s.planned[placeOf(r)] {
		return fmt.Errorf("heat %d is the second with number %d of part %d of %s", h.ID, h.Number, h.Part, h.Block)
	}
	config := maps.Clone(s.config(r.Experiment))
	for i, f := range h.Forks {
		if want := s.forks + 1 + i; f.ID != want {
			return fmt.Errorf("heat %d: fork %d where %d is next", h.ID, f.ID, want)
		}
		if err := s.checkFork(r.Experiment, r.Forks[i], f, config); err != nil {
			return err
		}
	}
	return nil
}

// checkFork refuses a histogram that cannot be merged with those of the same
// contestant, and a result under another configuration. It adds its own to
// config.
func (s *sequence) checkFork(experiment string, r ForkRecord, f *Fork, config map[string]string) error {
	if g := s.sampled[contestant{experiment, f.Cell}]; f.Hist != nil && g != nil && !mergeable(f.Hist, g.Hist) {
		return fmt.Errorf("forks %d and %d of %s have histograms of different ranges", g.ID, f.ID, f.Cell)
	}
	if !r.hasResult() {
		return nil
	}
	for _, line := range r.Config {
		key, value, _ := strings.Cut(line, ": ")
		if known, ok := config[key]; ok && known != value {
			return fmt.Errorf("fork %d ran on another machine than those before it: %s %q, not %q", f.ID, key, value, known)
		}
	}
	addConfig(config, r.Config)
	return nil
}

// config is what the results of an experiment were made under, by key.
func (s *sequence) config(experiment string) map[string]string {
	if s.configs[experiment] == nil {
		s.configs[experiment] = map[string]string{}
	}
	return s.configs[experiment]
}

func addConfig(config map[string]string, lines []string) {
	for _, line := range lines {
		key, value, _ := strings.Cut(line, ": ")
		config[key] = value
	}
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
			addConfig(s.config(r.Experiment), r.Forks[i].Config)
		}
	}
}

// mergeable reports whether the histograms have the same cells.
func mergeable(a, b *hdrhistogram.Histogram) bool {
	return a.HighestTrackableValue() == b.HighestTrackableValue() &&
		a.LowestTrackableValue() == b.LowestTrackableValue() &&
		a.SignificantFigures() == b.SignificantFigures()
}
