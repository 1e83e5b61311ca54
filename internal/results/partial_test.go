package results_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"hotpath/internal/bench"
	"hotpath/internal/results"
	"hotpath/internal/results/synthetic"
)

// child makes this test binary a runner of its own, in the folder that the
// variable names.
const child = "HOTPATH_RESULTS_TEST_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(child); dir != "" {
		if err := runner(dir); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// runner starts a run, or goes on with one, and seals it.
func runner(dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	run := synthetic.Run(synthetic.Manifest(), small(), other())
	names, odd, err := results.Unfinished(root)
	if err = errors.Join(append(odd, err)...); err != nil {
		return err
	}
	var p *results.Partial
	if len(names) > 0 {
		p, err = results.Resume(root, names[0])
	} else {
		p, err = results.Create(root, "run", run.Manifest)
	}
	if errors.Is(err, fs.ErrExist) {
		return nil // it was sealed before
	}
	if err != nil {
		return err
	}
	defer p.Close()
	if os.Getenv("HOTPATH_RESULTS_TEST_HOLD") != "" {
		time.Sleep(time.Second)
	}
	for _, r := range synthetic.Records(run)[len(p.Records()):] {
		if err := p.Commit(r); err != nil {
			return err
		}
	}
	return p.Seal(run.Manifest.End)
}

func start(t *testing.T, dir string, env ...string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(append(os.Environ(), child+"="+dir), env...)
	var out bytes.Buffer
	cmd.Stdout = &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, &out
}

// A runner that is killed loses the heat in flight and nothing else.
func TestKilled(t *testing.T) {
	want := func() *results.Run { _, root := sealed(t); return load(t, root) }()
	begin := time.Now()
	cmd, _ := start(t, t.TempDir())
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	whole := time.Since(begin)
	random := rand.New(rand.NewPCG(1, 1))
	killed := 0
	for killed < 60 {
		dir, root := newRoot(t)
		for kills := 0; ; kills++ {
			cmd, out := start(t, dir)
			if kills < 5 {
				time.Sleep(time.Duration(random.Int64N(int64(whole))))
				cmd.Process.Signal(syscall.SIGKILL)
			}
			err := cmd.Wait()
			if err == nil {
				break
			}
			if cmd.ProcessState.ExitCode() >= 0 {
				t.Fatalf("after %d kills: %s", kills, out)
			}
			killed++
		}
		if names, odd, err := results.Unfinished(root); len(names)+len(odd) > 0 || err != nil {
			t.Fatalf("left: %q, %v, %v", names, odd, err)
		}
		if got := load(t, root); !reflect.DeepEqual(got.Experiments, want.Experiments) {
			t.Fatal("another run than without a kill")
		}
	}
	t.Logf("%d kills within %v of a start", killed, whole)
}

// Of runners that start at once one makes the run, and the others name it.
func TestStartsAtOnce(t *testing.T) {
	for range 2 {
		dir, root := newRoot(t)
		var cmds []*exec.Cmd
		var outs []*bytes.Buffer
		for range 4 {
			cmd, out := start(t, dir, "HOTPATH_RESULTS_TEST_HOLD=1")
			cmds, outs = append(cmds, cmd), append(outs, out)
		}
		winner := ""
		var busy []string
		for i, cmd := range cmds {
			if err := cmd.Wait(); err == nil {
				winner += strconv.Itoa(cmd.Process.Pid)
			} else {
				busy = append(busy, outs[i].String())
			}
		}
		if len(busy) != 3 {
			t.Fatalf("%d of 4 runners gave way: %q", len(busy), busy)
		}
		for _, out := range busy {
			if want := "results/run is being made by process " + winner + ":"; !strings.Contains(out, want) {
				t.Errorf("another runner said %q, want %q", out, want)
			}
		}
		load(t, root)
	}
}

