package run

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"time"

	"hotpath/internal/bench"
	"hotpath/internal/host"
	"hotpath/internal/results"
)

// attempts is how often a gated fork is tried in one round of a run; a quick
// look has no time for more than one.
const attempts = 3

// patience is how long a fork waits for the CPUs to be where they should be.
const patience = time.Second

// survey is how long the runner looks where the CPUs are before a run.
const survey = 15 * time.Second

// hopeless is after how many forks without a result a cell that has had none
// is given up.
const hopeless = 3

// Options say what to measure.
type Options struct {
	Budget      time.Duration // to spend on measuring; building comes on top
	Experiment  string        // this one alone, unless empty
	Quick       bool          // a look: nothing is decided on it
	Results     string        // folder that runs are written to
	Experiments string        // folder of the experiments' packages
}

// Measure makes a run, or goes on with the one that was interrupted.
func Measure(ctx context.Context, w io.Writer, o Options) error {
	if err := os.MkdirAll(o.Results, 0o777); err != nil {
		return err
	}
	root, err := os.OpenRoot(o.Results)
	if err != nil {
		return err
	}
	defer root.Close()
	scratch, err := os.MkdirTemp("", "benchrun")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)

	es, err := find(o.Experiments, o.Experiment)
	if err != nil {
		return err
	}
	links := layouts
	if o.Quick {
		links = 1
	}
	started := time.Now()
	for i := range es {
		fmt.Fprintf(w, "building %s\n", es[i].name)
		if err := es[i].build(ctx, scratch, links); err != nil {
			return err
		}
		if err := es[i].ask(ctx); err != nil {
			return err
		}
	}
	fmt.Fprintf(w, "built in %v\n", time.Since(started).Round(time.Second))
	m, err := plan(es, o)
	if err != nil {
		return err
	}
	return conduct(ctx, w, root, es, m, scratch)
}

// conduct runs what is planned and not yet done, and seals the run.
func conduct(ctx context.Context, w io.Writer, root *os.Root, es []experiment, m results.Manifest, scratch string) error {
	p, err := begin(root, m)
	if err != nil {
		return err
	}
	announce(w, p)
	r := &runner{Partial: p, experiments: es, scratch: scratch, progress: newProgress(w)}
	err = r.run(ctx)
	r.progress.end()
	if err != nil {
		return errors.Join(err, p.Close())
	}
	if err := p.Seal(time.Now().UTC().Truncate(time.Second)); err != nil {
		return err
	}
	return conclude(w, p)
}

// plan fixes all that a run depends on before its first fork.
func plan(es []experiment, o Options) (results.Manifest, error) {
	m := results.Manifest{
		Start:   time.Now().UTC().Truncate(time.Second),
		Machine: host.Fingerprint(),
		Quick:   o.Quick, Budget: shortDuration(o.Budget), Layouts: len(es[0].binaries),
		Seed:   rand.Uint64() >> 11, // a number that JSON readers in every language hold exactly
		Gates:  bench.DefaultThresholds,
		Claims: map[string]string{},
	}
	if o.Quick {
		m.Budget = "quick"
	}
	m.Attempts, m.Patience = attempts, patience.Seconds()
	survey := survey
	if o.Quick {
		m.Attempts, m.Patience, survey = 1, 0, time.Second
	}
	m.Distance = host.Distance(survey)
	m.Revision, m.Dirty = revision()
	m.Go = []bench.Fact{
		{Name: "version", Value: runtime.Version()},
		{Name: "GOARCH", Value: runtime.GOARCH},
		{Name: "GOAMD64", Value: goEnv("GOAMD64")},
		{Name: "GOGC", Value: "100, unless a cell sets it"},
	}
	for i := range es {
		e := &es[i]
		if o.Quick {
			look(&e.plan)
		}
		sums, err := e.sums()
		if err != nil {
			return m, err
		}
		m.Binaries = append(m.Binaries, sums...)
		if data, err := os.ReadFile(filepath.Join(e.dir, "claims.toml")); err == nil {
			sum := sha256.Sum256(data)
			m.Claims[e.name] = hex.EncodeToString(sum[:])
		} else if !errors.Is(err, fs.ErrNotExist) {
			return m, err
		}
		m.Plan = append(m.Plan, e.plan)
	}
	var err error
	if m.Modules, err = modules(es); err != nil {
		return m, err
	}
	if !o.Quick {
		err = allot(m.Plan, o.Budget)
	}
	return m, err
}

