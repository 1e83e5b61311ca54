package host

import (
	"math"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"testing"
	"time"

	"hotpath/internal/bench"
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
		want    reading
	}{
		// Interrupts are kept apart where hardware interrupts have time of
		// their own.
		{"metal", []uint64{0, 1, 2, 3}, reading{cpus: 4, idle: 800.9, steal: 0, interrupts: 1, pressure: 1.5}},
		{"vm", []uint64{0, 1}, reading{cpus: 2, idle: 884.48, steal: 1.22, interrupts: 0, pressure: unseen}},
		{"container", []uint64{1, 4, 5}, reading{cpus: 3, idle: 300.1, steal: 0.1, interrupts: 0, pressure: unseen}},
		{"", nil, reading{pressure: unseen}},
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
			!near(r.interrupts, c.want.interrupts) || !near(r.pressure, c.want.pressure) {
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
	start := reading{at: at, own: 5, cpus: 2, idle: 100, steal: 3, interrupts: 7, pressure: 1}
	// Two seconds of two CPUs: 4 CPU seconds.
	end := func(idle, steal, interrupts, own, pressure float64) reading {
		return reading{at: at.Add(2 * time.Second), own: 5 + own, cpus: 2,
			idle: 100 + idle, steal: 3 + steal, interrupts: 7 + interrupts, pressure: 1 + pressure}
	}
	for _, c := range []struct {
		name                     string
		end                      reading
		own                      float64
		foreign, steal, pressure float64
	}{
		{"idle", end(4, 0, 0, 0, 0), 0, 0, 0, 0},
		{"the fork alone", end(0, 0, 0, 0, 2), 4, 0, 0, 1},
		{"one CPU taken", end(0, 0, 0, 0, 2), 2, 0.5, 0, 1},
		{"the fork's child is idle", end(2, 0, 0, 0, 0), 2, 0, 0, 0},
		{"this process is ours", end(1, 0, 0, 1, 0), 2, 0, 0, 0},
		{"interrupts are nobody's", end(1, 0, 1, 0, 0), 2, 0, 0, 0},
		{"steal is not foreign", end(0, 1, 0, 0, 0.5), 3, 0, 0.25, 0.25},
		{"rounding below zero", end(2.02, 0, 0, 0, 0), 2, 0, 0, 0},
		{"pressure lost", func() reading { e := end(4, 0, 0, 0, 0); e.pressure = unseen; return e }(), 0, 0, 0, unseen},
		{"a CPU went offline", func() reading { e := end(4, 0, 0, 0, 0); e.cpus = 1; return e }(), 0, unseen, unseen, 0},
	} {
		n := start.until(c.end, c.own)
		if !near(n.Wall, 2) || !near(n.Foreign, c.foreign) || !near(n.Steal, c.steal) || !near(n.Pressure, c.pressure) {
			t.Errorf("%s: %+v, want foreign %v, steal %v, pressure %v", c.name, n, c.foreign, c.steal, c.pressure)
		}
	}
}

// A process that used CPU is found when it is not declared as own, and is not
// when it is: physics, so it holds on a busy machine too.
func TestObserveAnotherProcess(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs /proc")
	}
	observeBurner := func() (n bench.Noise, own float64, end func(own float64) bench.Noise) {
		o := observe("/", time.Millisecond)
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "HOST_TEST_BURN=1")
		if err := cmd.Run(); err != nil {
			t.Fatal(err)
		}
		own = (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
		closing := o.tree.reading(o.cpus)
		return o.End(0), own, func(own float64) bench.Noise { return o.start.until(closing, own) }
	}
	n, own, again := observeBurner()
	if n.Foreign < 0 {
		t.Skip("foreign CPU is not visible here")
	}
	if own < 0.3 {
		t.Fatalf("the burner used %v s", own)
	}
	cpus := float64(len((tree("/")).allowed()))
	const ticks = 0.05 // idle, iowait, steal and two interrupt counts, each cut to 0.01 s
	found := n.Foreign * n.Wall * cpus
	if found < own-ticks {
		t.Errorf("foreign CPU %v s, but another process used %v s", found, own)
	}
	if left := again(own); left.Foreign*left.Wall*cpus > found-own+ticks {
		t.Errorf("foreign CPU %v s with the process declared as own, %v s without: it used %v s", left.Foreign*left.Wall*cpus, found, own)
	}
	for name, share := range map[string]float64{"foreign": n.Foreign, "steal": n.Steal, "pressure": n.Pressure} {
		if !(share >= 0 && share <= 1 || share == unseen) {
			t.Errorf("%s share %v", name, share)
		}
	}
	if !(n.HiccupP99 >= 0) || n.HiccupP99 > n.Wall*1e9 {
		t.Errorf("hiccup p99 %v ns in %v s", n.HiccupP99, n.Wall)
	}
}

// What this process uses while it observes is not foreign.
func TestObserveItself(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs /proc")
	}
	start := used()
	o := Observe()
	burn(0.2)
	n := o.End(0)
	total := n.Wall * float64(len(tree("/").allowed()))
	if n.Foreign < 0 {
		t.Skip("foreign CPU is not visible here")
	}
	if room := 1 - (used()-start-0.05)/total; n.Foreign > room {
		t.Errorf("foreign share %v, but only %v is left beside this process", n.Foreign, room)
	}
}

func TestObserveNothing(t *testing.T) {
	n := observe(tree(t.TempDir()), time.Hour).End(1)
	if n.Foreign != unseen || n.Steal != unseen || n.Pressure != unseen || n.HiccupP99 != unseen || n.Wall <= 0 {
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

func TestQueueWait(t *testing.T) {
	tr := unpack(t, "-- proc/1/task/1/schedstat --\n5 1500000000 9\n-- proc/1/task/7/schedstat --\n8 250000000 1\n-- proc/1/task/9/comm --\nending\n")
	if got := queueWait(tr); !near(got, 1.75) {
		t.Errorf("queue wait %v, want the sum over threads, 1.75", got)
	}
	if got := queueWait(tree(t.TempDir())); got != unseen {
		t.Errorf("queue wait %v without proc", got)
	}
	a := QueueWait()
	if a == unseen {
		t.Skip("not visible here")
	}
	if b := QueueWait(); !(a >= 0 && b >= a) {
		t.Errorf("queue wait went from %v to %v", a, b)
	}
}

func TestCalibrate(t *testing.T) {
	// 4096 dependent multiply-adds take at least three cycles each, and no
	// processor runs at 20 GHz.
	if ns := Calibrate(); ns < 4096*3/20.0 || ns > 1e9 {
		t.Errorf("%v ns a pass", ns)
	}
}
