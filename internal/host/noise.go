package host

import (
	"math"
	"slices"
	"time"

	"github.com/prometheus/procfs"

	"hotpath/internal/bench"
)

// meterPeriod is how long the hiccup meter sleeps. A wake-up of an otherwise
// idle Go process costs far more than the goroutine's own work, so a shorter
// sleep would itself be a noise worth a gate.
const meterPeriod = 20 * time.Millisecond

// Observer watches the machine while a fork runs. It belongs to one goroutine.
//
// Foreign CPU is what the CPUs did not idle, less what the hypervisor took and
// less own use: that of the fork's process tree and of this process, which
// started the fork and whose hiccup meter must not gate it. Idle time is taken
// because the kernel measures it at each entry and exit, where it may only
// sample busy time at timer ticks, too rough for a fork of half a second. The
// kernel tells idle time in hundredths of a second over all CPUs: a share is
// right to about 0.01 / (Wall x CPUs), or 0.01 / Wall where the process is kept
// on some of the CPUs.
//
// Interrupts are nobody's: serving the fork's own network traffic is much of
// them. Where the kernel charges them to the task they interrupt they are part
// of own use already, else they are taken off. A hypervisor that does not tell
// of steal looks like one that takes nothing; a fork with more threads than CPUs
// causes pressure by itself, and delays the hiccup meter. The CPUs of a share are
// those that this process may be scheduled on.
type Observer struct {
	tree  tree
	cpus  []uint64
	start reading
	stop  chan struct{}
	late  chan []float64
}

// Observe begins to watch; call it just before the fork is started.
func Observe() *Observer { return observe("/", meterPeriod) }

func observe(t tree, period time.Duration) *Observer {
	o := &Observer{tree: t, cpus: t.allowed(), stop: make(chan struct{}), late: make(chan []float64)}
	go meter(period, o.stop, o.late)
	o.start = t.reading(o.cpus)
	return o
}

// End stops watching; call it once, just after the fork has been waited for.
// own is the CPU seconds, user and system, of the fork's whole process tree as
// the wait returned them: a descendant that nobody waited for is foreign.
func (o *Observer) End(own float64) bench.Noise {
	end := o.tree.reading(o.cpus)
	close(o.stop)
	n := o.start.until(end, own)
	n.HiccupP99 = quantile(<-o.late, 0.99)
	return n
}

// reading is the state of the machine's counters at one moment, in seconds.
type reading struct {
	at         time.Time
	own        float64 // CPU time of this process
	cpus       int     // summed below; 0 where none are visible
	idle       float64
	steal      float64
	interrupts float64 // kept out of the times of tasks
	pressure   float64 // unseen where the kernel does not keep it
}

func (t tree) reading(cpus []uint64) reading {
	r := reading{pressure: unseen}
	if fs, err := t.proc(); err == nil {
		if psi, err := fs.PSIStatsForResource("cpu"); err == nil && psi.Some != nil {
			r.pressure = float64(psi.Some.Total) / 1e6
		}
		if stat, err := fs.Stat(); err == nil {
			sum, n := within(stat, cpus)
			r.cpus = n
			r.idle = sum.Idle + sum.Iowait
			r.steal = sum.Steal
			if interruptsApart(stat.CPUTotal) {
				r.interrupts = sum.IRQ + sum.SoftIRQ
			}
		}
	}
	r.at = time.Now()
	user, system := CPUTime()
	r.own = user + system
	return r
}

// within sums the times of the given CPUs and counts them. The line for the
// whole machine is rounded once instead of once for each CPU, so it serves
// where it can. That is also where the kernel numbers CPUs differently for
// this process than in its statistics, as some containers have it.
func within(stat procfs.Stat, cpus []uint64) (sum procfs.CPUStat, n int) {
	for _, c := range cpus {
		s, ok := stat.CPU[int64(c)]
		if !ok {
			return stat.CPUTotal, len(stat.CPU)
		}
		sum.Idle += s.Idle
		sum.Iowait += s.Iowait
		sum.Steal += s.Steal
		sum.IRQ += s.IRQ
		sum.SoftIRQ += s.SoftIRQ
		n++
	}
	if n == 0 || n == len(stat.CPU) {
		return stat.CPUTotal, len(stat.CPU)
	}
	return sum, n
}

// interruptsApart reports whether the kernel keeps the time of interrupts out
// of the times of the tasks they interrupt (CONFIG_IRQ_TIME_ACCOUNTING). It then
// measures at least the timer's own interrupts; else it counts only ticks that
// happen to fall into an interrupt handler, which are next to none.
func interruptsApart(since procfs.CPUStat) bool {
	return since.IRQ > 1e-5*(since.User+since.Nice+since.System)
}

// until is the noise between two readings, of which own CPU seconds were used
// by the fork.
func (r reading) until(end reading, own float64) bench.Noise {
	n := bench.Noise{Wall: end.at.Sub(r.at).Seconds(), Foreign: unseen, Steal: unseen, Pressure: unseen}
	if n.Wall <= 0 {
		return n
	}
	if total := n.Wall * float64(r.cpus); total > 0 && r.cpus == end.cpus {
		steal := end.steal - r.steal
		busy := total - (end.idle - r.idle) - (end.interrupts - r.interrupts) - steal
		n.Foreign = share(busy-own-(end.own-r.own), total)
		n.Steal = share(steal, total)
	}
	if r.pressure >= 0 && end.pressure >= 0 {
		n.Pressure = share(end.pressure-r.pressure, n.Wall)
	}
	return n
}

// share is part / whole, kept within 0 and 1 against the rounding of its parts.
func share(part, whole float64) float64 { return min(max(part/whole, 0), 1) }

// meter sleeps until it is stopped and then sends by how many nanoseconds each
// wake-up was late.
func meter(period time.Duration, stop <-chan struct{}, late chan<- []float64) {
	var ns []float64
	for {
		due := time.Now().Add(period)
		timer := time.NewTimer(period)
		select {
		case <-timer.C:
			ns = append(ns, float64(time.Since(due)))
		case <-stop:
			timer.Stop()
			late <- ns
			return
		}
	}
}

// quantile is the smallest value that at least a share q of all values does not
// exceed, the least of them for q = 0 and unseen for none. It sorts the values.
func quantile(values []float64, q float64) float64 {
	if len(values) == 0 {
		return unseen
	}
	slices.Sort(values)
	return values[max(int(math.Ceil(q*float64(len(values)))), 1)-1]
}
