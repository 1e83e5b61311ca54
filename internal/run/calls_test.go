package run

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"hotpath/internal/bench"
)

func shell(script string) Call { return Call{Command: []string{"sh", "-c", script}} }

// Each lap calls all, in an order that changes, and keeps their outputs apart.
func TestCalls(t *testing.T) {
	dir := t.TempDir()
	c := newConductor(bench.DefaultThresholds, runtime.NumCPU(), 1<<40, dir)
	defer c.Close()
	var calls []Call
	for _, name := range []string{"a", "b", "c"} {
		calls = append(calls, Call{Dir: dir, Command: []string{"sh", "-c", "echo " + name + " >>order; echo " + name + "; echo noise >&2"}})
	}
	laps, _, err := c.Calls(t.Context(), 12, calls)
	if err != nil || len(laps) != 12 {
		t.Fatalf("%d laps, %v", len(laps), err)
	}
	for i, lap := range laps {
		if strings.Join(lap, "") != "a\nb\nc\n" {
			t.Errorf("lap %d: %q", i+1, lap)
		}
	}
	data, err := os.ReadFile(filepath.Join(dir, "order"))
	if err != nil {
		t.Fatal(err)
	}
	order := strings.ReplaceAll(string(data), "\n", "")
	seen := map[string]bool{}
	for i := 0; i+3 <= len(order); i += 3 {
		seen[order[i:i+3]] = true
		if lap := order[i : i+3]; !strings.Contains(lap, "a") || !strings.Contains(lap, "b") || !strings.Contains(lap, "c") {
			t.Errorf("a lap of %q", lap)
		}
	}
	if len(order) != 36 || len(seen) < 2 {
		t.Errorf("the order is %q", order)
	}
}

// What goes wrong in a call ends the heat.
func TestCallsThatGoWrong(t *testing.T) {
	oldGrace := grace
	grace = 500 * time.Millisecond
	defer func() { grace = oldGrace }()
	c := newConductor(bench.DefaultThresholds, runtime.NumCPU(), 1<<40, t.TempDir())
	defer c.Close()
	for script, want := range map[string]string{
		"echo last words >&2; exit 3": "exit status 3: last words",
		"sleep 300 & sleep 300":       "killed after 500ms",
	} {
		began := time.Now()
		if _, _, err := c.Calls(t.Context(), 1, []Call{shell("true"), shell(script)}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", script, err, want)
		}
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("%s: %v", script, took)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, _, err := c.Calls(ctx, 1, []Call{shell("sleep 300")}); err != context.DeadlineExceeded {
		t.Errorf("interrupted: %v", err)
	}
	if _, _, err := c.Calls(t.Context(), 1, []Call{{Command: []string{"/nonexistent"}}}); err == nil {
		t.Error("a program that is not there: no error")
	}
}
