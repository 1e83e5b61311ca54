package results_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"hotpath/internal/bench"
	"hotpath/internal/results"
	"hotpath/internal/results/synthetic"
)

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

// A fork that tells of itself what cannot be costs its heat that fork.
func TestRefused(t *testing.T) {
	_, root := newRoot(t)
	run := synthetic.Run(synthetic.Manifest(), small())
	records := synthetic.Records(run)
	p, err := results.Create(root, "run", run.Manifest)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	lies := []struct {
		heat, fork int
		lie        func(f *results.ForkRecord)
		want       string
	}{
		{0, 1, func(f *results.ForkRecord) { f.Config = []string{"cpu: Other CPU"} }, `another machine than those before it: cpu "Other CPU"`},
		{0, 2, func(f *results.ForkRecord) { f.Result = strings.Replace(f.Result, " ops", "7 ops", 1) }, "operations, "},
		{1, 0, func(f *results.ForkRecord) { f.Hlog = f.GatedHlog }, "samples in the histogram"},
		{4, 1, func(f *results.ForkRecord) { f.Hlog = inRange(f.Hlog, 1e9, 3) }, "histograms of different ranges"},
	}
	for _, l := range lies {
		l.lie(&records[l.heat].Forks[l.fork])
	}
	records[0].Forks[0].Config = records[0].Forks[0].Config[1:]
	records[5].Forks[0].Config = nil // told less, and nothing else
	for i, r := range records {
		refused := p.Refused(r)
		for _, l := range lies {
			if l.heat != i {
				continue
			}
			f := &r.Forks[l.fork]
			if err := refused[f.Fork.ID]; err == nil || !strings.Contains(err.Error(), l.want) {
				t.Errorf("fork %d: %v, want %q", f.Fork.ID, err, l.want)
			}
			delete(refused, f.Fork.ID)
			f.Fork.State = bench.Failed
			*f = results.ForkRecord{Fork: f.Fork}
		}
		if len(refused) > 0 {
			t.Errorf("heat %d: %v", r.Heat.ID, refused)
		}
		if err := p.Commit(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Seal(run.Manifest.End); err != nil {
		t.Fatal(err)
	}
	load(t, root)
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

// Who starts a run while another process looks for what was left waits for it.
func TestWaitsForWhoLooks(t *testing.T) {
	_, root := newRoot(t)
	looks, err := results.Look(root)
	if err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(100*time.Millisecond, func() { looks.Close() })
	p, err := results.Create(root, "run", synthetic.Run(synthetic.Manifest(), small()).Manifest)
	if err != nil {
		t.Fatal(err)
	}
	p.Close()
}

// A clock that was set back, by much or by little, does not make a run that ends
// before its heats have.
func TestClockSetBack(t *testing.T) {
	for _, end := range []time.Duration{-time.Hour, time.Nanosecond} {
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
		if err := p.Seal(run.Manifest.Start.Add(end)); err != nil {
			t.Fatal(err)
		}
		m := load(t, root).Manifest
		if d := m.End.Sub(m.Start).Seconds(); d < took-0.01 || d > took+0.01 {
			t.Errorf("the run took %v s, its heats %v s", d, took)
		}
	}
}
