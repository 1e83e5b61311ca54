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
	const experiments = "internal/run/testdata/fine"
	cmd := exec.Command("go", "run", "./cmd/benchrun", "-experiments", experiments, "-results", dir, "-budget", "14s")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	o := report.Options{Results: dir, Experiments: experiments, Dir: dir}
	r, err := report.Build(o)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(string(r.Files["REPORT.md"]), "\u00a0", " ")
	verdicts := regexp.MustCompile(`(?m)^\|.*\| [✔◐✘↔?] ([a-z ]+?)(,.*|<sup>.*)? \|$`).FindAllStringSubmatch(text, -1)
	if len(verdicts) == 0 {
		t.Fatalf("no verdict in the report:\n%s", text)
	}
	for _, v := range verdicts {
		if strings.TrimSpace(v[1]) != "inconclusive" {
			t.Errorf("verdict %q", v[1])
		}
	}
	if !strings.Contains(text, "foreign CPU") && !strings.Contains(text, "parallelism") {
		t.Errorf("the report does not say why:\n%s", text)
	}
	if err := r.Write(o); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"REPORT.md", "plots", "report"} {
		if _, err := os.Stat(dir + "/" + name); err != nil {
			t.Error(err)
		}
	}
}
