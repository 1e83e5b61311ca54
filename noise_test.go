package hotpath_test

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"hotpath/internal/report"
)

// TestBurner takes a CPU away from a small run: every verdict must become
// inconclusive, and say why.
func TestBurner(t *testing.T) {
	var stop atomic.Bool
	defer stop.Store(true)
	go func() {
		for n := 0; !stop.Load(); n++ {
		}
	}()
	dir := t.TempDir()
	const experiments = "cmd/benchrun/testdata/fine"
	cmd := exec.Command("go", "run", "./cmd/benchrun", "-experiments", experiments, "-results", dir, "-budget", "14s")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	files, err := report.Build(report.Options{Results: dir, Experiments: experiments, Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	text := string(files["REPORT.md"])
	verdicts := regexp.MustCompile(`(?m)^\|.*\| (.) \*\*([a-z ]+)\*\*(.*) \|$`).FindAllStringSubmatch(text, -1)
	if len(verdicts) == 0 {
		t.Fatalf("no verdict in the report:\n%s", text)
	}
	for _, v := range verdicts {
		if v[2] != "inconclusive" || !strings.Contains(v[3], "foreign CPU") && !strings.Contains(v[3], "parallelism") {
			t.Errorf("verdict %q, reason %q", v[2], v[3])
		}
	}
	if err := files.Write(dir); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"REPORT.md", "plots"} {
		if _, err := os.Stat(dir + "/" + name); err != nil {
			t.Error(err)
		}
	}
}
