package host

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"hotpath/internal/bench"
)

// Level says how much a finding matters.
type Level string

const (
	OK    Level = "ok"
	Warn  Level = "warn"  // results may be wider or less typical than they could be
	Unfit Level = "unfit" // forks would fail their gates, or measure the wrong thing
)

// Finding is the result of one check of the machine.
type Finding struct {
	Check  string
	Level  Level
	Value  string
	Advice string // what to do about it; empty where there is nothing to do
}

// Examine checks whether this machine is fit to measure: its settings, and how
// it behaves over a few seconds in which it should be left alone. It loads every
// CPU for one of them.
func Examine() []Finding {
	t := tree("/")
	return append(settings(t, runtime.NumCPU(), os.Getenv), probe(t).findings()...)
}

// settings checks what can be read.
func settings(t tree, cpus int, env func(string) string) []Finding {
	return []Finding{
		cpuFinding(t, cpus),
		limitFinding(t, cpus),
		environmentFinding(env),
		governorFinding(t),
		turboFinding(t),
		swapFinding(t),
		hugePagesFinding(t),
	}
}

func cpuFinding(t tree, cpus int) Finding {
	f := Finding{"cpus", OK, fmt.Sprintf("%d of %d", cpus, t.online(cpus)), ""}
	if cpus == 1 {
		f.Level, f.Advice = Unfit, "threads cannot contend on one CPU: use a machine, or a CPU set, of two or more"
	}
	return f
}

func limitFinding(t tree, cpus int) Finding {
	f := Finding{"container cpu limit", OK, t.cpuLimitText(), ""}
	if limit, _ := t.cpuLimit(); limit > 0 && limit < float64(cpus) {
		f.Level = Unfit
		f.Advice = "threads are stopped in bursts when it is used up: lift it, or give whole CPUs instead (docker run --cpuset-cpus)"
	}
	return f
}

func environmentFinding(env func(string) string) Finding {
	var set []string
	for _, name := range []string{"GOMAXPROCS", "GOGC", "GOMEMLIMIT", "GODEBUG"} {
		if v := env(name); v != "" {
			set = append(set, name+"="+v)
		}
	}
	if len(set) == 0 {
		return Finding{"go environment", OK, "GOMAXPROCS, GOGC, GOMEMLIMIT, GODEBUG not set", ""}
	}
	return Finding{"go environment", Warn, strings.Join(set, " "), "unset: a benchmark run by hand would obey it"}
}

func governorFinding(t tree) Finding {
	f := Finding{"governor", OK, t.governor(), ""}
	if f.Value != "performance" && f.Value != bench.NotVisible {
		f.Level, f.Advice = Warn, "the clock rate follows the load: sudo cpupower frequency-set -g performance"
	}
	return f
}

func turboFinding(t tree) Finding {
	f := Finding{"turbo", OK, t.turbo(), ""}
	if f.Value == "on" {
		f.Level = Warn
		f.Advice = "the clock rate follows heat and the other cores: echo 0 | sudo tee /" + boost
		if _, ok := t.read(noTurbo); ok {
			f.Advice = "the clock rate follows heat and the other cores: echo 1 | sudo tee /" + noTurbo
		}
	}
	return f
}

func swapFinding(t tree) Finding {
	f := Finding{"swap", OK, t.swap(), ""}
	if _, used, _ := t.swapBytes(); used > 0 {
		f.Level, f.Advice = Warn, "memory is short or was: free some, then sudo swapoff -a"
	}
	return f
}

func hugePagesFinding(t tree) Finding {
	f := Finding{"transparent huge pages", OK, t.hugePages(), ""}
	if f.Value == "always" {
		f.Level = Warn
		f.Advice = "the kernel merges pages while forks run: echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled"
	}
	return f
}

// behaviour is what the machine did while it was left alone, and under load.
type behaviour struct {
	clocksource string
	clock       float64 // nanoseconds of one reading of the clock
	cpus        int
	quiet       bench.Noise // left alone, with a goroutine that wakes each millisecond
	late        []float64   // ns by which it woke late
	busiest     []string    // other processes in that time
	load        string      // averages before it
	loaded      bench.Noise // with every CPU busy
	parallel    float64     // CPU seconds per second of wall time under load
	passes      []float64
	handOffs    []float64 // none where they are not visible
}

