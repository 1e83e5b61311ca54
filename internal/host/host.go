// Package host tells on which machine a measurement is made and what that
// machine did beside it: a fingerprint, the noise around one measuring process
// (a fork), and a check before a run.
//
// # Why gates
//
// Noise on a shared machine does not only widen results, it moves them. Threads
// that contend for one cache line slow each other down only while they run at
// the same moment. When another process takes one of the CPUs away they take
// turns instead, the line stays where it is, and the contended counter looks
// faster, several times so, while an uncontended one looks slower. The ratio of
// the two is then wrong with a narrow interval, and no statistic over the
// results can see it.
//
// So a fork counts only under physical conditions: nobody else used the CPUs,
// the hypervisor gave them, and the threads really ran in parallel. The
// conditions are fixed before the run and never look at what the fork measured.
// A fork that fails them stays on record, marked.
//
// # Conventions
//
// Times are seconds and shares are between 0 and 1, all as float64. A number
// that the machine does not show is -1, and a fact that it does not show is
// [bench.NotVisible]: virtual machines hide some, systems other than Linux most.
// Nothing here names the host, a user or a path, and nothing needs root.
package host

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/prometheus/procfs"

	"hotpath/internal/bench"
)

// unseen marks a number that the machine does not show.
const unseen = bench.Unseen

// tree is the directory that holds proc and sys: "/" on a live system.
type tree string

func (t tree) path(name string) string { return filepath.Join(string(t), name) }

// read returns a file's trimmed text; ok is false where it cannot be read.
func (t tree) read(name string) (text string, ok bool) {
	b, err := os.ReadFile(t.path(name))
	return strings.TrimSpace(string(b)), err == nil
}

func (t tree) proc() (procfs.FS, error) { return procfs.NewFS(t.path("proc")) }
