package results

import (
	"fmt"
	"slices"

	"hotpath/internal/bench"
)

// sequence is what the heats of a run must agree on with those before them.
type sequence struct {
	heats, forks int
	planned      map[place]bool      // that there was a heat for
	configs      map[string][]string // of the results of each experiment
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
	return &sequence{planned: map[place]bool{}, configs: map[string][]string{}}
}

// check says why a heat cannot be the next.
func (s *sequence) check(r Record) error {
	if want := s.heats + 1; r.Heat.ID != want {
		return fmt.Errorf("heat %d where %d is next", r.Heat.ID, want)
	}
	if s.planned[placeOf(r)] {
		return fmt.Errorf("heat %d is the second with number %d of part %d of %s", r.Heat.ID, r.Heat.Number, r.Heat.Part, r.Heat.Block)
	}
	config, known := s.configs[r.Experiment]
	for i, f := range r.Forks {
		if want := s.forks + 1 + i; f.Fork.ID != want {
			return fmt.Errorf("heat %d: fork %d where %d is next", r.Heat.ID, f.Fork.ID, want)
		}
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
func (s *sequence) add(r Record) {
	s.planned[placeOf(r)] = true
	s.heats++
	s.forks += len(r.Forks)
	for _, f := range r.Forks {
		if f.hasResult() {
			s.configs[r.Experiment] = f.Config
		}
	}
}
