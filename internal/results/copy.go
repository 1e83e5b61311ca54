package results

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
)

// Copy puts a run that was loaded from one folder of runs into another, byte for
// byte and the manifest last, under a name. What a crash or a full disk cut short is
// no run, and the next Copy makes it whole. Where that run is already it does
// nothing; where another one is, or anything that is no part of this one, its error
// is fs.ErrExist.
func Copy(from *os.Root, run *Run, into *os.Root, as string) error {
	if sum, err := Stamp(into, as); err == nil && sum == run.ManifestSum {
		return nil
	}
	if err := vacant(into, run, as); err != nil {
		return err
	}
	names := append(slices.Sorted(maps.Keys(run.Manifest.Files)), manifestName)
	for _, name := range names {
		want := run.Manifest.Files[name]
		if name == manifestName {
			want = run.ManifestSum
		}
		data, err := readFile(from.FS(), path.Join(run.Name, name))
		if err != nil {
			return err
		}
		if sumOf(data) != want {
			return fmt.Errorf("results/%s/%s: changed while it was copied", run.Name, name)
		}
		file := path.Join(as, name)
		if err := writeSynced(into, file+tempSuffix, data); err != nil {
			return err
		}
		if err := into.Rename(file+tempSuffix, file); err != nil {
			return err
		}
	}
	return syncDir(into, as)
}

// vacant makes the folder of a copy, or finds there nothing but what an earlier one left.
func vacant(into *os.Root, run *Run, as string) error {
	if err := into.Mkdir(as, 0o777); !errors.Is(err, fs.ErrExist) {
		return err
	}
	entries, err := fs.ReadDir(into.FS(), as)
	if err != nil {
		return err
	}
	for _, e := range entries {
		switch name := e.Name(); {
		case isTemp(name):
			if err := into.Remove(path.Join(as, name)); err != nil {
				return err
			}
		case run.Manifest.Files[name] == "":
			return fmt.Errorf("results/%s/%.80q: %w, and is no part of the run", as, name, fs.ErrExist)
		}
	}
	return nil
}

// Stamp is the SHA-256 of a run's manifest, which has those of all of its files.
func Stamp(results *os.Root, name string) (string, error) {
	data, err := readFile(results.FS(), path.Join(name, manifestName))
	return sumOf(data), err
}