// On a disk that is full at any byte nothing that was kept is damaged, and the
// run goes on when there is room.
func TestFullDisk(t *testing.T) {
	defer func(w func(*os.File, []byte) (int, error)) { *results.Write = w }(*results.Write)
	e := other()
	e.Cells = e.Cells[:1]
	e.Cells[0].Laps, e.Heats, e.HandOff = 1, 1, nil
	run := synthetic.Run(synthetic.Manifest(), e)
	records := synthetic.Records(run)
	records[0].Forks[0].Units = []string{"Unit ops assume=nothing", "Unit cpu-ns/op assume=nothing", "Unit workers-run assume=nothing", "Unit turns assume=nothing"}
	room := 0
	full := func(f *os.File, data []byte) (int, error) {
		if !strings.HasSuffix(f.Name(), ".tmp") {
			t.Errorf("%s is written in place", filepath.Base(f.Name()))
		}
		n, err := f.Write(data[:min(room, len(data))])
		if room -= n; n < len(data) && err == nil {
			err = syscall.ENOSPC
		}
		return n, err
	}
	dir, root, step := inMemory(t)
	for k := 0; ; k += step {
		room = k
		*results.Write = full
		failed := makeRun(root, run.Manifest, records)
		*results.Write = (*os.File).Write
		if failed != nil && !errors.Is(failed, syscall.ENOSPC) {
			t.Fatalf("full after %d bytes: %v", k, failed)
		}
		if left, _ := filepath.Glob(filepath.Join(dir, "*", results.PartialName, "*.tmp")); len(left) > 0 {
			t.Fatalf("full after %d bytes: %q left", k, left)
		}
		names, odd, err := results.Unfinished(root)
		if len(odd) > 0 || err != nil {
			t.Fatalf("full after %d bytes: %v, %v", k, odd, err)
		}
		if failed != nil {
			if err := finish(root, names, run.Manifest, records); err != nil {
				t.Fatalf("full after %d bytes, then not: %v", k, err)
			}
		}
		load(t, root)
		if failed == nil {
			t.Logf("%d bytes are a run", k)
			return
		}
		if err := os.RemoveAll(filepath.Join(dir, "run")); err != nil {
			t.Fatal(err)
		}
	}
}

// inMemory is an empty folder of runs in memory, and 1; or one on disk, where each
// file takes its time, and after how many bytes to try the next.
func inMemory(t *testing.T) (string, *os.Root, int) {
	dir, err := os.MkdirTemp("/dev/shm", "hotpath")
	if err != nil {
		dir, root := newRoot(t)
		return dir, root, 101
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return dir, root, 1
}

// makeRun makes a run of the records.
func makeRun(root *os.Root, m results.Manifest, records []results.Record) error {
	p, err := results.Create(root, "run", m)
	if err != nil {
		return err
	}
	defer p.Close()
	return rest(p, records)
}

// finish goes on with a run, or makes it where there is none.
func finish(root *os.Root, names []string, m results.Manifest, records []results.Record) error {
	if len(names) == 0 {
		return makeRun(root, m, records)
	}
	p, err := results.Resume(root, names[0])
	if err != nil {
		return err
	}
	defer p.Close()
	return rest(p, records)
}

// rest commits what is missing of the records and seals the run.
func rest(p *results.Partial, records []results.Record) error {
	for _, r := range records[len(p.Records()):] {
		if err := p.Commit(r); err != nil {
			return err
		}
	}
	return p.Seal(p.Manifest.Start)
}

func TestOneRunnerAtATime(t *testing.T) {
	_, root := newRoot(t)
	run := synthetic.Run(synthetic.Manifest(), small())
	records := synthetic.Records(run)
	p, err := results.Create(root, "run", run.Manifest)
	if err != nil {
		t.Fatal(err)
	}
	_, _, errUnfinished := results.Unfinished(root)
	_, errResume := results.Resume(root, "run")
	_, errCreate := results.Create(root, "other", run.Manifest)
	for _, err := range []error{errUnfinished, errResume, errCreate} {
		var busy *results.BusyError
		if !errors.As(err, &busy) || busy.PID != strconv.Itoa(os.Getpid()) || busy.Run != "run" {
			t.Errorf("a second runner got %v, want busy with the process's number", err)
		}
	}
	if err := p.Commit(records[0]); err != nil {
		t.Fatal(err)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := results.Create(root, "run", run.Manifest); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a name that is taken: %v", err)
	}
	names, odd, err := results.Unfinished(root)
	if len(names) != 1 || names[0] != "run" || len(odd) > 0 || err != nil {
		t.Errorf("unfinished: %q, %v, %v", names, odd, err)
	}
	if p, err = results.Resume(root, "run"); err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if len(p.Records()) != 1 || p.NextFork() != 4 {
		t.Errorf("%d records after going on, fork %d next", len(p.Records()), p.NextFork())
	}
	elsewhere := records[1]
	for i := range elsewhere.Forks {
		elsewhere.Forks[i].Config = []string{"goos: linux", "cpu: Other CPU"}
	}
	for want, r := range map[string]results.Record{"heat 3 where 2 is next": records[2], "ran on another machine": elsewhere} {
		if err := p.Commit(r); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("committed: %v, want %q", err, want)
		}
	}
}

