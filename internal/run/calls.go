package run

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"runtime"
	"syscall"
	"time"

	"hotpath/internal/bench"
)

// Call is a program that measures by itself, from its start to its end, for a
// fraction of a second.
type Call struct {
	Dir     string // that it runs in
	Command []string
}

// Calls holds a heat of programs that know nothing of turns: in each lap a fresh
// process of each runs to its end, in an order that is shuffled anew. It returns
// for each lap what the calls wrote to standard output, in the order of calls, and
// the gates that the heat did not meet: those of what was beside it, from its
// beginning to its end, and of the CPUs that the runner's own threads got before
// and after. The error is that of a call that failed or hung, or of the context.
func (c *Conductor) Calls(ctx context.Context, laps int, calls []Call) ([][]string, bench.GateSet, error) {
	before := c.prober.Probe()
	since := c.observer.Read()
	used := 0.0
	var all [][]string
	for range laps {
		lap := make([]string, len(calls))
		for _, i := range rand.Perm(len(calls)) {
			out, cpu, err := calls[i].run(ctx)
			if err != nil {
				return nil, 0, err
			}
			lap[i], used = out, used+cpu
		}
		all = append(all, lap)
	}
	noise := since.Until(c.observer.Read(), used)
	probes := []bench.Probe{before, c.prober.Probe()}
	return all, c.gates.Beside(noise) | c.gates.Turn(bench.TurnConditions{Probes: probes, CPUs: c.cpus}), nil
}

// run returns what the call wrote, and the CPU seconds that it used.
func (c Call) run(ctx context.Context) (string, float64, error) {
	runtime.LockOSThread() // where a thread dies, its children get the death signal
	defer runtime.UnlockOSThread()
	limited, cancel := context.WithTimeout(ctx, grace)
	defer cancel()
	cmd := exec.CommandContext(limited, c.Command[0], c.Command[1:]...)
	cmd.Dir = c.Dir
	var out output
	cmd.Stdout, cmd.Stderr = &out, errOutput{&out}
	ownGroup(cmd)
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	switch {
	case ctx.Err() != nil:
		return "", 0, ctx.Err()
	case limited.Err() != nil:
		return "", 0, fmt.Errorf("killed after %v", grace)
	case err != nil:
		return "", 0, fmt.Errorf("%w: %s", err, out.tail())
	}
	used := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	return out.stdout.String(), used.Seconds(), nil
}