func probe(t tree) behaviour {
	b := behaviour{
		clocksource: t.text("sys/devices/system/clocksource/clocksource0/current_clocksource"),
		clock:       clockCost(),
		cpus:        runtime.NumCPU(),
		load:        t.load(),
	}
	before := t.processes()
	o := newObserver(t)
	start, stop, late := o.Read(), make(chan struct{}), make(chan []float64)
	go func() { late <- hiccups(stop) }()
	time.Sleep(3 * time.Second)
	b.quiet = start.Until(o.Read(), 0)
	close(stop)
	b.late = <-late
	b.busiest = busiest(before, t.processes(), b.quiet.Wall)
	for begun := time.Now(); time.Since(begun) < time.Second; {
		b.passes = append(b.passes, passes(256)...)
	}

	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(b.cpus))
	p := NewProber()
	defer p.Close()
	for range 25 {
		if h := p.Probe().HandOff; h >= 0 {
			b.handOffs = append(b.handOffs, h)
		}
		time.Sleep(100 * time.Millisecond)
	}
	start = o.Read()
	user, system := CPUTime()
	spin(b.cpus, time.Second)
	userEnd, systemEnd := CPUTime()
	b.loaded = start.Until(o.Read(), 0)
	b.parallel = (userEnd + systemEnd - user - system) / b.loaded.Wall
	if user < 0 {
		b.parallel = unseen
	}
	return b
}

// clockCost returns the nanoseconds of one reading of the clock, undisturbed.
func clockCost() float64 {
	const reads = 1000
	batches := make([]float64, 100)
	for i := range batches {
		base := time.Now()
		for range reads - 1 {
			time.Since(base)
		}
		batches[i] = float64(time.Since(base)) / reads
	}
	return slices.Min(batches)
}

// spin keeps n goroutines busy.
func spin(n int, d time.Duration) {
	var wg sync.WaitGroup
	end := time.Now().Add(d)
	for range n {
		wg.Go(func() {
			for time.Now().Before(end) {
				passes(64)
			}
		})
	}
	wg.Wait()
}

type process struct {
	name string
	cpu  float64 // seconds
}

// processes returns the other processes that can be seen, by their numbers.
func (t tree) processes() map[int]process {
	all := map[int]process{}
	fs, err := t.proc()
	if err != nil {
		return all
	}
	procs, err := fs.AllProcs()
	if err != nil {
		return all
	}
	for _, p := range procs {
		if stat, err := p.Stat(); err == nil && p.PID != os.Getpid() {
			all[p.PID] = process{stat.Comm, stat.CPUTime()}
		}
	}
	return all
}

// busiest names the up to three programs that used the most CPU between two
// listings, from a fiftieth of a CPU on.
func busiest(before, after map[int]process, seconds float64) []string {
	used := map[string]float64{}
	for pid, p := range after {
		used[p.name] += p.cpu - before[pid].cpu
	}
	names := slices.Collect(maps.Keys(used))
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(used[b], used[a]), cmp.Compare(a, b))
	})
	var list []string
	for _, name := range names[:min(len(names), 3)] {
		if used[name] >= 0.02*seconds {
			list = append(list, fmt.Sprintf("%q %s %% of a CPU", name, bench.Decimal(100*used[name]/seconds, 0)))
		}
	}
	return list
}

func (b behaviour) findings() []Finding {
	return []Finding{
		b.clockFinding(),
		b.foreignFinding(),
		b.stealFinding(),
		b.parallelFinding(),
		b.hiccupFinding(),
		b.calibrationFinding(),
		b.placeFinding(),
	}
}

// Readings of the clock that cost more than these nanoseconds distort, or are,
// what sampling measures.
const (
	slowClock     = 100
	unusableClock = 500
)

func (b behaviour) clockFinding() Finding {
	f := Finding{"clock", OK, fmt.Sprintf("%s, %.0f ns a reading", b.clocksource, b.clock), ""}
	if b.clock > slowClock {
		f.Level = Warn
		f.Advice = "latencies will hold more clock than work: boot with clocksource=tsc, or use a machine that has one"
	}
	if b.clock > unusableClock {
		f.Level = Unfit
	}
	return f
}

