// Package jvmtest holds contestants in Java to what those in Go are held to.
package jvmtest

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"hotpath/internal/bench"
	"hotpath/internal/jvm"
)

// soak is the environment variable that asks for more updates than a test run
// makes.
const soak = "HOTPATH_SOAK"

// Compile compiles the contestants of all experiments below a folder. It skips the
// test where the machine lacks something.
func Compile(t *testing.T, experiments string) jvm.Kit {
	t.Helper()
	sources, err := jvm.Sources(experiments)
	if err != nil {
		t.Fatal(err)
	}
	kit, err := jvm.Compile(t.Context(), t.TempDir(), sources)
	if errors.Is(err, jvm.ErrMissing) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return kit
}

// Run runs a command of contestants, and returns what it prints.
func Run(t *testing.T, kit jvm.Kit, command []string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
	cmd.Env = append(os.Environ(), kit.Env...)
	var errOut bytes.Buffer
	cmd.Stderr = &errOut
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, &errOut)
	}
	return string(out)
}

// TestExact has a contestant make a million updates in turns, or as many as
// HOTPATH_SOAK says, of so many in an operation. At the end the fork compares the
// contestant's own count with that of its workers, so it must end well; and its
// result must be that of the turns that were kept.
func TestExact(t *testing.T, kit jvm.Kit, command []string, updates int64) {
	f := start(t, kit, command)
	if _, err := bench.ParseReady(f.hear()); err != nil {
		t.Fatal(err)
	}
	want := int64(1_000_000)
	if env := os.Getenv(soak); env != "" {
		var err error
		if want, err = strconv.ParseInt(env, 10, 64); err != nil {
			t.Fatalf("%s: %v", soak, err)
		}
	}
	var made, kept int64
	for keep := true; made < want; keep = !keep {
		f.tell("turn ns=%d lead-ns=%d", (100 * time.Millisecond).Nanoseconds(), (10 * time.Millisecond).Nanoseconds())
		a, err := bench.ParseAnswer(f.hear())
		if err != nil {
			t.Fatal(err)
		}
		made += a.All * updates
		if keep {
			kept += a.Ops
			f.tell(bench.VerbKeep)
		} else {
			f.tell(bench.VerbDrop)
		}
	}
	f.tell(bench.VerbEnd)
	if err := f.cmd.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, &f.errOut)
	}
	checkOutput(t, f.out.String(), command[len(command)-1], kept)
}

// checkOutput looks for the result line, and holds the units to those of Go.
func checkOutput(t *testing.T, out, name string, ops int64) {
	t.Helper()
	var units bytes.Buffer
	if err := bench.WriteUnits(&units); err != nil {
		t.Fatal(err)
	}
	result := ""
	for line := range strings.Lines(out) {
		switch {
		case strings.HasPrefix(line, "Unit ") && !strings.Contains(units.String(), line):
			t.Errorf("%q is declared otherwise in Go", line)
		case strings.HasPrefix(line, name):
			result += line
		}
	}
	if want := fmt.Sprintf("\t%d %s\t", ops, bench.Operations); strings.Count(result, "\n") != 1 || !strings.Contains(result, want) {
		t.Errorf("result %q, want %d operations in it", result, ops)
	}
}

// fork is a contestant's process.
type fork struct {
	t           *testing.T
	cmd         *exec.Cmd
	orders      *os.File
	answers     *bufio.Scanner
	out, errOut bytes.Buffer
}

func start(t *testing.T, kit jvm.Kit, command []string) *fork {
	t.Helper()
	f := &fork{t: t, cmd: exec.CommandContext(t.Context(), command[0], command[1:]...)}
	in, orders, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	answers, told, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { orders.Close(); answers.Close() })
	f.orders, f.answers = orders, bench.NewLines(answers)
	f.cmd.Env = append(append(os.Environ(), bench.EnvTurns+"=3"), kit.Env...)
	f.cmd.Stdin, f.cmd.Stdout, f.cmd.Stderr = in, &f.out, &f.errOut
	f.cmd.ExtraFiles = []*os.File{told}
	err = f.cmd.Start()
	in.Close()
	told.Close()
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func (f *fork) hear() string {
	f.t.Helper()
	if !f.answers.Scan() {
		err := f.cmd.Wait()
		f.t.Fatalf("no answer: %v\n%s", err, &f.errOut)
	}
	return f.answers.Text()
}

func (f *fork) tell(format string, args ...any) {
	f.t.Helper()
	if _, err := fmt.Fprintf(f.orders, format+"\n", args...); err != nil {
		f.t.Fatal(err)
	}
}
