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

	"hotpath/internal/chart"
	"hotpath/internal/study"
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
	names, err := o.archive().Names()
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
	run, err := o.archive().Load(filepath.Base(filepath.Clean(name)))
	if err != nil {
		return nil, err
	}
	path, err := filepath.Rel(o.Dir, o.Results)
	if err != nil {
		return nil, err
	}
	p := &page{Run: run, Path: filepath.ToSlash(filepath.Join(path, run.Name))}
	files := Files{}
	for _, x := range run.Experiments {
		s, err := o.section(run, x, p.Path)
		if err != nil {
			return nil, err
		}
		for _, c := range s.charts {
			files["plots/"+c.Name+"-light.svg"] = c.Light
			files["plots/"+c.Name+"-dark.svg"] = c.Dark
		}
		p.Experiments = append(p.Experiments, s)
	}
	if len(names) > 1 && !run.Manifest.Quick {
		machines, err := o.archive().Machines()
		if err != nil {
			return nil, err
		}
		if len(machines) > 1 {
			p.Matrix = matrix(run, machines)
		}
	}
	if files[reportName], err = p.render(); err != nil {
		return nil, err
	}
	return files, nil
}

// archive is where runs and claims are read from.
func (o Options) archive() study.Archive {
	return study.Archive{Results: o.Results, Experiments: o.Experiments}
}

// section makes an experiment's part of a report on a run at a path. An
// experiment without a package comment is reported with its figures alone.
func (o Options) section(run *study.Run, x *study.Experiment, path string) (*section, error) {
	s := &section{Experiment: x, Files: rawFiles(run, path, x.Name)}
	var err error
	if s.Prose, err = readProse(filepath.Join(o.Experiments, x.Name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if s.charts, err = chart.Draw(x); err != nil {
		return nil, err
	}
	s.Benchstat, err = benchstat(o, path, run, x)
	return s, err
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
