package results

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"time"

	"hotpath/internal/bench"
)

// List names the finished runs below results, the newest first. A folder that
// looks like a run and cannot be read as one is told in odd and stops no other;
// each of these errors names its folder.
func List(results *os.Root) (names []string, odd []error, err error) {
	entries, err := fs.ReadDir(results.FS(), ".")
	if err != nil {
		return nil, nil, err
	}
	starts := map[string]time.Time{}
	for _, e := range entries {
		name := e.Name()
		if !bench.IsWord(name) || !exists(results.FS(), path.Join(name, manifestName)) {
			continue
		}
		data, err := readFile(results.FS(), path.Join(name, manifestName))
		if err != nil {
			odd = append(odd, fmt.Errorf("results/%s: %w", name, err))
			continue
		}
		m, err := parseManifest(name, data)
		if err != nil {
			odd = append(odd, err)
			continue
		}
		names = append(names, name)
		starts[name] = m.Start
	}
	slices.SortStableFunc(names, func(a, b string) int { return starts[b].Compare(starts[a]) })
	return names, odd, nil
}

// Unfinished lists the runs below results that were started and not sealed. It
// removes what a crash can leave beside them: a folder in which nothing but a
// plan was begun, and the .partial/ of a run that is whole. What it cannot read,
// or did not write, it leaves and tells in odd; each of these errors names its
// folder. While another process makes a run it returns a BusyError.
func Unfinished(results *os.Root) (names []string, odd []error, err error) {
	lock, err := acquire(results, "")
	if err != nil {
		return nil, nil, err
	}
	defer lock.Close()
	entries, err := fs.ReadDir(results.FS(), ".")
	if err != nil {
		return nil, nil, err
	}
	for _, e := range entries {
		name := e.Name()
		if !bench.IsWord(name) || !e.IsDir() {
			continue
		}
		again, err := unfinished(results, name)
		if err != nil {
			odd = append(odd, err)
		} else if again {
			names = append(names, name)
		}
	}
	return names, odd, nil
}

// unfinished reports whether a folder holds a run to go on with, after it has
// removed what a crash left there.
func unfinished(results *os.Root, name string) (bool, error) {
	root, err := results.OpenRoot(name)
	if err != nil {
		return false, fmt.Errorf("results/%s: %w", name, err)
	}
	defer root.Close()
	switch {
	case exists(root.FS(), manifestName):
		if !exists(root.FS(), partialName) {
			return false, nil
		}
		if _, err := Load(results, name); err != nil {
			return false, fmt.Errorf("results/%s has both %s and %s: %w", name, manifestName, partialName, err)
		}
		return false, removePartial(root, name)
	case !exists(root.FS(), path.Join(partialName, planName)):
		return false, removeUnplanned(results, name)
	}
	if _, err := readPlan(root); err != nil {
		return false, fmt.Errorf("results/%s: %w", name, err)
	}
	return true, nil
}

// removePartial removes the .partial/ of a sealed run, if all in it is of this
// program.
func removePartial(root *os.Root, name string) error {
	entries, err := fs.ReadDir(root.FS(), partialName)
	if err != nil {
		return fmt.Errorf("results/%s: %w", name, err)
	}
	for _, e := range entries {
		if n := e.Name(); n != planName && !heatPattern.MatchString(n) && !isTemp(n) {
			return fmt.Errorf("results/%s/%s/%s: no file of this program; it is left where it is", name, partialName, n)
		}
	}
	for _, e := range entries {
		if err := root.Remove(path.Join(partialName, e.Name())); err != nil {
			return fmt.Errorf("results/%s: %w", name, err)
		}
	}
	return root.Remove(partialName)
}

// removeUnplanned removes a folder that holds no more than a plan that was not
// written to its end. Other folders without a plan that have a .partial/ are an
// error.
func removeUnplanned(results *os.Root, name string) error {
	within := func(dir string) (names []string) {
		entries, _ := fs.ReadDir(results.FS(), dir)
		for _, e := range entries {
			names = append(names, e.Name())
		}
		return names
	}
	partial := path.Join(name, partialName)
	all, begun := within(name), within(partial)
	if !slices.Contains(all, partialName) {
		return nil // no folder of a run
	}
	temp := planName + tempSuffix
	if len(all) > 1 || len(begun) > 1 || len(begun) == 1 && begun[0] != temp {
		return fmt.Errorf("results/%s has a %s without a plan: it is left as it is", name, partialName)
	}
	if len(begun) == 1 {
		if err := results.Remove(path.Join(partial, temp)); err != nil {
			return err
		}
	}
	if err := results.Remove(partial); err != nil {
		return err
	}
	return results.Remove(name)
}

// tempSuffix ends the name of a file that is being written.
const tempSuffix = ".tmp"

var tempPattern = regexp.MustCompile(`^(plan\.json|manifest\.json|heat-[0-9]{6,9}\.json|` +
	`[A-Za-z0-9][A-Za-z0-9_-]*\.(txt|hlog|turns\.csv\.gz|heats\.jsonl|forks\.jsonl|heap\.csv))\.tmp$`)

// isTemp reports whether a file of .partial/ is one that a crash left.
func isTemp(name string) bool { return tempPattern.MatchString(name) }

// exists reports whether there is something of that name.
func exists(fsys fs.FS, name string) bool {
	_, err := fs.Stat(fsys, name)
	return err == nil
}

// maxFile is the largest file that is read, compressed or not.
const maxFile = 256 << 20

// readFile reads a file that can be one of a run.
func readFile(fsys fs.FS, name string) ([]byte, error) {
	info, err := fs.Stat(fsys, name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: not a file", name)
	}
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(data) > maxFile {
		err = fmt.Errorf("%s: over %d MB", name, maxFile>>20)
	}
	return data, err
}
