package fleet

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"reflect"
	"regexp"
	"strings"

	"hotpath/internal/bench"
	"hotpath/internal/results"
)

// state is what the folder of a task holds.
type state struct {
	task
	run  *results.Run // that is whole; nil while there is none
	node string       // the folder of the node that made it, or got farthest with it; empty where none did a heat
	done int          // heats that a node has done of a run that is not whole
	err  error        // why what is there is no run of the plan
}

// A run of everything takes some megabytes, in a score of files.
const (
	maxBytes = 256 << 20
	maxFiles = 200
)

// examine looks at all that nodes wrote for a task. Of several nodes that have a
// part of its run the one that got farthest counts.
func examine(root *os.Root, p *Plan, t task) state {
	s := state{task: t}
	entries, err := fs.ReadDir(root.FS(), t.folder())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.err = err
	}
	for _, e := range entries {
		if !e.IsDir() || !bench.IsWord(e.Name()) {
			s.err = fmt.Errorf("%s/%.80q: no folder of a node", t.folder(), e.Name())
			continue
		}
		run, done, err := examineNode(root, p, path.Join(t.folder(), e.Name()))
		switch {
		case err != nil:
			s.err = fmt.Errorf("%s/%s/%w", t.folder(), e.Name(), err)
		case run != nil:
			s.run, s.node = run, e.Name()
		case s.run == nil && done > s.done:
			s.node, s.done = e.Name(), done
		}
	}
	if s.run != nil {
		s.err = nil // what else is there is of no use
	}
	return s
}

var heatPattern = regexp.MustCompile(`^heat-[0-9]+\.json$`)

