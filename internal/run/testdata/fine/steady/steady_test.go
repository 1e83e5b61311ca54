package steady

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

var (
	time = bench.TurnLength{Millis: 4, LeadIn: 1}
	work = bench.TurnLength{Ops: 400, Lead: 20, Takes: 2}
)

func cases() []measure.Case {
	var all []measure.Case
	for _, c := range []struct {
		impl  string
		role  bench.Role
		twin  string
		turns int
	}{
		{"floor", bench.Floor, "", 1},
		{"long", bench.Published, "", 2000},
		{"short", bench.Published, "", 200},
		{"long_again", bench.Control, "long", 2000},
		{"peer", bench.Peer, "", 300},
	} {
		spin := func() measure.Subject {
			return measure.Subject{Worker: func() (func(int), func()) {
				x := uint64(1)
				return func(n int) {
					for range n * c.turns {
						x = x*6364136223846793005 + 1
					}
				}, nil
			}}
		}
		add := func(mode bench.Mode, turn bench.TurnLength, tier bench.Tier) {
			all = append(all, measure.Case{
				Name: "impl=" + c.impl + "/mode=" + string(mode) + "/threads=2",
				Role: c.role, Twin: c.twin, Mode: mode, Threads: 2, Batch: 10, Ops: 1000,
				Runs: []measure.Placement{{Reading: bench.NumCPU, Tier: tier, Turn: turn, Laps: 10}},
				New:  spin,
			})
		}
		add(bench.Throughput, time, bench.Peers)
		if c.role != bench.Peer {
			add(bench.Sample, time, bench.Judged)
		}
		if c.role == bench.Published || c.role == bench.Control {
			add(bench.Fixed, work, bench.Judged)
		}
	}
	return all
}
