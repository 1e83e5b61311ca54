package run

import (
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"hotpath/internal/bench"
	"hotpath/internal/results"
)

// foreign is a cell whose contestant is a command of its own.
func foreign(impl string, mode bench.Mode, n int, command ...string) bench.Cell {
	c := bench.Cell{
		Name: bench.NewName("BenchmarkAdd", bench.Param{Key: "impl", Value: impl},
			bench.Param{Key: "mode", Value: string(mode)}, bench.Param{Key: "threads", Value: strconv.Itoa(n)}),
		Reading: bench.NumCPU, Threads: n, Role: bench.Ours, Tier: bench.Peers, Command: command,
		Turn: bench.TurnLength{Millis: 20, LeadIn: 5}, Laps: 12,
	}
	c.Block = c.ID().Block()
	return c
}

// heatOf holds a heat of cells whose contestants are commands, with more in their
// environment than the runner has.
func heatOf(t *testing.T, env []string, cells ...bench.Cell) (*heat, results.Record) {
	t.Helper()
	c := newConductor(bench.DefaultThresholds, runtime.NumCPU(), 1<<40, t.TempDir())
	defer c.Close()
	h := &heat{Conductor: c}
	for _, cell := range cells {
		h.contestants = append(h.contestants, Contestant{Cell: cell, Dir: "testdata/lines", Env: env})
	}
	if err := h.gather(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	if err := h.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	rec, err := h.end(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return h, rec
}

// A contestant in any language takes part, as long as it speaks the lines.
func TestOtherLanguages(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the contestant in awk reads /proc")
	}
	var cells []bench.Cell
	if _, err := exec.LookPath("awk"); err == nil {
		cells = append(cells, foreign("awk", bench.Throughput, 1, "awk", "-f", "contestant.awk"))
	}
	if _, err := exec.LookPath("cc"); err == nil {
		binary := filepath.Join(t.TempDir(), "contestant")
		if out, err := exec.Command("cc", "-O2", "-pthread", "-o", binary, "testdata/lines/contestant.c").CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		cells = append(cells, foreign("c", bench.Throughput, 32, binary))
	}
	if len(cells) == 0 {
		t.Skip("neither awk nor a C compiler is here")
	}
	_, rec := heatOf(t, nil, cells...)
	for _, f := range rec.Forks {
		if f.Fork.State != bench.Complete {
			t.Errorf("%s: %s: %s", f.Fork.Cell, f.Fork.State, f.Fork.Tail)
			continue
		}
		if n := f.Fork.Kept + f.Fork.Gated; n < 12 {
			t.Errorf("%s: %d turns, want 12", f.Fork.Cell, n)
		}
		if want := f.Fork.Kept >= cells[0].Turn.LeastTurns(); f.Fork.Enough != want {
			t.Errorf("%s: enough is %v with %d turns kept", f.Fork.Cell, f.Fork.Enough, f.Fork.Kept)
		}
	}
	for _, lap := range rec.Laps {
		for _, turn := range lap.Turns {
			if turn.Wall < 18e6 || turn.Ops < 1000 {
				t.Errorf("lap %d: a turn of %d ns with %d operations", lap.N, turn.Wall, turn.Ops)
			}
		}
	}
}

// A contestant that answers what cannot be is ended, and the others go on.
func TestLies(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no shell")
	}
	// Each answers every order with the same words.
	liar := func(impl, answer string) bench.Cell {
		return foreign(impl, bench.Throughput, 1, "sh", "-c",
			`echo ready held=1 most=1 >&3; while read verb rest; do [ $verb = turn ] && { sleep 0.03; echo "`+answer+`" >&3; }; done`)
	}
	for impl, lie := range map[string]struct{ answer, want string }{
		"longer_than_it_took": {"turned ops=100 wall-ns=900000000 cpu-ns=100 workers=1", "between order and answer"},
		"shorter_than_told":   {"turned ops=100 wall-ns=1000000 cpu-ns=100 workers=1", "ordered were"},
		"no_operation":        {"turned ops=0 wall-ns=20000000 cpu-ns=100 workers=1", "0 operations"},
		"more_cpu_than_used":  {"turned ops=100 wall-ns=20000000 cpu-ns=19000000 workers=1", "of CPU time told"},
		"no_number":           {"turned ops=many wall-ns=20000000", "key=number"},
		"negative":            {"turned ops=100 wall-ns=-1", "key=number"},
		"another_line":        {"hello", "want turned"},
		"too_long":            {"turned " + strings.Repeat("x", 5000), "without an answer"},
	} {
		_, rec := heatOf(t, nil, liar(impl, lie.answer))
		if f := rec.Forks[0].Fork; f.State == bench.Complete || !strings.Contains(f.Tail, lie.want) {
			t.Errorf("%s: %s, %q, want %q", impl, f.State, f.Tail, lie.want)
		}
	}
}

// Work that takes a CPU away spoils the turns beside it, and so do gates that
// cannot be seen.
func TestGatesFire(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs /proc")
	}
	p := prepare(t, "testdata/fine", 1)
	c := newConductor(p.Plan.Gates, p.Plan.Machine.CPUs, 1<<40, p.Scratch)
	defer c.Close()
	h := &heat{Conductor: c}
	for _, cell := range p.Plan.Plan[0].Cells {
		if cell.Mode() == bench.Throughput {
			cell.Laps = 100
			h.contestants = append(h.contestants, Contestant{Cell: cell, Dir: p.Dir, Binary: p.Binaries[0]})
		}
	}
	burner := exec.Command("sh", "-c", "while :; do :; done")
	if err := burner.Start(); err != nil {
		t.Skip(err)
	}
	defer func() { burner.Process.Kill(); burner.Wait() }()
	defer h.disperse()
	if err := h.gather(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	if err := h.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	met := map[bench.Gate]int{}
	kept, turns := 0, 0
	for _, lap := range h.laps {
		for _, turn := range lap.Turns {
			turns++
			for _, g := range bench.Gates() {
				if turn.Unmet.Has(g) {
					met[g]++
				}
			}
			if turn.Kept() {
				kept++
			}
		}
	}
	if met[bench.GateForeign] == 0 || met[bench.GateParallelism] == 0 || kept > turns/10 {
		t.Errorf("beside a burner %d of %d turns were kept, and gates were not met so often: %v", kept, turns, met)
	}
	if n := len(h.laps); n != 150 {
		t.Errorf("%d laps, want the 100 planned and half as many again", n)
	}
	rec, err := h.end(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range rec.Forks {
		if f.Fork.Enough && f.Fork.Kept < 8 || f.Result != "" != (f.Fork.Kept > 0) || f.GatedResult == "" {
			t.Errorf("%s kept %d turns, counts: %v, results %q and %q", f.Fork.Cell, f.Fork.Kept, f.Fork.Enough, f.Result, f.GatedResult)
		}
	}
}
