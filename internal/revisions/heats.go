package revisions

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"hotpath/internal/bench"
	"hotpath/internal/results"
	"hotpath/internal/run"
)

// heats is the meter of programs that measure in turns: the experiments of two trees.
type heats struct {
	*sources
	conductor *run.Conductor
	programs  [2]map[string]run.Program // by name
	cells     map[benchmark][2]bench.Cell
	binaries  map[string][processes]string // by program
	forks     int                          // that were started
}

// newHeats builds the experiments of both trees and pairs their cells.
func newHeats(ctx context.Context, s *sources, c *run.Conductor, o Options) (*heats, lineup, error) {
	only, err := regexp.Compile(o.Only)
	if err != nil {
		return nil, lineup{}, err
	}
	h := &heats{sources: s, conductor: c, cells: map[benchmark][2]bench.Cell{}}
	var found [2]map[benchmark]bench.Cell
	var order [2][]benchmark
	for side := range found {
		programs, err := s.programs(ctx, side, o.Experiment)
		if err != nil {
			return nil, lineup{}, err
		}
		h.programs[side], found[side] = map[string]run.Program{}, map[benchmark]bench.Cell{}
		for _, p := range programs {
			h.programs[side][p.Name] = p
			for _, c := range p.Cells {
				if c.Role == bench.Control || !only.MatchString(c.ID().String()) {
					continue
				}
				b := benchmark{p.Name, string(c.Reading), strings.TrimPrefix(c.Name.String(), "Benchmark")}
				found[side][b] = c
				order[side] = append(order[side], b)
			}
		}
	}
	l := pairUp(order)
	for _, b := range l.common {
		h.cells[b] = [2]bench.Cell{found[ofA][b], found[ofB][b]}
	}
	return h, l, nil
}

// pairUp finds what both sides have, in the order of A.
func pairUp(order [2][]benchmark) lineup {
	var l lineup
	for side, other := range [2]int{ofB, ofA} {
		for _, b := range order[side] {
			switch {
			case !slices.Contains(order[other], b):
				l.only = append(l.only, fmt.Sprintf("only in %c: %s", 'A'+side, b.full()))
			case side == ofA:
				l.common = append(l.common, b)
			}
		}
	}
	return l
}

// programs builds the experiments of a side, and asks each for its cells.
func (s *sources) programs(ctx context.Context, side int, experiment string) ([]run.Program, error) {
	ps, err := run.Find(filepath.Join(s.trees[side].dir, "experiments"), experiment)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.label(side), err)
	}
	for i := range ps {
		p := &ps[i]
		bin, err := s.link(ctx, *p, side)
		if err != nil {
			return nil, err
		}
		err = p.Ask(ctx, bin)
		for _, c := range p.Cells {
			if err == nil {
				err = c.Check()
			}
		}
		os.Remove(bin)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			return nil, fmt.Errorf("%s speaks another protocol of turns than this program: %s", s.label(side), firstLine(err.Error()))
		}
	}
	return ps, nil
}

func (h *heats) per() (int, string) { return 1, "heat" }

func (h *heats) round(ctx context.Context, of []benchmark) error {
	h.drop()
	h.binaries = map[string][processes]string{}
	for _, b := range of {
		if _, done := h.binaries[b.program]; done {
			continue
		}
		built, err := h.fresh(ctx, h.programs[ofA][b.program], h.programs[ofB][b.program])
		if err != nil {
			return err
		}
		h.binaries[b.program] = built
	}
	return nil
}

// measure holds a heat of A, B and A again. They start in an order that is drawn, so
// that none of them is always the first. B takes the turns that A has.
func (h *heats) measure(ctx context.Context, b benchmark) (sample, error) {
	a, changed := h.cells[b][ofA], h.cells[b][ofB]
	changed.Turn, changed.Laps = a.Turn, a.Laps
	cells := [processes]bench.Cell{ofA: a, ofB: changed, ofAgain: a}
	order := rand.Perm(processes)
	var contestants []run.Contestant
	for _, i := range order {
		contestants = append(contestants, run.Contestant{Cell: cells[i], Dir: h.programs[i%2][b.program].Dir, Binary: h.binaries[b.program][i]})
	}
	rec, err := h.conductor.Hold(ctx, h.forks+1, contestants)
	h.forks += processes
	switch {
	case err != nil:
		return sample{}, err
	case len(rec.Forks) < processes:
		return sample{failed: "A, B and A again do not fit into the memory together"}, nil
	}
	var forks [processes]results.ForkRecord
	for at, i := range order {
		forks[i] = rec.Forks[at]
	}
	for i, f := range forks {
		if f.Fork.State != bench.Complete {
			return sample{failed: fmt.Sprintf("%s: %s: %s", h.label(i%2), f.Fork.State, firstLine(f.Fork.Tail))}, nil
		}
	}
	return sampleOf(a, rec.Laps, forks)
}

// sampleOf has a figure in each unit that the turns of a cell tell.
func sampleOf(c bench.Cell, laps []results.Lap, forks [processes]results.ForkRecord) (sample, error) {
	var s sample
	for _, unit := range []bench.Unit{c.Mode().Score(), bench.ServerCPU} {
		ratios := overLaps(laps, forks[ofB].Fork.ID, forks[ofA].Fork.ID, unit)
		controls := overLaps(laps, forks[ofAgain].Fork.ID, forks[ofA].Fork.ID, unit)
		if f, ok := figureOf(unit.Name, ratios, controls, c.Turn.LeastTurns()); ok {
			s.figures = append(s.figures, f)
		}
	}
	var err error
	if s.a, err = s.resultOf(forks[ofA]); err == nil {
		s.b, err = s.resultOf(forks[ofB])
	}
	return s, err
}

// overLaps are the ratios of two forks' costs in the laps in which both turns count.
func overLaps(laps []results.Lap, fork, baseline int, unit bench.Unit) []float64 {
	var ratios []float64
	for _, l := range laps {
		t, okT := l.Turn(fork)
		u, okU := l.Turn(baseline)
		if !okT || !okU || !t.Kept() || !u.Kept() {
			continue
		}
		v, okV := t.PerOp(unit)
		w, okW := u.PerOp(unit)
		if okV && okW {
			ratios = append(ratios, v/w)
		}
	}
	return ratios
}

// resultOf is what a fork printed in the units of the figures.
func (s sample) resultOf(f results.ForkRecord) ([]result, error) {
	if len(s.figures) == 0 {
		return nil, nil
	}
	_, metrics, err := results.ParseResult(f.Result)
	metrics = slices.DeleteFunc(metrics, func(m results.Metric) bool {
		return !slices.ContainsFunc(s.figures, func(f figure) bool { return f.unit == m.Unit })
	})
	return []result{metrics}, err
}
