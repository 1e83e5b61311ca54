package claims

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// What a noisy machine does to a measurement cannot be made up, so it was
// recorded: the cost of one operation in consecutive slices of 8 ms, of two
// threads that add to one word and of one thread that only computes, while
// other jobs came and went on both CPUs. Beside it stands how many CPUs the
// process used in that slice, since a slice counts only if its threads ran at
// the same time, as a fork does. The null test cuts these series into
// experiments whose true ratio is known.
const (
	noiseSlices = 5500
	noiseSlice  = 8 * time.Millisecond
)

type noiseLoop struct {
	name    string
	threads int
	run     func() string // a line for each slice
}

var noiseLoops = []noiseLoop{{"contended", 2, contended}, {"serial", 1, serial}}

func (l noiseLoop) path() string { return filepath.Join("testdata", "noise-"+l.name+".txt") }

// TestRecordNoise records the series anew, for a minute and a half, where
// HOTPATH_RECORD_NOISE is set. It wants a machine with two CPUs or more and
// with other work on it.
func TestRecordNoise(t *testing.T) {
	if os.Getenv("HOTPATH_RECORD_NOISE") == "" {
		t.Skip("HOTPATH_RECORD_NOISE is not set")
	}
	for _, l := range noiseLoops {
		head := fmt.Sprintf("# %s loop in consecutive slices of %v, on %d CPUs shared with other jobs: ns/op, CPUs in use\n",
			l.name, noiseSlice, runtime.NumCPU())
		if err := os.WriteFile(l.path(), []byte(head+l.run()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// record runs work until enough slices are recorded; total is how many
// operations are done so far.
func record(work func(), total func() int64) string {
	var lines strings.Builder
	start, cpu, before := time.Now(), ownCPU(), total()
	for n := 0; n < noiseSlices; {
		work()
		if d := time.Since(start); d >= noiseSlice {
			used := ownCPU() - cpu
			fmt.Fprintf(&lines, "%.4g %.2f\n", float64(d.Nanoseconds())/float64(total()-before), used.Seconds()/d.Seconds())
			start, cpu, before = time.Now(), ownCPU(), total()
			n++
		}
	}
	return lines.String()
}

func ownCPU() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func contended() string {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var word atomic.Int64
	var stop atomic.Bool
	stopped := make(chan struct{})
	add := func() {
		for range 1000 {
			word.Add(1)
		}
	}
	go func() {
		runtime.LockOSThread()
		for !stop.Load() {
			add()
		}
		close(stopped)
	}()
	lines := record(add, word.Load)
	stop.Store(true)
	<-stopped
	return lines
}

var sink uint64

func serial() string {
	x, done := uint64(1), int64(0)
	lines := record(func() {
		for range 1000 {
			x = x*6364136223846793005 + 1442695040888963407
		}
		done += 1000
	}, func() int64 { return done })
	sink = x
	return lines
}

// clean reads a recorded series: the slices whose threads had at least 0.95 of
// a CPU each, which is the gate that a fork must meet.
func (l noiseLoop) clean(t *testing.T) []float64 {
	t.Helper()
	data, err := os.ReadFile(l.path())
	if err != nil {
		t.Fatal(err)
	}
	var series []float64
	for n, line := range strings.Split(strings.TrimSpace(string(data)), "\n") {
		if strings.HasPrefix(line, "#") {
			continue
		}
		var cost, cpus float64
		if _, err := fmt.Sscan(line, &cost, &cpus); err != nil || cost <= 0 {
			t.Fatalf("%s:%d: %q is no slice", l.path(), n+1, line)
		}
		if cpus >= 0.95*float64(l.threads) {
			series = append(series, cost)
		}
	}
	return series
}
