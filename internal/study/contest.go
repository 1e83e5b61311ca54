package study

import (
	"hotpath/internal/bench"
	"hotpath/internal/stats"
)

// Contest is the best of ours against the best of other libraries.
type Contest struct {
	*Block
	Unit       bench.Unit
	Ours, Peer *Figure
	Ratio      stats.Interval // ours / theirs
}

// Contests are those of each block of throughput in which both take part.
func (x *Experiment) Contests() []Contest {
	var all []Contest
	for _, b := range x.Blocks {
		if b.Mode() != bench.Throughput {
			continue
		}
		for _, unit := range []bench.Unit{bench.TimePerOp, bench.ServerCPU} {
			ours, peer := b.Best(unit, bench.Ours), b.Best(unit, bench.Peer)
			if ours != nil && peer != nil {
				all = append(all, Contest{b, unit, ours, peer, b.Ratio(unit, ours.Impl(), peer.Impl())})
			}
		}
	}
	return all
}
