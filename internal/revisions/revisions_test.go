package revisions

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hotpath/internal/compare"
	"hotpath/internal/stats"
)

const (
	spin = "experiments/spin/spin_test.go"
	work = "work/work.go"
)

// scratch sends temporary files to a folder of the test's own, and returns a check
// that nothing is left in it.
func scratch(t *testing.T) (empty func()) {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	return func() {
		left, err := filepath.Glob(filepath.Join(dir, "*"))
		if err != nil || len(left) > 0 {
			t.Errorf("left behind: %q %v", left, err)
		}
	}
}

// What cannot be compared is one clear line, leaves nothing behind and the user's
// files as they are.
func TestRevisionsRefuse(t *testing.T) {
	dir := repository(t)
	edit(t, dir, work, "return x", "return y")
	commit(t, dir, "broken")
	edit(t, dir, work, "return y", "return x")
	edit(t, dir, spin, `"laps"`, `"rounds"`)
	commit(t, dir, "older")
	edit(t, dir, spin, `"rounds"`, `"laps"`)
	edit(t, dir, spin, "var sink uint64", "var sink uint64\n\nfunc init() { panic(\"no plan\") }")
	commit(t, dir, "panics")
	do(t, dir, "rm", "-r", "--quiet", "experiments", "plain")
	commit(t, dir, "none")
	do(t, dir, "checkout", "--quiet", "first")
	edit(t, dir, work, "2000", "2001") // the work tree is dirty
	before := state(t, dir)
	for name, c := range map[string]struct {
		a, b string
		o    Options
		want string
	}{
		"unknown revision":    {"first", "nosuch", Options{}, "nosuch is no revision here"},
		"no experiment":       {"first", "none", Options{}, `B (none): no experiment "" below experiments`},
		"no such experiment":  {"first", ".", Options{Experiment: "other"}, `A (first): no experiment "other" below experiments; there are ["spin"]`},
		"build error":         {"broken", ".", Options{}, "A (broken): spin does not build: "},
		"older protocol":      {".", "older", Options{}, "B (older) speaks another protocol of turns than this program: spin: its plan: "},
		"no plan":             {".", "panics", Options{}, "B (panics) speaks another protocol of turns than this program: spin: asking for its plan: "},
		"pattern":             {"first", ".", Options{Only: "("}, "missing closing )"},
		"nothing in common":   {"first", ".", Options{Only: "nosuch"}, "no benchmark in common"},
		"package, build":      {"first", "broken", Options{Dir: "plain", Bench: "."}, "B (broken): the package does not build: "},
		"package, not there":  {"none", ".", Options{Dir: "plain", Bench: "."}, "none has no files in plain/"},
		"package, no tests":   {"first", ".", Options{Dir: "work", Bench: "."}, "A (first): the package has no benchmarks"},
		"package, no match":   {"first", ".", Options{Dir: "plain", Bench: "Nosuch"}, "no benchmark in common"},
		"package, no pattern": {"first", ".", Options{Dir: "plain", Bench: "("}, "its benchmarks fail"},
	} {
		t.Run(name, func(t *testing.T) {
			empty := scratch(t)
			c.o.Dir, c.o.Budget, c.o.Threshold = filepath.Join(dir, c.o.Dir), time.Second, 0.02
			var out, progress bytes.Buffer
			verdict, err := Compare(t.Context(), &out, &progress, c.a, c.b, c.o)
			if verdict != compare.CannotTell || err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("verdict %d, %v, want %q in one line", verdict, err, c.want)
			}
			if out.Len() > 0 {
				t.Errorf("there is output:\n%s", &out)
			}
			empty()
			untouched(t, dir, before)
		})
	}
}

// began is what is told when measuring begins.
type began chan struct{}

func (b began) Write(p []byte) (int, error) {
	if bytes.HasPrefix(p, []byte("measuring ")) {
		close(b)
	}
	return len(p), nil
}

