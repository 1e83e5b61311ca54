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
	"regexp"
	"slices"
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

var (
	// Names go into paths, Markdown and SVG.
	namePattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.=/,:+@-]{0,199}$`)
	wordPattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$`)
)

// checkPlan refuses names that are unsafe and plans that contradict themselves.
func checkPlan(plans []Plan) error {
	if len(plans) == 0 {
		return fmt.Errorf("the plan names no experiment")
	}
	experiments := map[string]bool{}
	for _, p := range plans {
		if !wordPattern.MatchString(p.Experiment) {
			return fmt.Errorf("experiment %q: letters, digits, - and _ only", p.Experiment)
		}
		if experiments[p.Experiment] {
			return fmt.Errorf("experiment %s is planned twice", p.Experiment)
		}
		experiments[p.Experiment] = true
		keys := map[string]bool{}
		for _, c := range p.Cells {
			switch {
			case !namePattern.MatchString(c.Name):
				return fmt.Errorf("%s: benchmark name %q has characters outside A-Z a-z 0-9 _ . = / , : + -", p.Experiment, c.Name)
			case c.Impl() == "":
				return fmt.Errorf("%s: %s has no /impl=", p.Experiment, c.Name)
			case c.Reading != One && c.Reading != NumCPU && c.Reading != PerThread:
				return fmt.Errorf("%s: %s: reading %q is none of one, numcpu, perthread", p.Experiment, c.Name, c.Reading)
			case c.Tier != Judged && c.Tier != Peers:
				return fmt.Errorf("%s: %s: tier %q is neither judged nor peers", p.Experiment, c.Name, c.Tier)
			case !slices.Contains([]Role{Floor, Published, Control, Ours, Peer}, c.Role):
				return fmt.Errorf("%s: %s: role %q is none of floor, published, control, ours, peer", p.Experiment, c.Name, c.Role)
			case c.Block != BlockOf(c.Name, c.Reading):
				return fmt.Errorf("%s: %s: block %q, want %q", p.Experiment, c.Name, c.Block, BlockOf(c.Name, c.Reading))
			case c.Threads < 1 || !(c.Seconds > 0 && c.Seconds < 3600) || !(c.Startup >= 0 && c.Startup < 3600):
				return fmt.Errorf("%s: %s: threads %d, seconds %v, startup %v", p.Experiment, c.Name, c.Threads, c.Seconds, c.Startup)
			case keys[c.Key()]:
				return fmt.Errorf("%s: %s is planned twice", p.Experiment, c.Key())
			}
			keys[c.Key()] = true
		}
	}
	return nil
}
