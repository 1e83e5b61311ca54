package run

import (
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
	"sync/atomic"
	"syscall"
	"time"

	"hotpath/internal/bench"
	"hotpath/internal/host"
	"hotpath/internal/jvm"
	"hotpath/internal/results"
)

// grace is what a fork may take beyond what it is expected to, and patience how
// many times over. The testing package's own -timeout does not bound benchmarks.
var (
	grace    = 15 * time.Second
	patience = 4.0
)

// forksStarted tells the files of forks apart.
var forksStarted atomic.Uint64

// fork is a process that holds a cell through a heat. Between its turns it is
// stopped.
type fork struct {
	results.Fork
	cell    bench.Cell
	cmd     *exec.Cmd
	out     output
	orders  *os.File
	answers chan string   // lines of the fork; closed when it ends them
	exited  chan struct{} // closed when it has been waited for
	exit    error         // set before exited is closed
	ready   bench.Ready
	files   string  // stem of the files that it writes
	rested  float64 // CPU seconds that it had used when its last turn had ended
	parked  float64 // CPU seconds that it has used since the window began while it was parked
	used    float64 // and in its turns
	waiting []bool  // verdicts on turns that it has not been told of yet
}

// startFork starts a fork and waits until it is parked. The error is that of a
// fork that cannot start, or of the context.
func startFork(ctx context.Context, c Contestant, scratch string) (*fork, error) {
	f := &fork{
		Fork: results.Fork{Cell: c.Cell.ID(), Start: time.Now().UTC(), State: bench.Complete},
		cell: c.Cell, files: filepath.Join(scratch, "fork"+strconv.FormatUint(forksStarted.Add(1), 10)),
		answers: make(chan string, 1), exited: make(chan struct{}),
	}
	command := c.Cell.Command
	if len(command) == 0 {
		command = []string{c.Binary, "-test.run=^$", "-test.bench=" + pattern(c.Cell.Name), "-test.benchtime=1s"}
	}
	f.cmd = exec.Command(command[0], command[1:]...)
	f.cmd.Dir = c.Dir
	f.cmd.Env = append(f.environment(), c.Env...)
	f.cmd.Stdout, f.cmd.Stderr = &f.out, errOutput{&f.out}
	f.cmd.WaitDelay = time.Second // a child that keeps the output open does not hold the run
	ownGroup(f.cmd)
	in, orders, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	answers, told, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, in.Close(), orders.Close())
	}
	f.cmd.Stdin, f.orders = in, orders
	f.cmd.ExtraFiles = []*os.File{told}
	started := make(chan error)
	go f.live(started)
	err = <-started
	in.Close()
	told.Close()
	if err != nil {
		return nil, errors.Join(err, orders.Close(), answers.Close())
	}
	go func() {
		defer close(f.answers)
		defer answers.Close()
		for lines := bench.NewLines(answers); lines.Scan(); {
			f.answers <- lines.Text()
		}
	}()
	line, err := f.hear(ctx, f.limit(c.Cell.Startup))
	if err != nil || !f.alive() {
		return f, err
	}
	if f.ready, err = bench.ParseReady(line); err != nil {
		return f, f.fail(bench.Failed, err)
	}
	f.stop()
	f.rested, _ = f.clock()
	return f, nil
}

// live starts the process and waits for its end, both on one thread: where a
// thread dies, its children get the death signal.
func (f *fork) live(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := f.cmd.Start()
	started <- err
	if err != nil {
		return
	}
	f.exit = f.cmd.Wait()
	close(f.exited)
}

// limit is the deadline of something that is expected to take so many seconds.
func (f *fork) limit(seconds float64) time.Duration {
	return time.Duration(patience*seconds*float64(time.Second)) + grace
}

// alive reports whether the fork can take another turn.
func (f *fork) alive() bool { return f.State == bench.Complete }

// fail ends the fork at once and notes why.
func (f *fork) fail(state bench.State, why error) error {
	f.kill()
	f.State = state
	f.Tail = results.LastWords(fmt.Sprintf("%v\n%s", why, f.out.tail()))
	return nil
}

func (f *fork) kill() {
	syscall.Kill(-f.cmd.Process.Pid, syscall.SIGKILL)
	<-f.exited
	f.orders.Close()
}

// stop lets the kernel stop all processes of the fork, and wake lets them go on.
func (f *fork) stop() { syscall.Kill(-f.cmd.Process.Pid, syscall.SIGSTOP) }
func (f *fork) wake() { syscall.Kill(-f.cmd.Process.Pid, syscall.SIGCONT) }

// clock is the CPU seconds that the fork's processes have used.
func (f *fork) clock() (float64, bool) {
	pids := f.ready.PIDs
	if len(pids) == 0 {
		pids = []int{f.cmd.Process.Pid}
	}
	sum := 0.0
	for _, pid := range pids {
		cpu, ok := host.ProcessCPU(pid)
		if !ok {
			return 0, false
		}
		sum += cpu
	}
	return sum, true
}

// hear waits for the fork's next line. A fork that says nothing in time, or ends,
// has failed, which is no error of the runner's; the line is empty then.
func (f *fork) hear(ctx context.Context, limit time.Duration) (string, error) {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case line, ok := <-f.answers:
		if ok {
			return line, nil
		}
		select {
		case <-f.exited:
		case <-timer.C:
		}
		return "", f.fail(bench.Failed, fmt.Errorf("ended without an answer: %v", f.exit))
	case <-timer.C:
		return "", f.fail(bench.TimedOut, fmt.Errorf("killed after %v", limit))
	case <-ctx.Done():
		f.kill()
		return "", ctx.Err()
	}
}