// appears waits for a file.
func appears(t *testing.T, pattern string) {
	t.Helper()
	for range 60_000 {
		if found, err := filepath.Glob(pattern); err != nil {
			t.Fatal(err)
		} else if len(found) > 0 {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("no %s", pattern)
}

// An interrupt in the midst of building or measuring leaves nothing behind.
func TestRevisionsInterrupted(t *testing.T) {
	dir := repository(t)
	before := state(t, dir)
	for name, o := range map[string]Options{"turns": {Dir: dir}, "calls": {Dir: filepath.Join(dir, "plain"), Bench: "."}} {
		for _, measuring := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, measuring %v", name, measuring), func(t *testing.T) {
				empty := scratch(t)
				mark := filepath.Join(t.TempDir(), "mark")
				t.Setenv("FIXTURE_MARK", mark)
				o.Budget, o.Threshold = time.Hour, 1e-9
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				progress := make(began)
				var interrupted time.Time
				go func() {
					if measuring {
						<-progress
						os.Remove(mark) // of the call that lists the benchmarks
						appears(t, mark)
					} else {
						appears(t, filepath.Join(os.TempDir(), "*", "go-build*"))
					}
					interrupted = time.Now()
					cancel()
				}()
				var out bytes.Buffer
				_, err := Compare(ctx, &out, progress, "first", ".", o)
				if !errors.Is(err, context.Canceled) || out.Len() > 0 {
					t.Errorf("%v\n%s", err, &out)
				}
				if took := time.Since(interrupted); took > 10*time.Second {
					t.Errorf("it went on for %v", took)
				}
				empty()
				untouched(t, dir, before)
			})
		}
	}
}

// A change that makes work three times as long is never called anything else, and is
// found where the machine lets anything be found in so short a time.
func TestRevisions(t *testing.T) {
	dir := repository(t)
	edit(t, dir, spin, `{"idle", "floor", ""}`, `{"idle", "floor", ""}, {"new", "ours", ""}`)
	edit(t, dir, work, "2000", "6000")
	before := state(t, dir)
	for name, c := range map[string]struct {
		o    Options
		want []string
	}{
		"turns": {Options{Dir: dir, Only: "impl=(work|new)/"}, []string{"spin Spin/impl=work/mode=thrpt@one", "only in B: spin Spin/impl=new/mode=thrpt@one"}},
		"calls": {Options{Dir: filepath.Join(dir, "plain"), Bench: "Work/size=1"}, []string{"Work/size=1"}},
	} {
		t.Run(name, func(t *testing.T) {
			empty := scratch(t)
			c.o.Budget, c.o.Threshold, c.o.Chart = 5*time.Second, 0.02, filepath.Join(t.TempDir(), "new", "charts")
			var out, progress bytes.Buffer
			verdict, err := Compare(t.Context(), &out, &progress, "first", ".", c.o)
			if err != nil {
				t.Fatal(err)
			}
			drawn(t, out.String(), c.o.Chart)
			t.Logf("%s", &out)
			switch verdict {
			case compare.Regression:
				c.want = append(c.want, "slower: 1 of 1\n")
			case compare.CannotTell:
				c.want = append(c.want, "cannot tell: 1 of 1\n")
			default:
				t.Errorf("verdict %d", verdict)
			}
			for _, want := range append(c.want, "A  first, commit ", "B  ., the work tree, changed since commit ") {
				if !strings.Contains(out.String(), want) {
					t.Errorf("%q is not in\n%s", want, &out)
				}
			}
			if !strings.HasPrefix(progress.String(), "building first and .\nmeasuring 1 benchmark for at most 5s\n") {
				t.Errorf("progress %q", &progress)
			}
			empty()
			untouched(t, dir, before)
		})
	}
}

// scripted is a meter whose heats are written down.
type scripted struct {
	heats  map[string]func(heat int) sample
	held   map[string]int
	rounds int
}

func (s *scripted) per() (int, string) { return 1, "heat" }

func (s *scripted) round(context.Context, []benchmark) error { s.rounds++; return nil }

func (s *scripted) measure(_ context.Context, b benchmark) (sample, error) {
	s.held[b.name]++
	return s.heats[b.name](s.held[b.name]), nil
}

// heat scripts heats that count, with these ratios in turns.
func heat(ratios ...float64) func(int) sample {
	return func(n int) sample {
		jitter := 1 + 0.001*float64(n*7%11-5)
		return sample{figures: []figure{{"ns/op", ratios[n%len(ratios)] * jitter, jitter}}}
	}
}

// play holds a trial of scripted heats.
func play(t *testing.T, budget time.Duration, heats map[string]func(int) sample) (map[string]*entry, *scripted) {
	t.Helper()
	m := &scripted{held: map[string]int{}, heats: heats}
	tr := &trial{sources: &sources{}, meter: m, ticker: newTicker(io.Discard), o: Options{Budget: budget, Threshold: 0.02}}
	all := map[string]*entry{}
	for name := range heats {
		all[name] = &entry{benchmark: benchmark{name: name}}
		tr.entries = append(tr.entries, all[name])
	}
	if err := tr.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	return all, m
}

