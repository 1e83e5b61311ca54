package compare

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"

	"hotpath/internal/bench"
	"hotpath/internal/results"
	"hotpath/internal/study"
)

// loadRuns takes the score of each contestant of two runs, heat by heat: as a
// multiple of what the block's baseline took beside it, which is the same in a
// slow hour, and for the baseline itself, and in blocks without one, as it is.
//
// A ratio of what contends is another one where the CPUs are farther apart. So
// those laps of a block are taken whose placement both runs have in the most
// heats.
func loadRuns(r *benchfmt.Reader, pathA, pathB string) (a, b *side, notes []string, err error) {
	runA, a, err := openRun(pathA)
	if err != nil {
		return nil, nil, nil, err
	}
	runB, b, err := openRun(pathB)
	if err != nil {
		return nil, nil, nil, err
	}
	var units bytes.Buffer
	if err := bench.WriteUnits(&units); err != nil {
		return nil, nil, nil, err
	}
	for _, x := range runA.Experiments {
		for _, block := range x.Blocks {
			fmt.Fprintf(&units, "Unit %s better=lower\n", multiple(block))
			other := blockOf(runB, x.Name, block.Block)
			place, note := commonPlace(block, other)
			if note != "" {
				notes = append(notes, note)
			}
			a.block(x.Name, block, place)
			if other != nil {
				b.block(x.Name, other, place)
			}
		}
	}
	for _, y := range runB.Experiments {
		for _, block := range y.Blocks {
			if blockOf(runA, y.Name, block.Block) == nil {
				b.block(y.Name, block, study.Everywhere)
			}
		}
	}
	declare(r, pathA, units.Bytes())
	return a, b, notes, nil
}

// openRun reads a run and what made it.
func openRun(path string) (*study.Run, *side, error) {
	folder := filepath.Clean(path)
	run, err := study.Archive{Results: filepath.Dir(folder)}.Load(filepath.Base(folder))
	if err != nil {
		return nil, nil, err
	}
	s, m := newSide(path), run.Manifest
	s.folder = true
	s.fact("cpu", m.Machine.CPU)
	s.fact("cpus", strconv.Itoa(m.Machine.CPUs))
	for _, f := range m.Go {
		if f.Name == "version" {
			f.Name = "go"
		}
		s.fact(f.Name, f.Value)
	}
	commit := m.Revision
	if m.Dirty {
		commit += " and changes"
	}
	s.fact("commit", commit)
	return run, s, nil
}

func blockOf(run *study.Run, experiment string, id bench.Block) *study.Block {
	if x := run.Experiment(experiment); x != nil {
		return x.Block(id)
	}
	return nil
}

// multiple is the unit of costs as multiples of the baseline's.
func multiple(b *study.Block) string {
	if b.Baseline() == "" {
		return b.Score().Name
	}
	return "x-" + b.Baseline()
}

// commonPlace is the placement of laps that both blocks have in the most heats,
// and all laps where there is none that would do for an interval, with a note that
// says so.
func commonPlace(a, b *study.Block) (bench.Placement, string) {
	if b == nil || a.Baseline() == "" {
		return study.Everywhere, ""
	}
	place, most := study.Everywhere, fewest-1
	for _, p := range bench.Placements {
		n := func(b *study.Block) int {
			return len(b.HeatRatios(b.Score(), b.Control(b.Score()).Twin, b.Baseline(), p))
		}
		if common := min(n(a), n(b)); common > most {
			place, most = p, common
		}
	}
	if place == study.Everywhere {
		return place, fmt.Sprintf("%s: A and B have no %d heats with their CPUs as far apart: that is a part of the ratio where contestants contend", a.Block, fewest)
	}
	return place, ""
}

// block adds the contestants of a block, by their laps of a placement.
func (s *side) block(experiment string, b *study.Block, place bench.Placement) {
	unit := b.Score()
	for _, row := range b.Rows {
		name := benchmark{"experiments/" + experiment, string(row.Reading), strings.TrimPrefix(row.Name.String(), "Benchmark")}
		add := func(value float64, unit string) {
			s.add(name, result{iters: 1, metrics: []results.Metric{{Value: value, Unit: unit}}})
		}
		if b.Baseline() == "" || row.Impl() == b.Baseline() {
			for _, v := range row.Figure(unit).Clean {
				add(v, unit.Name)
			}
			continue
		}
		for _, h := range b.HeatRatios(unit, row.Impl(), b.Baseline(), place) {
			add(h.Ratio, multiple(b))
		}
	}
}
