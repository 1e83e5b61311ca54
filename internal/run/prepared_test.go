package run

import (
	"bytes"
	"context"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hotpath/internal/bench"
	"hotpath/internal/results"
)

// prepared is what conductPrepared needs, passed in a file.
type prepared struct {
	Results, Scratch string
	Dir              string
	Binaries         []string
	Plan             results.Manifest
}

// conductPrepared is a runner without the building.
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
	ps := []Program{{Name: p.Plan.Plan[0].Experiment, Dir: p.Dir, binaries: p.Binaries}}
	if err := conduct(context.Background(), os.Stdout, root, ps, p.Plan, p.Scratch); err != nil {
		os.Stderr.WriteString(err.Error() + "\n")
		os.Exit(1)
	}
}

// prepare builds an experiment and plans so many heats of it.
func prepare(t *testing.T, dir string, heats int) prepared {
	t.Helper()
	scratch := t.TempDir()
	ps, err := Find(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	p := &ps[0]
	if err := p.build(t.Context(), scratch, 2); err != nil {
		t.Fatal(err)
	}
	if err := p.Ask(t.Context(), p.binaries[0]); err != nil {
		t.Fatal(err)
	}
	m, err := plan(ps, Options{Budget: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	m.Plan[0].Heats = map[bench.Tier]int{bench.Judged: heats, bench.Peers: heats}
	return prepared{filepath.Join(scratch, "results"), scratch, p.Dir, p.binaries, m}
}

// TestKill kills the runner at random moments until the run is whole.
func TestKill(t *testing.T) {
	const kills = 50
	p := prepare(t, "testdata/fine", 12)
	if err := os.Mkdir(p.Results, 0o777); err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(p.Scratch, "prepared.json")
	if err := os.WriteFile(file, data, 0o666); err != nil {
		t.Fatal(err)
	}
	killed := 0
	for finished := false; !finished; {
		cmd := command(t, "conduct", file)
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if killed < kills {
			timer := time.AfterFunc(time.Duration(rand.Int64N(int64(900*time.Millisecond))), func() { cmd.Process.Kill() })
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
		t.Errorf("the run was finished after %d kills, want %d: give it more heats", killed, kills)
	}
	e := load(t, p.Results).Experiments[0]
	heats := distinct(e)
	for _, block := range e.Blocks() {
		if heats[block] != 12 {
			t.Errorf("%s has %d heats, want 12", block, heats[block])
		}
	}
}

// An interrupted run says so, leaves no process, and the same command goes on.
func TestInterrupt(t *testing.T) {
	p := prepare(t, "testdata/fine", 4)
	root := openDir(t, p.Results)
	ps := []Program{{Name: "steady", Dir: p.Dir, binaries: p.Binaries}}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(1500*time.Millisecond, cancel)
	var out strings.Builder
	if err := conduct(ctx, &out, root, ps, p.Plan, p.Scratch); err == nil || ctx.Err() == nil {
		t.Fatalf("not interrupted: %v\n%s", err, &out)
	}
	out.Reset()
	if err := conduct(t.Context(), &out, openDir(t, p.Results), ps, p.Plan, p.Scratch); err != nil || !strings.Contains(out.String(), "going on after") {
		t.Fatalf("going on: %v\n%s", err, &out)
	}
	load(t, p.Results)
}

func openDir(t *testing.T, dir string) *os.Root {
	t.Helper()
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return root
}