// A trial holds heats of what is open until all is decided or failed. A heat that does
// not count is held again.
func TestTrial(t *testing.T) {
	slow, same := heat(1.1), heat(1)
	all, m := play(t, time.Hour, map[string]func(int) sample{
		"Slow": slow, "Fast": heat(0.9), "Same": same,
		"Half": func(n int) sample {
			if n%2 == 0 {
				return sample{}
			}
			return slow(n / 2)
		},
		"Dies": func(n int) sample {
			if n == 3 {
				return sample{failed: "B: panic: gone"}
			}
			return same(n)
		},
	})
	first := (&contest{alpha: familyError / 5}).due()
	for name, want := range map[string]struct {
		outcome Outcome
		heats   int
	}{"Slow": {Slower, first}, "Fast": {Faster, first}, "Same": {Alike, first}, "Half": {Slower, 2*first - 1}, "Dies": {Open, 3}} {
		e := all[name]
		if !e.has(want.outcome) || e.heats != want.heats || m.held[name] != want.heats {
			t.Errorf("%s: %v after %d heats of %d, want %v after %d", name, e.contests[0].outcome, e.heats, m.held[name], want.outcome, want.heats)
		}
	}
	if all["Dies"].failed == "" || m.rounds != 2*first-1 {
		t.Errorf("failed %q, %d rounds", all["Dies"].failed, m.rounds)
	}
}

// A trial ends when its budget does, with a last look.
func TestTrialEnds(t *testing.T) {
	n, rng := layouts(0.5), rand.New(rand.NewPCG(3, 4))
	all, m := play(t, 20*time.Millisecond, map[string]func(int) sample{"Wide": func(int) sample {
		ratio, control := n(rng)
		return sample{figures: []figure{{"ns/op", ratio, control}}}
	}})
	if e := all["Wide"]; !e.has(Open) || e.heats != m.held["Wide"] || e.heats >= 10 && e.contests[0].seen != e.heats {
		t.Errorf("%v after %d heats of %d, the last look at %d", e.contests[0].outcome, e.heats, m.held["Wide"], e.contests[0].seen)
	}
}

// Each benchmark has a line, and the verdict on all follows from the worst.
func TestVerdictLines(t *testing.T) {
	decided := func(o Outcome) *contest {
		iv := stats.Interval{Estimate: 1.05, Low: 1.01, High: 1.1, N: 12, Level: 0.99}
		return &contest{alpha: 0.05, margin: 0.02, looks: 2, seen: 12, ratios: make([]float64, 12), ratio: iv, outcome: o}
	}
	of := func(name string, outcomes ...Outcome) *entry {
		e := &entry{benchmark: benchmark{"counter", "one", name}, heats: 12}
		for i, o := range outcomes {
			e.units = append(e.units, []string{"ns/op", "server-cpu-ns/op"}[i])
			e.contests = append(e.contests, decided(o))
		}
		return e
	}
	failed := of("Gone")
	failed.failed = "B: panic: gone"
	early := of("Early")
	early.heats = 0
	for name, c := range map[string]struct {
		entries []*entry
		verdict compare.Verdict
		want    []string
	}{
		"alike":     {[]*entry{of("X", Alike), of("Y", Faster)}, compare.NoRegression, []string{"nothing is slower: 2 compared", "1.050 [1.010, 1.100]", "faster"}},
		"slower":    {[]*entry{of("X", Open), of("Y", Slower)}, compare.Regression, []string{"slower: 1 of 2", "counter Y@one", "would decide"}},
		"one unit":  {[]*entry{of("X", Alike, Slower)}, compare.Regression, []string{"slower: 1 of 1", "server-cpu-ns/op"}},
		"open":      {[]*entry{of("X", Alike), of("Y", Open)}, compare.CannotTell, []string{"cannot tell: 1 of 2"}},
		"one open":  {[]*entry{of("X", Alike, Open)}, compare.CannotTell, []string{"cannot tell: 1 of 1"}},
		"failed":    {[]*entry{of("X", Alike), failed}, compare.CannotTell, []string{"cannot tell: 1 of 2", "cannot tell: B: panic: gone"}},
		"gated":     {[]*entry{of("X")}, compare.CannotTell, []string{"no heat counts, since others used the machine"}},
		"too early": {[]*entry{early}, compare.CannotTell, []string{"the budget ended before its first heat"}},
	} {
		t.Run(name, func(t *testing.T) {
			tr := &trial{sources: &sources{}, meter: &heats{}, entries: c.entries, only: []string{"only in A: Z"}}
			var out bytes.Buffer
			verdict, err := tr.write(&out)
			if err != nil || verdict != c.verdict {
				t.Errorf("verdict %d, %v, want %d", verdict, err, c.verdict)
			}
			for _, want := range append(c.want, "only in A: Z") {
				if !strings.Contains(out.String(), want) {
					t.Errorf("%q is not in\n%s", want, &out)
				}
			}
		})
	}
}