// turn lets the fork measure once, and tells how many CPUs it kept busy. There is
// no turn where the fork is not alive any more.
func (f *fork) turn(ctx context.Context, cpus int) (t results.Turn, busy float64, err error) {
	before, _ := f.clock()
	f.parked += before - f.rested
	var orders strings.Builder
	for _, keep := range f.waiting {
		orders.WriteString(verdict(keep))
	}
	f.waiting = nil
	orders.WriteString(bench.TurnOrder(f.cell.Turn).String() + "\n")
	f.wake()
	began := time.Now()
	if _, err := f.orders.WriteString(orders.String()); err != nil {
		return t, 0, f.fail(bench.Failed, err)
	}
	line, err := f.hear(ctx, f.limit(f.cell.Turn.Expected()))
	took := time.Since(began)
	if err != nil || !f.alive() {
		return t, 0, err
	}
	f.stop()
	after, seen := f.clock()
	f.rested = after
	f.used += after - before
	a, err := bench.ParseAnswer(line)
	if err == nil {
		err = a.Check(f.cell.Turn, took, cpus)
	}
	if told := float64(a.CPU+a.Server) / 1e9; err == nil && seen && told > 1.05*(after-before)+0.001 {
		err = fmt.Errorf("%.4f s of CPU time told, %.4f s used", told, after-before)
	}
	if err != nil {
		return t, 0, f.fail(bench.Failed, err)
	}
	return results.Turn{
		Fork: f.ID, Ops: a.Ops, Wall: a.Wall, CPU: a.CPU, Server: a.Server, Latency: a.Latency, Workers: a.Workers,
	}, a.Busy(), nil
}

func verdict(keep bool) string {
	if keep {
		return bench.VerbKeep + "\n"
	}
	return bench.VerbDrop + "\n"
}

// finish tells the fork to print its result, and collects it. sum is what its
// kept turns have counted.
func (f *fork) finish(ctx context.Context, sum int64) (results.ForkRecord, error) {
	if !f.alive() {
		return results.ForkRecord{Fork: f.Fork}, nil
	}
	var orders strings.Builder
	for _, keep := range f.waiting {
		orders.WriteString(verdict(keep))
	}
	f.wake()
	if _, err := f.orders.WriteString(orders.String() + bench.VerbEnd + "\n"); err != nil {
		return results.ForkRecord{Fork: f.Fork}, f.fail(bench.Failed, err)
	}
	limit := f.limit(f.cell.Startup)
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-f.exited:
		f.orders.Close()
	case <-timer.C:
		err := f.fail(bench.TimedOut, fmt.Errorf("killed %v after it was told to end", limit))
		return results.ForkRecord{Fork: f.Fork}, err
	case <-ctx.Done():
		f.kill()
		return results.ForkRecord{}, ctx.Err()
	}
	r, err := f.collect(sum)
	if err != nil {
		f.State = bench.Failed
		f.Tail = results.LastWords(fmt.Sprintf("%v; %v\n%s", err, f.cmd.ProcessState, f.out.tail()))
		return results.ForkRecord{Fork: f.Fork}, nil
	}
	return r, nil
}

// collect reads what a fork that has ended has written.
func (f *fork) collect(sum int64) (results.ForkRecord, error) {
	f.Usage = bench.Usage{
		Wall: time.Since(f.Start).Seconds(),
		User: f.cmd.ProcessState.UserTime().Seconds(), System: f.cmd.ProcessState.SystemTime().Seconds(),
	}
	r := results.ForkRecord{Fork: f.Fork}
	if f.exit != nil {
		return r, f.exit
	}
	var err error
	if r.Config, r.Units, r.Result, err = results.OneResult(f.out.stdout.String(), f.cell.Name); err != nil {
		return r, err
	}
	if _, f.Metrics, err = results.ParseResult(r.Result); err != nil {
		return r, err
	}
	if got, _ := f.Value(bench.Operations); int64(got) != sum {
		return r, fmt.Errorf("%v operations in the result, %d in the kept turns", got, sum)
	}
	if log, err := os.ReadFile(f.files + ".hlog"); err == nil {
		if r.Hlog, r.GatedHlog, err = results.Intervals(log); err != nil {
			return r, err
		}
	}
	if rows, err := os.ReadFile(f.files + ".heap.csv"); err == nil {
		if r.Heap, err = results.HeapRows(rows); err != nil {
			return r, err
		}
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
// and with what the cell asks for. The answers' descriptor is the first of the
// files that a process inherits beside the standard ones.
func (f *fork) environment() []string {
	var env []string
	for _, kv := range jvm.Environment(os.Environ()) {
		key, _, _ := strings.Cut(kv, "=")
		switch {
		case key == "GOMAXPROCS", key == "GOGC", key == "GOMEMLIMIT", key == "GODEBUG", strings.HasPrefix(key, "HOTPATH_"):
		default:
			env = append(env, kv)
		}
	}
	env = append(env, bench.EnvTurns+"=3", bench.EnvHlog+"="+f.files+".hlog", bench.EnvHeap+"="+f.files+".heap.csv",
		"GOMAXPROCS="+strconv.Itoa(f.cell.Reading.Procs(f.cell.Threads, runtime.NumCPU())))
	for key, value := range f.cell.Env {
		env = append(env, key+"="+value)
	}
	return env
}
