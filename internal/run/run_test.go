package run

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"hotpath/internal/bench"
	"hotpath/internal/results"
)

// TestMain lets the test binary stand in for a runner, so that it can be killed.
func TestMain(m *testing.M) {
	switch os.Getenv("RUN_TEST") {
	case "measure":
		ctx, stop := context.WithCancel(context.Background())
		defer stop()
		if err := Measure(ctx, os.Stdout, Options{Budget: 8 * time.Second, Results: os.Args[1], Experiments: os.Args[2]}); err != nil {
			os.Stderr.WriteString(err.Error() + "\n")
			os.Exit(1)
		}
	case "conduct":
		conductPrepared()
	default:
		os.Exit(m.Run())
	}
}

// command runs this test binary in another role.
func command(t *testing.T, role string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, args...)
	cmd.Env = append(os.Environ(), "RUN_TEST="+role)
	return cmd
}

// load reads the only run below dir.
func load(t *testing.T, dir string) *results.Run {
	t.Helper()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	names, odd, err := results.List(root)
	if err != nil || len(names) != 1 || len(odd) > 0 {
		t.Fatalf("runs %q, want one; odd %v; %v", names, odd, err)
	}
	run, err := results.Load(root, names[0])
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// distinct counts the heats of each block, those that were spoilt and held again
// once.
func distinct(e *results.Experiment) map[bench.Block]int {
	heats := map[bench.Block]int{}
	for _, h := range e.Heats {
		if h.Try == 0 {
			heats[h.Block]++
		}
	}
	return heats
}

// ownShare is how much of the CPUs the turns of a heat took, and foreignShare what
// others did, as its windows say.
func ownShare(h *results.Heat) float64 {
	wall, cpu := 0.0, 0.0
	for _, w := range h.Windows {
		wall += w.Wall
	}
	for _, lap := range h.Laps {
		for _, turn := range lap.Turns {
			cpu += float64(turn.CPU+turn.Server) / 1e9
		}
	}
	return cpu / (wall * float64(runtime.NumCPU()))
}

func foreignShare(h *results.Heat) float64 {
	wall, sum := 0.0, 0.0
	for _, w := range h.Windows {
		wall, sum = wall+w.Wall, sum+w.Wall*max(0, w.Foreign)
	}
	return sum / wall
}

func TestRun(t *testing.T) {
	dir := t.TempDir()
	var out strings.Builder
	o := Options{Budget: 20 * time.Second, Results: dir, Experiments: "testdata/fine"}
	if err := Measure(t.Context(), &out, o); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	e := load(t, dir).Experiments[0]
	heats := distinct(e)
	for _, h := range e.Heats {
		if h.Layout != 1+(h.Number-1)%layouts {
			t.Errorf("heat %d, the %d. of its block, has layout %d", h.ID, h.Number, h.Layout)
		}
		if len(h.Windows) == 0 || h.Incomplete == "" && len(h.Laps) < e.Plan.Cells[0].Laps {
			t.Errorf("heat %d has %d windows and %d laps", h.ID, len(h.Windows), len(h.Laps))
		}
		if taken := ownShare(h) + foreignShare(h); taken > 1.1 {
			t.Errorf("heat %d: forks and others took %.2f of the CPUs together", h.ID, taken)
		}
		orders := map[int]bool{}
		for _, lap := range h.Laps {
			if len(lap.Turns) != len(h.Forks) {
				t.Errorf("heat %d, lap %d: %d turns of %d forks", h.ID, lap.N, len(lap.Turns), len(h.Forks))
			}
			orders[lap.Turns[0].Fork] = true
		}
		if len(orders) < 2 {
			t.Errorf("heat %d: one fork is always first", h.ID)
		}
	}
	for _, block := range e.Blocks() {
		if tier := e.Block(block)[0].Tier; heats[block] != e.Plan.Heats[tier] {
			t.Errorf("%s has %d heats, planned are %d", block, heats[block], e.Plan.Heats[tier])
		}
	}
	for _, f := range e.Forks {
		if f.State != bench.Complete {
			t.Errorf("fork %d of %s: %s %s", f.ID, f.Cell, f.State, f.Tail)
		}
		if f.Kept > 0 && (f.Cell.Mode() == bench.Sample) != (f.Hist != nil) {
			t.Errorf("fork %d of %s: histogram %v", f.ID, f.Cell, f.Hist)
		}
		if f.Kept > 0 && (f.Cell.Mode() == bench.Fixed) != (len(f.Heap) > 0) {
			t.Errorf("fork %d of %s: %d samples of the heap", f.ID, f.Cell, len(f.Heap))
		}
	}
	if !strings.Contains(out.String(), "left") {
		t.Errorf("no progress in the output:\n%s", &out)
	}
	if left, _ := filepath.Glob(filepath.Join(os.TempDir(), scratchPrefix+"*")); len(left) > 1 { // another test's runner may have one
		t.Errorf("left behind: %q", left)
	}
}

// What goes wrong in a fork costs the heat that fork.
func TestForksThatGoWrong(t *testing.T) {
	oldGrace := grace
	grace = 500 * time.Millisecond
	defer func() { grace = oldGrace }()
	dir := t.TempDir()
	var out strings.Builder
	err := Measure(t.Context(), &out, Options{Budget: 30 * time.Second, Results: dir, Experiments: "testdata/faults"})
	if err == nil || !strings.Contains(err.Error(), "gave no result") {
		t.Fatalf("want an error for forks without a result, not %v:\n%s", err, &out)
	}
	e := load(t, dir).Experiments[0]
	last := map[string]*results.Fork{}
	forks := map[string]int{}
	for _, f := range e.Forks {
		last[f.Cell.Impl()] = f
		forks[f.Cell.Impl()]++
	}
	if n := e.Plan.Heats[bench.Judged]; n <= hopeless || forks["well"] < n {
		t.Errorf("%d forks of the one that works in %d heats", forks["well"], n)
	}
	for impl, want := range map[string]struct {
		state bench.State
		tail  string
	}{
		"well":       {bench.Complete, ""},
		"panics":     {bench.Failed, "last words"},
		"exit0":      {bench.Failed, "ended without an answer"},
		"exit42":     {bench.Failed, "exit status 42"},
		"hangs":      {bench.TimedOut, "killed after"},
		"hangs_late": {bench.TimedOut, "killed after"},
		"dies_late":  {bench.Failed, "late"},
		"miscounts":  {bench.Failed, "counts"},
	} {
		f := last[impl]
		if f == nil || f.State != want.state || !strings.Contains(f.Tail, want.tail) {
			t.Errorf("%s: %+v, want %s and %q", impl, f, want.state, want.tail)
		}
		if impl != "well" && forks[impl] != hopeless {
			t.Errorf("%s: %d forks, want %d before it is given up", impl, forks[impl], hopeless)
		}
	}
}

// A run goes on only where everything that it depends on is as it was.
func TestResumeRefuses(t *testing.T) {
	p := prepare(t, "testdata/fine", 2)
	for what, change := range map[string]func(*results.Manifest){
		"":                       func(*results.Manifest) {},
		"budget":                 func(m *results.Manifest) { m.Budget = "1s" },
		"code under test":        func(m *results.Manifest) { m.Binaries[0].Value = strings.Repeat("0", 64) },
		"claims":                 func(m *results.Manifest) { m.Claims["steady"] = strings.Repeat("0", 64) },
		"CPU":                    func(m *results.Manifest) { m.Machine.CPU = "another" },
		"number of CPUs":         func(m *results.Manifest) { m.Machine.CPUs++ },
		"kernel or another fact": func(m *results.Manifest) { m.Machine.Facts[6].Value += "x" },
		"Go version":             func(m *results.Manifest) { m.Go[0].Value = "go1.0" },
		"gates":                  func(m *results.Manifest) { m.Gates.Foreign = 1 },
		"cells or heats":         func(m *results.Manifest) { m.Plan[0].Cells[0].Laps++ },
	} {
		now := clone(t, p.Plan)
		change(&now)
		if got := difference(p.Plan, now); !strings.HasPrefix(got, what) || (what == "") != (got == "") {
			t.Errorf("the difference is %q, want %q", got, what)
		}
	}
	now := clone(t, p.Plan)
	for i := range now.Machine.Facts {
		if now.Machine.Facts[i].Name == passing[0] {
			now.Machine.Facts[i].Value = "9.99"
		}
	}
	if got := difference(p.Plan, now); got != "" {
		t.Errorf("another load average keeps a run from going on: %q", got)
	}
}

func clone(t *testing.T, m results.Manifest) results.Manifest {
	t.Helper()
	data, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	var c results.Manifest
	if err := json.Unmarshal(data, &c); err != nil {
		t.Fatal(err)
	}
	return c
}

// The forks of a heat hold no more memory together than they may; one that does
// not fit beside the others is measured beside the baseline alone.
func TestMemory(t *testing.T) {
	p := prepare(t, "testdata/fine", 1)
	p.Plan.Plan[0].Heats = map[bench.Tier]int{bench.Judged: 0, bench.Peers: 1}
	p.Plan.Memory = 24 << 20 // about three of five forks
	ps := []Program{{Name: "steady", Dir: p.Dir, binaries: p.Binaries}}
	var out strings.Builder
	if err := conduct(t.Context(), &out, openDir(t, p.Results), ps, p.Plan, p.Scratch); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	e := load(t, p.Results).Experiments[0]
	seen := map[string]bool{}
	for _, h := range e.Heats {
		if len(h.Forks) == 5 {
			t.Errorf("heat %d holds all forks", h.ID)
		}
		for _, f := range h.Forks {
			seen[f.Cell.Impl()] = f.State == bench.Complete
		}
		if h.Part >= results.LeftPart && h.Fork("long") == nil {
			t.Errorf("heat %d has no baseline", h.ID)
		}
	}
	if len(e.Heats) < 2 || len(seen) != 5 {
		t.Errorf("%d heats measured %v", len(e.Heats), seen)
	}
}

// A fork's processes end with it, those that it started included.
func TestNothingIsLeftBehind(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no shell")
	}
	c := foreign("parent", "1", 1, "sh", "-c", "sleep 300 & echo ready held=1 most=1 pid=$! >&3; wait")
	f, err := startFork(t.Context(), Contestant{Cell: c, Dir: t.TempDir()}, t.TempDir())
	if err != nil || !f.alive() {
		t.Fatalf("%v %s", err, f.Tail)
	}
	child := f.ready.PIDs[0]
	f.kill()
	for range 100 {
		// One that nobody waits for stays in the table, dead.
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", child))
		if err != nil || strings.Contains(string(stat), ") Z ") || strings.Contains(string(stat), ") X ") {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Error("a process that the fork started lives on")
	syscall.Kill(child, syscall.SIGKILL)
}
