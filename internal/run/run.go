package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"hotpath/internal/bench"
	"hotpath/internal/results"
)

// hopeless is after how many forks without a result a cell that has had none is
// given up.
const hopeless = 3

// longest is how many times the expected time a run may take, because heats that
// the machine spoils are held again.
const longest = 1.5

// Options say what to measure.
type Options struct {
	Budget     time.Duration // to spend on measuring; building comes on top
	Experiment string        // this one alone, unless empty
	Quick      bool          // a look at the judged blocks
	PlanOnly   bool          // print what would be measured
	JVM        bool          // the contestants on a JVM too, whose warm-up takes minutes
	Kit        string        // folder that WriteKit wrote: nothing is built; empty to build
	Results    string        // folder that runs are written to
	Check      Check         // if not nil, asked of each experiment before anything is measured

	Experiments string // folder of the experiments' packages
}

// Check refuses an experiment, whose folder and cells it is given.
type Check func(dir string, cells []bench.Cell) error

// Measure makes a run, or goes on with the one that was interrupted. It writes
// what it is about to do and how far it is to w. Its error is context.Canceled
// after an interrupt.
func Measure(ctx context.Context, w io.Writer, o Options) error {
	if err := os.MkdirAll(o.Results, 0o777); err != nil {
		return err
	}
	root, err := os.OpenRoot(o.Results)
	if err != nil {
		return err
	}
	defer root.Close()
	scratch, err := NewScratch()
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	if o.Kit != "" {
		return measureKit(ctx, w, root, o, scratch)
	}

	ps, err := Find(o.Experiments, o.Experiment)
	if err != nil {
		return err
	}
	links := layouts
	if o.PlanOnly {
		links = 1
	}
	started := time.Now()
	if err := buildJVM(ctx, w, ps, o, filepath.Join(scratch, bench.JVM)); err != nil {
		return err
	}
	for i := range ps {
		p := &ps[i]
		fmt.Fprintf(w, "building %s\n", p.Name)
		if err := p.build(ctx, scratch, links); err != nil {
			return err
		}
		if err := p.ask(ctx, o); err != nil {
			return err
		}
	}
	fmt.Fprintf(w, "built in %v\n", time.Since(started).Round(time.Second))
	m, err := plan(ps, o)
	if err != nil {
		return err
	}
	if o.PlanOnly {
		announce(w, m)
		return nil
	}
	return conduct(ctx, w, root, ps, m, scratch)
}

// conduct holds the heats that are planned and not yet done, and seals the run.
func conduct(ctx context.Context, w io.Writer, root *os.Root, ps []Program, m results.Manifest, scratch string) error {
	p, err := begin(w, root, m)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "run %s on %s, %d CPUs\n", p.Name, m.Machine.CPU, m.Machine.CPUs)
	announce(w, p.Manifest)
	if n := len(p.Records()); n > 0 {
		fmt.Fprintf(w, "going on after %d heats\n", n)
	}
	m = p.Manifest
	conductor := newConductor(m.Gates, m.Machine.CPUs, m.Memory, scratch)
	defer conductor.Close()
	r := &runner{
		Partial: p, programs: ps, conductor: conductor,
		progress: newProgress(w), failures: map[string]int{}, gave: map[string]bool{},
	}
	err = r.run(ctx)
	r.progress.end()
	if err != nil {
		return errors.Join(err, p.Close())
	}
	end := time.Now().UTC().Truncate(time.Second)
	if end.Before(p.Manifest.Start) { // a clock that was set back
		end = p.Manifest.Start
	}
	if err := p.Seal(end); err != nil {
		return err
	}
	return conclude(w, p)
}

// announce prints what a plan holds.
func announce(w io.Writer, m results.Manifest) {
	for _, plan := range m.Plan {
		heats, cells := map[bench.Tier]int{}, map[bench.Tier]int{}
		for _, block := range blocks(plan.Cells) {
			tier := block[0].Tier
			cells[tier] += len(block)
			heats[tier] += len(parts(block)) * plan.Heats[tier]
		}
		fmt.Fprintf(w, "%s: %d heats of %d judged cells (%d of each block), %d of %d others (%d of each part of a block), about %v\n",
			plan.Experiment, heats[bench.Judged], cells[bench.Judged], plan.Heats[bench.Judged],
			heats[bench.Peers], cells[bench.Peers], plan.Heats[bench.Peers],
			costOf([]results.Plan{plan}).Round(time.Second))
		if with, warmUp := lane(plan); with > 0 {
			fmt.Fprintf(w, "%s: of that the blocks with contestants on a JVM take about %v, and %v of these are for its warm-up\n",
				plan.Experiment, with.Round(time.Second), warmUp.Round(time.Second))
		}
	}
}

// conclude prints what became of the run, and returns an error if a fork gave
// no result.
func conclude(w io.Writer, p *results.Partial) error {
	forks, few, kept, gated, bad := 0, 0, 0, 0, 0
	for _, rec := range p.Records() {
		for _, r := range rec.Forks {
			f := r.Fork
			forks, kept, gated = forks+1, kept+f.Kept, gated+f.Gated
			switch {
			case f.State != bench.Complete:
				bad++
				fmt.Fprintf(w, "heat %d, %s: %s: %s\n", rec.Heat.ID, f.Cell, f.State, f.Tail)
			case !f.Clean():
				few++
			}
		}
	}
	fmt.Fprintf(w, "results/%s: %d heats, %d forks, %d turns kept and %d gated, %d forks with too few, %d without a result\n",
		p.Name, len(p.Records()), forks, kept, gated, few, bad)
	if bad > 0 {
		return fmt.Errorf("%d forks gave no result; the others are in results/%s", bad, p.Name)
	}
	return nil
}

