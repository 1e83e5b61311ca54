package fleet

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hotpath/internal/bench"
	"hotpath/internal/results"
)

// tiny is a fleet of an experiment of milliseconds.
func tiny(t *testing.T) Options {
	dir := t.TempDir()
	return Options{
		Dir: filepath.Join(dir, "fleet"), Results: filepath.Join(dir, "results"), Experiments: "testdata/tiny",
		Runs: 2, Budget: 4 * time.Second, CPUs: 1,
	}
}

// status is what Status says.
func status(t *testing.T, o Options) string {
	t.Helper()
	var out strings.Builder
	if err := Status(t.Context(), &out, o); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	return out.String()
}

// heatsOf counts the heats that a task has on disk in all of its nodes' folders.
func heatsOf(t *testing.T, o Options, of task) int {
	t.Helper()
	heats, err := filepath.Glob(filepath.Join(o.Dir, of.folder(), "*", "*", ".partial", "heat-*.json"))
	if err != nil {
		t.Fatal(err)
	}
	return len(heats)
}

// runsOf reads the runs that were collected.
func runsOf(t *testing.T, dir string) []*results.Run {
	t.Helper()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	names, odd, err := results.List(root)
	if err != nil || len(odd) > 0 {
		t.Fatal(err, odd)
	}
	var runs []*results.Run
	for _, name := range names {
		run, err := results.Load(root, name)
		if err != nil {
			t.Fatal(err)
		}
		runs = append(runs, run)
	}
	return runs
}

// TestFleet makes two runs on each of two kinds of node, of which one loses its power
// in the middle.
func TestFleet(t *testing.T) {
	if testing.Short() {
		t.Skip("measures for half a minute")
	}
	c := startCluster(t, map[string]string{"n1": "small", "n2": "big"})
	o := tiny(t)
	o.Nodes = []string{"small", "big"}
	var out strings.Builder
	if err := Launch(t.Context(), &out, o); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	for _, want := range []string{"small: submitted 1,2 as job", "big: submitted 1,2 as job", "0 of 4 runs"} {
		if !strings.Contains(out.String(), want) {
			t.Fatalf("%q is not in:\n%s", want, &out)
		}
	}
	cut := task{"big", 1}
	until(t, o, "the first heats on n2", func() bool { return heatsOf(t, o, cut) >= 2 })
	c.killNode(t, "n2")
	kept := heatsOf(t, o, cut)
	if s := status(t, o); strings.Contains(s, "submitted") {
		t.Errorf("a task of a node that the scheduler believes in was begun again:\n%s", s)
	}
	until(t, o, "the end of n1's runs", func() bool { return strings.Contains(status(t, o), "2 of 4 runs are in") })
	c.startNode(t, "n2")
	c.repair(t, "n2")
	last := ""
	until(t, o, "the end of all runs", func() bool { last = status(t, o); return strings.Contains(last, "4 of 4 runs are in") })

	log, err := os.ReadFile(filepath.Join(o.Dir, cut.log()))
	if err != nil {
		t.Fatal(err)
	}
	if going := goingOn(string(log)); going < kept {
		t.Errorf("%d heats were done when the node was killed, and its run went on after %d:\n%s", kept, going, log)
	}
	everyCell(t, runsOf(t, o.Results), 4)
	for _, of := range []task{{"small", 1}, {"small", 2}, {"big", 1}, {"big", 2}} {
		if made, _ := filepath.Glob(filepath.Join(o.Dir, of.folder(), "*", "*", "manifest.json")); len(made) != 1 {
			t.Errorf("%s: made %q, want one run", of, made)
		}
	}
	if again := status(t, o); again != last {
		t.Errorf("a second look says\n%safter\n%s", again, last)
	}
}

// until waits for something that takes seconds, with room for a slow machine.
func until(t *testing.T, o Options, what string, done func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(500 * time.Millisecond) {
		if done() {
			return
		}
	}
	logs, _ := filepath.Glob(filepath.Join(o.Dir, "log", "*"))
	for _, name := range logs {
		log, err := os.ReadFile(name)
		t.Logf("%s: %s %v", filepath.Base(name), log, err)
	}
	t.Fatalf("waited %v for %s:\n%s", patience, what, status(t, o))
}

// patience is far more than anything here takes, for a machine that is in use.
const patience = 2 * time.Minute

// goingOn is after how many heats a run went on, by its log.
func goingOn(log string) int {
	n := -1
	if _, rest, ok := strings.Cut(log, "going on after "); ok {
		fmt.Sscan(rest, &n)
	}
	return n
}

// everyCell fails the test unless so many runs have every cell of the plan: no
// contestant is of one node alone.
func everyCell(t *testing.T, runs []*results.Run, want int) {
	t.Helper()
	if len(runs) != want {
		t.Fatalf("%d runs, want %d", len(runs), want)
	}
	var cells []bench.CellID
	for _, c := range runs[0].Experiments[0].Plan.Cells {
		cells = append(cells, c.ID())
	}
	for _, r := range runs {
		for _, id := range cells {
			if !slices.ContainsFunc(r.Experiments[0].Forks, func(f *results.Fork) bool { return f.Cell == id && f.State == bench.Complete }) {
				t.Errorf("%s has no fork of %s", r.Name, id)
			}
		}
	}
}
