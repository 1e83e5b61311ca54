// Package report turns a run into REPORT.md, the pages behind it in report/, and
// their charts in plots/. What it writes is a function of the run's folder, the
// experiments' claims, advice and package comments, the summaries of earlier runs,
// and the templates here: no clock, host, map order or absolute path enters, so the
// same input gives the same bytes on any machine.
package report

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"hotpath/internal/advice"
	"hotpath/internal/chart"
	"hotpath/internal/history"
	"hotpath/internal/report/explorer"
	"hotpath/internal/study"
)

// Options name the input.
type Options struct {
	Results     string // folder of the runs
	Experiments string // folder of the experiments' packages
	Run         string // name of the run; the newest when empty
	Dir         string // folder that the report belongs to

	anew bool // take no summary of a run that is kept
}

// Report is a report in memory.
type Report struct {
	Files map[string][]byte // by path below the folder that it belongs to, with slashes
	// Summaries are what is kept of the runs for later reports: of the one that is
	// shown unless it is a quick look, and of all others that there are.
	Summaries []*history.Summary
	// Explorer is the page to filter, sort and zoom. It can be made again at any
	// time, so nothing is compared with it and git does not keep it.
	Explorer []byte
}

const (
	reportName   = "REPORT.md"
	explorerName = "report/index.html"
)

// Build makes a report.
func Build(o Options) (*Report, error) {
	run, err := o.load()
	if err != nil {
		return nil, err
	}
	c, err := o.content(run)
	if err != nil {
		return nil, err
	}
	r := &Report{Files: map[string][]byte{}}
	for _, x := range c.Experiments {
		for _, drawn := range x.charts {
			r.draw(drawn)
		}
		if x.Model != nil {
			r.draw(x.Model.Chart)
		}
	}
	for _, drawn := range c.Overview {
		r.draw(drawn)
	}
	if c.Machines != nil {
		for _, claim := range c.Machines.Claims {
			for _, drawn := range claim.Chart {
				r.draw(drawn)
			}
		}
	}
	r.Summaries = c.Summaries
	if r.Explorer, err = explorer.Page(run); err != nil {
		return nil, err
	}
	return r, r.write(c)
}

func (r *Report) draw(c chart.Chart) {
	r.Files["plots/"+c.Name+"-light.svg"] = c.Light
	r.Files["plots/"+c.Name+"-dark.svg"] = c.Dark
}

// write fills the templates of all pages.
func (r *Report) write(c *content) error {
	pages := []struct {
		page     *page
		template string
	}{{&page{content: c, Name: reportName}, "report.md.tmpl"}, {&page{content: c, Name: dataName, Heading: "Data and method"}, "data.md.tmpl"}}
	if c.Machines != nil {
		pages = append(pages, struct {
			page     *page
			template string
		}{&page{content: c, Name: machinesName, Heading: "Which claims hold on which machines"}, "machines.md.tmpl"})
	}
	for _, x := range c.Experiments {
		if name := pageOf(x.Name); name == dataName || name == machinesName {
			return fmt.Errorf("%s: the name of an experiment is that of another page", x.Name)
		}
		pages = append(pages, struct {
			page     *page
			template string
		}{&page{content: c, Name: pageOf(x.Name), X: x, Heading: escape(x.Name)}, "experiment.md.tmpl"})
	}
	for _, p := range pages {
		data, err := p.page.render(p.template)
		if err != nil {
			return err
		}
		r.Files[p.page.Name] = data
	}
	return nil
}

// load reads the run that is to be shown.
func (o Options) load() (*study.Run, error) {
	name := o.Run
	if name == "" {
		names, _, err := o.archive().Names()
		if err != nil {
			return nil, err
		}
		if len(names) == 0 {
			return nil, fmt.Errorf("no finished run in %s; `make report` measures one", o.Results)
		}
		name = names[0]
	}
	return o.archive().Load(filepath.Base(filepath.Clean(name)))
}

// archive is where runs and claims are read from.
func (o Options) archive() study.Archive {
	return study.Archive{Results: o.Results, Experiments: o.Experiments}
}

// content is what the pages of a run show.
func (o Options) content(run *study.Run) (*content, error) {
	folder, err := relative(o.Dir, filepath.Join(o.Results, run.Name))
	if err != nil {
		return nil, err
	}
	c := &content{Run: run, Folder: folder, Trust: trustOf(run)}
	for _, x := range run.Experiments {
		s, err := o.section(run, x, folder)
		if err != nil {
			return nil, err
		}
		c.Experiments = append(c.Experiments, s)
	}
	if overview, ok := chart.Overview(run.Experiments); ok {
		c.Overview = append(c.Overview, overview)
	}
	if run.Manifest.Quick {
		return c, nil
	}
	var odd []error
	if c.Summaries, odd, err = history.Runs(o.archive(), run, o.anew); err != nil {
		return nil, err
	}
	c.Machines = machinesOf(run, c.Summaries, odd)
	for _, x := range c.Experiments {
		x.machines = c.Machines
	}
	c.History, err = o.history(run, c.Summaries)
	return c, err
}

// relative leads from one folder to another, with slashes.
func relative(from, to string) (string, error) {
	from, errFrom := filepath.Abs(from)
	to, errTo := filepath.Abs(to)
	path, err := filepath.Rel(from, to)
	return filepath.ToSlash(path), errors.Join(errFrom, errTo, err)
}

// section makes an experiment's part of a report on a run in a folder. An
// experiment without a package comment is reported with its figures alone.
func (o Options) section(run *study.Run, x *study.Experiment, folder string) (*section, error) {
	s := &section{Experiment: x, Files: rawFiles(run, x.Name+".")}
	var err error
	if s.Prose, err = readProse(filepath.Join(o.Experiments, x.Name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if s.Advice, err = advice.Load(o.Experiments, x); err != nil {
		return nil, err
	}
	s.Choices = s.Advice.Decide(x)
	if s.charts, err = chart.Draw(x); err != nil {
		return nil, err
	}
	if s.Model, err = o.modelOf(s, run.Manifest.Machine.CPUs); err != nil {
		return nil, err
	}
	s.Benchstat, err = benchstat(o, folder, run, x)
	return s, err
}

// Write puts the report below its folder, and the summaries beside the runs. It
// removes what the report that was there named and this one does not, and nothing
// else.
func (r *Report) Write(o Options) error {
	root, err := os.OpenRoot(o.Dir)
	if err != nil {
		return err
	}
	defer root.Close()
	old := named(root.FS())
	for _, name := range r.names() {
		if err := root.MkdirAll(filepath.Dir(filepath.FromSlash(name)), 0o777); err != nil {
			return err
		}
		if err := root.WriteFile(filepath.FromSlash(name), r.Files[name], 0o666); err != nil {
			return err
		}
	}
	if err := root.WriteFile(filepath.FromSlash(explorerName), r.Explorer, 0o666); err != nil {
		return err
	}
	for _, name := range old {
		if r.Files[name] == nil {
			if err := root.Remove(filepath.FromSlash(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	for _, s := range r.Summaries {
		if err := s.Keep(o.Results); err != nil {
			return err
		}
	}
	return nil
}

func (r *Report) names() []string {
	var names []string
	for name := range r.Files {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
