package trouble

import (
	"fmt"
	"os"
	"testing"

	"hotpath/internal/measure"
)

func TestMain(m *testing.M) {
	os.Exit(measure.Main(m, measure.Suite{Benchmark: "BenchmarkTrouble", Cases: cases()}))
}

func BenchmarkTrouble(b *testing.B) { measure.Run(b, cases()) }

// workers make the first operation go wrong.
var workers = map[string]func(int){
	"well":   func(int) {},
	"panics": func(int) { panic("last words") },
	"exit0":  func(int) { os.Exit(0) },
	"exit42": func(int) { fmt.Fprintln(os.Stderr, "leaving"); os.Exit(42) },
	"hangs":  func(int) { select {} },
}

func cases() []measure.Case {
	var all []measure.Case
	for _, impl := range []string{"well", "panics", "exit0", "exit42", "hangs"} {
		all = append(all, measure.Case{
			Name: "impl=" + impl + "/mode=thrpt/threads=1", Role: measure.Published,
			Mode: measure.Throughput, Threads: 1, Batch: 1000, Seconds: 0.02,
			Runs: []measure.Placement{{Reading: measure.NumCPU, Tier: measure.Judged}},
			New: func() measure.Subject {
				return measure.Subject{Worker: func() (func(int), func()) { return workers[impl], nil }}
			},
		})
	}
	return all
}