func (b behaviour) foreignFinding() Finding {
	limit := bench.DefaultThresholds.Foreign
	f := Finding{"foreign CPU", OK, percent(b.quiet.Foreign) + ", load average " + b.load, ""}
	switch foreign := b.quiet.Foreign; {
	case foreign < 0:
		f.Level, f.Advice = Unfit, "no turn can pass this gate unseen: measure on Linux, with /proc"
		return f
	case foreign > limit:
		f.Level = Unfit
	case foreign > limit/2:
		f.Level = Warn
	default:
		return f
	}
	f.Advice = "end what uses the CPUs: short-lived programs, or some that cannot be seen from here"
	if len(b.busiest) > 0 {
		f.Advice = "end what uses the CPUs: " + strings.Join(b.busiest, ", ")
	}
	return f
}

func (b behaviour) stealFinding() Finding {
	limit := bench.DefaultThresholds.Steal
	f := Finding{"steal", OK, percent(b.loaded.Steal) + " with every CPU busy", ""}
	switch steal := b.loaded.Steal; {
	case steal < 0:
		f.Level, f.Advice = Unfit, "no turn can pass this gate unseen: measure on Linux, with /proc"
	case steal > limit:
		f.Level, f.Advice = Unfit, "other guests use this host's CPUs: take a machine with dedicated CPUs, or another hour"
	case steal > limit/2:
		f.Level, f.Advice = Warn, "other guests use this host's CPUs: expect gated turns"
	}
	return f
}

func (b behaviour) parallelFinding() Finding {
	f := Finding{"parallelism", OK, fmt.Sprintf("%.2f of %d CPUs", b.parallel, b.cpus), ""}
	switch {
	case b.parallel < 0:
		f.Value = bench.NotVisible
		f.Level, f.Advice = Unfit, "no turn can pass this gate unseen: measure on Linux"
	case b.parallel < bench.DefaultThresholds.Parallelism*float64(b.cpus):
		f.Level, f.Advice = Unfit, "busy threads did not get every CPU: see foreign CPU, steal and the container's limit"
	}
	return f
}

// lateHiccup is a delay, in nanoseconds, well above what waking up costs.
const lateHiccup = 1e6

func (b behaviour) hiccupFinding() Finding {
	p99 := quantile(b.late, 0.99)
	f := Finding{"hiccups", OK, fmt.Sprintf("p99 %s ms late", bench.Decimal(p99/1e6, 2)), ""}
	if p99 > lateHiccup {
		f.Level, f.Advice = Warn, "an idle machine woke a sleeper late: high percentiles will show it; look for other work and power saving"
	}
	return f
}

// unsteady is the 95th percentile of the calibration loop over its fastest pass
// from which the clock rate, or the CPU, comes and goes.
const unsteady = 1.10

func (b behaviour) calibrationFinding() Finding {
	p95 := quantile(b.passes, 0.95)
	ratio := p95 / b.passes[0] // quantile has sorted them
	f := Finding{"calibration", OK, fmt.Sprintf("p95 / fastest %.2f", ratio), ""}
	if ratio > unsteady {
		f.Level, f.Advice = Warn, "the same arithmetic takes different times: fix the clock rate (governor, turbo), or other guests share the core"
	}
	return f
}

// moved is the slowest hand-off over the fastest from which the CPUs were not
// where they had been.
const moved = 2

func (b behaviour) placeFinding() Finding {
	f := Finding{"distance of CPUs", OK, bench.NotVisible, ""}
	if len(b.handOffs) == 0 {
		return f
	}
	fastest, slowest := slices.Min(b.handOffs), slices.Max(b.handOffs)
	f.Value = fmt.Sprintf("a line takes %s to %s ns", bench.Decimal(fastest, 0), bench.Decimal(slowest, 0))
	if slowest > moved*fastest {
		f.Level, f.Advice = Warn, "the hypervisor moves the CPUs between cores: what contends costs more where they are far apart, and the report shows it by distance; pin the guest's CPUs to have one"
	}
	return f
}

func percent(share float64) string {
	if share < 0 {
		return bench.NotVisible
	}
	return bench.Decimal(100*share, 1) + " %"
}
