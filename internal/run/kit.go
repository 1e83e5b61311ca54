package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"hotpath/internal/bench"
	"hotpath/internal/results"
)

// Kit is what a machine without Go and git takes to make a run: a folder with the
// test binaries of the experiments, all link layouts of each, and their claims.
type Kit struct {
	Revision string       `json:"revision"`
	Dirty    bool         `json:"dirty"`
	Go       string       `json:"go"` // version that built it
	GOAMD64  string       `json:"goamd64"`
	Layouts  int          `json:"layouts"`
	Names    []string     `json:"experiments"`
	Binaries []bench.Fact `json:"binaries"` // SHA-256 of each, as a run's manifest has them
}

const kitName = "kit.json"

// WriteKit builds the experiments that are asked for into a folder that does not
// exist. The contestants on a JVM take no part in a kit.
func WriteKit(ctx context.Context, w io.Writer, dir string, o Options) (*Kit, error) {
	ps, err := Find(o.Experiments, o.Experiment)
	if err != nil {
		return nil, err
	}
	k := &Kit{Go: runtime.Version(), GOAMD64: goEnv("GOAMD64"), Layouts: layouts}
	k.Revision, k.Dirty = revision()
	for i := range ps {
		p := &ps[i]
		fmt.Fprintf(w, "building %s\n", p.Name)
		p.static = true
		folder, err := filepath.Abs(filepath.Join(dir, p.Name))
		if err != nil {
			return nil, err
		}
		if err := os.MkdirAll(folder, 0o777); err != nil {
			return nil, err
		}
		if err := p.build(ctx, folder, layouts); err != nil {
			return nil, err
		}
		if err := p.ask(ctx, o); err != nil {
			return nil, err
		}
		if err := copyClaims(p.Dir, folder); err != nil {
			return nil, err
		}
		sums, err := p.sums()
		if err != nil {
			return nil, err
		}
		k.Names, k.Binaries = append(k.Names, p.Name), append(k.Binaries, sums...)
	}
	if _, err := plan(ps, o); err != nil { // a budget that buys nothing is told here, not by every node
		return nil, err
	}
	data, err := json.MarshalIndent(k, "", "  ")
	if err != nil {
		return nil, err
	}
	return k, os.WriteFile(filepath.Join(dir, kitName), append(data, '\n'), 0o666)
}

// copyClaims copies the claims of an experiment that has some.
func copyClaims(from, to string) error {
	data, err := os.ReadFile(filepath.Join(from, "claims.toml"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(to, "claims.toml"), data, 0o666)
}

// measureKit is Measure with what a kit holds: nothing is built.
func measureKit(ctx context.Context, w io.Writer, root *os.Root, o Options, scratch string) error {
	data, err := os.ReadFile(filepath.Join(o.Kit, kitName))
	if err != nil {
		return err
	}
	var k Kit
	if err := json.Unmarshal(data, &k); err != nil {
		return fmt.Errorf("%s: %w", kitName, err)
	}
	ps, err := k.programs(ctx, o)
	if err != nil {
		return err
	}
	m, err := plan(ps, o)
	if err != nil {
		return err
	}
	k.mark(&m)
	return conduct(ctx, w, root, ps, m, scratch)
}

// programs are those of the kit, each asked for its cells on this machine.
func (k *Kit) programs(ctx context.Context, o Options) ([]Program, error) {
	dir, err := filepath.Abs(o.Kit)
	if err != nil {
		return nil, err
	}
	var ps []Program
	for _, name := range k.Names {
		p := Program{Name: name, Dir: filepath.Join(dir, name)}
		for n := 1; n <= k.Layouts; n++ {
			p.binaries = append(p.binaries, filepath.Join(p.Dir, fmt.Sprintf("%s.%d", name, n)))
		}
		if err := p.ask(ctx, o); err != nil {
			return nil, err
		}
		ps = append(ps, p)
	}
	return ps, nil
}

// mark puts in a manifest what only who built the kit knows.
func (k *Kit) mark(m *results.Manifest) {
	m.Revision, m.Dirty = k.Revision, k.Dirty
	for i, f := range m.Go {
		switch f.Name {
		case "version":
			m.Go[i].Value = k.Go
		case "GOAMD64":
			m.Go[i].Value = k.GOAMD64
		}
	}
}

// ask has the program print its cells, and has them checked.
func (p *Program) ask(ctx context.Context, o Options) error {
	if err := p.Ask(ctx, p.binaries[0]); err != nil {
		return err
	}
	if o.Check != nil {
		return o.Check(p.Dir, p.Cells)
	}
	return nil
}