// What lies in .partial/ is read as it was written, or named.
func TestResumeRefuses(t *testing.T) {
	in := func(dir string) func(string) string {
		return func(name string) string { return filepath.Join(dir, "run", results.PartialName, name) }
	}
	write := func(name string, data []byte) error { return os.WriteFile(name, data, 0o666) }
	for name, c := range map[string]struct {
		change func(path func(string) string) error
		want   string // empty: nothing is wrong
	}{
		"nothing": {func(func(string) string) error { return nil }, ""},
		"temporary files": {func(p func(string) string) error {
			return errors.Join(write(p("heat-000003.json.tmp"), nil), write(p("counter.txt.tmp"), nil), write(p("manifest.json.tmp"), nil))
		}, ""},
		"another's temporary file": {func(p func(string) string) error { return write(p("notes.tmp"), nil) }, "notes.tmp: no file of this program"},
		"another's file":           {func(p func(string) string) error { return write(p("heat-000001.json.bak"), nil) }, "heat-000001.json.bak: no file of"},
		"a copy": {func(p func(string) string) error {
			data, err := os.ReadFile(p("heat-000002.json"))
			return errors.Join(err, write(p("heat-000003.json"), data))
		}, "heat-000003.json: is a copy of heat-000002.json"},
		"a heat lost":    {func(p func(string) string) error { return os.Remove(p("heat-000001.json")) }, "heat-000001.json is missing"},
		"a heat cut":     {func(p func(string) string) error { return os.Truncate(p("heat-000001.json"), 3000) }, "heat-000001.json: checksum differs"},
		"a heat empty":   {func(p func(string) string) error { return os.Truncate(p("heat-000001.json"), 0) }, "heat-000001.json: checksum differs"},
		"a heat changed": {func(p func(string) string) error { return flip(p("heat-000002.json")) }, "heat-000002.json: checksum differs"},
		"a plan changed": {func(p func(string) string) error { return flip(p("plan.json")) }, "plan.json: checksum differs"},
		"a plan lost":    {func(p func(string) string) error { return os.Remove(p("plan.json")) }, "plan.json"},
	} {
		t.Run(name, func(t *testing.T) {
			dir, root := newRoot(t)
			interrupted(t, root, "run")
			if err := c.change(in(dir)); err != nil {
				t.Fatal(err)
			}
			p, err := results.Resume(root, "run")
			check(t, name, err, c.want)
			if err != nil {
				return
			}
			defer p.Close()
			if left, _ := filepath.Glob(in(dir)("*.tmp")); len(left) > 0 || len(p.Records()) != 2 {
				t.Errorf("%d records, %q left", len(p.Records()), left)
			}
		})
	}
}

func flip(file string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	data[len(data)/2] ^= 1
	return os.WriteFile(file, data, 0o666)
}

// interrupted makes a run of two heats that is not sealed.
func interrupted(t *testing.T, root *os.Root, name string) {
	t.Helper()
	run := synthetic.Run(synthetic.Manifest(), small())
	p, err := results.Create(root, name, run.Manifest)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range synthetic.Records(run)[:2] {
		if err := p.Commit(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
}

// A clock that was set back does not make a run that ends before it began.
func TestClockSetBack(t *testing.T) {
	_, root := newRoot(t)
	run := synthetic.Run(synthetic.Manifest(), small())
	p, err := results.Create(root, "run", run.Manifest)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	var took float64
	for _, r := range synthetic.Records(run) {
		took += r.Heat.Seconds
		if err := p.Commit(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Seal(run.Manifest.Start.Add(-time.Hour)); err != nil {
		t.Fatal(err)
	}
	m := load(t, root).Manifest
	if d := m.End.Sub(m.Start).Seconds(); d < took-0.01 || d > took+0.01 {
		t.Errorf("the run took %v s, its heats %v s", d, took)
	}
}

// A run of an hour and a quarter stays small in a repository.
func TestTurnsSize(t *testing.T) {
	cells := synthetic.Cells("BenchmarkAdd/mode=thrpt/threads=32@numcpu", bench.Judged, "a", "b", "c", "d", "e", "f", "g", "h")
	for i := range cells {
		cells[i].Laps = 25
	}
	random := rand.New(rand.NewPCG(2, 3))
	run := synthetic.Run(synthetic.Manifest(), synthetic.Experiment{
		Name: "counter", Cells: cells, Heats: 300,
		Cost: func(c bench.Cell, heat, lap int) float64 { return 20 * (1 + random.Float64()) },
	})
	records := synthetic.Records(run)
	turns := 0
	for _, r := range records {
		for i := range r.Laps {
			l := &r.Laps[i]
			l.Before = bench.Probe{HandOff: 300 * random.Float64(), Got: 1.9 + 0.1*random.Float64()}
			l.After = bench.Probe{HandOff: 300 * random.Float64(), Got: 1.9 + 0.1*random.Float64()}
			for j := range l.Turns {
				turns++
				turn := &l.Turns[j]
				turn.Wall += random.Int64N(1e6)
				turn.CPU += random.Int64N(1e6)
				turn.Latency = random.Int64N(1e9)
				turn.Workers = 1 + random.IntN(32)
			}
		}
	}
	size := results.TurnsSize(records)
	t.Logf("%d turns of noise are %d bytes", turns, size)
	if turns != 60_000 || size > 5e6 {
		t.Errorf("%d turns are %d bytes, want 60,000 in 5 MB", turns, size)
	}
}
