// Package results is the run folder: what cmd/benchrun writes and the report
// reads. It is the only link between measuring and reporting.
//
// While a run is being made, its folder holds .partial/: the plan, a lock, and
// one file for each fork that has ended, written to a temporary name, synced
// and linked into place, so that a crash at any moment loses the fork in
// flight and nothing else. [Partial.Seal] joins the forks into the files of a
// finished run:
//
//	manifest.json             machine, plan, gates, and the SHA-256 of each other file
//	<experiment>.txt          every fork's result line in Go benchmark format, below
//	                          "gate: clean" or "gate: gated" and "reading:" of GOMAXPROCS
//	<experiment>.hlog         an HdrHistogram log, one interval for each sampled fork,
//	                          tagged with the benchmark's name and the fork's number
//	<experiment>.heap.csv     the heap over time of each fork that recorded it: a row
//	                          for each sample, below a header that names the columns
//	<experiment>.forks.jsonl  one JSON object for each fork, failed ones included
//
// [Load] validates everything against everything else (checksums, counts,
// names, finite numbers, declared units) and refuses with file and line.
package results

import (
	"fmt"

	"hotpath/internal/bench"
)

// Schema is the version of the run folder's format.
const Schema = 1

// The files of a run.
const (
	manifestName = "manifest.json"
	partialName  = ".partial"
)

func textName(experiment string) string  { return experiment + ".txt" }
func hlogName(experiment string) string  { return experiment + ".hlog" }
func heapName(experiment string) string  { return experiment + ".heap.csv" }
func forksName(experiment string) string { return experiment + ".forks.jsonl" }

// checkPlan refuses names that are unsafe and plans that contradict themselves.
func checkPlan(plans []Plan) error {
	if len(plans) == 0 {
		return fmt.Errorf("the plan names no experiment")
	}
	experiments := map[string]bool{}
	for _, p := range plans {
		if !bench.IsWord(p.Experiment) {
			return fmt.Errorf("experiment %q: letters, digits, - and _ only", p.Experiment)
		}
		if experiments[p.Experiment] {
			return fmt.Errorf("experiment %s is planned twice", p.Experiment)
		}
		experiments[p.Experiment] = true
		seen := map[bench.CellID]bool{}
		for _, c := range p.Cells {
			if err := c.Check(); err != nil {
				return fmt.Errorf("%s: %w", p.Experiment, err)
			}
			if seen[c.ID()] {
				return fmt.Errorf("%s: %s is planned twice", p.Experiment, c.ID())
			}
			seen[c.ID()] = true
		}
	}
	return nil
}
