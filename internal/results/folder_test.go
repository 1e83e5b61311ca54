package results_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hotpath/internal/results"
	"hotpath/internal/results/synthetic"
)

// plant writes files below dir.
func plant(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, data := range files {
		path := filepath.Join(dir, name)
		err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(data), 0o666))
		if err != nil {
			t.Fatal(err)
		}
	}
}

// told reports whether each of the errors has one of the texts, one after the
// other.
func told(errs []error, texts ...string) bool {
	return slices.EqualFunc(errs, texts, func(err error, text string) bool { return strings.Contains(err.Error(), text) })
}

// One folder that is damaged or of somebody else stops no other.
func TestList(t *testing.T) {
	dir, root := newRoot(t)
	newer, older := synthetic.Manifest(), synthetic.Manifest()
	newer.Start = newer.Start.Add(1)
	for name, m := range map[string]results.Manifest{"a-older": older, "b-newer": newer} {
		if err := synthetic.Write(root, name, m, other()); err != nil {
			t.Fatal(err)
		}
	}
	interrupted(t, root, "unfinished")
	plant(t, dir, map[string]string{
		"README.md":            "x",
		"c/manifest.json":      "{}",
		"d/manifest.json":      `{"schema": 1, "start": "2026-11-30T16:02:39Z", "attempts": 3}`,
		"e/manifest.json":      "\xff\xd8",
		"f/manifest.json/file": "x",
		"empty/notes":          "x",
		".compare/a-dark.svg":  "x",
	})
	names, odd, err := results.List(root)
	if !slices.Equal(names, []string{"b-newer", "a-older"}) || err != nil {
		t.Errorf("listed %q, %v", names, err)
	}
	if !told(odd, "results/c/manifest.json: no schema: not a run", "results/d/manifest.json: schema 1: made by an older hotpath; measure again, or use the revision that wrote it",
		"results/e/manifest.json:1: ", "results/f: f/manifest.json: not a file") {
		t.Errorf("odd: %v", odd)
	}
}

// litter fills a folder of runs with what crashes and people leave there, and
// returns the files that must stay.
func litter(t *testing.T, dir string, root *os.Root) map[string]string {
	t.Helper()
	for _, name := range []string{"sealed", "visited"} {
		if err := synthetic.Write(root, name, synthetic.Manifest(), other()); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"unfinished", "lost", "cut"} {
		interrupted(t, root, name)
	}
	plan := filepath.Join(dir, "lost", results.PartialName, "plan.json")
	if err := errors.Join(os.Remove(plan), os.Truncate(filepath.Join(dir, "cut", results.PartialName, "plan.json"), 9)); err != nil {
		t.Fatal(err)
	}
	kept := map[string]string{
		"foreign/.partial/thesis.tex": "x",
		"mixed/.partial/lock":         "x",
		"mixed/thesis.tex":            "x",
		"beside/thesis.tex":           "x",
		"visited/.partial/thesis.tex": "x",
		"broken/manifest.json":        "{}",
		"broken/.partial/plan.json":   "{}",
		"notes.txt":                   "x",
		".compare/a-dark.svg":         "x",
	}
	plant(t, dir, kept)
	plant(t, dir, map[string]string{
		"begun/.partial/plan.json.tmp":      "{",
		"sealed/.partial/plan.json":         "{}",
		"sealed/.partial/heat-000001.json":  "{}",
		"sealed/.partial/manifest.json.tmp": "{",
	})
	if err := os.MkdirAll(filepath.Join(dir, "bare", results.PartialName), 0o777); err != nil {
		t.Fatal(err)
	}
	return kept
}

