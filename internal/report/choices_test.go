package report

import (
	"strings"
	"testing"

	"hotpath/internal/advice"
	"hotpath/internal/bench"
	"hotpath/internal/study"
)

// What too few heats tell is not told as known.
func TestTooFar(t *testing.T) {
	block, err := bench.ParseBlock("BenchmarkAdd/mode=thrpt/threads=32@numcpu")
	if err != nil {
		t.Fatal(err)
	}
	row := func(impl string) *study.Row {
		name, err := bench.ParseName("BenchmarkAdd/impl=" + impl + "/mode=thrpt/threads=32")
		if err != nil {
			t.Fatal(err)
		}
		return &study.Row{Cell: bench.Cell{Name: name}}
	}
	for level, want := range map[float64][3]string{
		0.95: {"nobody: `mine` takes over 1.1 times as much", "`best` with 32 goroutines", "0.50 [0.40, 0.80]"},
		0:    {"nobody: `mine` may take over 1.1 times as much", "`best` with 32 goroutines", "~ noisy"},
	} {
		far := advice.Far{Row: row("mine"), Of: row("best"), In: block, Most: 1.1, Ratio: study.Interval{Level: level, Estimate: 2, Low: 1.25, High: 2.5}}
		c := advice.Choice{Measured: true, Far: []advice.Far{far}}
		instead, factors := againstCells(c)
		got := [3]string{useCell(c), instead, strings.ReplaceAll(factors, bench.NBSP, " ")}
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
