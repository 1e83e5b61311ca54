// Package fleet makes runs on many machines: a number of runs on each kind of node
// of a Slurm cluster, or on each of some hosts that GNU parallel reaches over ssh. It
// starts no process on a node itself, and waits for none.
//
// # Tasks
//
// A task is one full run of all blocks on one node, which it has to itself.
// Contestants are never spread over nodes: what is compared was measured on the same
// machine in the same heats, so that a slow node slows all of them down.
//
// # The folder
//
// A fleet lives in a folder that nodes and the submitting machine share, or that is
// copied where they do not. It is no part of the repository, and the only place where
// nodes have names:
//
//	plan.json                       what was asked for
//	kit/                            what a node runs: built once, the same everywhere
//	runs/<kind>/<number>/<node>/    a results folder for each node that began the task
//	log/<kind>.<number>.log         what the tasks printed
//
// A task that is begun again on its node goes on where it was; on another node it
// begins anew, so that no run is of two machines.
//
// # Who decides
//
// What is there decides, not what the scheduler says: a task is done when its folder
// holds a sealed run that passes every check of its reader, of the code that the
// plan names, with every cell that it planned. The scheduler is asked only which tasks
// still wait or run, so that none is begun twice; and a task that is begun twice finds
// the run that is there, or the lock of who makes it.
//
// # Trust
//
// Nothing that a node wrote is trusted: names, sizes, the schema, all checksums and
// all that a run must hold are checked before a byte of it is copied to the results,
// under a name that is made here. A run that names its node or its user is refused.
package fleet