// Nothing is removed that this program did not write.
func TestUnfinished(t *testing.T) {
	dir, root := newRoot(t)
	kept := litter(t, dir, root)
	names, odd, err := results.Unfinished(root)
	if !slices.Equal(names, []string{"unfinished"}) || err != nil {
		t.Errorf("unfinished: %q, %v", names, err)
	}
	if !told(odd, "results/broken has both", "results/cut: .partial/plan.json: checksum differs", "results/foreign has a .partial without a plan",
		"results/lost has a .partial without a plan", "results/mixed has a .partial without a plan", "results/visited/.partial/thesis.tex: no file of this program") {
		t.Errorf("odd: %v", odd)
	}
	for name := range kept {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	for _, name := range []string{"begun", "bare", "sealed/.partial"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			t.Errorf("%s is still there", name)
		}
	}
	if _, err := results.Load(root, "sealed"); err != nil {
		t.Error(err)
	}
	if got, err := filepath.Glob(filepath.Join(dir, "lost", results.PartialName, "heat-*")); len(got) != 2 || err != nil {
		t.Errorf("of the heats without a plan %q are left, %v", got, err)
	}
}

func TestLoadRefuses(t *testing.T) {
	dir, root := sealed(t)
	for _, name := range []string{"nothing", "../run", "", "a/b", "<b>"} {
		_, err := results.Load(root, name)
		check(t, name, err, "no such run")
	}
	all := files(t, dir)
	for what, c := range map[string]struct {
		change func()
		want   string
	}{
		"a file too many": {func() { all["other2.txt"] = all["other.txt"] }, `results/run/"other2.txt": not listed in manifest.json: two runs in one folder?`},
		"a copy":          {func() { all["counter.forks (copy).jsonl"] = all["counter.forks.jsonl"] }, `"counter.forks (copy).jsonl": not listed`},
		"no histograms":   {func() { delete(all, "counter.hlog") }, "counter.hlog"},
		"a sample cut": {func() {
			heap := bytes.TrimSuffix(all["counter.heap.csv"].Data, []byte("\n"))
			all["counter.heap.csv"].Data = heap[:bytes.LastIndexByte(heap, '\n')+1]
			all[results.ManifestName].Data = results.Resum(all)
		}, "results/run/counter.heap.csv:11: 2 rows of fork 14, want 3"},
		"the end before the start": {func() {
			m := load(t, root).Manifest
			m.End = m.Start.Add(-1)
			all[results.ManifestName].Data = results.Encode(m)
		}, "manifest.json: the run ends before it starts"},
		"no manifest": {func() { delete(all, results.ManifestName) }, "the run was not finished"},
	} {
		all = files(t, dir)
		c.change()
		_, err := results.LoadFiles(all)
		check(t, what, err, c.want)
	}
	all = files(t, dir)
	for _, garbage := range []string{"{}", "x", "\n\n", "\x00"} {
		manifest := all[results.ManifestName].Data
		all[results.ManifestName].Data = append(slices.Clone(manifest), garbage...)
		want := "something stands behind the object"
		if strings.TrimSpace(garbage) == "" {
			want = "not as it was written"
		}
		_, err := results.LoadFiles(all)
		check(t, garbage, err, want)
		all[results.ManifestName].Data = manifest
	}
}

// File names, and which of them there are, are the experiments' own.
func TestFileNames(t *testing.T) {
	dir, root := sealed(t)
	m := load(t, root).Manifest
	sum := m.Files["counter.txt"]
	for _, c := range []struct {
		change func(files map[string]string)
		want   string
	}{
		{func(files map[string]string) { files["<img onerror=alert(1)>"] = sum }, "no file of a run"},
		{func(files map[string]string) { files["../counter.txt"] = sum }, "no file of a run"},
		{func(files map[string]string) { files["other.md"] = sum }, "no file of a run"},
		{func(files map[string]string) { files["counter.txt"] = "<b>" }, "no file of a run"},
		{func(files map[string]string) { delete(files, "counter.heats.jsonl") }, "counter.heats.jsonl is not listed"},
	} {
		all := files(t, dir)
		changed := load(t, root).Manifest
		c.change(changed.Files)
		all[results.ManifestName].Data = results.Encode(changed)
		_, err := results.LoadFiles(all)
		check(t, c.want, err, c.want)
	}
}