// begin starts a run as planned, or opens the unfinished one if it was planned
// alike.
func begin(root *os.Root, m results.Manifest) (*results.Partial, error) {
	unfinished, err := results.Unfinished(root)
	if err != nil {
		return nil, err
	}
	if len(unfinished) == 0 {
		machine := "-" + host.Slug(m.Machine.CPU, m.Machine.CPUs)
		p, err := results.Create(root, m.Start.Format("20060102T1504Z")+machine, m)
		if errors.Is(err, fs.ErrExist) { // a run of seconds, begun in the same minute
			p, err = results.Create(root, m.Start.Format("20060102T150405Z")+machine, m)
		}
		return p, err
	}
	name := unfinished[len(unfinished)-1]
	p, err := results.Resume(root, name)
	if err != nil {
		return nil, err
	}
	was := p.Manifest
	for _, d := range []struct {
		what     string
		was, now any
	}{
		{"budget", was.Budget, m.Budget},
		{"cells or rounds", was.Plan, m.Plan},
		{"code under test", was.Binaries, m.Binaries},
		{"claims", was.Claims, m.Claims},
		{"attempts at a gated fork", was.Attempts, m.Attempts},
		{"CPU", was.Machine.CPU, m.Machine.CPU},
	} {
		if !reflect.DeepEqual(d.was, d.now) {
			return nil, errors.Join(fmt.Errorf("results/%s was interrupted, and this command differs from it in the %s: "+
				"give the command that began it (budget %s) to finish it, or delete the folder to start anew", name, d.what, was.Budget), p.Close())
		}
	}
	return p, nil
}

// announce prints what is about to run.
func announce(w io.Writer, p *results.Partial) {
	m := p.Manifest
	fmt.Fprintf(w, "run %s on %s, %d CPUs\n", p.Name, m.Machine.CPU, m.Machine.CPUs)
	for _, plan := range m.Plan {
		cells := map[bench.Tier]int{}
		for _, c := range plan.Cells {
			cells[c.Tier]++
		}
		fmt.Fprintf(w, "%s: %d rounds of %d judged cells, %d rounds of %d others, about %v\n", plan.Experiment,
			plan.Rounds[bench.Judged], cells[bench.Judged], plan.Rounds[bench.Peers], cells[bench.Peers],
			costOf([]results.Plan{plan}, plan.Rounds).Round(time.Second))
	}
	if n := len(p.Records()); n > 0 {
		fmt.Fprintf(w, "going on after %d forks\n", n)
	}
}

// conclude prints what became of the run, and returns an error if a fork gave
// no result.
func conclude(w io.Writer, p *results.Partial) error {
	gated, bad := 0, 0
	for _, r := range p.Records() {
		switch {
		case r.Fork.State != bench.Complete:
			bad++
			fmt.Fprintf(w, "fork %d of %s, round %d: %s: %s\n", r.Fork.ID, r.Fork.Cell, r.Fork.Round, r.Fork.State, r.Fork.Tail)
		case !r.Fork.Clean():
			gated++
		}
	}
	fmt.Fprintf(w, "results/%s: %d forks, %d gated, %d without a result\n", p.Name, len(p.Records()), gated, bad)
	if bad > 0 {
		return fmt.Errorf("%d forks gave no result; the others are in results/%s", bad, p.Name)
	}
	return nil
}

// runner goes through the schedule of a run.
type runner struct {
	*results.Partial
	experiments []experiment
	scratch     string
	progress    *progress
	failures    map[string]int  // forks without a result, by experiment and cell
	gave        map[string]bool // a result was given, by the same
}

