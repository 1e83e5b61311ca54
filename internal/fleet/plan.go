package fleet

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"time"

	"hotpath/internal/bench"
	"hotpath/internal/run"
)

// Plan is what a fleet is to measure.
type Plan struct {
	ID     string   `json:"id"`    // tells the jobs of this fleet from those of others
	Slurm  bool     `json:"slurm"` // or else hosts over ssh
	Kinds  []Kind   `json:"kinds"`
	Runs   int      `json:"runs"`   // of each kind
	Budget string   `json:"budget"` // of a run
	CPUs   int      `json:"cpus"`   // that a node must have
	Kit    *run.Kit `json:"kit"`
}

// Kind is what the runs of a fleet are counted by: a kind of node, or a host.
type Kind struct {
	Name   string `json:"name"`   // of folders and jobs
	Option string `json:"option"` // of sbatch, which selects such nodes; or the host, as ssh takes it
}

// task is one run of a plan.
type task struct {
	Kind   string
	Number int // from 1
}

func (t task) String() string { return fmt.Sprintf("%s %d", t.Kind, t.Number) }

func (t task) folder() string { return fmt.Sprintf("runs/%s/%d", t.Kind, t.Number) }

func (t task) log() string { return fmt.Sprintf("log/%s.%d.log", t.Kind, t.Number) }

// tasks are those of the plan, in its order.
func (p *Plan) tasks() []task {
	var all []task
	for _, k := range p.Kinds {
		for n := 1; n <= p.Runs; n++ {
			all = append(all, task{k.Name, n})
		}
	}
	return all
}

// maxRuns is how many runs of a kind a plan may have: an array of Slurm takes no
// more by default.
const maxRuns = 1000

// notWord finds what cannot stand in the name of a folder.
var notWord = regexp.MustCompile(`[^A-Za-z0-9_-]+`)

// word makes a name for a folder.
func word(s string) string { return notWord.ReplaceAllString(s, "-") }

// check refuses a plan that no fleet can follow.
func (p *Plan) check() error {
	if p.Runs < 1 || p.Runs > maxRuns {
		return fmt.Errorf("%d runs: want 1 to %d of each kind of node", p.Runs, maxRuns)
	}
	if d, err := time.ParseDuration(p.Budget); err != nil || d <= 0 {
		return fmt.Errorf("budget %.20q: want a positive duration such as 30m", p.Budget)
	}
	if len(p.Kinds) == 0 || p.Kit == nil || !bench.IsWord(p.ID) {
		return errors.New("names no kind of node, or no kit")
	}
	seen := map[string]bool{}
	for _, k := range p.Kinds {
		if !bench.IsWord(k.Name) || seen[k.Name] {
			return fmt.Errorf("kind of node %.80q: it stands there twice, or is no word", k.Name)
		}
		seen[k.Name] = true
	}
	return nil
}

// difference says what two plans measure differently, and is empty where they do
// not.
func (p *Plan) difference(other *Plan) string {
	for _, d := range []struct {
		what string
		a, b any
	}{
		{"kinds of nodes", p.Kinds, other.Kinds}, {"number of runs", p.Runs, other.Runs}, {"budget", p.Budget, other.Budget},
		{"number of CPUs", p.CPUs, other.CPUs}, {"code", p.Kit, other.Kit},
	} {
		if !reflect.DeepEqual(d.a, d.b) {
			return d.what
		}
	}
	return ""
}

const planName = "plan.json"

// errNone says that a folder holds no fleet.
var errNone = errors.New("no fleet was begun here: `make fleet` begins one")

func readPlan(dir string) (*Plan, error) {
	name := filepath.Join(dir, planName)
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errNone
	}
	if err != nil {
		return nil, err
	}
	p := new(Plan)
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(p); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if err := p.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return p, nil
}

func (p *Plan) write(dir string) error {
	data, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return err
	}
	name := filepath.Join(dir, planName)
	if err := os.WriteFile(name+".tmp", append(data, '\n'), 0o666); err != nil {
		return err
	}
	return os.Rename(name+".tmp", name)
}
