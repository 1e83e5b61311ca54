package results

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"hotpath/internal/bench"
)

// Record is all that is kept of one fork until the run is sealed.
type Record struct {
	Experiment string   `json:"experiment"`
	Fork       Fork     `json:"fork"`
	Config     []string `json:"config,omitempty"` // "key: value" lines ahead of the result
	Units      []string `json:"units,omitempty"`  // Unit lines
	Result     string   `json:"result,omitempty"` // the result line; empty unless complete
	Hlog       string   `json:"hlog,omitempty"`   // the interval of the fork's HdrHistogram log
	Heap       []string `json:"heap,omitempty"`   // the rows of the fork's heap over time
}

// Partial is a run that is being made. One process at a time holds it; its
// methods are for one goroutine.
type Partial struct {
	Name     string
	Manifest Manifest // as planned; Seal completes it
	root     *os.Root // the run's folder
	lock     *os.File
	records  []Record
}

// BusyError says that another process is making the run.
type BusyError struct {
	Run string
	PID string
}

func (e *BusyError) Error() string {
	return fmt.Sprintf("results/%s is being made by process %s: wait for it, or stop it first", e.Run, e.PID)
}

// Create starts a run below the folder that results is open on. The manifest
// holds all that is fixed before the first fork.
func Create(results *os.Root, name string, m Manifest) (*Partial, error) {
	if !bench.IsWord(name) {
		return nil, fmt.Errorf("run name %q: letters, digits, - and _ only", name)
	}
	if err := checkPlan(m.Plan); err != nil {
		return nil, err
	}
	if err := results.Mkdir(name, 0o777); err != nil {
		return nil, err
	}
	root, err := results.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	if err := root.Mkdir(partialName, 0o777); err != nil {
		return nil, err
	}
	p := &Partial{Name: name, Manifest: m, root: root}
	if err := p.acquire(); err != nil {
		return nil, err
	}
	plan, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	return p, p.commit("plan.json", plan)
}

// Resume opens a run that was not sealed and reads the forks it has. Files
// that a crash left unfinished are removed.
func Resume(results *os.Root, name string) (*Partial, error) {
	root, err := results.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	p := &Partial{Name: name, root: root}
	if err := p.acquire(); err != nil {
		return nil, err
	}
	if err := p.read(); err != nil {
		p.Close()
		return nil, fmt.Errorf("results/%s: %w", name, err)
	}
	return p, nil
}

// Unfinished lists the runs below results that were started and not sealed. It
// sweeps what a crash can leave beside them: a folder without a plan, which
// holds no fork, and the .partial/ of a run that has its manifest.
func Unfinished(results *os.Root) ([]string, error) {
	entries, err := fs.ReadDir(results.FS(), ".")
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		partial := path.Join(e.Name(), partialName)
		if !bench.IsWord(e.Name()) || !exists(results, partial) {
			continue
		}
		switch {
		case exists(results, path.Join(e.Name(), manifestName)):
			err = results.RemoveAll(partial)
		case !exists(results, path.Join(partial, "plan.json")):
			err = results.RemoveAll(e.Name())
		default:
			names = append(names, e.Name())
		}
		if err != nil {
			return nil, err
		}
	}
	return names, nil
}

func exists(root *os.Root, name string) bool {
	_, err := root.Stat(name)
	return err == nil
}

// acquire takes the run's lock; the kernel frees it when the process ends.
func (p *Partial) acquire() error {
	f, err := p.root.OpenFile(path.Join(partialName, "lock"), os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		pid, _ := io.ReadAll(io.LimitReader(f, 20))
		f.Close()
		return &BusyError{Run: p.Name, PID: strings.TrimSpace(string(pid))}
	}
	p.lock = f
	if err := f.Truncate(0); err != nil {
		return err
	}
	_, err = f.WriteAt([]byte(strconv.Itoa(os.Getpid())), 0)
	return err
}

// Close gives the run up to a later Resume.
func (p *Partial) Close() error {
	return errors.Join(p.lock.Close(), p.root.Close())
}

// Records returns the forks that have been committed, by ID.
func (p *Partial) Records() []Record { return p.records }

// Commit keeps the record of a fork that has ended. The fork's ID must be the
// next one.
func (p *Partial) Commit(r Record) error {
	if want := len(p.records) + 1; r.Fork.ID != want {
		return fmt.Errorf("fork %d committed where %d is next", r.Fork.ID, want)
	}
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if err := p.commit(forkName(r.Fork.ID), data); err != nil {
		return err
	}
	p.records = append(p.records, r)
	return nil
}

func forkName(id int) string { return fmt.Sprintf("fork-%06d.json", id) }

// commit writes a file that is either whole and checksummed or not there.
func (p *Partial) commit(name string, data []byte) error {
	sum := sha256.Sum256(data)
	data = append(data, '\n')
	data = append(data, hex.EncodeToString(sum[:])...)
	data = append(data, '\n')
	temp, final := path.Join(partialName, name+".tmp"), path.Join(partialName, name)
	if err := writeSynced(p.root, temp, data); err != nil {
		return err
	}
	if err := p.root.Link(temp, final); err != nil {
		return err
	}
	if err := p.root.Remove(temp); err != nil {
		return err
	}
	return syncDir(p.root, partialName)
}

func writeSynced(root *os.Root, name string, data []byte) error {
	f, err := root.Create(name)
	if err != nil {
		return err
	}
	if _, err := f.Write(data); err != nil {
		f.Close()
		return err
	}
	if err := f.Sync(); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

func syncDir(root *os.Root, name string) error {
	d, err := root.Open(name)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// open reads a committed file and checks its sum.
func (p *Partial) open(name string) ([]byte, error) {
	data, err := p.root.ReadFile(path.Join(partialName, name))
	if err != nil {
		return nil, err
	}
	body, rest, ok := bytes.Cut(data, []byte("\n"))
	sum := sha256.Sum256(body)
	if !ok || strings.TrimSpace(string(rest)) != hex.EncodeToString(sum[:]) {
		return nil, fmt.Errorf("%s/%s: checksum differs: the file is damaged", partialName, name)
	}
	return body, nil
}

// read loads the plan and the forks, and sweeps temporary files.
func (p *Partial) read() error {
	plan, err := p.open("plan.json")
	if err != nil {
		return err
	}
	if err := json.Unmarshal(plan, &p.Manifest); err != nil {
		return fmt.Errorf("%s/plan.json: %w", partialName, err)
	}
	if err := checkPlan(p.Manifest.Plan); err != nil {
		return fmt.Errorf("%s/plan.json: %w", partialName, err)
	}
	entries, err := fs.ReadDir(p.root.FS(), partialName)
	if err != nil {
		return err
	}
	var names []string
	for _, e := range entries {
		switch name := e.Name(); {
		case strings.HasSuffix(name, ".tmp"):
			if err := p.root.Remove(path.Join(partialName, name)); err != nil {
				return err
			}
		case strings.HasPrefix(name, "fork-"):
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for i, name := range names {
		if want := forkName(i + 1); name != want {
			return fmt.Errorf("%s/%s is missing", partialName, want)
		}
		data, err := p.open(name)
		if err != nil {
			return err
		}
		var r Record
		if err := json.Unmarshal(data, &r); err != nil {
			return fmt.Errorf("%s/%s: %w", partialName, name, err)
		}
		p.records = append(p.records, r)
	}
	return nil
}
