package run

import (
	"bytes"
	"context"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"hotpath/internal/bench"
	"hotpath/internal/results"
)

// layouts is how many binaries are linked of each experiment, with their
// functions in different orders: where a loop happens to lie moves its time by
// some percent, and the heats take turns so that this luck is noise, not bias.
const layouts = 6

// experiment is one benchmark package, built.
type experiment struct {
	name     string
	dir      string
	binaries []string // by layout, from layout 1 at index 0
	plan     results.Plan
}

// find lists the benchmark packages: each folder below dir that has tests.
func find(dir, only string) ([]experiment, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*", "*_test.go"))
	if err != nil {
		return nil, err
	}
	var all []experiment
	var names []string
	for _, f := range files {
		e := experiment{dir: filepath.Dir(f)}
		e.name = filepath.Base(e.dir)
		if slices.Contains(names, e.name) {
			continue
		}
		names = append(names, e.name)
		if only == "" || only == e.name {
			all = append(all, e)
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("no experiment %q below %s; there are %q", only, dir, names)
	}
	return all, nil
}

// build links so many binaries of the experiment into the folder out, each with a
// layout of its own.
func (e *experiment) build(ctx context.Context, out string, links int) error {
	for n := 1; n <= links; n++ {
		bin := filepath.Join(out, fmt.Sprintf("%s.%d", e.name, n))
		pkg := "./" + filepath.ToSlash(e.dir)
		if filepath.IsAbs(e.dir) {
			pkg = e.dir
		}
		cmd := exec.CommandContext(ctx, "go", "test", "-c", "-trimpath",
			fmt.Sprintf("-ldflags=-randlayout=%d", n), "-o", bin, pkg)
		if msg, err := cmd.CombinedOutput(); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return fmt.Errorf("%s: go test -c: %w\n%s", e.name, err, msg)
		}
		e.binaries = append(e.binaries, bin)
	}
	return nil
}

// ask has the binary print its cells.
func (e *experiment) ask(ctx context.Context) error {
	cmd := exec.CommandContext(ctx, e.binaries[0])
	cmd.Dir = e.dir
	cmd.Env = append(os.Environ(), bench.EnvPlan+"=1")
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("%s: asking for its plan: %w", e.name, err)
	}
	e.plan.Experiment = e.name
	dec := json.NewDecoder(bytes.NewReader(out))
	dec.DisallowUnknownFields()
	for {
		var c bench.Cell
		if err := dec.Decode(&c); err == io.EOF {
			break
		} else if err != nil {
			return fmt.Errorf("%s: its plan: %w", e.name, err)
		}
		e.plan.Cells = append(e.plan.Cells, c)
	}
	if len(e.plan.Cells) == 0 {
		return fmt.Errorf("%s: its plan is empty: does its TestMain call measure.Main?", e.name)
	}
	return nil
}

// sums returns the SHA-256 of each binary.
func (e *experiment) sums() ([]bench.Fact, error) {
	var facts []bench.Fact
	for _, bin := range e.binaries {
		data, err := os.ReadFile(bin)
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(data)
		facts = append(facts, bench.Fact{Name: filepath.Base(bin), Value: hex.EncodeToString(sum[:])})
	}
	return facts, nil
}

// modules lists the versions that were linked into the experiments.
func modules(es []experiment) ([]bench.Fact, error) {
	versions := map[string]string{}
	for _, e := range es {
		info, err := buildinfo.ReadFile(e.binaries[0])
		if err != nil {
			return nil, err
		}
		for _, m := range info.Deps {
			if m.Replace != nil {
				m = m.Replace
			}
			versions[m.Path] = m.Version
		}
	}
	var facts []bench.Fact
	for path, version := range versions {
		facts = append(facts, bench.Fact{Name: path, Value: version})
	}
	slices.SortFunc(facts, func(a, b bench.Fact) int { return bytes.Compare([]byte(a.Name), []byte(b.Name)) })
	return facts, nil
}
