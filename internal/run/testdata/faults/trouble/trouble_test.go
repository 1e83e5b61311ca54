package trouble

import (
	"fmt"
	"os"
	"testing"
	"time"

	"hotpath/internal/bench"
	"hotpath/internal/measure"
)

func TestMain(m *testing.M) {
	os.Exit(measure.Main(m, measure.Suite{Benchmark: "BenchmarkTrouble", Cases: cases()}))
}

func BenchmarkTrouble(b *testing.B) { measure.Run(b, cases()) }

// workers go wrong in their first operation, or some turns later.
var workers = map[string]func(int){
	"well":       func(int) {},
	"panics":     func(int) { panic("last words") },
	"exit0":      func(int) { os.Exit(0) },
	"exit42":     func(int) { fmt.Fprintln(os.Stderr, "leaving"); os.Exit(42) },
	"hangs":      func(int) { select {} },
	"hangs_late": late(func() { time.Sleep(time.Hour) }),
	"dies_late":  late(func() { panic("late") }),
	"miscounts":  func(int) {},
}

// late goes wrong after the warm-up.
func late(wrong func()) func(int) {
	begun := time.Now()
	return func(int) {
		if time.Since(begun) > 200*time.Millisecond {
			wrong()
		}
	}
}

func cases() []measure.Case {
	var all []measure.Case
	for _, impl := range []string{"well", "panics", "exit0", "exit42", "hangs", "hangs_late", "dies_late", "miscounts"} {
		all = append(all, measure.Case{
			Name: "impl=" + impl + "/mode=thrpt/threads=1", Role: bench.Published,
			Mode: bench.Throughput, Threads: 1, Batch: 1000,
			Runs: []measure.Placement{{Reading: bench.NumCPU, Tier: bench.Judged, Turn: bench.TurnLength{Millis: 4}, Laps: 30}},
			New: func() measure.Subject {
				s := measure.Subject{Worker: func() (func(int), func()) { return workers[impl], nil }}
				if impl == "miscounts" {
					s.Total = func() int64 { return 1 }
				}
				return s
			},
		})
	}
	return all
}
