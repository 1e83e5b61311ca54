package results_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
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

	"hotpath/internal/results"
	"hotpath/internal/results/synthetic"
)

// child makes this test binary a runner of its own, in the folder that the
// variable names.
const child = "HOTPATH_RESULTS_TEST_DIR"

// hold makes such a runner wait for the end of its input when it has the run.
const hold = "HOTPATH_RESULTS_TEST_HOLD"

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
	if os.Getenv(hold) != "" {
		io.Copy(io.Discard, os.Stdin)
	}
	for _, r := range synthetic.Records(run)[len(p.Records()):] {
		if err := p.Commit(r); err != nil {
			return err
		}
	}
	return p.Seal(run.Manifest.End)
}

// command is a runner, and what it says.
func command(dir string, env ...string) (*exec.Cmd, *bytes.Buffer) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(append(os.Environ(), child+"="+dir), env...)
	out := new(bytes.Buffer)
	cmd.Stdout = out
	return cmd, out
}

// A runner that is killed loses the heat in flight and nothing else.
func TestKilled(t *testing.T) {
	want := func() *results.Run { _, root := sealed(t); return load(t, root) }()
	first, _ := newRoot(t)
	begin := time.Now()
	cmd, _ := command(first)
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	whole := time.Since(begin)
	random := rand.New(rand.NewPCG(1, 1))
	killed := 0
	kills := 30
	if testing.Short() {
		kills = 10
	}
	for killed < kills {
		dir, root := newRoot(t)
		for again := 0; ; again++ {
			cmd, out := command(dir)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			if again < 5 {
				time.Sleep(time.Duration(random.Int64N(int64(whole))))
				cmd.Process.Signal(syscall.SIGKILL)
			}
			err := cmd.Wait()
			if err == nil {
				break
			}
			if cmd.ProcessState.ExitCode() >= 0 {
				t.Fatalf("after %d kills: %s", again, out)
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
		gone := make(chan string, 4) // what the others say; the last is the winner's
		winner := ""
		var input []io.Closer
		pids := map[string]bool{}
		for range 4 {
			cmd, out := command(dir, hold+"=1")
			stdin, err := cmd.StdinPipe()
			if err == nil {
				err = cmd.Start()
			}
			if err != nil {
				t.Fatal(err)
			}
			input = append(input, stdin)
			pid := strconv.Itoa(cmd.Process.Pid)
			pids[pid] = true
			go func() {
				cmd.Wait()
				gone <- pid + " " + out.String()
			}()
		}
		var busy []string
		for range 3 {
			pid, out, _ := strings.Cut(<-gone, " ")
			delete(pids, pid)
			busy = append(busy, out)
		}
		for pid := range pids {
			winner = pid
		}
		for _, in := range input {
			in.Close()
		}
		<-gone
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
	run, records := oneHeat()
	room := 0
	full := fullDisk(t, &room)
	dir, root := newRoot(t)
	step := 101
	if soak {
		step = 1
	}
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

// oneHeat is the smallest run.
func oneHeat() (*results.Run, []results.Record) {
	e := other()
	e.Cells = e.Cells[:1]
	e.Cells[0].Laps, e.Heats, e.HandOff = 1, 1, nil
	run := synthetic.Run(synthetic.Manifest(), e)
	records := synthetic.Records(run)
	records[0].Forks[0].Units = []string{"Unit ops assume=nothing", "Unit cpu-ns/op assume=nothing", "Unit workers-run assume=nothing", "Unit turns assume=nothing"}
	return run, records
}

// A write that fails once, whichever it is, is told, and the run can be finished.
func TestFailingWrite(t *testing.T) {
	defer func(w func(*os.File, []byte) (int, error)) { *results.Write = w }(*results.Write)
	run, records := oneHeat()
	for fails := 1; ; fails++ {
		n := 0
		*results.Write = func(f *os.File, data []byte) (int, error) {
			if n++; n == fails {
				return 0, syscall.EIO
			}
			return f.Write(data)
		}
		_, root := newRoot(t)
		err := makeRun(root, run.Manifest, records)
		*results.Write = (*os.File).Write
		if fails > n && err == nil {
			t.Logf("%d writes are a run", n)
			return
		}
		if !errors.Is(err, syscall.EIO) {
			t.Fatalf("write %d fails: %v", fails, err)
		}
		names, odd, err := results.Unfinished(root)
		if err := errors.Join(append(odd, err, finish(root, names, run.Manifest, records))...); err != nil {
			t.Fatalf("write %d has failed: %v", fails, err)
		}
		load(t, root)
	}
}

// fullDisk has room for so many bytes, and takes them in temporary files alone.
func fullDisk(t *testing.T, room *int) func(*os.File, []byte) (int, error) {
	return func(f *os.File, data []byte) (int, error) {
		if !strings.HasSuffix(f.Name(), ".tmp") {
			t.Errorf("%s is written in place", filepath.Base(f.Name()))
		}
		n, err := f.Write(data[:min(*room, len(data))])
		if *room -= n; n < len(data) && err == nil {
			err = syscall.ENOSPC
		}
		return n, err
	}
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
