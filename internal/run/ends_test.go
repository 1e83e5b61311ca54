package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"hotpath/internal/bench"
)

// soon fails the test where something takes longer than a busy machine could explain.
func soon(t *testing.T, what string, do func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { do(); close(done) }()
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		t.Fatalf("after 20 s: %s", what)
	}
}

// lives reports whether a process has not ended. One that nobody waits for stays in
// the table, dead.
func lives(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && !strings.Contains(string(stat), ") Z ") && !strings.Contains(string(stat), ") X ")
}

// started is a fork of a shell script that says it is ready and names a process that it
// has put into the background.
func started(t *testing.T, script string) *fork {
	t.Helper()
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip(err)
	}
	c := foreign("script", bench.Throughput, 1, "sh", "-c", script+"\nwhile read x; do :; done")
	f, err := startFork(t.Context(), Contestant{Cell: c, Dir: t.TempDir()}, t.TempDir())
	if err != nil || !f.alive() {
		t.Fatalf("%v %s", err, f.Tail)
	}
	t.Cleanup(func() { syscall.Kill(f.ready.PIDs[0], syscall.SIGKILL) })
	return f
}

// A fork's children end with it, also those that nothing but a kill ends.
func TestKillTakesTheGroup(t *testing.T) {
	f := started(t, "trap '' HUP TERM; sleep 60 & echo ready held=1 most=1 pid=$! >&3")
	soon(t, "not killed", f.kill)
	soon(t, "a child lives on", func() {
		for lives(f.ready.PIDs[0]) {
			time.Sleep(time.Millisecond)
		}
	})
}

// A child that has left the group and keeps the output open holds nobody up.
func TestOutputKeptOpen(t *testing.T) {
	f := started(t, "setsid sh -c 'echo ready held=1 most=1 pid=$$ >&3; exec sleep 60' &")
	soon(t, "the runner waits for a child of the fork", f.kill)
	if !lives(f.ready.PIDs[0]) {
		t.Error("the child has ended, and nothing was shown")
	}
}

// A process of a fork that is not stopped between turns is seen.
func TestBusyWhileParked(t *testing.T) {
	burner := foreign("burner", bench.Throughput, 1, "sh", "-c",
		`P=$$ setsid sh -c 'echo ready held=1 most=1 pid=$$ >&3; while kill -0 $P; do :; done' &
		while read verb rest; do case $verb in turn) sleep 0.03; echo "turned ops=100 wall-ns=20000000 cpu-ns=100 workers=1" >&3;; end) kill -9 $!; exit;; esac; done`)
	_, rec := heatOf(t, nil, burner, quiet())
	if len(rec.Laps) < 12 {
		t.Fatalf("%d laps: %q", len(rec.Laps), rec.Forks[0].Fork.Tail)
	}
	seen := 0
	for _, lap := range rec.Laps {
		for _, turn := range lap.Turns {
			if turn.Unmet.Has(bench.GateParked) {
				seen++
			}
		}
	}
	if seen == 0 {
		t.Errorf("no turn was gated for it; windows %+v", rec.Heat.Windows)
	}
}

// quiet is a contestant that does nothing.
func quiet() bench.Cell {
	return foreign("quiet", bench.Throughput, 1, "sh", "-c",
		`echo ready held=1 most=1 >&3; while read verb rest; do case $verb in turn) sleep 0.03; echo "turned ops=100 wall-ns=20000000 cpu-ns=100 workers=1" >&3;; end) exit;; esac; done`)
}

// Between its turns a fork is stopped.
func TestStopped(t *testing.T) {
	f, err := startFork(t.Context(), Contestant{Cell: quiet(), Dir: t.TempDir()}, t.TempDir())
	if err != nil || !f.alive() {
		t.Fatalf("%v %s", err, f.Tail)
	}
	defer f.kill()
	for range 2 {
		soon(t, "not stopped", func() {
			for {
				stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", f.cmd.Process.Pid))
				if err != nil || strings.Contains(string(stat), ") T ") {
					return
				}
				time.Sleep(time.Millisecond)
			}
		})
		if _, _, err := f.turn(t.Context(), 2); err != nil || !f.alive() {
			t.Fatalf("%v %s", err, f.Tail)
		}
	}
}

// What a fork tells is compared with the clock, turn by turn.
func TestTurnLongerThanItTook(t *testing.T) {
	liar := foreign("liar", bench.Throughput, 1, "sh", "-c",
		`echo ready held=1 most=1 >&3; while read verb rest; do case $verb in turn) sleep 0.03; echo "turned ops=100 wall-ns=900000000 cpu-ns=100 workers=1" >&3;; end) exit;; esac; done`)
	_, rec := heatOf(t, nil, liar)
	if f := rec.Forks[0].Fork; f.State != bench.Failed || !strings.Contains(f.Tail, "between order and answer") {
		t.Errorf("%s: %q", f.State, f.Tail)
	}
}