// runner goes through the schedule of a run.
type runner struct {
	*results.Partial
	programs  []Program
	conductor *Conductor
	progress  *progress
	failures  map[string]int  // forks without a result, by experiment and cell
	gave      map[string]bool // a result was given, by the same

	// The time that the heats so far took, what those that are left are expected to
	// take, and what all may take together before spoilt ones are no longer repeated.
	spent, left, limit time.Duration
}

// slot is where in the schedule a heat belongs.
type slot struct {
	experiment        string
	block             bench.Block
	part, number, try int
}

// run holds the heats that are planned, and once more at the end those that the
// machine spoilt.
func (r *runner) run(ctx context.Context) error {
	m := r.Manifest
	done := map[slot]results.Record{}
	for _, rec := range r.Records() {
		done[slot{rec.Experiment, rec.Heat.Block, rec.Heat.Part, rec.Heat.Number, rec.Heat.Try}] = rec
		r.count(rec)
	}
	heats := schedule(m.Plan, m.Layouts, m.Seed)
	r.progress.start(heats)
	r.left = costOf(m.Plan)
	r.limit = time.Duration(longest * float64(r.left))
	for len(heats) > 0 {
		var again []heatPlan
		for _, h := range heats {
			repeats := r.spent+r.left+cost(h.cells) <= r.limit
			rec, err := r.once(ctx, h, repeats, done)
			if err != nil {
				return err
			}
			if rec.Heat.Incomplete != "" || repeats && r.spoilt(rec) {
				h.try++
				again = append(again, h)
				r.progress.putOff(h, len(again))
				continue
			}
			if err := r.makeUp(ctx, h, rec, done); err != nil {
				return err
			}
			r.left -= cost(h.cells)
			r.progress.step(h)
		}
		heats = again
	}
	return nil
}

// once is the record of a heat, which is held unless it is done: a run that goes on
// decides of all that was done as it did before. A heat that is repeated when it is
// spoilt may be broken off.
func (r *runner) once(ctx context.Context, h heatPlan, repeats bool, done map[slot]results.Record) (rec results.Record, err error) {
	rec, ok := done[h.slot()]
	if !ok {
		if rec, err = r.hold(ctx, h, repeats); err != nil {
			return rec, err
		}
	}
	r.spent += time.Duration(rec.Heat.Seconds * float64(time.Second))
	return rec, nil
}

// makeUp holds the heats of the cells that were left out of one.
func (r *runner) makeUp(ctx context.Context, h heatPlan, rec results.Record, done map[slot]results.Record) error {
	for _, left := range h.left(rec) {
		if r.hopeless(left.experiment, left.cells[len(left.cells)-1]) {
			continue
		}
		if _, err := r.once(ctx, left, false, done); err != nil {
			return err
		}
	}
	return nil
}

// spoilt reports whether the machine was in use beside a heat, and none of its
// forks counts.
func (r *runner) spoilt(rec results.Record) bool {
	return slices.ContainsFunc(rec.Heat.Windows, func(n bench.Noise) bool { return r.Manifest.Gates.Beside(n) != 0 }) &&
		!slices.ContainsFunc(rec.Forks, func(f results.ForkRecord) bool { return f.Fork.Clean() })
}

// hold holds a heat and commits its record, which is empty where all of its cells
// are given up.
func (r *runner) hold(ctx context.Context, plan heatPlan, breakOff bool) (rec results.Record, err error) {
	p := r.programs[slices.IndexFunc(r.programs, func(p Program) bool { return p.Name == plan.experiment })]
	var contestants []Contestant
	for _, c := range plan.cells {
		if !r.hopeless(plan.experiment, c) {
			contestants = append(contestants, Contestant{c, p.Dir, p.binaries[plan.layout-1], p.kit.Env})
		}
	}
	if len(contestants) == 0 {
		return rec, nil
	}
	if rec, err = r.conductor.hold(ctx, r.NextFork(), &heat{Conductor: r.conductor, contestants: contestants, breakOff: breakOff}); err != nil {
		return rec, err
	}
	rec.Experiment = plan.experiment
	rec.Heat.ID, rec.Heat.Block, rec.Heat.Part = len(r.Records())+1, plan.block(), plan.part
	rec.Heat.Number, rec.Heat.Try, rec.Heat.Layout = plan.number, plan.try, plan.layout
	for i := range rec.Forks {
		rec.Forks[i].Fork.Heat = rec.Heat.ID
	}
	for id, why := range r.Refused(rec) {
		for i, f := range rec.Forks {
			if f.Fork.ID == id {
				f.Fork.State, f.Fork.Enough, f.Fork.Tail = bench.Failed, false, results.LastWords(why.Error())
				rec.Forks[i] = results.ForkRecord{Fork: f.Fork}
			}
		}
	}
	r.count(rec)
	r.progress.tell(rec)
	return rec, r.Commit(rec)
}

func (r *runner) count(rec results.Record) {
	for _, f := range rec.Forks {
		key := rec.Experiment + " " + f.Fork.Cell.String()
		if f.Fork.State == bench.Complete {
			r.gave[key] = true
		} else {
			r.failures[key]++
		}
	}
}

// hopeless reports whether a cell is given up.
func (r *runner) hopeless(experiment string, c bench.Cell) bool {
	key := experiment + " " + c.ID().String()
	return !r.gave[key] && r.failures[key] >= hopeless
}
