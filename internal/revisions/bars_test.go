package revisions

import (
	"bytes"
	"fmt"
	"go/parser"
	"go/token"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"hotpath/internal/bench"
	"hotpath/internal/stats"
)

// TestMain lets the test binary be what takes a CPU from a comparison: for one
// second of every three, until its standard input ends.
func TestMain(m *testing.M) {
	if os.Getenv("REVISIONS_TEST") != "burn" {
		os.Exit(m.Run())
	}
	go func() {
		for {
			for began := time.Now(); time.Since(began) < time.Second; {
			}
			time.Sleep(2 * time.Second)
		}
	}()
	io.Copy(io.Discard, os.Stdin)
}

// burn takes a CPU now and then until the test ends.
func burn(t *testing.T) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), "REVISIONS_TEST=burn")
	in, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	})
}

// bar is how often comparisons must come out right.
type bar struct {
	name, experiment, only string
	unit                   bench.Unit
	planted                float64 // what B takes more than A; 0 where any outcome but "no difference" is wrong
	budget                 time.Duration
	share                  float64                                       // of the tries that must come out right
	plant                  func(t *testing.T, dir string, more, try int) // makes the work tree B
}

// tries is how many there are where n are asked for: nothing is wrong by chance
// seldom enough to need more of them.
func (b bar) tries(n int) int {
	if b.planted == 0 {
		return 2 * n
	}
	return n
}

const (
	counterTest   = "experiments/counter/counter_test.go"
	histogramTest = "experiments/multihistogram/multihistogram_test.go"
	echoHandler   = "impl/ipc/steps/echo.go"
	echoCell      = "impl=pooled/mode=thrpt/procs=2/conns=1/depth=1/cells=10/size=10240/"
)

var bars = []bar{
	{"the same, or another function changed", "counter", "", bench.TimePerOp, 0, 2 * time.Minute, 0.85, plantLayout},
	{"3 % of an uncontended counter", "counter", "impl=atomic/mode=thrpt/threads=1@one", bench.TimePerOp, 0.03, time.Minute, 0.9, plantUpdates},
	{"10 % of a contended counter", "counter", "impl=atomic/mode=thrpt/threads=32@numcpu", bench.TimePerOp, 0.10, 2 * time.Minute, 0.9, plantUpdates},
	{"5 % of a histogram", "multihistogram", "impl=fastlong/mode=thrpt/histograms=500/threads=200@numcpu", bench.TimePerOp, 0.05, 2 * time.Minute, 0.9, plantUpdates},
	{"5 % of a server's CPU", "ipc", echoCell, bench.ServerCPU, 0.05, 2 * time.Minute, 0.9, plantServerCPU},
}

// plantLayout leaves every second try as it is, and lets a function grow in the others
// that no worker calls.
func plantLayout(t *testing.T, dir string, _, try int) {
	if try%2 == 0 {
		const last = "runtime.KeepAlive(kept)\n"
		edit(t, dir, counterTest, last, last+strings.Repeat("\truntime.ReadMemStats(&after)\n", 7*(try+1)))
	}
}

// plantUpdates has each worker make some percent more updates than it tells of.
func plantUpdates(t *testing.T, dir string, more, _ int) {
	// What the updates add up to is not what the workers tell, so nobody looks at it.
	edit(t, dir, counterTest, "				Total: s.Value,\n", "")
	edit(t, dir, counterTest, "return w.Loop, w.Done", fmt.Sprintf(
		"due := 0\nreturn func(n int) { due += %d * n; w.Loop(n + due/100); due %%= 100 }, w.Done", more))
	edit(t, dir, histogramTest, "	if mode != bench.Throughput {\n", "	subject.Total = nil\n	if mode != bench.Throughput {\n")
	edit(t, dir, histogramTest, "return func(n int) { w.Loop(l, n) }, w.Done", fmt.Sprintf(
		"due := 0\nreturn func(n int) { due += %d * n; w.Loop(l, n+due/100); due %%= 100 }, w.Done", more))
}

// plantServerCPU has the server work in vain, for some percent of what it takes for an
// answer.
func plantServerCPU(t *testing.T, dir string, more, _ int) {
	if serverTakes == 0 {
		serverTakes = serverCPU(t, dir)
	}
	plantSteps(t, dir, serverTakes*float64(more)/100/stepTime())
}

// serverTakes is the CPU time in ns that the server takes for an answer, once it is known.
var serverTakes float64

// plantSteps has the server take some steps in vain for each answer.
func plantSteps(t *testing.T, dir string, steps float64) {
	const first = "	message, err := echoMessage(c.Param())\n"
	edit(t, dir, echoHandler, first, fmt.Sprintf(
		"	x := uint64(len(c.Param()))\n	for range %.0f {\n		x = x*6364136223846793005 + 1\n	}\n	if x == 0 {\n		return nil\n	}\n", steps)+first)
}

// TestPlants plants each change in the code as it is, and looks whether it is Go.
func TestPlants(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "hotpath")
	if _, err := checkOut(t.Context(), "../..", workTree, dir); err != nil {
		t.Fatal(err)
	}
	plantLayout(t, dir, 0, 0)
	plantUpdates(t, dir, 3, 0)
	plantSteps(t, dir, 1000)
	for _, name := range []string{counterTest, histogramTest, echoHandler} {
		if _, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, name), nil, parser.SkipObjectResolution); err != nil {
			t.Error(err)
		}
	}
}

