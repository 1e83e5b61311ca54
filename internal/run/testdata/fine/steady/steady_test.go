package steady

import (
	"os"
	"testing"

	"hotpath/internal/measure"
)

func TestMain(m *testing.M) {
	os.Exit(measure.Main(m, measure.Suite{Benchmark: "BenchmarkSpin", Cases: cases()}))
}

func BenchmarkSpin(b *testing.B) { measure.Run(b, cases()) }

func cases() []measure.Case {
	var all []measure.Case
	for _, c := range []struct {
		impl  string
		role  measure.Role
		turns int
	}{
		{"floor", measure.Floor, 1},
		{"long", measure.Published, 2000},
		{"short", measure.Published, 200},
		{"long_again", measure.Control, 2000},
		{"peer", measure.Peer, 300},
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
		add := func(mode measure.Mode, tier measure.Tier) {
			all = append(all, measure.Case{
				Name: "impl=" + c.impl + "/mode=" + string(mode) + "/threads=2",
				Role: c.role, Mode: mode, Threads: 2, Batch: 10, Ops: 1000, Seconds: 0.02,
				Runs: []measure.Placement{{Reading: measure.NumCPU, Tier: tier}},
				New:  spin,
			})
		}
		add(measure.Throughput, measure.Peers)
		if c.role != measure.Peer {
			add(measure.Sample, measure.Judged)
		}
		if c.role == measure.Published {
			add(measure.Fixed, measure.Judged)
		}
	}
	return all
}
