package fleet

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"hotpath/internal/host"
	"hotpath/internal/results"
	"hotpath/internal/run"
)

// Options say what a fleet is to measure.
type Options struct {
	Dir         string        // of the fleet; nodes of a cluster must see it under the same path
	Results     string        // folder that runs are collected into
	Nodes       []string      // partitions or features of a Slurm cluster, each a kind of node
	Hosts       []string      // or else hosts over ssh, each a kind of its own
	Runs        int           // of each kind
	Budget      time.Duration // of each run
	CPUs        int           // that a node must have
	Experiments string        // folder of the experiments' packages
	Experiment  string        // this one alone, unless empty
	Check       run.Check     // of the experiments
}

// engine is what begins tasks on nodes.
type engine interface {
	// fetch brings here what nodes wrote, where they do not write here.
	fetch(ctx context.Context) error
	// waiting says of each task that waits or runs how it stands.
	waiting(ctx context.Context) (map[task]string, error)
	// begin begins tasks, each of which has none waiting or running.
	begin(ctx context.Context, w io.Writer, tasks []state) error
}

// Launch begins a fleet, or goes on with the one that was begun with the same
// options: it builds what the nodes take, and has begun what is missing when it
// returns. Tasks over ssh have ended then too.
func Launch(ctx context.Context, w io.Writer, o Options) error {
	p := &Plan{ID: strings.ToLower(rand.Text()[:8]), Slurm: len(o.Hosts) == 0, Runs: o.Runs, Budget: run.ShortDuration(o.Budget), CPUs: o.CPUs}
	var err error
	if p.Kinds, err = o.kinds(ctx); err != nil {
		return err
	}
	unlock, err := lock(o.Dir)
	if err != nil {
		return err
	}
	defer unlock()
	fresh := filepath.Join(o.Dir, "kit.new")
	if err := os.RemoveAll(fresh); err != nil {
		return err
	}
	defer os.RemoveAll(fresh)
	if p.Kit, err = build(ctx, w, fresh, o); err != nil {
		return err
	}
	if err := p.check(); err != nil {
		return err
	}
	switch was, err := readPlan(o.Dir); {
	case errors.Is(err, errNone):
		if err := os.Rename(fresh, filepath.Join(o.Dir, "kit")); err != nil {
			return err
		}
		if err := p.write(o.Dir); err != nil {
			return err
		}
	case err != nil:
		return err
	default:
		if what := was.difference(p); what != "" {
			return fmt.Errorf("%s holds a fleet that differs in the %s: `make fleet-status` finishes it; delete the folder to begin another", o.Dir, what)
		}
		p = was
	}
	return reconcile(ctx, w, o, p)
}

// Status compares what is there with the plan, collects the runs that are whole, and
// begins what is missing. Its error says that a run cannot be used.
func Status(ctx context.Context, w io.Writer, o Options) error {
	p, err := readPlan(o.Dir)
	if err != nil {
		return err
	}
	unlock, err := lock(o.Dir)
	if err != nil {
		return err
	}
	defer unlock()
	return reconcile(ctx, w, o, p)
}

// kinds are those of the options, as their engine knows them.
func (o Options) kinds(ctx context.Context) ([]Kind, error) {
	if len(o.Hosts) > 0 {
		return hostKinds(o.Hosts)
	}
	return nodeKinds(ctx, o.Nodes)
}

// lock keeps two commands from beginning the same task.
func lock(dir string) (unlock func(), err error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(dir, ".lock"), os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: another command is at this fleet: %w", dir, err), f.Close())
	}
	return func() { f.Close() }, nil
}

// build makes the kit, and the program that measures with it.
func build(ctx context.Context, w io.Writer, dir string, o Options) (*run.Kit, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	kit, err := run.WriteKit(ctx, w, dir, run.Options{Experiments: o.Experiments, Experiment: o.Experiment, Budget: o.Budget, Check: o.Check})
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-o", filepath.Join(dir, "benchrun"), "hotpath/cmd/benchrun")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("benchrun: go build: %w\n%s", err, out)
	}
	return kit, nil
}

