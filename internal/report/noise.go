package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"hotpath/internal/bench"
	"hotpath/internal/results"
)

// gateTable counts the forks that did not meet a gate, by the gate.
func gateTable(e *results.Experiment) *table {
	t := &table{Head: []string{"gate not met", "forks"}, Left: 1}
	for _, g := range gateCounts(e, bench.Block{}) {
		t.add(escape(g.name), fmt.Sprint(g.forks))
	}
	return t
}

// gateCount is how many forks did not meet a gate.
type gateCount struct {
	name  string
	forks int
}

// gateCounts counts the gated forks of a block, or of all blocks, the most
// frequent gate first. A fork that did not meet two counts for both.
func gateCounts(e *results.Experiment, block bench.Block) []gateCount {
	counts := map[string]int{}
	for _, f := range e.Forks {
		for _, g := range f.Gated {
			if block == (bench.Block{}) || f.Cell.Block() == block {
				counts[string(g.Gate)]++
			}
		}
	}
	var all []gateCount
	for name, n := range counts {
		all = append(all, gateCount{name, n})
	}
	slices.SortFunc(all, func(a, b gateCount) int {
		return cmp.Or(cmp.Compare(b.forks, a.forks), strings.Compare(a.name, b.name))
	})
	return all
}

// troubleTable lists the forks that gave no result.
func troubleTable(e *results.Experiment) *table {
	t := &table{Head: []string{"fork", "cell", "round", "ended", "last words"}, Left: 5}
	for _, f := range e.Forks {
		if f.State == bench.Complete {
			continue
		}
		lines := strings.Split(strings.TrimSpace(f.Tail), "\n")
		if len(lines) > 3 {
			lines = lines[:3]
		}
		t.add(fmt.Sprint(f.ID), code(f.Cell.String()), fmt.Sprint(f.Round), string(f.State), escape(strings.Join(lines, " · ")))
	}
	return t
}
