package results

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"hotpath/internal/bench"
)

// List names the finished runs below results, the newest first.
func List(results *os.Root) ([]string, error) {
	entries, err := fs.ReadDir(results.FS(), ".")
	if err != nil {
		return nil, err
	}
	starts := map[string]time.Time{}
	var names []string
	for _, e := range entries {
		if !bench.IsWord(e.Name()) || !exists(results, path.Join(e.Name(), manifestName)) {
			continue
		}
		data, err := results.ReadFile(path.Join(e.Name(), manifestName))
		if err != nil {
			return nil, err
		}
		m, err := parseManifest(e.Name(), data)
		if err != nil {
			return nil, err
		}
		names = append(names, e.Name())
		starts[e.Name()] = m.Start
	}
	slices.SortFunc(names, func(a, b string) int {
		if c := starts[b].Compare(starts[a]); c != 0 {
			return c
		}
		return strings.Compare(a, b)
	})
	return names, nil
}

// Load reads a finished run and checks all of it. Its errors name the file,
// and the line where there is one.
func Load(results *os.Root, name string) (*Run, error) {
	if !bench.IsWord(name) || !exists(results, name) {
		return nil, fmt.Errorf("results/%s: no such run; the runs are the folders below results/", name)
	}
	root, err := results.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	data, err := root.ReadFile(manifestName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("results/%s: no %s: the run was not finished; run the same command again to finish it", name, manifestName)
	}
	if err != nil {
		return nil, fmt.Errorf("results/%s: %w", name, err)
	}
	m, err := parseManifest(name, data)
	if err != nil {
		return nil, err
	}
	run := &Run{Name: name, Manifest: *m, ManifestSum: sumOf(data)}
	files, err := readFiles(root, name, m.Files)
	if err != nil {
		return nil, err
	}
	for _, plan := range m.Plan {
		e, err := loadExperiment(name, plan, files)
		if err != nil {
			return nil, err
		}
		run.Experiments = append(run.Experiments, e)
	}
	return run, nil
}

func parseManifest(run string, data []byte) (*Manifest, error) {
	file := "results/" + run + "/" + manifestName
	m := new(Manifest)
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(m); err != nil {
		line := 1 + bytes.Count(data[:dec.InputOffset()], []byte("\n"))
		return nil, fmt.Errorf("%s:%d: %v: the file is damaged; restore it from git, or measure again", file, line, err)
	}
	if m.Schema != Schema {
		return nil, fmt.Errorf("%s: schema %d, this program reads %d; use the revision that wrote it", file, m.Schema, Schema)
	}
	if m.End.Before(m.Start) {
		return nil, fmt.Errorf("%s: the run ends before it starts", file)
	}
	if err := checkPlan(m.Plan); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return m, nil
}

// readFiles reads exactly the files that the manifest lists.
func readFiles(root *os.Root, run string, sums map[string]string) (map[string][]byte, error) {
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if name := e.Name(); name != manifestName && name != partialName && sums[name] == "" {
			return nil, fmt.Errorf("results/%s/%s: not listed in %s: two runs in one folder? Keep each run in a folder of its own", run, name, manifestName)
		}
	}
	files := map[string][]byte{}
	for name, sum := range sums {
		if strings.ContainsRune(name, '/') {
			return nil, fmt.Errorf("results/%s/%s: file name %q", run, manifestName, name)
		}
		data, err := root.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("results/%s: %w", run, err)
		}
		files[name] = data
		if sumOf(data) != sum {
			return nil, fmt.Errorf("results/%s/%s: checksum differs from %s: the file was damaged or changed; restore it from git, or measure again", run, name, manifestName)
		}
	}
	return files, nil
}

