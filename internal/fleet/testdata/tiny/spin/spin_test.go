package spin

import (
	"os"
	"testing"

	"hotpath/internal/bench"
	"hotpath/internal/measure"
)

func TestMain(m *testing.M) {
	os.Exit(measure.Main(m, measure.Suite{Benchmark: "BenchmarkSpin", Cases: cases()}))
}

func BenchmarkSpin(b *testing.B) { measure.Run(b, cases()) }

func cases() []measure.Case {
	spin := func(name string, role bench.Role, twin string, turns, threads int, tier bench.Tier) measure.Case {
		return measure.Case{
			Name: "impl=" + name + "/mode=thrpt/threads=" + string(rune('0'+threads)),
			Role: role, Twin: twin, Mode: bench.Throughput, Threads: threads, Batch: 10, Ops: 1000,
			Runs: []measure.Placement{{Reading: bench.NumCPU, Tier: tier, Turn: bench.TurnLength{Millis: 3, LeadIn: 1}, Laps: 8}},
			New: func() measure.Subject {
				return measure.Subject{Worker: func() (func(int), func()) {
					x := uint64(1)
					return func(n int) {
						for range n * turns {
							x = x*6364136223846793005 + 1
						}
					}, nil
				}}
			},
		}
	}
	return []measure.Case{
		spin("long", bench.Published, "", 2000, 2, bench.Judged),
		spin("short", bench.Published, "", 200, 2, bench.Judged),
		spin("long_again", bench.Control, "long", 2000, 2, bench.Judged),
		spin("long", bench.Published, "", 2000, 1, bench.Peers),
		spin("peer", bench.Peer, "", 300, 1, bench.Peers),
	}
}
