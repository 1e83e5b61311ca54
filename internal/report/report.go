// Package report turns a run into REPORT.md and its charts. What it writes is
// a function of the run's folder, the experiments' claims and package
// comments, and the template here: no clock, host, map order or absolute path
// enters, so the same input gives the same bytes on any machine.
package report

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hotpath/internal/chart"
	"hotpath/internal/claims"
	"hotpath/internal/results"
	rows "hotpath/internal/study"
)

// Options name the input.
type Options struct {
	Results     string // folder of the runs
	Experiments string // folder of the experiments' packages
	Run         string // name of the run; the newest when empty
	Dir         string // folder that the report belongs to
}

// Files are what a report consists of, by path below the folder it is written
// to, with slashes.
type Files map[string][]byte

const reportName = "REPORT.md"

// Build makes the files of a report in memory.
func Build(o Options) (Files, error) {
	root, err := os.OpenRoot(o.Results)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	names, err := results.List(root)
	if err != nil {
		return nil, err
	}
	name := o.Run
	if name == "" {
		if len(names) == 0 {
			return nil, fmt.Errorf("no finished run in %s; `make report` measures one", o.Results)
		}
		name = names[0]
	}
	run, err := results.Load(root, filepath.Base(filepath.Clean(name)))
	if err != nil {
		return nil, err
	}

	path, err := filepath.Rel(o.Dir, o.Results)
	if err != nil {
		return nil, err
	}
	files := Files{}
	v := &view{Run: run, Path: filepath.ToSlash(filepath.Join(path, run.Name))}
	for _, e := range run.Experiments {
		study, err := loadStudy(o.Experiments, e.Name)
		if err != nil {
			return nil, err
		}
		x, err := newExperiment(run, e, study)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.Name, err)
		}
		charts, err := chart.Draw(rows.New(&run.Manifest, e, study.claims))
		if err != nil {
			return nil, err
		}
		for _, c := range charts {
			x.addChart(c)
			files["plots/"+c.Name+"-light.svg"] = c.Light
			files["plots/"+c.Name+"-dark.svg"] = c.Dark
		}
		if x.Benchstat, err = benchstat(o.Results, v.Path, run, e); err != nil {
			return nil, err
		}
		v.Experiments = append(v.Experiments, x)
	}
	if err := v.conclude(root, names, o.Experiments); err != nil {
		return nil, err
	}
	if files[reportName], err = v.render(); err != nil {
		return nil, err
	}
	return files, nil
}

// Write puts the files below dir and removes charts that are no longer drawn.
// It writes nothing else and nowhere else.
func (f Files) Write(dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := root.Mkdir("plots", 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	old, err := fs.Glob(root.FS(), "plots/*.svg")
	if err != nil {
		return err
	}
	for _, name := range old {
		if f[name] == nil {
			if err := root.Remove(name); err != nil {
				return err
			}
		}
	}
	for _, name := range f.names() {
		if err := root.WriteFile(name, f[name], 0o666); err != nil {
			return err
		}
	}
	return nil
}

func (f Files) names() []string {
	var names []string
	for name := range f {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// study is what an experiment's folder says beside its code.
type study struct {
	claims *claims.File
	prose  prose
}

// loadStudy reads claims.toml and the package comment. An experiment without
// them is reported with its figures alone.
func loadStudy(dir, name string) (study, error) {
	s := study{claims: &claims.File{}}
	file := filepath.Join(dir, name, "claims.toml")
	f, err := claims.Load(file)
	switch {
	case err == nil:
		s.claims = f
	case !errors.Is(err, fs.ErrNotExist):
		return s, err
	}
	if s.prose, err = readProse(filepath.Join(dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return s, err
	}
	return s, nil
}

// plural is "1 fork", "2 forks".
func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

// list is "a", "a and b", "a, b and c".
func list(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}
