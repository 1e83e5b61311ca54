package study

import (
	"hotpath/internal/bench"
	"hotpath/internal/results"
)

// PerLap is the unit of turns that ratios of a unit are paired by, lap by lap; it
// reports false for a unit that only whole forks have.
func PerLap(unit bench.Unit) (bench.Unit, bool) {
	of, ok := perLap[unit]
	return of, ok
}

// Measured are the heats of the block, of all of its parts, in the order of
// running. They are to be read.
func (b *Block) Measured() []*results.Heat { return b.heats }
