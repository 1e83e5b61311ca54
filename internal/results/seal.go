package results

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strconv"
	"time"
)

// Seal joins the forks into the files of a finished run and removes .partial/.
// The manifest is written last: a run with a manifest is whole. After a crash
// within, Resume and Seal do it again.
func (p *Partial) Seal(end time.Time) error {
	m := p.Manifest
	m.Schema = Schema
	m.End = end
	m.Files = map[string]string{}
	for _, plan := range m.Plan {
		files, err := p.join(plan.Experiment)
		if err != nil {
			return err
		}
		for name, data := range files {
			if err := p.replace(name, data); err != nil {
				return err
			}
			m.Files[name] = sumOf(data)
		}
	}
	data, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	if err := p.replace(manifestName, append(data, '\n')); err != nil {
		return err
	}
	return p.root.RemoveAll(partialName)
}

func sumOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// replace writes a file under a temporary name and renames it into place.
func (p *Partial) replace(name string, data []byte) error {
	temp := path.Join(partialName, name+".tmp")
	if err := writeSynced(p.root, temp, data); err != nil {
		return err
	}
	if err := p.root.Rename(temp, name); err != nil {
		return err
	}
	return syncDir(p.root, ".")
}

// join makes the files of one experiment.
func (p *Partial) join(experiment string) (map[string][]byte, error) {
	var records []Record
	for _, r := range p.records {
		if r.Experiment == experiment {
			records = append(records, r)
		}
	}
	text, lines, err := joinText(records)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", experiment, err)
	}
	var forks, hlog bytes.Buffer
	enc := json.NewEncoder(&forks)
	for _, r := range records {
		r.Fork.Line = lines[r.Fork.ID]
		if err := enc.Encode(r.Fork); err != nil {
			return nil, err
		}
		if r.Hlog != "" {
			if hlog.Len() == 0 {
				hlog.WriteString(hlogHeader)
			}
			fmt.Fprintf(&hlog, "Tag=%s,%s\n", hlogTag(r.Fork), r.Hlog)
		}
	}
	files := map[string][]byte{textName(experiment): text, forksName(experiment): forks.Bytes()}
	if hlog.Len() > 0 {
		files[hlogName(experiment)] = hlog.Bytes()
	}
	heap, err := joinHeap(records)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", experiment, err)
	}
	if len(heap) > 0 {
		files[heapName(experiment)] = heap
	}
	return files, nil
}

// joinText groups the result lines by gate and reading, so that benchstat
// makes one table of each group, and returns the line number of each fork.
func joinText(records []Record) ([]byte, map[int]int, error) {
	type group struct{ gate, reading string }
	groups := map[group][]Record{}
	var order []group
	var config, units []string
	for _, r := range records {
		if r.Result == "" {
			continue
		}
		if config == nil {
			config = r.Config
		} else if !slices.Equal(config, r.Config) {
			return nil, nil, fmt.Errorf("fork %d ran on another machine than the forks before it: %q, not %q", r.Fork.ID, r.Config, config)
		}
		for _, u := range r.Units {
			if !slices.Contains(units, u) {
				units = append(units, u)
			}
		}
		g := group{"clean", string(r.Fork.Cell.Reading)}
		if !r.Fork.Clean() {
			g.gate = "gated"
		}
		if groups[g] == nil {
			order = append(order, g)
		}
		groups[g] = append(groups[g], r)
	}
	slices.SortFunc(order, func(a, b group) int {
		return bytes.Compare([]byte(a.gate+a.reading), []byte(b.gate+b.reading))
	})

	var out bytes.Buffer
	lines := map[int]int{}
	n := 0
	w := bufio.NewWriter(&out)
	write := func(s string) {
		n++
		w.WriteString(s)
		w.WriteByte('\n')
	}
	for _, u := range units {
		write(u)
	}
	for _, c := range config {
		write(c)
	}
	for _, g := range order {
		write("")
		write("gate: " + g.gate)
		write("reading: " + g.reading)
		for _, r := range groups[g] {
			write(r.Result)
			lines[r.Fork.ID] = n
		}
	}
	w.Flush()
	return out.Bytes(), lines, nil
}

// hlogTag names the fork that an interval belongs to.
func hlogTag(f Fork) string {
	return f.Cell.Name.String() + "/reading=" + string(f.Cell.Reading) + "/fork=" + strconv.Itoa(f.ID)
}