// serverCPU measures the CPU time in ns that the server takes for an answer.
func serverCPU(t *testing.T, dir string) float64 {
	t.Helper()
	tr, err := hold(t.Context(), io.Discard, "base", "base", Options{Dir: dir, Experiment: "ipc", Only: echoCell, Budget: 2 * time.Minute, Threshold: 0.5})
	if err != nil {
		t.Fatal(err)
	}
	var took []float64
	for _, r := range tr.entries[0].a {
		for _, m := range r {
			if m.Unit == bench.ServerCPU.Name {
				took = append(took, m.Value)
			}
		}
	}
	if len(took) == 0 {
		t.Fatal("no heat of the server counts: is the machine quiet?")
	}
	return stats.Middle(took)
}

// stepTime is how many ns a step takes that waits for the one before.
func stepTime() float64 {
	const steps = 20_000_000
	best := math.Inf(1)
	x := uint64(1)
	for range 5 {
		began := time.Now()
		for range steps {
			x = x*6364136223846793005 + 1
		}
		best = min(best, float64(time.Since(began))/steps)
	}
	if x == 0 {
		return 0
	}
	return best
}

// tally is what the tries of a bar came to.
type tally struct {
	right   int
	seconds []float64
	ratios  []float64
}

// TestBars plants differences in a copy of this module and counts how often they are
// found, and how often something is found where nothing was planted, while the machine
// is idle and with a third of a CPU taken. It takes the machine for hours:
//
//	HOTPATH_TRIES=10 go test -count=1 -timeout 9h -v -run 'TestBars/idle' ./internal/revisions
func TestBars(t *testing.T) {
	text, ok := os.LookupEnv("HOTPATH_TRIES")
	if !ok {
		t.Skip("no HOTPATH_TRIES: takes the machine for hours")
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("HOTPATH_TRIES=%s: want a number from 1 on", text)
	}
	dir := filepath.Join(t.TempDir(), "hotpath")
	if _, err := checkOut(t.Context(), "../..", workTree, dir); err != nil {
		t.Fatal(err)
	}
	do(t, dir, "init", "--quiet")
	commit(t, dir, "base")
	var table bytes.Buffer
	tab := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tab, "machine\tplanted\tright\tof\twanted\tmedian s\tlongest s\tB / A, median\tlowest\thighest")
	for _, load := range []string{"idle", "burner"} {
		t.Run(load, func(t *testing.T) {
			if load == "burner" {
				burn(t)
			}
			for _, b := range bars {
				t.Run(b.name, func(t *testing.T) {
					got := b.hold(t, dir, b.tries(n))
					wanted := int(math.Ceil(b.share * float64(b.tries(n))))
					fmt.Fprintf(tab, "%s\t%s\t%d\t%d\t%d\t%.0f\t%.0f\t%.3f\t%.3f\t%.3f\n", load, b.name, got.right, b.tries(n), wanted,
						middle(got.seconds), slices.Max(got.seconds), middle(got.ratios), slices.Min(got.ratios), slices.Max(got.ratios))
					if got.right < wanted {
						t.Errorf("%d of %d tries came out right, want %d", got.right, b.tries(n), wanted)
					}
				})
			}
		})
	}
	tab.Flush()
	t.Logf("\n%s", &table)
}

func middle(vs []float64) float64 {
	vs = slices.Sorted(slices.Values(vs))
	return (vs[(len(vs)-1)/2] + vs[len(vs)/2]) / 2
}

// hold makes the tries.
func (b bar) hold(t *testing.T, dir string, tries int) tally {
	var sum tally
	for try := range tries {
		do(t, dir, "checkout", "--quiet", "--force", "base")
		b.plant(t, dir, int(math.Round(100*b.planted)), try)
		began := time.Now()
		tr, err := hold(t.Context(), io.Discard, "base", ".", Options{Dir: dir, Experiment: b.experiment, Only: b.only, Budget: b.budget, Threshold: 0.02})
		if err != nil {
			t.Fatal(err)
		}
		seconds := time.Since(began).Seconds()
		right, ratios, heats := b.right(tr)
		held := 0
		for _, e := range tr.entries {
			held += e.heats
		}
		if sum.seconds = append(sum.seconds, seconds); right {
			sum.right++
		}
		sum.ratios = append(sum.ratios, ratios...)
		t.Logf("try %d of %d: right %v after %.0f s with the building, benchmarks %d, heats %d of %d, B / A %.3f", try+1, tries, right, seconds, len(tr.entries), heats, held, ratios)
	}
	if len(sum.ratios) == 0 {
		sum.ratios = []float64{math.NaN()}
	}
	return sum
}

// right reports whether a trial came out as it was to, with the ratios that it found in
// the bar's unit and the number of its heats that count.
func (b bar) right(tr *trial) (right bool, ratios []float64, heats int) {
	right = b.planted == 0
	for _, e := range tr.entries {
		for i, c := range e.contests {
			switch {
			case b.planted == 0 && (c.outcome == Slower || c.outcome == Faster):
				right = false
			case b.planted > 0 && e.units[i] != b.unit.Name:
				continue
			case c.outcome == Slower:
				right = true
			}
			if heats += len(c.ratios); c.looks > 0 {
				ratios = append(ratios, c.ratio.Estimate)
			}
		}
	}
	return right, ratios, heats
}
