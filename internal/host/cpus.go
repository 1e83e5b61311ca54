package host

import (
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/prometheus/procfs"
)

// allowed returns the numbers of the CPUs that this process may be scheduled
// on, nil where the kernel does not tell.
func (t tree) allowed() []uint64 {
	fs, err := t.proc()
	if err != nil {
		return nil
	}
	self, err := fs.Self()
	if err != nil {
		return nil
	}
	status, err := self.NewStatus()
	if err != nil {
		return nil
	}
	return status.CpusAllowedList
}

// ownCPUs are those of this process when they were first asked for. The kernel
// tells them of the process's first thread, which a Prober may have kept on one CPU
// since.
var ownCPUs = sync.OnceValue(func() []uint64 { return tree("/").allowed() })

// usable is how many CPUs a process can keep busy at once: those that it may be
// scheduled on, or its bandwidth limit rounded up, as the Go runtime rounds it
// for GOMAXPROCS. Rounding up keeps a fractional limit honest: threads that are
// throttled for part of the time fail the parallelism gate.
func usable(cpus int, limit float64) int {
	if limit <= 0 {
		return cpus
	}
	return min(cpus, int(math.Ceil(limit)))
}

// cpuLimit returns the CPU bandwidth limit on this process in CPUs, the
// strictest of its cgroup and all the parents that can be seen; 0 is no limit.
func (t tree) cpuLimit() (limit float64, visible bool) {
	fs, err := t.proc()
	if err != nil {
		return 0, false
	}
	self, err := fs.Self()
	if err != nil {
		return 0, false
	}
	groups, err := self.Cgroups()
	if err != nil {
		return 0, false
	}
	for _, g := range groups {
		for _, mount := range mounts(g) {
			if _, ok := t.read(path.Join(mount, "cgroup.procs")); !ok {
				continue
			}
			visible = true
			// A container may see its own group as the root of the mount
			// while proc still gives the path outside: groups that do not
			// exist in this view are passed over on the way up.
			for group := path.Clean(g.Path); ; group = path.Dir(group) {
				if l := t.groupLimit(path.Join(mount, group)); l > 0 && (limit == 0 || l < limit) {
					limit = l
				}
				if group == "/" || group == "." {
					break
				}
			}
		}
	}
	return limit, visible
}

// mounts lists where the hierarchy that limits CPU is mounted by convention.
func mounts(g procfs.Cgroup) []string {
	switch {
	case g.HierarchyID == 0:
		return []string{"sys/fs/cgroup", "sys/fs/cgroup/unified"}
	case slices.Contains(g.Controllers, "cpu"):
		return []string{"sys/fs/cgroup/" + strings.Join(g.Controllers, ","), "sys/fs/cgroup/cpu"}
	default:
		return nil
	}
}

// groupLimit returns the limit of one cgroup of version 2 or 1, 0 for none.
func (t tree) groupLimit(group string) float64 {
	text, ok := t.read(path.Join(group, "cpu.max"))
	if !ok {
		quota, _ := t.read(path.Join(group, "cpu.cfs_quota_us"))
		period, _ := t.read(path.Join(group, "cpu.cfs_period_us"))
		text = quota + " " + period
	}
	quota, period, _ := strings.Cut(text, " ")
	q, errQ := strconv.ParseFloat(quota, 64)
	p, errP := strconv.ParseFloat(period, 64)
	if errQ != nil || errP != nil || q <= 0 || p <= 0 {
		return 0
	}
	return q / p
}

// online returns how many CPUs the kernel runs, the given ones of this process
// where it does not tell.
func (t tree) online(cpus int) int {
	if fs, err := t.proc(); err == nil {
		if stat, err := fs.Stat(); err == nil {
			return max(len(stat.CPU), cpus)
		}
	}
	return cpus
}
