package study

import (
	"hotpath/internal/claims"
	"hotpath/internal/results"
	"hotpath/internal/stats"
)

// Rows are made of these, so that who lays them out needs no other package.
type (
	Interval   = stats.Interval
	Claim      = claims.Claim
	Published  = claims.Published
	Comparison = claims.Comparison
	Verdict    = claims.Verdict
	Word       = claims.Word
	HeapSample = results.HeapSample
	Lap        = results.Lap
)

// Words lists the verdicts in the order in which they are told.
var Words = claims.Words

// Method is the numbers of the method and its rule, for those who explain them.
var Method = struct {
	MinHeats, MinGroup                  int
	Level, ControlLevel                 float64
	ControlHalfWidth, ControlBias       float64
	Large, LargeSmallest, SmallSmallest float64
	LargeTolerance, SmallTolerance      float64
	Rule                                []claims.Line
}{
	claims.MinHeats, claims.MinGroup,
	Level, claims.ControlLevel,
	claims.ControlHalfWidth, claims.ControlBias,
	claims.Large, claims.LargeSmallest, claims.SmallSmallest,
	claims.LargeTolerance, claims.SmallTolerance,
	claims.Rule,
}

// The verdicts.
const (
	Reproduced    = claims.Reproduced
	DirectionOnly = claims.DirectionOnly
	NotReproduced = claims.NotReproduced
	Inconclusive  = claims.Inconclusive

	DependsOnDistance = claims.DependsOnDistance
)

// The kinds of claims.
const (
	Ratio   = claims.Ratio
	Range   = claims.Range
	AtLeast = claims.AtLeast
	Less    = claims.Less
	Order   = claims.Order
)
