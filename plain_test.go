package hotpath_test

import (
	"os/exec"
	"strings"
	"testing"

	"hotpath/internal/results"
)

// TestPlainBenchmarks runs an experiment without the runner: its lines must be
// those that benchstat and the reader of runs understand.
func TestPlainBenchmarks(t *testing.T) {
	out, err := exec.Command("go", "test", "-run=^$", "-bench=^BenchmarkAdd$/^impl=atomic$", "-benchtime=10ms", "-count=2", "-cpu=1,2", "./experiments/counter").Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	lines, err := results.ParseText("output", strings.NewReader(string(out)))
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	got := map[string]int{}
	for _, l := range lines {
		got[l.Name]++
	}
	for _, name := range []string{
		"BenchmarkAdd/impl=atomic/mode=thrpt/threads=1", "BenchmarkAdd/impl=atomic/mode=thrpt/threads=1-2",
		"BenchmarkAdd/impl=atomic/mode=thrpt/threads=32", "BenchmarkAdd/impl=atomic/mode=thrpt/threads=32-2",
		"BenchmarkAdd/impl=atomic/mode=sample/threads=32", "BenchmarkAdd/impl=atomic/mode=sample/threads=32-2",
	} {
		if got[name] != 2 {
			t.Errorf("%d lines of %s, want 2 of each:\n%s", got[name], name, out)
		}
	}
}
