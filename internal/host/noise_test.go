package host

import (
	"math"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"slices"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	if os.Getenv("HOST_TEST_BURN") != "" {
		burn(0.3)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// burn uses so many seconds of CPU.
func burn(seconds float64) {
	start := used()
	for used()-start < seconds {
		multiply()
	}
}

func used() float64 {
	user, system := CPUTime()
	return user + system
}

func near(got, want float64) bool { return math.Abs(got-want) < 1e-9 }

func TestReading(t *testing.T) {
	for _, c := range []struct {
		machine string
		allowed []uint64
		want    Reading
	}{
		// Interrupts are kept apart where hardware interrupts have time of
		// their own.
		{"metal", []uint64{0, 1, 2, 3}, Reading{cpus: 4, idle: 800.9, steal: 0, interrupts: 1}},
		{"vm", []uint64{0, 1}, Reading{cpus: 2, idle: 884.48, steal: 1.22, interrupts: 0}},
		{"container", []uint64{1, 4, 5}, Reading{cpus: 3, idle: 300.1, steal: 0.1, interrupts: 0}},
		{"", nil, Reading{}},
	} {
		tr := tree(t.TempDir())
		if c.machine != "" {
			tr = machine(t, c.machine)
		}
		allowed := tr.allowed()
		if !slices.Equal(allowed, c.allowed) {
			t.Errorf("%s: allowed on %v, want %v", c.machine, allowed, c.allowed)
		}
		r := tr.reading(allowed)
		if r.cpus != c.want.cpus || !near(r.idle, c.want.idle) || !near(r.steal, c.want.steal) ||
			!near(r.interrupts, c.want.interrupts) {
			t.Errorf("%s: %+v, want %+v", c.machine, r, c.want)
		}
	}
}

// Where the kernel's statistics number CPUs differently, the whole machine is
// what can be seen.
func TestReadingOfRenumberedCPUs(t *testing.T) {
	if r := machine(t, "vm").reading([]uint64{1, 7}); r.cpus != 2 || !near(r.idle, 884.48) {
		t.Errorf("%+v, want both CPUs", r)
	}
}

func TestNoiseBetweenReadings(t *testing.T) {
	at := time.Now()
	start := Reading{at: at, own: 5, cpus: 2, idle: 100, steal: 3, interrupts: 7}
	// Two seconds of two CPUs: 4 CPU seconds.
	end := func(idle, steal, interrupts, own float64) Reading {
		return Reading{at: at.Add(2 * time.Second), own: 5 + own, cpus: 2, idle: 100 + idle, steal: 3 + steal, interrupts: 7 + interrupts}
	}
	for _, c := range []struct {
		name           string
		end            Reading
		forks          float64
		foreign, steal float64
	}{
		{"idle", end(4, 0, 0, 0), 0, 0, 0},
		{"the forks alone", end(0, 0, 0, 0), 4, 0, 0},
		{"one CPU taken", end(0, 0, 0, 0), 2, 0.5, 0},
		{"a CPU is idle", end(2, 0, 0, 0), 2, 0, 0},
		{"this process is ours", end(1, 0, 0, 1), 2, 0, 0},
		{"interrupts are nobody's", end(1, 0, 1, 0), 2, 0, 0},
		{"steal is not foreign", end(0, 1, 0, 0), 3, 0, 0.25},
		{"rounding below zero", end(2.02, 0, 0, 0), 2, 0, 0},
		{"a CPU went offline", func() Reading { e := end(4, 0, 0, 0); e.cpus = 1; return e }(), 0, unseen, unseen},
	} {
		n := start.Until(c.end, c.forks)
		if !near(n.Wall, 2) || !near(n.Foreign, c.foreign) || !near(n.Steal, c.steal) {
			t.Errorf("%s: %+v, want foreign %v, steal %v", c.name, n, c.foreign, c.steal)
		}
	}
}

// A process that used CPU is found when it is not declared as own, and is not
// when it is: physics, so it holds on a busy machine too.
func TestObserveAnotherProcess(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs /proc")
	}
	o := NewObserver()
	start := o.Read()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "HOST_TEST_BURN=1")
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	end := o.Read()
	own := (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
	n := start.Until(end, 0)
	if n.Foreign < 0 {
		t.Skip("foreign CPU is not visible here")
	}
	if own < 0.3 {
		t.Fatalf("the burner used %v s", own)
	}
	cpus := float64(len(o.cpus))
	const ticks = 0.05 // idle, iowait, steal and two interrupt counts, each cut to 0.01 s
	found := n.Foreign * n.Wall * cpus
	if found < own-ticks {
		t.Errorf("foreign CPU %v s, but another process used %v s", found, own)
	}
	if left := start.Until(end, own); left.Foreign*left.Wall*cpus > found-own+ticks {
		t.Errorf("foreign CPU %v s with the process declared as own, %v s without: it used %v s", left.Foreign*left.Wall*cpus, found, own)
	}
}

// What this process uses while it observes is not foreign.
func TestObserveItself(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs /proc")
	}
	o := NewObserver()
	before, start := used(), o.Read()
	burn(0.2)
	n := start.Until(o.Read(), 0)
	total := n.Wall * float64(len(o.cpus))
	if n.Foreign < 0 {
		t.Skip("foreign CPU is not visible here")
	}
	if room := 1 - (used()-before-0.05)/total; n.Foreign > room {
		t.Errorf("foreign share %v, but only %v is left beside this process", n.Foreign, room)
	}
}

