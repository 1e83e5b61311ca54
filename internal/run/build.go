package run

import (
	"bytes"
	"context"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"hotpath/internal/bench"
	"hotpath/internal/jvm"
)

// layouts is how many binaries are linked of each experiment, with their
// functions in different orders: where a loop happens to lie moves its time by
// some percent, and the heats take turns so that this luck is noise, not bias.
const layouts = 6

// Program is the benchmark package of an experiment.
type Program struct {
	Name     string
	Dir      string       // of the package, which its forks run in
	Cells    []bench.Cell // that Ask was told of
	binaries []string     // of a run, by layout, from layout 1 at index 0
	static   bool         // build binaries that need no library of the machine
	kit      jvm.Kit      // of its contestants in Java; the zero value where they take no part
}

// Find lists the benchmark packages, each a folder below dir that has tests: all
// of them, or the only one that is asked for.
func Find(dir, only string) ([]Program, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*", "*_test.go"))
	if err != nil {
		return nil, err
	}
	var all []Program
	var names []string
	for _, f := range files {
		p := Program{Dir: filepath.Dir(f)}
		p.Name = filepath.Base(p.Dir)
		if slices.Contains(names, p.Name) {
			continue
		}
		names = append(names, p.Name)
		if only == "" || only == p.Name {
			all = append(all, p)
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("no experiment %q below %s; there are %q", only, filepath.Base(dir), names)
	}
	return all, nil
}

// Build links the package's test binary into the folder out, which also takes what
// the building needs for a while, and returns its path. The layout, from 1 on, is
// the order of its functions.
func (p *Program) Build(ctx context.Context, out string, layout int) (string, error) {
	bin := filepath.Join(out, fmt.Sprintf("%s.%d", p.Name, layout))
	cmd := exec.CommandContext(ctx, "go", "test", "-c", "-trimpath",
		fmt.Sprintf("-ldflags=-s -w -randlayout=%d", layout), "-o", bin, ".")
	cmd.Dir = p.Dir
	cmd.Env = append(os.Environ(), "GOTMPDIR="+out)
	if p.static {
		cmd.Env = append(cmd.Env, "CGO_ENABLED=0")
	}
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // so that it tidies up
	cmd.WaitDelay = 10 * time.Second
	if msg, err := cmd.CombinedOutput(); err != nil {
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		return "", fmt.Errorf("%s: go test -c: %w\n%s", p.Name, err, msg)
	}
	return bin, nil
}

// build links the binaries of a run, with the layouts 1 to links.
func (p *Program) build(ctx context.Context, out string, links int) error {
	for n := 1; n <= links; n++ {
		bin, err := p.Build(ctx, out, n)
		if err != nil {
			return err
		}
		p.binaries = append(p.binaries, bin)
	}
	return nil
}

// buildJVM compiles the contestants in Java, if they are asked for, for the experiments
// that have some. On a machine that lacks something for it they take no part, and w is
// told why.
func buildJVM(ctx context.Context, w io.Writer, ps []Program, o Options, out string) error {
	if !o.JVM {
		return nil
	}
	var with []*Program
	for i := range ps {
		if own, err := filepath.Glob(filepath.Join(ps[i].Dir, "jvm", "*.java")); err != nil {
			return err
		} else if len(own) > 0 {
			with = append(with, &ps[i])
		}
	}
	if len(with) == 0 {
		return nil
	}
	sources, err := jvm.Sources(o.Experiments)
	if err != nil {
		return err
	}
	kit, err := jvm.Compile(ctx, out, sources)
	switch {
	case errors.Is(err, jvm.ErrMissing):
		fmt.Fprintf(w, "without the contestants on a JVM: %v\n", err)
		kit.Facts = []bench.Fact{{Name: "JVM", Value: "left out: " + err.Error()}}
	case err != nil:
		return err
	}
	for _, p := range with {
		p.kit = kit
	}
	return nil
}

// Ask has a binary of the package print its cells.
func (p *Program) Ask(ctx context.Context, binary string) error {
	cmd := exec.CommandContext(ctx, binary)
	cmd.WaitDelay = time.Second // a child that keeps the output open does not hold the run
	cmd.Dir = p.Dir
	lane := ""
	if p.kit.Env != nil {
		lane = bench.JVM
	}
	cmd.Env = append(os.Environ(), bench.EnvPlan+"=1", bench.EnvLane+"="+lane)
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("%s: asking for its plan: %w", p.Name, err)
	}
	dec := json.NewDecoder(bytes.NewReader(out))
	dec.DisallowUnknownFields()
	for {
		var c bench.Cell
		if err := dec.Decode(&c); err == io.EOF {
			break
		} else if err != nil {
			return fmt.Errorf("%s: its plan: %w", p.Name, err)
		}
		p.Cells = append(p.Cells, c)
	}
	if len(p.Cells) == 0 {
		return fmt.Errorf("%s: its plan is empty: does its TestMain call measure.Main?", p.Name)
	}
	return nil
}

// sums returns the SHA-256 of each binary.
func (p *Program) sums() ([]bench.Fact, error) {
	var facts []bench.Fact
	for _, bin := range p.binaries {
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
func modules(ps []Program) ([]bench.Fact, error) {
	versions := map[string]string{}
	for _, p := range ps {
		info, err := buildinfo.ReadFile(p.binaries[0])
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
