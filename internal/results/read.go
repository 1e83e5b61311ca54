package results

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"hotpath/internal/bench"
)

// Load reads a finished run and checks all of it. Its errors name the file,
// and the line where there is one.
func Load(results *os.Root, name string) (*Run, error) {
	if !bench.IsWord(name) || !exists(results.FS(), name) {
		return nil, fmt.Errorf("results/%.80q: no such run; the runs are the folders below results/", name)
	}
	root, err := results.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return load(root.FS(), name)
}

// load reads the run whose folder is given.
func load(folder fs.FS, name string) (*Run, error) {
	data, err := readFile(folder, manifestName)
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
	files, err := readFiles(folder, name, m.Files)
	if err != nil {
		return nil, err
	}
	var all []numbered
	for _, plan := range m.Plan {
		e, records, err := loadExperiment(name, plan, files)
		if err != nil {
			return nil, err
		}
		run.Experiments = append(run.Experiments, e)
		for i, h := range e.Heats {
			all = append(all, numbered{records[i], h})
		}
	}
	if err := checkSequence(name, all); err != nil {
		return nil, err
	}
	return run, nil
}

// checkSchema refuses a manifest or a plan of another format.
func checkSchema(data []byte) error {
	var m struct{ Schema *int }
	err := json.NewDecoder(bytes.NewReader(data)).Decode(&m)
	switch {
	case err != nil:
		return nil // and whoever reads all of it says where
	case m.Schema == nil:
		return fmt.Errorf("no schema: not a run of this program")
	case *m.Schema < Schema:
		return fmt.Errorf("schema %d: made by an older hotpath; measure again, or use the revision that wrote it", *m.Schema)
	case *m.Schema > Schema:
		return fmt.Errorf("schema %d, this program reads %d: made by a newer hotpath; use the revision that wrote it", *m.Schema, Schema)
	}
	return nil
}

// parseManifest reads a manifest. A byte that encode would not have written is
// refused.
func parseManifest(run string, data []byte) (*Manifest, error) {
	file := "results/" + run + "/" + manifestName
	if err := checkSchema(data); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	m := new(Manifest)
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	err := dec.Decode(m)
	line := 1 + bytes.Count(data[:dec.InputOffset()], []byte("\n"))
	if err != nil {
		return nil, fmt.Errorf("%s:%d: %v: %s", file, line, err, damaged)
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, fmt.Errorf("%s:%d: something stands behind the object: %s", file, line, damaged)
	}
	if err := m.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if m.End.Before(m.Start) {
		return nil, fmt.Errorf("%s: the run ends before it starts", file)
	}
	if err := m.checkFiles(); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	want, err := m.encode()
	if err != nil {
		return nil, err
	}
	if line := difference(data, want); line > 0 {
		return nil, fmt.Errorf("%s:%d: not as it was written, or its own checksum differs: %s", file, line, damaged)
	}
	return m, nil
}

// checkFiles refuses names that no file of the plan's experiments has, and the
// lack of those that each has.
func (m *Manifest) checkFiles() error {
	var known []string
	for _, p := range m.Plan {
		known = append(known, fileNames(p.Experiment)...)
		for _, name := range []string{textName(p.Experiment), heatsName(p.Experiment), forksName(p.Experiment), turnsName(p.Experiment)} {
			if m.Files[name] == "" {
				return fmt.Errorf("%s is not listed", name)
			}
		}
	}
	for name, sum := range m.Files {
		if !slices.Contains(known, name) || !sumPattern.MatchString(sum) {
			return fmt.Errorf("%.80q, checksum %.80q: no file of a run", name, sum)
		}
	}
	return nil
}

// difference is the line in which a file differs from what it should hold, or 0.
func difference(got, want []byte) int {
	if bytes.Equal(got, want) {
		return 0
	}
	i := 0
	for i < len(got) && i < len(want) && got[i] == want[i] {
		i++
	}
	return 1 + bytes.Count(got[:i], []byte("\n"))
}

// readFiles reads exactly the files that the manifest lists. Turns come
// decompressed.
func readFiles(folder fs.FS, run string, sums map[string]string) (map[string][]byte, error) {
	entries, err := fs.ReadDir(folder, ".")
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if name := e.Name(); name != manifestName && name != partialName && sums[name] == "" {
			return nil, fmt.Errorf("results/%s/%.80q: not listed in %s: two runs in one folder? Keep each run in a folder of its own", run, name, manifestName)
		}
	}
	files := map[string][]byte{}
	for name, sum := range sums {
		data, err := readFile(folder, name)
		if err != nil {
			return nil, fmt.Errorf("results/%s: %w", run, err)
		}
		if sumOf(data) != sum {
			return nil, fmt.Errorf("results/%s/%s: checksum differs from %s: the file was damaged or changed; restore it from git, or measure again", run, name, manifestName)
		}
		if strings.HasSuffix(name, ".gz") {
			if data, err = decompress(data); err != nil {
				return nil, fmt.Errorf("results/%s/%s: %w: %s", run, name, err, damaged)
			}
		}
		files[name] = data
	}
	return files, nil
}

// numbered is a heat with its record.
type numbered struct {
	record Record
	heat   *Heat
}

// checkSequence refuses heats of all experiments that do not follow one another.
func checkSequence(run string, all []numbered) error {
	slices.SortStableFunc(all, func(a, b numbered) int { return cmp.Compare(a.heat.ID, b.heat.ID) })
	s := newSequence()
	for _, n := range all {
		if err := s.check(n.record, n.heat); err != nil {
			return fmt.Errorf("results/%s/%s: %w", run, heatsName(n.record.Experiment), err)
		}
		s.add(n.record, n.heat)
	}
	return nil
}
