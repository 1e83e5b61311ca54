package study

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"hotpath/internal/claims"
	"hotpath/internal/results"
)

// Run is a run with its rows.
type Run struct {
	Name        string
	Manifest    *results.Manifest
	ManifestSum string // SHA-256 of manifest.json
	Experiments []*Experiment
}

// Experiment finds an experiment, or returns nil.
func (r *Run) Experiment(name string) *Experiment {
	for _, x := range r.Experiments {
		if x.Name == name {
			return x
		}
	}
	return nil
}

// Archive is where runs and claims are read from.
type Archive struct {
	Results     string // folder of the runs
	Experiments string // folder of the experiments' packages; empty where claims are not asked for
}

// Names lists the finished runs, the newest first. Folders that look like runs and
// cannot be read as such are told in odd.
func (a Archive) Names() (names []string, odd []error, err error) {
	root, err := os.OpenRoot(a.Results)
	if err != nil {
		return nil, nil, err
	}
	defer root.Close()
	return results.List(root)
}

// Check reads a run and checks all of it, without its claims.
func (a Archive) Check(name string) error {
	_, err := a.read(name)
	return err
}

func (a Archive) read(name string) (*results.Run, error) {
	root, err := os.OpenRoot(a.Results)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return results.Load(root, name)
}

// Load reads a run, checks all of it, and judges it by the claims of its
// experiments. An experiment without claims has its figures alone.
func (a Archive) Load(name string) (*Run, error) {
	r, err := a.read(name)
	if err != nil {
		return nil, err
	}
	run := &Run{Name: r.Name, Manifest: &r.Manifest, ManifestSum: r.ManifestSum}
	for _, e := range r.Experiments {
		f, err := a.claims(e.Name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.Name, err)
		}
		run.Experiments = append(run.Experiments, New(run.Manifest, e, f))
	}
	return run, nil
}

// claims are those of an experiment; none where it has no file of them.
func (a Archive) claims(experiment string) (*claims.File, error) {
	if a.Experiments == "" {
		return new(claims.File), nil
	}
	f, err := claims.Load(filepath.Join(a.Experiments, experiment, "claims.toml"))
	if errors.Is(err, fs.ErrNotExist) {
		return new(claims.File), nil
	}
	return f, err
}

// Stamp is the SHA-256 of a run's manifest, which has those of all of its files.
func (a Archive) Stamp(name string) (string, error) {
	root, err := os.OpenRoot(a.Results)
	if err != nil {
		return "", err
	}
	defer root.Close()
	return results.Stamp(root, name)
}

// ClaimsSum is the SHA-256 of the claims of an experiment; empty where it has none.
func (a Archive) ClaimsSum(experiment string) (string, error) {
	f, err := a.claims(experiment)
	if err != nil {
		return "", err
	}
	return f.SHA256, nil
}
