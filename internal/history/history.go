// Package history keeps a summary of each run when its report is written, so that
// later reports show how a machine's ratios went from run to run though the data of
// older runs are gone, and on which machines claims hold without reading the data of
// all runs again. A summary is a few kilobytes of JSON in the folder history
// beside the runs.
package history

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"hotpath/internal/bench"
	"hotpath/internal/study"
)

// Folder is where summaries are, below the folder of the runs.
const Folder = "history"

// schema is the version of the files. Those of the first have verdicts alone, without
// what was measured of each, and do not say of what data and claims they are.
const schema = 2

// Summary is what is kept of a run.
type Summary struct {
	Schema      int          `json:"schema"`
	Run         string       `json:"run"`
	Manifest    string       `json:"manifest,omitempty"` // SHA-256 of the run's
	Start       time.Time    `json:"start"`
	CPU         string       `json:"cpu"`
	CPUs        int          `json:"cpus"`
	Go          string       `json:"go"`
	Revision    string       `json:"revision"`
	Dirty       bool         `json:"dirty,omitempty"` // the code had been changed since
	Modules     []bench.Fact `json:"modules"`
	Experiments []Experiment `json:"experiments"`
	Sum         string       `json:"sum,omitempty"` // SHA-256 of all ahead of it, where it stands in a file
}

// Experiment is what is kept of an experiment of a run.
type Experiment struct {
	Name     string    `json:"name"`
	Claims   string    `json:"claims,omitempty"` // SHA-256 of the file that it was judged by
	Verdicts []Verdict `json:"verdicts"`
	Blocks   []Block   `json:"blocks"`
}

// Verdict is that on a claim.
type Verdict struct {
	Claim    string     `json:"claim"` // its id
	Word     study.Word `json:"word"`
	Measured []Measured `json:"measured,omitempty"` // each of its comparisons
}

// Block is a block's contestants, by the unit that sums up its forks.
type Block struct {
	Block    bench.Block `json:"block"`
	Unit     bench.Unit  `json:"unit"`
	Baseline string      `json:"baseline,omitempty"`
	Rows     []Row       `json:"rows"`
}

// Row is a contestant that has a result.
type Row struct {
	Impl   string
	Median float64
	Ratio  float64 // what the baseline takes over what it takes; 0 without one
	Low    float64 // bounds of its interval; 0 without one
	High   float64
	Heats  int // behind the ratio
}

