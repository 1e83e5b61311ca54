// Package results is the run folder: what a runner writes and the report reads.
// It is the only link between measuring and reporting.
//
// While a run is being made, its folder holds .partial/: the plan, and one file
// for each heat that has ended, written to a temporary name, synced and linked
// into place, so that a crash at any moment loses the heat in flight and nothing
// else. One process at a time makes runs below a results folder; it holds the
// lock there. [Partial.Seal] joins the heats into the files of a finished run:
//
//	manifest.json              machine, plan, gates, and the SHA-256 of each other file
//	<experiment>.txt           result lines in Go benchmark format, below "gate:" and
//	                           "reading:" of GOMAXPROCS. Under clean, one line for each
//	                           fork that counts, over its kept turns; under gated, that of
//	                           a fork that kept too few, and one over the turns not kept
//	<experiment>.hlog          an HdrHistogram log: an interval for each sampled fork,
//	                           tagged with the benchmark's name and the fork's number; what
//	                           was not kept has an interval of its own, tagged gated too
//	<experiment>.turns.csv.gz  a row for each turn, in the order of running
//	<experiment>.heats.jsonl   one JSON object for each heat
//	<experiment>.forks.jsonl   one JSON object for each fork, failed ones included
//	<experiment>.heap.csv      the heap over time of each fork that recorded it
//
// Each heat has a checksum over all that those files hold of it. [Load] takes the
// files apart again into heats, checks each as [Partial.Commit] did, and refuses
// a byte that joining them anew would not give: with file and line.
package results

// Schema is the version of the run folder's format.
const Schema = 2

// The files of a run.
const (
	manifestName = "manifest.json"
	partialName  = ".partial"
	planName     = "plan.json"
)

func textName(experiment string) string  { return experiment + ".txt" }
func hlogName(experiment string) string  { return experiment + ".hlog" }
func turnsName(experiment string) string { return experiment + ".turns.csv.gz" }
func heatsName(experiment string) string { return experiment + ".heats.jsonl" }
func forksName(experiment string) string { return experiment + ".forks.jsonl" }
func heapName(experiment string) string  { return experiment + ".heap.csv" }

// fileNames are those that an experiment can have.
func fileNames(experiment string) []string {
	return []string{
		textName(experiment), hlogName(experiment), turnsName(experiment),
		heatsName(experiment), forksName(experiment), heapName(experiment),
	}
}