// examineNode reads the run of a node, or counts the heats of one that is not whole.
func examineNode(root *os.Root, p *Plan, folder string) (whole *results.Run, heats int, err error) {
	own, err := root.OpenRoot(folder)
	if err != nil {
		return nil, 0, err
	}
	defer own.Close()
	entries, err := fs.ReadDir(own.FS(), ".")
	if err != nil {
		return nil, 0, err
	}
	for _, e := range entries {
		switch name := e.Name(); {
		case name == ".lock":
		case !e.IsDir() || !bench.IsWord(name):
			return nil, 0, fmt.Errorf("%.80q: no file of this program", name)
		default:
			if n := heatsIn(own, name); n >= 0 {
				heats = max(heats, n)
				continue
			}
			if whole != nil {
				return nil, 0, fmt.Errorf("%s: a second run", name)
			}
			if whole, err = admit(own, p, name); err != nil {
				return nil, 0, fmt.Errorf("%s: %w", name, err)
			}
			if err := anonymous(whole, path.Base(folder)); err != nil {
				return nil, 0, fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	return whole, heats, nil
}

// heatsIn counts the heats of a run that is being made; below 0 of one that is not.
func heatsIn(own *os.Root, name string) int {
	if _, err := fs.Stat(own.FS(), name+"/manifest.json"); err == nil {
		return -1
	}
	entries, err := fs.ReadDir(own.FS(), name+"/.partial")
	if err != nil {
		return -1
	}
	n := 0
	for _, e := range entries {
		if heatPattern.MatchString(e.Name()) {
			n++
		}
	}
	return n
}

// admit reads a run and refuses it if anything of it is damaged, or is not what the
// plan asks for.
func admit(own *os.Root, p *Plan, name string) (*results.Run, error) {
	entries, err := fs.ReadDir(own.FS(), name)
	if err != nil {
		return nil, err
	}
	size := int64(0)
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			return nil, err
		}
		size += info.Size()
	}
	if len(entries) > maxFiles || size > maxBytes {
		return nil, fmt.Errorf("%d files of %d MB: more than a run has", len(entries), size>>20)
	}
	run, err := results.Load(own, name)
	if err != nil {
		return nil, err
	}
	return run, p.asks(run)
}

// asks refuses a run that is none of the plan, or lacks a cell.
func (p *Plan) asks(run *results.Run) error {
	m := &run.Manifest
	version := ""
	for _, f := range m.Go {
		if f.Name == "version" {
			version = f.Value
		}
	}
	switch {
	case m.Revision != p.Kit.Revision || m.Dirty != p.Kit.Dirty:
		return fmt.Errorf("a run of revision %s, and the fleet is of %s", m.Revision, p.Kit.Revision)
	case version != p.Kit.Go:
		return fmt.Errorf("a run of %s, and the fleet is of %s", version, p.Kit.Go)
	case !reflect.DeepEqual(m.Binaries, p.Kit.Binaries):
		return errors.New("a run of other binaries than the fleet's")
	case m.Quick || m.Budget != p.Budget:
		return fmt.Errorf("a run of budget %s, and the fleet is of %s", m.Budget, p.Budget)
	case m.Machine.CPUs < p.CPUs:
		return fmt.Errorf("a run on %d CPUs, and the fleet asks for %d", m.Machine.CPUs, p.CPUs)
	}
	var names []string
	for _, e := range run.Experiments {
		names = append(names, e.Name)
		measured := map[bench.CellID]bool{}
		for _, f := range e.Forks {
			measured[f.Cell] = true
		}
		for _, c := range e.Plan.Cells {
			if !measured[c.ID()] && e.Plan.Heats[c.Tier] > 0 {
				return fmt.Errorf("%s: no fork of %s", e.Name, c.ID())
			}
		}
	}
	if !reflect.DeepEqual(names, p.Kit.Names) {
		return fmt.Errorf("a run of %q, and the fleet is of %q", names, p.Kit.Names)
	}
	return nil
}

// paths are where the homes of users are.
var paths = regexp.MustCompile(`/(home|root|Users|export)/`)

// anonymous refuses a run in which free text names the node, or shows a path in a
// user's home. What else a run holds has a form of its own that no name fits.
func anonymous(run *results.Run, node string) error {
	name, err := regexp.Compile(`(^|[^A-Za-z0-9_-])` + regexp.QuoteMeta(node) + `($|[^A-Za-z0-9_-])`)
	if err != nil {
		return err
	}
	named := func(where, text string) error {
		switch {
		case paths.MatchString(text):
			return fmt.Errorf("%s shows a path in somebody's home", where)
		case name.MatchString(text):
			return fmt.Errorf("%s names the node", where)
		}
		return nil
	}
	m := &run.Manifest
	for _, facts := range [][]bench.Fact{m.Machine.Facts, m.Go, m.Lanes} {
		for _, f := range facts {
			if err := named("fact "+f.Name, f.Value); err != nil {
				return err
			}
		}
	}
	for _, e := range run.Experiments {
		for _, f := range e.Forks {
			if err := named(fmt.Sprintf("the output of fork %d", f.ID), f.Tail); err != nil {
				return err
			}
		}
	}
	return nil
}

// collect copies a run into the results, under a name that is made of its start and
// its machine alone.
func collect(fleet, into *os.Root, s state) (name string, err error) {
	own, err := fleet.OpenRoot(path.Join(s.folder(), s.node))
	if err != nil {
		return "", err
	}
	defer own.Close()
	name = resultName(s.run)
	err = results.Copy(own, s.run, into, name)
	if errors.Is(err, fs.ErrExist) { // another node's, begun in the same second
		name += "-" + s.run.ManifestSum[:8]
		err = results.Copy(own, s.run, into, name)
	}
	return name, err
}

// onOneLine is text of a node for a terminal: at most 160 characters that it shows.
func onOneLine(s string) string {
	s = results.LastWords(s)
	s = strings.TrimSpace(s[strings.LastIndexByte(s, '\n')+1:])
	if r := []rune(s); len(r) > 160 {
		s = string(r[:159]) + "…"
	}
	return s
}