// Each lap has what the probes around it found.
func TestProbesArePassedOn(t *testing.T) {
	_, rec := heatOf(t, nil, quiet())
	for i, lap := range rec.Laps {
		for _, p := range []bench.Probe{lap.Before, lap.After} {
			if p.HandOff == 0 || p.Got == 0 {
				t.Errorf("lap %d: probes %+v and %+v", lap.N, lap.Before, lap.After)
			}
		}
		if i > 0 && lap.Before != rec.Laps[i-1].After && lap.N == rec.Laps[i-1].N+1 {
			t.Errorf("lap %d begins with %+v, and the one before ended with %+v", lap.N, lap.Before, rec.Laps[i-1].After)
		}
	}
}

// Forks end with a runner that is killed.
func TestRunnerIsKilled(t *testing.T) {
	p := prepare(t, "testdata/fine", 12)
	data, err := json.Marshal(p)
	file := filepath.Join(p.Scratch, "prepared.json")
	if err = errors.Join(err, os.Mkdir(p.Results, 0o777), os.WriteFile(file, data, 0o666)); err != nil {
		t.Fatal(err)
	}
	forks := func() (pids []string) {
		all, _ := filepath.Glob("/proc/[0-9]*/cmdline")
		for _, name := range all {
			line, _ := os.ReadFile(name)
			if pid := filepath.Base(filepath.Dir(name)); strings.HasPrefix(string(line), p.Binaries[0]+"\x00") {
				pids = append(pids, pid)
			}
		}
		return pids
	}
	cmd := command(t, "conduct", file)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	soon(t, "no heat begins", func() {
		for len(forks()) < 2 {
			time.Sleep(time.Millisecond)
		}
	})
	cmd.Process.Kill()
	cmd.Wait()
	soon(t, "forks live on", func() {
		for len(forks()) > 0 {
			time.Sleep(time.Millisecond)
		}
	})
}

// An interrupt ends the building, and the asking of a binary that does not answer.
func TestInterruptedEarly(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(300*time.Millisecond, cancel)
	dir := t.TempDir()
	silent := filepath.Join(dir, "silent")
	if err := os.WriteFile(silent, []byte("#!/bin/sh\nsleep 60 &\nwait\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	soon(t, "still asking", func() {
		if err := (&Program{Name: "silent", Dir: dir}).Ask(ctx, silent); err == nil {
			t.Error("a binary that says nothing has told its plan")
		}
	})
	t.Setenv("GOCACHE", filepath.Join(dir, "cache")) // so that there is much to build
	ctx, cancel = context.WithCancel(t.Context())
	time.AfterFunc(300*time.Millisecond, cancel)
	soon(t, "still building", func() {
		if _, err := (&Program{Name: "steady", Dir: "testdata/fine/steady"}).Build(ctx, dir, 1); !errors.Is(err, context.Canceled) {
			t.Errorf("building ended with %v", err)
		}
	})
}

// What a killed process has left behind goes at the next start, and what one that
// lives has, stays.
func TestScratch(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	ended := exec.Command("true")
	if err := ended.Run(); err != nil {
		t.Skip(err)
	}
	left := filepath.Join(tmp, fmt.Sprintf("%s%d-7", scratchPrefix, ended.Process.Pid))
	ours := filepath.Join(tmp, fmt.Sprintf("%s%d-7", scratchPrefix, os.Getpid()))
	theirs := filepath.Join(tmp, scratchPrefix+"thesis")
	for _, dir := range []string{left, ours, theirs} {
		if err := os.MkdirAll(filepath.Join(dir, "binaries"), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := NewScratch(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(left); err == nil {
		t.Error("what a process has left that is gone is still there")
	}
	for _, dir := range []string{ours, theirs} {
		if _, err := os.Stat(dir); err != nil {
			t.Error(err)
		}
	}
}

// Folders that are not understood are told of and left alone, and stop nothing.
func TestOddFolders(t *testing.T) {
	dir := t.TempDir()
	root := openDir(t, dir)
	odd := filepath.Join(dir, "foreign", ".partial")
	if err := errors.Join(os.MkdirAll(odd, 0o777), os.WriteFile(filepath.Join(odd, "thesis.tex"), []byte("x"), 0o666)); err != nil {
		t.Fatal(err)
	}
	m := prepare(t, "testdata/fine", 1).Plan
	var out strings.Builder
	p, err := begin(&out, root, m)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if !strings.Contains(out.String(), "left alone: results/foreign ") {
		t.Errorf("nothing is told of a folder that is not understood: %q", &out)
	}
	if _, err := os.Stat(filepath.Join(odd, "thesis.tex")); err != nil {
		t.Error(err)
	}
}

// Claims are looked at before anything is measured.
func TestChecksComeFirst(t *testing.T) {
	dir := t.TempDir()
	no := errors.New("no")
	check := func(string, []bench.Cell) error { return no }
	var out strings.Builder
	err := Measure(t.Context(), &out, Options{Budget: time.Minute, Results: dir, Experiments: "testdata/fine", Check: check})
	if !errors.Is(err, no) {
		t.Errorf("measured all the same: %v", err)
	}
	if found, _ := filepath.Glob(filepath.Join(dir, "*")); len(found) > 0 {
		t.Errorf("a run was begun: %q", found)
	}
}