func (r *runner) run(ctx context.Context) error {
	m := r.Manifest
	type slot struct {
		experiment     string
		cell           bench.CellID
		round, attempt int
	}
	done := map[slot]results.Record{}
	r.failures, r.gave = map[string]int{}, map[string]bool{}
	for _, rec := range r.Records() {
		done[slot{rec.Experiment, rec.Fork.Cell, rec.Fork.Round, rec.Fork.Attempt}] = rec
		r.count(rec)
	}
	turns := schedule(m.Plan, m.Layouts, m.Seed)
	var ahead time.Duration
	for _, t := range turns {
		for _, c := range t.cells {
			if _, ok := done[slot{t.experiment, c.ID(), t.round, 1}]; !ok {
				ahead += cost(c)
			}
		}
	}
	r.progress.start(turns, ahead)
	for _, t := range turns {
		cells := t.cells
		for attempt := 1; attempt <= m.Attempts && len(cells) > 0 && (attempt == 1 || r.progress.hasTime(cells[0].Tier)); attempt++ {
			var again []bench.Cell
			for i, c := range cells {
				rec, ok := done[slot{t.experiment, c.ID(), t.round, attempt}]
				switch {
				case ok:
				case r.hopeless(t.experiment, c.ID()):
					r.progress.step(t, c, attempt, nil)
					continue
				default:
					var err error
					if rec, err = r.fork(ctx, t, c, i+1, attempt); err != nil {
						return err
					}
				}
				r.progress.step(t, c, attempt, &rec.Fork)
				if rec.Fork.State == bench.Complete && !rec.Fork.Clean() {
					again = append(again, c)
				}
			}
			cells = again
		}
	}
	return nil
}

// fork runs a cell and commits its record.
func (r *runner) fork(ctx context.Context, t turn, c bench.Cell, order, attempt int) (results.Record, error) {
	var e *experiment
	for i := range r.experiments {
		if r.experiments[i].name == t.experiment {
			e = &r.experiments[i]
		}
	}
	if c.Contends(runtime.NumCPU()) && r.progress.hasTime(c.Tier) {
		host.AwaitPlace(r.Manifest.Gates, r.Manifest.Distance, time.Duration(r.Manifest.Patience*float64(time.Second)))
	}
	rec, err := runFork(ctx, e, t.layout, c, r.scratch)
	if err != nil {
		return rec, err
	}
	rec.Fork.ID = len(r.Records()) + 1
	rec.Fork.Round, rec.Fork.Order, rec.Fork.Attempt = t.round, order, attempt
	if rec.Fork.State == bench.Complete {
		if rec.Fork.Gated, err = unmet(r.Manifest, c, rec); err != nil {
			return rec, err
		}
	}
	r.count(rec)
	return rec, r.Commit(rec)
}

func (r *runner) count(rec results.Record) {
	key := rec.Experiment + " " + rec.Fork.Cell.String()
	if rec.Fork.State == bench.Complete {
		r.gave[key] = true
	} else {
		r.failures[key]++
	}
}

// hopeless reports whether a cell is given up.
func (r *runner) hopeless(experiment string, cell bench.CellID) bool {
	key := experiment + " " + cell.String()
	return !r.gave[key] && r.failures[key] >= hopeless
}

// revision is the commit of the code and whether it was changed since. What a
// run or a report writes is not code.
func revision() (string, bool) {
	head, err := exec.Command("git", "rev-parse", "HEAD").Output()
	if err != nil {
		return "unknown", true
	}
	status, err := exec.Command("git", "status", "--porcelain", "--", ".", ":!results", ":!plots", ":!REPORT.md").Output()
	return strings.TrimSpace(string(head)), err != nil || len(status) > 0
}

func goEnv(name string) string {
	out, err := exec.Command("go", "env", name).Output()
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(out))
}

// shortDuration is a duration as people write it: 30m, not 30m0s.
func shortDuration(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
