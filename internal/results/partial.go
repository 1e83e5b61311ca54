package results

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"

	"hotpath/internal/bench"
)

// Partial is a run that is being made. One process at a time holds it; its
// methods are for one goroutine.
type Partial struct {
	Name     string
	Manifest Manifest // as planned; Seal completes it
	root     *os.Root // the run's folder
	lock     *os.File
	records  []Record
	sequence *sequence // of the records
}

// Create starts a run below the folder that results is open on. The manifest
// holds all that is fixed before the first fork. A name that is taken gives
// fs.ErrExist, another process that makes a run a BusyError.
func Create(results *os.Root, name string, m Manifest) (*Partial, error) {
	if !bench.IsWord(name) {
		return nil, fmt.Errorf("run name %.80q: letters, digits, - and _ only", name)
	}
	m.Schema = Schema
	if err := m.check(); err != nil {
		return nil, err
	}
	plan, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	lock, err := acquire(results, name)
	if err != nil {
		return nil, err
	}
	p := &Partial{Name: name, Manifest: m, lock: lock, sequence: newSequence()}
	if err := makeFolder(results, name); err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	if err := p.start(results, plan); err != nil {
		removeUnplanned(results, name) // what is left otherwise, a later Unfinished tells of
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

// makeFolder makes a run's folder, or takes an empty one, which a crash may have
// left.
func makeFolder(results *os.Root, name string) error {
	err := results.Mkdir(name, 0o777)
	if errors.Is(err, fs.ErrExist) {
		if entries, errRead := fs.ReadDir(results.FS(), name); errRead == nil && len(entries) == 0 {
			return nil
		}
	}
	return err
}

// start fills a new folder.
func (p *Partial) start(results *os.Root, plan []byte) (err error) {
	if p.root, err = results.OpenRoot(p.Name); err != nil {
		return err
	}
	if err := p.root.Mkdir(partialName, 0o777); err != nil {
		return err
	}
	if err := p.commit(planName, plan); err != nil {
		return err
	}
	return errors.Join(syncDir(p.root, "."), syncDir(results, "."))
}

// Resume opens a run that was not sealed and reads the heats it has. Files that
// a crash left unfinished are removed; one that is damaged, or that this program
// did not write, is an error that names it.
func Resume(results *os.Root, name string) (*Partial, error) {
	lock, err := acquire(results, name)
	if err != nil {
		return nil, err
	}
	p := &Partial{Name: name, lock: lock, sequence: newSequence()}
	if p.root, err = results.OpenRoot(name); err == nil {
		err = p.read()
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("results/%s: %w", name, err), p.Close())
	}
	return p, nil
}

// Close gives the run up to a later Resume, and lets other processes make runs.
func (p *Partial) Close() error {
	var err error
	if p.root != nil {
		err = p.root.Close()
	}
	return errors.Join(err, p.lock.Close())
}

// Records returns the heats that have been committed, by ID.
func (p *Partial) Records() []Record { return p.records }

// NextFork is the ID of the first fork of the next heat.
func (p *Partial) NextFork() int { return p.sequence.forks + 1 }

// Commit keeps the record of a heat that has ended. Its ID must be the next one,
// and those of its forks the next ones. What Load would refuse is refused here.
// Of its probes it keeps a tenth of a nanosecond and a thousandth of a CPU.
func (p *Partial) Commit(r Record) error {
	r.Laps = slices.Clone(r.Laps)
	for i := range r.Laps {
		r.Laps[i].Before, r.Laps[i].After = round(r.Laps[i].Before), round(r.Laps[i].After)
	}
	h, err := p.check(r)
	if err != nil {
		return err
	}
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if err := p.commit(heatName(r.Heat.ID), data); err != nil {
		return err
	}
	p.add(r, h)
	return nil
}

func (p *Partial) add(r Record, h *Heat) {
	p.records = append(p.records, r)
	p.sequence.add(r, h)
}

// check reads a record into a heat and refuses one that cannot be the next.
func (p *Partial) check(r Record) (*Heat, error) {
	h, err := p.heat(r)
	if err != nil {
		return nil, err
	}
	return h, p.sequence.check(r, h)
}

// heat reads a record into a heat of the plan.
func (p *Partial) heat(r Record) (*Heat, error) {
	i := slices.IndexFunc(p.Manifest.Plan, func(plan Plan) bool { return plan.Experiment == r.Experiment })
	if i < 0 {
		return nil, fmt.Errorf("heat %d: experiment %.80q is not in the plan", r.Heat.ID, r.Experiment)
	}
	return r.heat(p.Manifest.Plan[i], inRecord)
}

// Refused says of each fork, by ID, why Commit would refuse its heat for what
// the fork tells of itself, in the light of its turns and of forks before it. A
// runner keeps such a fork as a failed one, and the heat.
func (p *Partial) Refused(r Record) map[int]error {
	refused := map[int]error{}
	config := maps.Clone(p.sequence.config(r.Experiment))
	for _, f := range r.Forks {
		h, err := p.heat(r.only(f))
		if err == nil {
			err = p.sequence.checkFork(r.Experiment, f, h.Forks[0], config)
		}
		if err != nil {
			refused[f.Fork.ID] = err
		}
	}
	return refused
}

func heatName(id int) string { return fmt.Sprintf("heat-%06d.json", id) }

var heatPattern = regexp.MustCompile(`^heat-[0-9]{6,9}\.json$`)

// commit writes a file that is either whole and checksummed or not there.
func (p *Partial) commit(name string, data []byte) error {
	data = fmt.Appendf(data, "\n%s\n", sumOf(data))
	temp, final := path.Join(partialName, name+tempSuffix), path.Join(partialName, name)
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

// write is what a disk takes. Tests make it full.
var write = (*os.File).Write

func writeSynced(root *os.Root, name string, data []byte) error {
	f, err := root.Create(name)
	if err != nil {
		return err
	}
	_, err = write(f, data)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, root.Remove(name))
	}
	return nil
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
func open(root *os.Root, name string) ([]byte, error) {
	data, err := readFile(root.FS(), path.Join(partialName, name))
	if err != nil {
		return nil, err
	}
	body, _, _ := bytes.Cut(data, []byte("\n"))
	if string(data[len(body):]) != "\n"+sumOf(body)+"\n" {
		return nil, fmt.Errorf("%s/%s: checksum differs: the file is damaged", partialName, name)
	}
	return body, nil
}

// readPlan reads the plan of the run whose folder root is open on.
func readPlan(root *os.Root) (m Manifest, err error) {
	plan, err := open(root, planName)
	if err != nil {
		return m, err
	}
	err = checkSchema(plan)
	if err == nil {
		err = json.Unmarshal(plan, &m)
	}
	if err == nil {
		err = m.check()
	}
	if err != nil {
		return m, fmt.Errorf("%s/%s: %w", partialName, planName, err)
	}
	return m, nil
}

// read loads the plan and the heats, and sweeps temporary files.
func (p *Partial) read() (err error) {
	if p.Manifest, err = readPlan(p.root); err != nil {
		return err
	}
	entries, err := fs.ReadDir(p.root.FS(), partialName)
	if err != nil {
		return err
	}
	var names []string
	for _, e := range entries {
		switch name := e.Name(); {
		case isTemp(name):
			if err := p.root.Remove(path.Join(partialName, name)); err != nil {
				return err
			}
		case heatPattern.MatchString(name):
			names = append(names, name)
		case name != planName:
			return fmt.Errorf("%s/%s: no file of this program; take it away to go on", partialName, name)
		}
	}
	slices.Sort(names)
	for i, name := range names {
		if want := heatName(i + 1); name != want {
			return fmt.Errorf("%s/%s is missing", partialName, want)
		}
		if err := p.readHeat(name); err != nil {
			return err
		}
	}
	return nil
}

// readHeat adds the heat of a committed file to the records.
func (p *Partial) readHeat(name string) error {
	data, err := open(p.root, name)
	if err != nil {
		return err
	}
	var r Record
	dec := json.NewDecoder(strings.NewReader(string(data)))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&r); err != nil {
		return fmt.Errorf("%s/%s: %w", partialName, name, err)
	}
	if want := heatName(r.Heat.ID); name != want {
		return fmt.Errorf("%s/%s: is a copy of %s", partialName, name, want)
	}
	h, err := p.check(r)
	if err != nil {
		return fmt.Errorf("%s/%s: %w", partialName, name, err)
	}
	p.add(r, h)
	return nil
}
