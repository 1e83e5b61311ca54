package ipc_test

import (
	"fmt"
	"os"
	"strings"

	"hotpath/internal/bench"
	"hotpath/internal/measure"
)

// watch begins to watch what a server uses that has this process to itself. What
// it returns gives the sums since, by the unit that each becomes per operation.
func watch(s server, used *measure.Watcher) func() map[bench.Unit]float64 {
	used.Open()
	var before pathUse
	if s.path != nil {
		before = s.path()
	}
	reads, writes := systemCalls()
	return func() map[bench.Unit]float64 {
		r, w := systemCalls()
		m := used.Close()
		if reads >= 0 {
			m[bench.Reads] = float64(r - reads)
			if !s.sends {
				m[bench.Writes] = float64(w - writes)
			}
		}
		if s.path != nil {
			s.path().since(before, m)
		}
		return m
	}
}

// since adds what was copied and allocated for calls.
func (p pathUse) since(before pathUse, m map[bench.Unit]float64) {
	m[bench.CopiedBytes] = float64(p.copied - before.copied)
	m[bench.PathAllocBytes] = float64(p.allocated - before.allocated)
}

// systemCalls counts those of this process that read and those that write,
// sockets included.
func systemCalls() (reads, writes int64) {
	data, err := os.ReadFile("/proc/self/io")
	if err != nil {
		return -1, -1
	}
	reads, writes = -1, -1
	for line := range strings.Lines(string(data)) {
		fmt.Sscanf(line, "syscr: %d", &reads)
		fmt.Sscanf(line, "syscw: %d", &writes)
	}
	return reads, writes
}