func TestObserveNothing(t *testing.T) {
	o := newObserver(tree(t.TempDir()))
	start := o.Read()
	time.Sleep(time.Millisecond)
	if n := start.Until(o.Read(), 1); n.Foreign != unseen || n.Steal != unseen || n.Wall <= 0 {
		t.Errorf("%+v, want only the wall time", n)
	}
}

func TestQuantile(t *testing.T) {
	hundred := make([]float64, 100)
	for i := range hundred {
		hundred[i] = float64(100 - i)
	}
	for _, c := range []struct {
		values  []float64
		q, want float64
	}{
		{nil, 0.99, unseen},
		{[]float64{7}, 0.99, 7},
		{[]float64{3, 1, 2}, 0, 1},
		{[]float64{3, 1, 2}, 0.5, 2},
		{[]float64{3, 1, 2}, 1, 3},
		{hundred, 0.99, 99},
		{hundred, 0.95, 95},
	} {
		if got := quantile(slices.Clone(c.values), c.q); got != c.want {
			t.Errorf("quantile of %d values at %v = %v, want %v", len(c.values), c.q, got, c.want)
		}
	}
}

func TestCPUTimeCountsOwnWork(t *testing.T) {
	user, system := CPUTime()
	if user < 0 {
		t.Skip("not visible here")
	}
	before := user + system
	base := time.Now()
	burn(0.05)
	if d := used() - before; d < 0.05 || d > time.Since(base).Seconds()*float64(runtime.NumCPU())+0.01 {
		t.Errorf("%v CPU seconds in %v", d, time.Since(base))
	}
}

func TestPasses(t *testing.T) {
	// 4096 dependent multiply-adds take at least three cycles each, and no
	// processor runs at 20 GHz.
	if ns := quantile(passes(64), 0); ns < 4096*3/20.0 || ns > 1e9 {
		t.Errorf("%v ns a pass", ns)
	}
}

// The CPU time of a process is seen from outside while it runs, as it sees it
// itself.
func TestProcessCPU(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("not visible here")
	}
	before, ok := ProcessCPU(os.Getpid())
	if !ok {
		t.Fatal("this process is not seen")
	}
	own := used()
	burn(0.05)
	after, _ := ProcessCPU(os.Getpid())
	if seen, did := after-before, used()-own; seen < 0.04 || seen > did+0.02 {
		t.Errorf("%v s seen, %v s used", seen, did)
	}
	cmd := exec.Command("true")
	if err := cmd.Run(); err == nil {
		if _, ok := ProcessCPU(cmd.Process.Pid); ok {
			t.Error("a process that has ended is seen")
		}
	}
}

func TestProbe(t *testing.T) {
	p := NewProber()
	defer p.Close()
	cpus := len(ownCPUs())
	for range 3 {
		got := p.Probe()
		if got.Got == unseen {
			t.Skip("threads cannot be kept on a CPU here")
		}
		if got.Got <= 0 || got.Got > float64(cpus)+1e-9 {
			t.Errorf("%v of %d CPUs got", got.Got, cpus)
		}
		if cpus > 1 && !(got.HandOff > 1 && got.HandOff < 1e7) {
			t.Errorf("a line takes %v ns", got.HandOff)
		}
	}
}

// A prober that has kept the process's first thread on one CPU hides no CPU from
// those who observe after it.
func TestObserveBesideProber(t *testing.T) {
	want := len(ownCPUs())
	for range 20 {
		p := NewProber()
		p.Probe()
		if got := len(NewObserver().cpus); got != want {
			t.Fatalf("%d CPUs observed beside a prober, %d without", got, want)
		}
		p.Close()
	}
}

func TestMemory(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs /proc")
	}
	debug.FreeOSMemory() // what earlier tests left would be used again
	before := Resident()
	held := make([]byte, 64<<20)
	for i := range held {
		held[i] = 1
	}
	if after := Resident(); after-before < 48<<20 {
		t.Errorf("%d bytes resident, %d with 64 MiB more", before, after)
	}
	runtime.KeepAlive(held)
	if free := FreeMemory(); free <= 0 {
		t.Errorf("%d bytes are free", free)
	}
}
