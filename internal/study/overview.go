package study

import (
	"slices"

	"hotpath/internal/bench"
	"hotpath/internal/stats"
)

// Gain is what it brings to use one contestant instead of another.
type Gain struct {
	Use, Instead *Figure
	Faster       stats.Interval // what the other takes over what it takes
}

// Gains are an experiment's in the block that says most of how Go programs run.
type Gains struct {
	Experiment string
	*Block
	All []Gain
}

// Gains compares the best that was published with the published baseline, and the
// best of ours with that and with the best other library. The best of ours is one
// whose caller holds nothing for it; a faster one whose caller does is compared
// with the best other library alone. It reports false where there is nothing to
// compare.
func (x *Experiment) Gains() (Gains, bool) {
	g := Gains{Experiment: x.Name, Block: x.Busiest()}
	if g.Block == nil {
		return g, false
	}
	s, ok := g.Standing(bench.TimePerOp)
	if !ok {
		return g, false
	}
	baseline := s.Of(g.baseline)
	published := s.first(func(r *Rank) bool { return r.Role == bench.Published && r != baseline })
	peer := s.first(func(r *Rank) bool { return r.Role == bench.Peer && r.Figure == s.Base })
	free, held := s.Foremost()
	g.add(published, baseline)
	g.add(free, baseline)
	g.add(free, peer)
	if held != nil && (free == nil || held.Faster.Estimate > free.Faster.Estimate) {
		g.add(held, peer)
	}
	return g, len(g.All) > 0
}

func (g *Gains) add(use, instead *Rank) {
	if use == nil || instead == nil {
		return
	}
	if iv := g.Ratio(bench.TimePerOp, instead.Impl(), use.Impl()); iv.Estimate > 0 {
		g.All = append(g.All, Gain{use.Figure, instead.Figure, iv})
	}
}

// Busiest is the block of throughput with the most threads that runs as Go
// programs do, with a P for each CPU, and in which ours take part; the first of
// several, or nil.
func (x *Experiment) Busiest() *Block {
	var most *Block
	for _, b := range x.Blocks {
		ours := slices.ContainsFunc(b.Rows, func(r *Row) bool { return r.Role == bench.Ours })
		if ours && b.Mode() == bench.Throughput && b.Reading == bench.NumCPU && (most == nil || b.Rows[0].Threads > most.Rows[0].Threads) {
			most = b
		}
	}
	return most
}
