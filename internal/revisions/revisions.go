// Package revisions tells whether B is slower than A, each a git revision or the work
// tree as it is. It measures both side by side: a heat is a process of A, one of B,
// and one of A again, which is the control. Each of them has a binary of its
// own, linked with its functions in an order that is drawn anew for each heat, and
// they start in an order that is drawn as well. So while A and B are the same code,
// the three are exchangeable: a heat's ratio B / A is as likely to be too large as it
// is to be as much too small, whatever the noise is like and however it changes from
// heat to heat. The signed-rank interval over the heats assumes nothing else.
//
// The heats are looked at again and again, so that what is plain is decided soon.
// Who looks often enough finds any interval wrong once; so the k-th look takes its
// interval at 1 - α/(k(k+1)). These shares of α add up to less than α, however many
// looks there are and whenever the budget ends. α is 5 % over the number of
// benchmarks, and over the units of each: all verdicts together are right with a
// confidence of 95 %. A look comes when there are a quarter more heats than at the
// last one. Where the control's interval does not hold 1, all intervals are widened
// by what it is off.
//
// A difference within a margin is none: where the whole interval lies within it, the
// verdict is "no difference". Else it is "slower" above 1, "faster" below 1, and
// "cannot tell" where the interval holds 1.
//
// Experiments measure in turns of milliseconds, under the gates of package run. The
// benchmarks of other packages know no turns: there a heat is some laps of calls, each
// a fresh process that measures for 50 ms, in shuffled order, and it counts as a whole
// or not at all. Calls are farther apart than turns, so what contends takes more of
// them than a budget may hold.
package revisions

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/term"

	"hotpath/internal/bench"
	"hotpath/internal/compare"
	"hotpath/internal/run"
)

// Options say what to compare of two revisions, and for how long.
type Options struct {
	Dir        string        // of the repository, or of a package in one
	Bench      string        // instead of experiments: the package's benchmarks that match, as of go test -bench
	Experiment string        // this one alone, unless empty
	Only       string        // the contestants that match this regular expression
	Budget     time.Duration // for measuring; the first building comes on top
	Threshold  float64       // a difference up to this share is none: 0.02 is 2 %
	Chart      string        // folder to draw into, unless empty
}

// Compare measures B beside A, the baseline, and writes what is slower and what is
// faster. Each is a revision in git's words, or "." for the work tree as it is. The
// repository and the work tree are only read, and nothing is left behind but the
// chart that was asked for. How far it is goes to progress. An error means that they cannot be compared, and comes with
// CannotTell; after an interrupt it is context.Canceled.
func Compare(ctx context.Context, w, progress io.Writer, a, b string, o Options) (compare.Verdict, error) {
	t, err := hold(ctx, progress, a, b, o)
	if err != nil {
		return compare.CannotTell, err
	}
	verdict, err := t.write(w)
	if err == nil && o.Chart != "" {
		_, err = fmt.Fprintln(w, t.draw(o.Chart))
	}
	return verdict, err
}

// hold holds a trial to its end.
func hold(ctx context.Context, progress io.Writer, a, b string, o Options) (*trial, error) {
	scratch, err := run.NewScratch()
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(scratch)
	s := &sources{scratch: scratch}
	for side, name := range []string{a, b} {
		to := filepath.Join(scratch, fmt.Sprintf("%c", 'A'+side))
		if s.trees[side], err = checkOut(ctx, o.Dir, name, to); err != nil {
			return nil, err
		}
	}
	conductor := run.NewConductor(scratch)
	defer conductor.Close()
	t := &trial{sources: s, o: o, ticker: newTicker(progress)}
	defer t.clear()
	t.begin("building %s and %s", compare.Show(a), compare.Show(b))
	if err := t.enter(ctx, conductor); err != nil {
		return nil, err
	}
	return t, t.run(ctx)
}

// trial is a comparison of two revisions under way.
type trial struct {
	*sources
	meter
	*ticker
	o       Options
	entries []*entry
	only    []string // what one side alone has
}

// entry is a benchmark of a trial.
type entry struct {
	benchmark
	units    []string
	contests []*contest // by unit
	heats    int        // that were held
	failed   string     // why it cannot be measured
	a, b     []result   // for benchstat's table
}

