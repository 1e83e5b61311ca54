package run

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"hotpath/internal/bench"
	"hotpath/internal/host"
	"hotpath/internal/results"
)

// grace is what a fork may take beyond what it is expected to. The testing
// package's own -timeout does not bound benchmarks.
var grace = 15 * time.Second

// outputLimit bounds what is kept of a fork's output.
const outputLimit = 1 << 20

// runFork measures a cell once in a fresh process. The error is not nil only
// when the runner itself cannot go on, or was interrupted: a fork that fails
// is a result.
func runFork(ctx context.Context, e *experiment, layout int, c bench.Cell, scratch string) (results.Record, error) {
	hlog, heap := filepath.Join(scratch, "fork.hlog"), filepath.Join(scratch, "fork.heap.csv")
	if err := errors.Join(os.RemoveAll(hlog), os.RemoveAll(heap)); err != nil {
		return results.Record{}, err
	}
	cmd := exec.Command(e.binaries[layout-1],
		"-test.run=^$", "-test.bench="+pattern(c.Name), fmt.Sprintf("-test.benchtime=%gs", c.Seconds))
	cmd.Dir = e.dir
	cmd.Env = environment(c, hlog, heap)
	var out output
	cmd.Stdout, cmd.Stderr = &out, errOutput{&out}
	ownGroup(cmd)

	calibration := host.Calibrate()
	observer := host.Observe()
	start := time.Now()
	// Where a thread dies, its children get the death signal: the runner must
	// not lose this thread before the fork has ended.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := cmd.Start(); err != nil {
		return results.Record{}, err
	}
	limit := cost(c)*4 + grace
	deadline, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	stop := context.AfterFunc(deadline, func() { syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
	err := cmd.Wait()
	stop()
	if ctx.Err() != nil {
		return results.Record{}, ctx.Err()
	}
	r := results.Record{Experiment: e.name, Fork: results.Fork{
		Cell: c.ID(), Layout: layout, Start: start.UTC(), State: bench.Complete,
		CPU: usage(cmd.ProcessState, time.Since(start)),
	}}
	f := &r.Fork
	f.Noise = observer.End(f.CPU.User + f.CPU.System)
	f.Noise.Calibration = calibration
	if deadline.Err() != nil {
		f.State, f.Tail = bench.TimedOut, fmt.Sprintf("killed after %v\n%s", limit, out.tail(20))
		return r, nil
	}
	var problem error
	if r.Config, r.Units, r.Result, problem = results.OneResult(out.stdout.String(), c.Name); problem == nil {
		if log, readErr := os.ReadFile(hlog); readErr == nil {
			r.Hlog, problem = results.Interval(log)
		}
	}
	if problem == nil && c.Mode() == bench.Fixed {
		if rows, readErr := os.ReadFile(heap); readErr == nil {
			r.Heap, problem = results.HeapRows(rows)
		}
	}
	if problem == nil && err != nil {
		problem = err
	}
	if problem != nil {
		f.State, f.Tail = bench.Failed, fmt.Sprintf("%v; %v\n%s", problem, cmd.ProcessState, out.tail(20))
		r.Config, r.Units, r.Result, r.Hlog, r.Heap = nil, nil, "", "", nil
	}
	return r, nil
}

// pattern makes the testing package run one benchmark alone.
func pattern(name bench.Name) string {
	parts := strings.Split(name.String(), "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	return strings.Join(parts, "/")
}

// environment is the caller's without what would change the measured process,
// and with what the cell asks for. Only fixed work has a heap over time.
func environment(c bench.Cell, hlog, heap string) []string {
	var env []string
	for _, kv := range os.Environ() {
		key, _, _ := strings.Cut(kv, "=")
		switch {
		case key == "GOMAXPROCS", key == "GOGC", key == "GOMEMLIMIT", key == "GODEBUG", strings.HasPrefix(key, "HOTPATH_"):
		default:
			env = append(env, kv)
		}
	}
	env = append(env, "GOMAXPROCS="+strconv.Itoa(c.Reading.Procs(c.Threads, runtime.NumCPU())), bench.EnvHlog+"="+hlog)
	if c.Mode() == bench.Fixed {
		env = append(env, bench.EnvHeap+"="+heap)
	}
	for key, value := range c.Env {
		env = append(env, key+"="+value)
	}
	return env
}

// usage is what the fork and the children it waited for have used.
func usage(ps *os.ProcessState, wall time.Duration) bench.Usage {
	cpu := bench.Usage{Wall: wall.Seconds(), User: ps.UserTime().Seconds(), System: ps.SystemTime().Seconds()}
	if ru, ok := ps.SysUsage().(*syscall.Rusage); ok {
		cpu.MaxRSS = ru.Maxrss * 1024
	}
	return cpu
}

// output keeps the end of what a fork wrote: standard output alone, which is
// searched for the result, and both streams as they came, whose last lines
// explain a failure. As a writer it is standard output.
type output struct {
	mu           sync.Mutex
	stdout, both bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	keep(&o.stdout, p)
	keep(&o.both, p)
	return len(p), nil
}

// errOutput is standard error.
type errOutput struct{ *output }

func (o errOutput) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	keep(&o.both, p)
	return len(p), nil
}

func keep(b *bytes.Buffer, p []byte) {
	b.Write(p)
	if over := b.Len() - outputLimit; over > 0 {
		b.Next(over)
	}
}

// tail returns the last n lines of both streams.
func (o *output) tail(n int) string {
	lines := strings.Split(strings.TrimRight(o.both.String(), "\n"), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
