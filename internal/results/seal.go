package results

import (
	"encoding/json"
	"path"
	"strings"
	"time"
)

// Seal joins the heats into the files of a finished run and removes .partial/.
// The manifest is written last: a run with a manifest is whole. After a crash
// within, Resume and Seal do it again. An end that is earlier than the heats
// took, by a clock that was set back, is moved there.
func (p *Partial) Seal(end time.Time) error {
	m := p.Manifest
	least := m.Start
	for _, r := range p.records {
		least = least.Add(time.Duration(r.Heat.Seconds * float64(time.Second)))
	}
	m.End = end
	if end.Before(least) {
		m.End = least
	}
	m.Files = map[string]string{}
	for _, plan := range m.Plan {
		files, err := join(plan.Experiment, p.of(plan.Experiment))
		if err != nil {
			return err
		}
		for name, data := range files {
			if strings.HasSuffix(name, ".gz") {
				if data, err = compress(data); err != nil {
					return err
				}
			}
			if err := p.replace(name, data); err != nil {
				return err
			}
			m.Files[name] = sumOf(data)
		}
	}
	data, err := m.encode()
	if err != nil {
		return err
	}
	if err := p.replace(manifestName, data); err != nil {
		return err
	}
	return removePartial(p.root, p.Name)
}

// of is the heats of one experiment.
func (p *Partial) of(experiment string) []Record {
	var records []Record
	for _, r := range p.records {
		if r.Experiment == experiment {
			records = append(records, r)
		}
	}
	return records
}

// replace writes a file under a temporary name and renames it into place.
func (p *Partial) replace(name string, data []byte) error {
	temp := path.Join(partialName, name+tempSuffix)
	if err := writeSynced(p.root, temp, data); err != nil {
		return err
	}
	if err := p.root.Rename(temp, name); err != nil {
		return err
	}
	return syncDir(p.root, ".")
}

// encode is the text of a manifest with its own checksum.
func (m Manifest) encode() ([]byte, error) {
	m.Sum = ""
	data, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	m.Sum = sumOf(data)
	data, err = json.MarshalIndent(m, "", "  ")
	return append(data, '\n'), err
}
