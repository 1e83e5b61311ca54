//go:build gc && !portable

package histogram

import "unsafe"

// fetches says that the functions below are of use, and may be called.
var fetches = hasPrefetchW()

// fetchToWrite makes the CPU fetch the line at p as for a store, without waiting
// for it: the cache of a CPU that has written it gives it up.
//
//go:noescape
func fetchToWrite(p unsafe.Pointer)

// fetchCells does so for each cell of low whose index is in hits.
//
//go:noescape
func fetchCells(low *uint8, hits []int)

// hasPrefetchW asks the CPU whether it knows the instruction, as all do on which
// today's systems run.
func hasPrefetchW() bool