// MarshalJSON writes a list: a summary has hundreds of rows.
func (r Row) MarshalJSON() ([]byte, error) {
	return json.Marshal([]any{r.Impl, rounded(r.Median), rounded(r.Ratio), rounded(r.Low), rounded(r.High), r.Heats})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (r *Row) UnmarshalJSON(data []byte) error {
	return members(data, &r.Impl, &r.Median, &r.Ratio, &r.Low, &r.High, &r.Heats)
}

// members reads a list into as many places.
func members(data []byte, into ...any) error {
	var list []json.RawMessage
	if err := json.Unmarshal(data, &list); err != nil {
		return err
	}
	if len(list) != len(into) {
		return fmt.Errorf("a row has %d members, want %d", len(list), len(into))
	}
	for i, raw := range list {
		if err := json.Unmarshal(raw, into[i]); err != nil {
			return err
		}
	}
	return nil
}

// rounded is a value with the digits that are worth keeping.
func rounded(v float64) json.Number { return json.Number(strconv.FormatFloat(v, 'g', 4, 64)) }

// Of sums up a run.
func Of(run *study.Run) *Summary {
	m := run.Manifest
	s := &Summary{
		Schema: schema, Run: run.Name, Manifest: run.ManifestSum, Start: m.Start, CPU: m.Machine.CPU, CPUs: m.Machine.CPUs,
		Revision: m.Revision, Dirty: m.Dirty, Modules: m.Modules,
	}
	for _, f := range m.Go {
		if f.Name == "version" {
			s.Go = f.Value
		}
	}
	for _, x := range run.Experiments {
		e := Experiment{Name: x.Name, Claims: x.Claims.SHA256}
		for _, v := range x.Judgement.Verdicts {
			e.Verdicts = append(e.Verdicts, Verdict{v.Claim.ID, v.Word, measuredOf(v)})
		}
		for _, b := range x.Blocks {
			e.Blocks = append(e.Blocks, blockOf(b))
		}
		s.Experiments = append(s.Experiments, e)
	}
	return s
}

func blockOf(b *study.Block) Block {
	unit := b.Score()
	sum := Block{Block: b.Block, Unit: unit, Baseline: b.Control(unit).Baseline}
	for _, f := range b.Figures(unit) {
		if !f.Counts() || !f.Role.Ranked() {
			continue
		}
		r := Row{Impl: f.Impl(), Median: f.Median.Estimate}
		if sum.Baseline != "" && r.Impl != sum.Baseline {
			iv := b.Ratio(unit, sum.Baseline, r.Impl)
			r.Ratio, r.Heats = iv.Estimate, iv.N
			if iv.Level > 0 {
				r.Low, r.High = iv.Low, iv.High
			}
		}
		sum.Rows = append(sum.Rows, r)
	}
	return sum
}

func (s *Summary) name() string { return filepath.Join(Folder, s.Run+".json") }

// encoded is the file: a line for each block, and a checksum.
func (s *Summary) encoded() ([]byte, error) {
	whole := *s
	whole.Sum = ""
	data, err := json.Marshal(whole)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(data)
	whole.Sum = hex.EncodeToString(sum[:])
	if data, err = json.Marshal(whole); err != nil {
		return nil, err
	}
	data = bytes.ReplaceAll(data, []byte(`{"block"`), []byte("\n{\"block\""))
	return append(bytes.ReplaceAll(data, []byte(`{"name"`), []byte("\n{\"name\"")), '\n'), nil
}

// Keep writes the summary below the folder of the runs.
func (s *Summary) Keep(results string) error {
	data, err := s.encoded()
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(results)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := root.Mkdir(Folder, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return root.WriteFile(s.name(), data, 0o666)
}

// Check reports whether the summary is kept as it is.
func (s *Summary) Check(results string) error {
	want, err := s.encoded()
	if err != nil {
		return err
	}
	got, err := os.ReadFile(filepath.Join(results, s.name()))
	if err != nil {
		return err
	}
	if !bytes.Equal(got, want) {
		return fmt.Errorf("%s is not what the run gives; `make render` writes it anew", filepath.ToSlash(filepath.Join(results, s.name())))
	}
	return nil
}

// most is the greatest size of a summary that is read.
const most = 1 << 20

// Load reads the summaries below the folder of the runs, the oldest first.
func Load(results string) ([]*Summary, error) {
	names, err := filepath.Glob(filepath.Join(results, Folder, "*.json"))
	if err != nil {
		return nil, err
	}
	var all []*Summary
	for _, name := range names {
		info, err := os.Stat(name)
		if err != nil {
			return nil, err
		}
		if info.Size() > most {
			return nil, fmt.Errorf("%s: %d bytes, at most %d are read", name, info.Size(), most)
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		s, err := parse(data)
		if err == nil && s.Run+".json" != filepath.Base(name) {
			err = fmt.Errorf("is the summary of run %.80q", s.Run)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, s)
	}
	slices.SortStableFunc(all, func(a, b *Summary) int { return a.Start.Compare(b.Start) })
	return all, nil
}

// parse reads a summary. A byte that encoded would not have written is refused.
func parse(data []byte) (*Summary, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	s := new(Summary)
	if err := d.Decode(s); err != nil {
		return nil, err
	}
	if err := s.check(); err != nil {
		return nil, err
	}
	want, err := s.encoded()
	if err == nil && !bytes.Equal(data, want) {
		err = errors.New("not as it was written, or its checksum differs: the file is damaged; restore it from git, or delete it, and `make render` writes that of its run anew")
	}
	return s, err
}

func (s *Summary) check() error {
	if s.Schema < 1 || s.Schema > schema {
		return fmt.Errorf("schema %d, this program reads 1 to %d", s.Schema, schema)
	}
	if !bench.IsWord(s.Run) || s.CPUs < 1 || s.Start.IsZero() {
		return fmt.Errorf("run %.80q on %d CPUs at %v", s.Run, s.CPUs, s.Start)
	}
	for _, e := range s.Experiments {
		if !bench.IsWord(e.Name) {
			return fmt.Errorf("experiment %.80q", e.Name)
		}
		for _, v := range e.Verdicts {
			if !slices.Contains(study.Words, v.Word) {
				return fmt.Errorf("%s: claim %.80q: %.80q is no verdict", e.Name, v.Claim, v.Word)
			}
			for _, m := range v.Measured {
				if err := m.check(); err != nil {
					return fmt.Errorf("%s: claim %.80q: %w", e.Name, v.Claim, err)
				}
			}
		}
		for _, b := range e.Blocks {
			for _, r := range b.Rows {
				if err := r.check(); err != nil {
					return fmt.Errorf("%s: %s: %w", e.Name, b.Block, err)
				}
			}
		}
	}
	return nil
}

func (r Row) check() error {
	for _, v := range []float64{r.Median, r.Ratio, r.Low, r.High} {
		if !(v >= 0) || math.IsInf(v, 1) {
			return fmt.Errorf("%.80q: %v", r.Impl, v)
		}
	}
	if !bench.IsWord(r.Impl) || r.Low > r.High || r.Heats < 0 {
		return fmt.Errorf("%.80q: [%v, %v] of %d heats", r.Impl, r.Low, r.High, r.Heats)
	}
	return nil
}

// SameMachine reports whether two runs are of machines that look the same.
func (s *Summary) SameMachine(other *Summary) bool { return s.CPU == other.CPU && s.CPUs == other.CPUs }

// Verdict is that on a claim; its Word is empty where the run did not judge it.
func (s *Summary) Verdict(experiment, claim string) Verdict {
	for _, e := range s.Experiments {
		for _, v := range e.Verdicts {
			if e.Name == experiment && v.Claim == claim {
				return v
			}
		}
	}
	return Verdict{}
}

// Row finds a contestant of a block whose ratios are to the same baseline in the
// same unit.
func (s *Summary) Row(experiment string, b Block, impl string) (Row, bool) {
	for _, e := range s.Experiments {
		for _, own := range e.Blocks {
			if e.Name != experiment || own.Block != b.Block || own.Unit != b.Unit || own.Baseline != b.Baseline {
				continue
			}
			for _, r := range own.Rows {
				if r.Impl == impl {
					return r, true
				}
			}
		}
	}
	return Row{}, false
}

// Apart reports whether two ratios have intervals that do not overlap.
func (r Row) Apart(other Row) bool {
	return r.Low > 0 && other.Low > 0 && (r.Low > other.High || other.Low > r.High)
}
