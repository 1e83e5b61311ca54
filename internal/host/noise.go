package host

import (
	"time"

	"github.com/prometheus/procfs"

	"hotpath/internal/bench"
)

// Observer reads what the machine does beside the processes of a run. It is for
// one goroutine.
//
// Foreign CPU is what the CPUs did not idle, less what the hypervisor took and
// less own use: that of the forks and of this process. Idle time is taken because
// the kernel measures it at each entry and exit, where it may only sample busy
// time at timer ticks. The kernel tells idle time in hundredths of a second over
// all CPUs: a share is right to about 0.01 / (Wall x CPUs), or 0.01 / Wall where
// this process is kept on some of the CPUs.
//
// Interrupts are nobody's: serving the forks' own network traffic is much of
// them. Where the kernel charges them to the task they interrupt they are part
// of own use already, else they are taken off. A hypervisor that does not tell
// of steal looks like one that takes nothing. The CPUs of a share are those that
// this process may be scheduled on.
type Observer struct {
	tree tree
	cpus []uint64
}

// NewObserver looks which CPUs this process may be scheduled on.
func NewObserver() *Observer { return newObserver("/") }

func newObserver(t tree) *Observer {
	if t == "/" {
		return &Observer{t, ownCPUs()}
	}
	return &Observer{t, t.allowed()}
}

// Read is the state of the machine's counters now.
func (o *Observer) Read() Reading { return o.tree.reading(o.cpus) }

// Reading is the state of the machine's counters at one moment, in seconds.
type Reading struct {
	at         time.Time
	own        float64 // CPU time of this process
	cpus       int     // summed below; 0 where none are visible
	idle       float64
	steal      float64
	interrupts float64 // kept out of the times of tasks
}

// At is the moment.
func (r Reading) At() time.Time { return r.at }

func (t tree) reading(cpus []uint64) Reading {
	var r Reading
	if fs, err := t.proc(); err == nil {
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

// Until is the noise between two readings, in which the forks used so many CPU
// seconds. What a parked fork used is for the caller to add.
func (r Reading) Until(end Reading, forks float64) bench.Noise {
	n := bench.Noise{Wall: end.at.Sub(r.at).Seconds(), Foreign: unseen, Steal: unseen}
	if total := n.Wall * float64(r.cpus); total > 0 && r.cpus == end.cpus {
		steal := end.steal - r.steal
		busy := total - (end.idle - r.idle) - (end.interrupts - r.interrupts) - steal
		n.Foreign = share(busy-forks-(end.own-r.own), total)
		n.Steal = share(steal, total)
	}
	return n
}

// share is part / whole, kept within 0 and 1 against the rounding of its parts.
func share(part, whole float64) float64 { return min(max(part/whole, 0), 1) }
