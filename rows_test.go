package hotpath_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// added are rows that somebody adds to a table: the experiment that has to
// find it, the table's file and first line, the row's name, and the row.
var added = []struct{ experiment, file, table, name, row string }{
	{"counter", "internal/contest/counter.go", "var Counters = []Counter{", "added",
		`{Row: Row{Name: "added", Role: bench.Ours, About: "New."}, New: newAtomic},`},
	{"counter", "experiments/counter/peers_test.go", "var peers = []contest.Counter{", "added_peer",
		`{Row: contest.Row{Name: "added_peer", Role: bench.Peer, About: "New."}, New: newExpvar},`},
	{"multihistogram", "internal/contest/histogram.go", "var Histograms = []Histogram{", "added",
		`{Row: Row{Name: "added", Role: bench.Ours, About: "New."}, New: newAtomicHistogram},`},
	{"multihistogram", "experiments/multihistogram/peers_test.go", "var peers = []contest.Histogram{", "added_peer",
		`{Row: contest.Row{Name: "added_peer", Role: bench.Peer, About: "New."}, New: newCircllhist},`},
	{"ipc", "internal/contest/ipc.go", "var Paths = []Path{", "added",
		`{Row: Row{Name: "added", Role: bench.Ours, About: "New."}, Path: ipc.Pooled, Inline: true, In: InLadder},`},
	{"ipc", "experiments/ipc/peers_test.go", "var peers = []system{", "added_peer",
		`{Row: contest.Row{Name: "added_peer", Role: "peer", About: "New."}, in: contest.InLadder, serve: netRPCSystem.serve, dial: netRPCSystem.dial},`},
}

// TestRowIsEnough adds a row of each kind and touches nothing else: the row is in
// its experiment's plan, and the tests of its kind hold it to what they promise.
func TestRowIsEnough(t *testing.T) {
	overlay := overlay(t)
	for experiment, tests := range map[string]string{"counter": "TestPeers|TestRows", "multihistogram": "TestPeers|TestRows", "ipc": "TestAnswers|TestRows"} {
		t.Run(experiment, func(t *testing.T) {
			t.Parallel()
			binary := filepath.Join(t.TempDir(), experiment)
			build := exec.Command("go", "test", "-c", "-overlay", overlay, "-o", binary, "./experiments/"+experiment)
			if out, err := build.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			plan := exec.Command(binary)
			plan.Env = append(os.Environ(), "HOTPATH_PLAN=1")
			cells := output(t, plan)
			proof := output(t, exec.Command(binary, "-test.v", "-test.run", "^("+tests+")$/^added"))
			for _, a := range added {
				switch {
				case a.experiment != experiment:
				case !strings.Contains(cells, "/impl="+a.name+"/"):
					t.Errorf("the plan has no cell of the row that was added to %s", a.file)
				case (experiment == "ipc" || a.name == "added_peer") && !strings.Contains(proof, "/"+a.name+" ("):
					t.Errorf("no test tried the row that was added to %s:\n%s", a.file, proof)
				}
			}
		})
	}
	for _, pkg := range []string{"counter", "histogram"} {
		t.Run("impl/"+pkg, func(t *testing.T) {
			t.Parallel()
			out := output(t, exec.Command("go", "test", "-overlay", overlay, "-v", "-run", "^TestConformance$/^added$", "./impl/"+pkg))
			if !strings.Contains(out, "--- PASS: TestConformance/added/") {
				t.Errorf("the row was not held to anything:\n%s", out)
			}
		})
	}
}

// overlay writes the files with the rows, and the file that has go build see them.
func overlay(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	replace := map[string]string{}
	for i, a := range added {
		source, err := os.ReadFile(a.file)
		if err != nil {
			t.Fatal(err)
		}
		before, after, ok := strings.Cut(string(source), a.table+"\n")
		if !ok {
			t.Fatalf("%s has no line %q", a.file, a.table)
		}
		changed := filepath.Join(dir, string(rune('a'+i))+".go")
		if err := os.WriteFile(changed, []byte(before+a.table+"\n"+a.row+"\n"+after), 0o600); err != nil {
			t.Fatal(err)
		}
		path, err := filepath.Abs(a.file)
		if err != nil {
			t.Fatal(err)
		}
		replace[path] = changed
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(name, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func output(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}