// reconcile brings a fleet nearer to its plan, and says where it is.
func reconcile(ctx context.Context, w io.Writer, o Options, p *Plan) error {
	var e engine = &slurm{o.Dir, p}
	if !p.Slurm {
		e = &ssh{o.Dir, p}
	}
	s, err := survey(ctx, w, o, p, e)
	if err != nil {
		return err
	}
	if len(s.missing) == 0 {
		return errors.Join(s.refused...)
	}
	if err := e.begin(ctx, w, s.missing); err != nil {
		return err
	}
	if p.Slurm {
		fmt.Fprintln(w, "`make fleet-status` collects what has ended")
	} else if s, err = survey(ctx, w, o, p, e); err != nil {
		return err
	}
	return errors.Join(s.refused...)
}

// standing is how the tasks of a fleet stand.
type standing struct {
	whole, at int     // that are done, and that wait or run
	missing   []state // that nobody is at
	refused   []error // why what is there is of no use
}

// survey tells how each task stands, and collects the runs that are whole.
func survey(ctx context.Context, w io.Writer, o Options, p *Plan, e engine) (*standing, error) {
	if err := e.fetch(ctx); err != nil {
		return nil, err
	}
	waiting, err := e.waiting(ctx)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(o.Dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	if err := os.MkdirAll(o.Results, 0o777); err != nil {
		return nil, err
	}
	into, err := os.OpenRoot(o.Results)
	if err != nil {
		return nil, err
	}
	defer into.Close()
	all := new(standing)
	for _, t := range p.tasks() {
		line, err := all.add(root, into, p, t, waiting[t])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t, err)
		}
		fmt.Fprintf(w, "%s: %s\n", t, line)
	}
	fmt.Fprintf(w, "%d of %d runs are in %s, %d wait or run, %d missing, %d refused\n",
		all.whole, len(p.tasks()), o.Results, all.at, len(all.missing), len(all.refused))
	return all, nil
}

// add takes a task into account, and says how it stands.
func (all *standing) add(root, into *os.Root, p *Plan, t task, waiting string) (string, error) {
	s := examine(root, p, t)
	switch {
	case s.run != nil:
		all.whole++
		name, err := collect(root, into, s)
		return "results/" + name + without(s.run), err
	case s.err != nil:
		all.refused = append(all.refused, s.err)
		return fmt.Sprintf("refused: %v; delete the node's folder to have it measured again", s.err), nil
	case waiting != "":
		all.at++
		return waiting + s.progress(), nil
	}
	all.missing = append(all.missing, s)
	return "missing" + s.progress() + lastWords(root, t), nil
}

// without tells of the forks of a run that gave no result.
func without(r *results.Run) string {
	n := 0
	for _, e := range r.Experiments {
		for _, f := range e.Forks {
			if !f.Clean() && f.Tail != "" {
				n++
			}
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", %d forks without a result", n)
}

func (s state) progress() string {
	if s.node == "" {
		return ""
	}
	return fmt.Sprintf(", begun on %s with %d heats done", s.node, s.done)
}

// lastWords are those of a task's log, whose end says why it ended.
func lastWords(root *os.Root, t task) string {
	f, err := root.Open(t.log())
	if errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	if err != nil {
		return "; " + err.Error()
	}
	defer f.Close()
	const tail = 4 << 10
	if info, err := f.Stat(); err == nil && info.Size() > tail {
		if _, err := f.Seek(-tail, io.SeekEnd); err != nil {
			return "; " + err.Error()
		}
	}
	text, err := io.ReadAll(io.LimitReader(f, tail))
	if err != nil {
		return "; " + err.Error()
	}
	if words := onOneLine(string(text)); words != "" {
		return "; its log ends: " + words
	}
	return ""
}

// resultName is the name of a run among the results.
func resultName(r *results.Run) string {
	m := &r.Manifest
	return m.Start.UTC().Format("20060102T150405Z") + "-" + host.Slug(m.Machine.CPU, m.Machine.CPUs)
}
