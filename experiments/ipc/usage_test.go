package ipc_test

import (
	"fmt"
	"os"
	"strings"

	"hotpath/internal/bench"
	"hotpath/internal/measure"
)

// watch begins to watch what a server uses that has this process to itself. What
// it returns gives it for each of the operations since, by unit.
func watch(s server) func(ops float64) map[bench.Unit]float64 {
	used := measure.Watch()
	var before pathUse
	if s.path != nil {
		before = s.path()
	}
	reads, writes := systemCalls()
	return func(ops float64) map[bench.Unit]float64 {
		r, w := systemCalls()
		m := used(ops)
		if reads >= 0 {
			m[bench.Reads] = float64(r-reads) / ops
			m[bench.Writes] = float64(w-writes) / ops
		}
		if s.path != nil {
			s.path().since(before, m)
		}
		return m
	}
}

// since adds what a call was copied and allocated for. The server's own count of
// calls goes with its other counters; the caller's is a few calls behind.
func (p pathUse) since(before pathUse, m map[bench.Unit]float64) {
	calls := float64(p.calls - before.calls)
	m[bench.CopiedBytes] = float64(p.copied-before.copied) / calls
	m[bench.PathAllocBytes] = float64(p.allocated-before.allocated) / calls
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
