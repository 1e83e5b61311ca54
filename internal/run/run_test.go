package run

import (
	"context"
	"encoding/json"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hotpath/internal/bench"
	"hotpath/internal/results"
)

// TestMain lets the test binary stand in for the command, so that it can be
// killed, and for a runner whose binaries have been built before.
func TestMain(m *testing.M) {
	switch os.Getenv("BENCHRUN_TEST") {
	case "main":
		main()
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
	cmd.Env = append(os.Environ(), "BENCHRUN_TEST="+role)
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
	names, err := results.List(root)
	if err != nil {
		t.Fatal(err)
	}
	if len(names) != 1 {
		t.Fatalf("runs %q, want one", names)
	}
	run, err := results.Load(root, names[0])
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func TestRun(t *testing.T) {
	dir := t.TempDir()
	var out strings.Builder
	if err := benchrun(t.Context(), &out, &out, []string{"-experiments", "testdata/fine", "-results", dir, "-budget", "8s"}); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	run := load(t, dir)
	e := run.Experiments[0]
	if rounds := e.Plan.Rounds; rounds[bench.Judged] < 3 || rounds[bench.Judged]%3 != 0 {
		t.Errorf("rounds %v, want multiples of the link layouts", rounds)
	}
	seen := map[[2]any]bool{}
	for _, f := range e.Forks {
		if f.State != bench.Complete {
			t.Errorf("fork %d of %s: %s %s", f.ID, f.Cell, f.State, f.Tail)
		}
		if f.Layout != 1+(f.Round-1)%layouts {
			t.Errorf("fork %d: layout %d in round %d", f.ID, f.Layout, f.Round)
		}
		seen[[2]any{f.Cell, f.Round}] = true
		if sampled := strings.Contains(f.Cell, "mode=sample"); sampled != (f.Hist != nil) {
			t.Errorf("fork %d of %s: histogram %v", f.ID, f.Cell, f.Hist)
		}
		if fixed := strings.Contains(f.Cell, "mode=fixed"); fixed != (len(f.Heap) > 0) {
			t.Errorf("fork %d of %s: heap over time %v", f.ID, f.Cell, f.Heap)
		}
	}
	last := max(e.Plan.Rounds[bench.Judged], e.Plan.Rounds[bench.Peers])
	for _, c := range e.Plan.Cells {
		n := 0
		for round := 1; round <= last; round++ {
			if seen[[2]any{c.Key(), round}] {
				n++
			}
		}
		if n != e.Plan.Rounds[c.Tier] {
			t.Errorf("%s ran in %d rounds, want %d", c.Key(), n, e.Plan.Rounds[c.Tier])
		}
	}
	if !strings.Contains(out.String(), "left") {
		t.Errorf("no progress in the output:\n%s", &out)
	}
}

func TestForksThatGoWrong(t *testing.T) {
	old := grace
	grace = 500 * time.Millisecond
	defer func() { grace = old }()
	dir := t.TempDir()
	var out strings.Builder
	err := benchrun(t.Context(), &out, io.Discard, []string{"-experiments", "testdata/faults", "-results", dir, "-budget", "8s"})
	if err == nil {
		t.Errorf("no error for forks without a result:\n%s", &out)
	}
	ends := map[string]bench.State{}
	tails := map[string]string{}
	firsts := map[string]int{}
	e := load(t, dir).Experiments[0]
	for _, f := range e.Forks {
		impl := bench.Cell{Name: f.Cell}.Impl()
		ends[impl], tails[impl] = f.State, f.Tail
		if f.Attempt == 1 {
			firsts[impl]++
		}
	}
	if rounds := e.Plan.Rounds[bench.Judged]; rounds <= hopeless || firsts["well"] != rounds {
		t.Errorf("%d forks of the one that works in %d rounds", firsts["well"], rounds)
	}
	for impl, want := range map[string]struct {
		state bench.State
		tail  string
	}{
		"well":   {bench.Complete, ""},
		"panics": {bench.Failed, "last words"},
		"exit0":  {bench.Failed, "no result line"},
		"exit42": {bench.Failed, "exit status 42"},
		"hangs":  {bench.TimedOut, "killed after"},
	} {
		if ends[impl] != want.state || !strings.Contains(tails[impl], want.tail) {
			t.Errorf("%s: %s with tail %q, want %s and %q", impl, ends[impl], tails[impl], want.state, want.tail)
		}
		if impl != "well" && firsts[impl] != hopeless {
			t.Errorf("%s: %d forks, want %d before it is given up", impl, firsts[impl], hopeless)
		}
	}
	if !strings.Contains(out.String(), "last words") {
		t.Errorf("the output does not show how a fork ended:\n%s", &out)
	}
}

// prepared is what conductPrepared needs, passed in a file.
type prepared struct {
	Results, Scratch string
	Dir              string
	Binaries         []string
	Plan             results.Manifest
}

// conductPrepared is a benchrun without the building.
func conductPrepared() {
	var p prepared
	data, err := os.ReadFile(os.Args[1])
	if err == nil {
		err = json.Unmarshal(data, &p)
	}
	if err != nil {
		panic(err)
	}
	root, err := os.OpenRoot(p.Results)
	if err != nil {
		panic(err)
	}
	es := []experiment{{name: "steady", dir: p.Dir, binaries: p.Binaries}}
	if err := conduct(context.Background(), os.Stdout, root, es, p.Plan, p.Scratch); err != nil {
		panic(err)
	}
}

// TestKill kills the runner at random moments until the run is whole.
func TestKill(t *testing.T) {
	const kills = 50
	scratch := t.TempDir()
	es, err := find("testdata/fine", "")
	if err != nil {
		t.Fatal(err)
	}
	e := &es[0]
	if err := e.build(t.Context(), scratch, layouts); err != nil {
		t.Fatal(err)
	}
	if err := e.ask(t.Context()); err != nil {
		t.Fatal(err)
	}
	m, err := plan(es, options{budget: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	m.Plan[0].Rounds = map[bench.Tier]int{bench.Judged: 12, bench.Peers: 12}
	dir := filepath.Join(scratch, "results")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(prepared{dir, scratch, e.dir, e.binaries, m})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(scratch, "prepared.json")
	if err := os.WriteFile(file, data, 0o666); err != nil {
		t.Fatal(err)
	}

	killed := 0
	for finished := false; !finished; {
		cmd := command(t, "conduct", file)
		var out strings.Builder
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if killed < kills {
			timer := time.AfterFunc(time.Duration(rand.Int64N(int64(400*time.Millisecond))), func() { cmd.Process.Kill() })
			defer timer.Stop()
		}
		switch err := cmd.Wait(); {
		case err == nil:
			finished = true
		case cmd.ProcessState.ExitCode() == -1:
			killed++
		default:
			t.Fatalf("after %d kills: %v\n%s", killed, err, &out)
		}
	}
	t.Logf("%d kills", killed)
	if killed < kills {
		t.Errorf("the run was finished after %d kills, want %d: give it more rounds", killed, kills)
	}
	forks := map[string]int{}
	for _, f := range load(t, dir).Experiments[0].Forks {
		if f.State != bench.Complete {
			t.Errorf("fork %d: %s: %s", f.ID, f.State, f.Tail)
		}
		if f.Attempt == 1 {
			forks[f.Cell]++
		}
	}
	for _, c := range e.plan.Cells {
		if forks[c.Key()] != 12 {
			t.Errorf("%s has %d forks, want 12", c.Key(), forks[c.Key()])
		}
	}
}

func TestInterrupt(t *testing.T) {
	dir := t.TempDir()
	run := func(interrupt bool) (int, string) {
		cmd := command(t, "main", "-experiments", "testdata/fine", "-results", dir, "-budget", "6s")
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		cmd.Stderr = cmd.Stdout
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		var all strings.Builder
		buf := make([]byte, 4096)
		for {
			n, err := out.Read(buf)
			all.Write(buf[:n])
			if err != nil {
				break
			}
			if interrupt && strings.Contains(all.String(), "round 1 done") {
				cmd.Process.Signal(os.Interrupt)
				interrupt = false
			}
		}
		cmd.Wait()
		return cmd.ProcessState.ExitCode(), all.String()
	}
	if code, out := run(true); code != 130 || !strings.Contains(out, "interrupted") {
		t.Fatalf("exit code %d after an interrupt, want 130:\n%s", code, out)
	}
	code, out := run(false)
	if code != 0 || !strings.Contains(out, "going on after") {
		t.Fatalf("exit code %d on going on:\n%s", code, out)
	}
	load(t, dir)
}

func TestSchedule(t *testing.T) {
	var cells []bench.Cell
	for _, name := range []string{"BenchmarkA/impl=x/mode=sample", "BenchmarkA/impl=y/mode=sample", "BenchmarkA/impl=z/mode=sample"} {
		cells = append(cells, bench.Cell{Name: name, Reading: bench.One, Seconds: 1, Tier: bench.Judged, Block: results.BlockOf(name, bench.One)})
	}
	plans := []results.Plan{{Experiment: "e", Cells: cells}}
	for _, tt := range []struct {
		budget time.Duration
		want   int
	}{
		{14 * time.Second, 0}, {15 * time.Second, 3}, {29 * time.Second, 6}, {57 * time.Second, 12}, {99 * time.Second, 21},
	} {
		err := allot(plans, tt.budget)
		if (err != nil) != (tt.want == 0) || err == nil && plans[0].Rounds[bench.Judged] != tt.want {
			t.Errorf("a budget of %v buys %v rounds (%v), want %d", tt.budget, plans[0].Rounds, err, tt.want)
		}
	}
	orders := map[string]int{}
	for _, turn := range schedule(plans, layouts, 1) {
		order := ""
		for _, c := range turn.cells {
			order += c.Impl()
		}
		orders[order]++
	}
	if len(orders) != 6 {
		t.Errorf("21 rounds used the orders %v, want all six", orders)
	}
}

// The rounds of a tier are as many as planned, in even distances, and as many
// of each link layout.
func TestSpread(t *testing.T) {
	for last := 1; last <= 60; last++ {
		for n := 1; n <= last; n++ {
			rounds := spread(n, last)
			byLayout := map[int]int{}
			previous := 1
			for round := 1; round <= last; round++ {
				if !rounds[round] {
					continue
				}
				byLayout[round%layouts]++
				// A round moves by less than the number of layouts to find its own.
				if most := last/n + 1 + layouts; round-previous > most {
					t.Errorf("%d of %d rounds: %d follows %d", n, last, round, previous)
				}
				previous = round
			}
			if most := last/n + 1 + layouts; last-previous > most {
				t.Errorf("%d of %d rounds: the last is %d", n, last, previous)
			}
			if len(rounds) != n {
				t.Errorf("%d of %d rounds: chose %d", n, last, len(rounds))
			}
			for _, k := range byLayout {
				if n%layouts == 0 && k != n/layouts {
					t.Errorf("%d of %d rounds: by layout %v", n, last, byLayout)
				}
			}
			for round := range rounds {
				if round < 1 || round > last {
					t.Errorf("%d of %d rounds: round %d", n, last, round)
				}
			}
		}
	}
}
