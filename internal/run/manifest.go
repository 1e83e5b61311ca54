package run

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"time"

	"hotpath/internal/bench"
	"hotpath/internal/host"
	"hotpath/internal/results"
)

// plan fixes all that a run depends on before its first heat.
func plan(ps []Program, o Options) (results.Manifest, error) {
	m := results.Manifest{
		Start:   time.Now().UTC().Truncate(time.Second),
		Machine: host.Fingerprint(),
		Quick:   o.Quick, Budget: ShortDuration(o.Budget), Layouts: len(ps[0].binaries),
		Seed:   rand.Uint64() >> 11, // a number that JSON readers in every language hold exactly
		Gates:  bench.DefaultThresholds,
		Memory: host.FreeMemory() / 2,
	}
	m.Revision, m.Dirty = revision()
	m.Go = []bench.Fact{
		{Name: "version", Value: runtime.Version()},
		{Name: "GOARCH", Value: runtime.GOARCH},
		{Name: "GOAMD64", Value: goEnv("GOAMD64")},
		{Name: "GOGC", Value: "100, unless a cell sets it"},
	}
	for _, p := range ps {
		sums, err := p.sums()
		if err != nil {
			return m, err
		}
		m.Binaries = append(m.Binaries, sums...)
		if data, err := os.ReadFile(filepath.Join(p.Dir, "claims.toml")); err == nil {
			sum := sha256.Sum256(data)
			if m.Claims == nil { // as it is read back where there are none
				m.Claims = map[string]string{}
			}
			m.Claims[p.Name] = hex.EncodeToString(sum[:])
		} else if !errors.Is(err, fs.ErrNotExist) {
			return m, err
		}
		plan := results.Plan{Experiment: p.Name, Cells: p.Cells}
		if o.Quick {
			look(&plan)
		}
		m.Plan = append(m.Plan, plan)
	}
	if i := slices.IndexFunc(ps, func(p Program) bool { return p.kit.Facts != nil }); i >= 0 {
		m.Lanes = ps[i].kit.Facts
		if sum := ps[i].kit.Sum; sum != "" {
			m.Binaries = append(m.Binaries, bench.Fact{Name: bench.JVM, Value: sum})
		}
	}
	var err error
	if m.Modules, err = modules(ps); err != nil {
		return m, err
	}
	if o.Quick {
		m.Budget = "quick"
		return m, nil
	}
	return m, allot(m.Plan, o.Budget)
}

// begin starts a run as planned, or opens the unfinished one if it was planned
// alike.
func begin(w io.Writer, root *os.Root, m results.Manifest) (*results.Partial, error) {
	unfinished, odd, err := results.Unfinished(root)
	if err != nil {
		return nil, err
	}
	for _, o := range odd {
		fmt.Fprintf(w, "left alone: %v\n", o)
	}
	if len(unfinished) == 0 {
		machine := "-" + host.Slug(m.Machine.CPU, m.Machine.CPUs)
		p, err := results.Create(root, m.Start.Format("20060102T1504Z")+machine, m)
		if errors.Is(err, fs.ErrExist) { // a run of seconds, begun in the same minute
			p, err = results.Create(root, m.Start.Format("20060102T150405Z")+machine, m)
		}
		return p, err
	}
	name := unfinished[len(unfinished)-1]
	p, err := results.Resume(root, name)
	if err != nil {
		return nil, err
	}
	if what := difference(p.Manifest, m); what != "" {
		return nil, errors.Join(fmt.Errorf("results/%s was interrupted, and this command differs from it in the %s: "+
			"give the command that began it (budget %s) to finish it, or delete the folder to start anew", name, what, p.Manifest.Budget), p.Close())
	}
	return p, nil
}

// passing are the facts that differ from one start of a machine to the next.
var passing = []string{"load average at start", "swap"}

// difference names what a result depends on and differs between two plans, or is
// empty.
func difference(was, now results.Manifest) string {
	lasting := func(m bench.Machine) []bench.Fact {
		var facts []bench.Fact
		for _, f := range m.Facts {
			if f.Name != passing[0] && f.Name != passing[1] {
				facts = append(facts, f)
			}
		}
		return facts
	}
	for _, d := range []struct {
		what     string
		was, now any
	}{
		{"budget", was.Budget, now.Budget},
		{"cells or heats", was.Plan, now.Plan},
		{"code under test", was.Binaries, now.Binaries},
		{"claims", was.Claims, now.Claims},
		{"CPU", was.Machine.CPU, now.Machine.CPU},
		{"number of CPUs", was.Machine.CPUs, now.Machine.CPUs},
		{"kernel or another fact of the machine", lasting(was.Machine), lasting(now.Machine)},
		{"Go version or its settings", was.Go, now.Go},
		{"contestants beside Go's", was.Lanes, now.Lanes},
		{"gates", was.Gates, now.Gates},
	} {
		if !reflect.DeepEqual(d.was, d.now) {
			return d.what
		}
	}
	return ""
}

// revision is the commit of the code and whether it was changed since. What a
// run or a report writes is not code.
func revision() (string, bool) {
	head, err := exec.Command("git", "rev-parse", "HEAD").Output()
	if err != nil {
		return "unknown", true
	}
	status, err := exec.Command("git", "status", "--porcelain", "--", ".", ":!results", ":!plots", ":!report", ":!REPORT.md").Output()
	return strings.TrimSpace(string(head)), err != nil || len(status) > 0
}

func goEnv(name string) string {
	out, err := exec.Command("go", "env", name).Output()
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(out))
}

// ShortDuration is a duration as people write it: 30m, not 30m0s.
func ShortDuration(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// scratchPrefix begins the names of the folders that NewScratch makes.
const scratchPrefix = "hotpath-benchrun-"

// NewScratch makes a folder for what is of no use afterwards, such as binaries, and
// removes those of processes that were killed: each is named by the one that made it.
func NewScratch() (string, error) {
	old, err := filepath.Glob(filepath.Join(os.TempDir(), scratchPrefix+"*"))
	if err != nil {
		return "", err
	}
	for _, dir := range old {
		var pid int
		if n, _ := fmt.Sscanf(filepath.Base(dir), scratchPrefix+"%d-", &pid); n == 1 && !running(pid) {
			os.RemoveAll(dir)
		}
	}
	return os.MkdirTemp("", fmt.Sprintf("%s%d-", scratchPrefix, os.Getpid()))
}