// enter builds both sides and pairs their benchmarks.
func (t *trial) enter(ctx context.Context, c *run.Conductor) error {
	var l lineup
	var err error
	if t.o.Bench != "" {
		t.meter, l, err = newCalls(ctx, t.sources, c, t.o)
	} else {
		t.meter, l, err = newHeats(ctx, t.sources, c, t.o)
	}
	if err != nil {
		return err
	}
	if len(l.common) == 0 {
		return fmt.Errorf("no benchmark in common that was asked for; one side alone has %d", len(l.only))
	}
	for _, b := range l.common {
		t.entries = append(t.entries, &entry{benchmark: b})
	}
	t.only = l.only
	return nil
}

// run measures until all is decided or the budget is spent. Each round has new
// binaries and a heat of every benchmark that is open.
func (t *trial) run(ctx context.Context) error {
	began := time.Now()
	t.begin("measuring %s for at most %v", bench.Plural(len(t.entries), "benchmark"), t.o.Budget)
	for time.Since(began) < t.o.Budget {
		open := slices.DeleteFunc(slices.Clone(t.entries), func(e *entry) bool { return e.settled() })
		if len(open) == 0 {
			return nil
		}
		var of []benchmark
		for _, e := range open {
			of = append(of, e.benchmark)
		}
		if err := t.round(ctx, of); err != nil {
			return err
		}
		rand.Shuffle(len(open), func(i, j int) { open[i], open[j] = open[j], open[i] })
		for _, e := range open {
			spent := time.Since(began)
			if spent > t.o.Budget {
				break
			}
			t.tell("%v of %v: %d of %d decided", spent.Round(time.Second), t.o.Budget, t.count((*entry).settled), len(t.entries))
			s, err := t.measure(ctx, e.benchmark)
			if err != nil {
				return err
			}
			t.take(e, s)
		}
	}
	for _, e := range t.entries {
		for _, c := range e.contests {
			c.end()
		}
	}
	return nil
}

// take adds a heat to an entry. The entries share the error that all verdicts
// together may have, and so do the units of an entry.
func (t *trial) take(e *entry, s sample) {
	e.heats++
	e.failed = s.failed
	if e.contests == nil {
		for _, f := range s.figures {
			e.units = append(e.units, f.unit)
			alpha := familyError / float64(len(t.entries)*len(s.figures))
			e.contests = append(e.contests, &contest{alpha: alpha, margin: t.o.Threshold})
		}
	}
	for _, f := range s.figures {
		if i := slices.Index(e.units, f.unit); i >= 0 && e.contests[i].outcome == Open {
			e.contests[i].add(f.ratio, f.control)
		}
	}
	e.a, e.b = append(e.a, s.a...), append(e.b, s.b...)
}

// settled reports whether more heats would change nothing.
func (e *entry) settled() bool { return e.failed != "" || len(e.contests) > 0 && !e.has(Open) }

func (e *entry) has(o Outcome) bool {
	return slices.ContainsFunc(e.contests, func(c *contest) bool { return c.outcome == o })
}

func (t *trial) count(is func(*entry) bool) int {
	n := 0
	for _, e := range t.entries {
		if is(e) {
			n++
		}
	}
	return n
}

// ticker tells how far something is: on a terminal in one line, elsewhere now and
// then.
type ticker struct {
	w        io.Writer
	terminal bool
	told     time.Time
}

// tellAgain is how long it is silent where there is no terminal.
const tellAgain = 10 * time.Second

func newTicker(w io.Writer) *ticker {
	f, ok := w.(*os.File)
	return &ticker{w: w, terminal: ok && term.IsTerminal(int(f.Fd()))}
}

// begin tells at once what comes next.
func (t *ticker) begin(format string, args ...any) {
	t.told = time.Time{}
	t.tell(format, args...)
}

func (t *ticker) tell(format string, args ...any) {
	switch {
	case t.terminal:
		fmt.Fprintf(t.w, "\r\x1b[K"+format, args...)
	case time.Since(t.told) > tellAgain:
		t.told = time.Now()
		fmt.Fprintf(t.w, format+"\n", args...)
	}
}

// clear takes the line off the terminal.
func (t *ticker) clear() {
	if t.terminal {
		fmt.Fprint(t.w, "\r\x1b[K")
	}
}