func loadExperiment(run string, plan Plan, files map[string][]byte) (*Experiment, error) {
	at := func(name string) string { return "results/" + run + "/" + name }
	e := &Experiment{Name: plan.Experiment, Plan: plan}
	for _, name := range []string{textName(e.Name), forksName(e.Name)} {
		if files[name] == nil {
			return nil, fmt.Errorf("%s: not listed in %s", at(name), manifestName)
		}
	}
	lines, err := ParseText(at(textName(e.Name)), bytes.NewReader(files[textName(e.Name)]))
	if err != nil {
		return nil, err
	}
	hists := map[string]*hdrhistogram.Histogram{}
	if data := files[hlogName(e.Name)]; data != nil {
		if hists, err = parseHlog(at(hlogName(e.Name)), data); err != nil {
			return nil, err
		}
	}
	heaps := map[int]*heap{}
	if data := files[heapName(e.Name)]; data != nil {
		if heaps, err = parseHeap(at(heapName(e.Name)), data); err != nil {
			return nil, err
		}
	}
	byLine := map[int]*Line{}
	for i := range lines {
		byLine[lines[i].Number] = &lines[i]
	}
	planned := map[bench.CellID]bool{}
	for _, c := range plan.Cells {
		planned[c.ID()] = true
	}

	n := 0
	for text := range bytes.Lines(files[forksName(e.Name)]) {
		n++
		refuse := func(format string, args ...any) error {
			return fmt.Errorf("%s:%d: %s", at(forksName(e.Name)), n, fmt.Sprintf(format, args...))
		}
		f := new(Fork)
		if err := json.Unmarshal(text, f); err != nil {
			return nil, refuse("%v", err)
		}
		if !planned[f.Cell] {
			return nil, refuse("cell %q is not in the plan of %s", f.Cell.String(), manifestName)
		}
		if len(e.Forks) > 0 && f.ID <= e.Forks[len(e.Forks)-1].ID {
			return nil, refuse("fork %d is out of order", f.ID)
		}
		if (f.State == bench.Complete) != (f.Line > 0) {
			return nil, refuse("fork %d is %q with result line %d", f.ID, f.State, f.Line)
		}
		e.Forks = append(e.Forks, f)
		if f.Line == 0 {
			continue
		}
		line := byLine[f.Line]
		if line == nil {
			return nil, refuse("%s:%d has no result of its own for fork %d", textName(e.Name), f.Line, f.ID)
		}
		delete(byLine, f.Line)
		if err := f.take(line, hists); err != nil {
			return nil, fmt.Errorf("%s:%d: fork %d: %w", at(textName(e.Name)), f.Line, f.ID, err)
		}
		if h := heaps[f.ID]; h != nil {
			f.Heap = h.samples
			delete(heaps, f.ID)
		}
	}
	if err := sameRange(e.Forks); err != nil {
		return nil, fmt.Errorf("%s: %w", at(hlogName(e.Name)), err)
	}
	for number := range byLine {
		return nil, fmt.Errorf("%s:%d: no fork of %s has this result", at(textName(e.Name)), number, forksName(e.Name))
	}
	for tag := range hists {
		return nil, fmt.Errorf("%s: no fork has the interval tagged %s", at(hlogName(e.Name)), tag)
	}
	for id, h := range heaps {
		return nil, fmt.Errorf("%s:%d: no fork %d has a result", at(heapName(e.Name)), h.line, id)
	}
	return e, nil
}

// sameRange refuses histograms of one cell that cannot be merged.
func sameRange(forks []*Fork) error {
	first := map[bench.CellID]*Fork{}
	for _, f := range forks {
		if f.Hist == nil {
			continue
		}
		g := first[f.Cell]
		if g == nil {
			first[f.Cell] = f
		} else if f.Hist.HighestTrackableValue() != g.Hist.HighestTrackableValue() ||
			f.Hist.LowestTrackableValue() != g.Hist.LowestTrackableValue() ||
			f.Hist.SignificantFigures() != g.Hist.SignificantFigures() {
			return fmt.Errorf("forks %d and %d of %s have histograms of different ranges", g.ID, f.ID, f.Cell)
		}
	}
	return nil
}

// take gives a fork its result line, and its histogram out of those by tag.
func (f *Fork) take(line *Line, hists map[string]*hdrhistogram.Histogram) error {
	if got := bench.Procless(line.Name); got != f.Cell.Name.String() {
		return fmt.Errorf("the result is of %s, the fork measured %s", got, f.Cell.Name)
	}
	if line.Config["reading"] != string(f.Cell.Reading) {
		return fmt.Errorf("reading %q, the fork ran under %s", line.Config["reading"], f.Cell.Reading)
	}
	if clean := line.Config["gate"] == "clean"; clean != f.Clean() {
		return fmt.Errorf("gate %q, the fork's gates not met: %q", line.Config["gate"], f.Gated)
	}
	f.Metrics = line.Metrics
	tag := hlogTag(*f)
	f.Hist = hists[tag]
	delete(hists, tag)
	if f.Hist == nil {
		return nil
	}
	if ops, ok := f.Value(bench.Operations); !ok || int64(ops) != f.Hist.TotalCount() {
		return fmt.Errorf("%v operations, %d samples in the histogram", ops, f.Hist.TotalCount())
	}
	return nil
}
