package results

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
)

// sealedHeat is a line of the heats' file.
type sealedHeat struct {
	Heat
	Sum string `json:"sum"` // SHA-256 of all that the files hold of the heat
}

// join makes the files of an experiment out of its heats; those that nothing is
// in do not come about. Turns are not compressed.
func join(experiment string, records []Record) (map[string][]byte, error) {
	files := map[string][]byte{}
	text, records := joinText(records)
	var heats, forks, hlog, heap []byte
	turns := []byte(turnColumns + "\n")
	for _, r := range records {
		for i := range r.Forks {
			f := &r.Forks[i]
			f.Fork.HeapRows = len(f.Heap)
			line, err := json.Marshal(f.Fork)
			if err != nil {
				return nil, err
			}
			forks = append(append(forks, line...), '\n')
			hlog = appendHlog(hlog, *f)
			heap = appendHeap(heap, *f)
		}
		turns = appendTurns(turns, r)
		all, err := json.Marshal(r)
		if err != nil {
			return nil, err
		}
		line, err := json.Marshal(sealedHeat{r.Heat, sumOf(all)})
		if err != nil {
			return nil, err
		}
		heats = append(append(heats, line...), '\n')
	}
	files[textName(experiment)] = text
	files[heatsName(experiment)] = heats
	files[forksName(experiment)] = forks
	files[turnsName(experiment)] = turns
	if hlog != nil {
		files[hlogName(experiment)] = hlog
	}
	if heap != nil {
		files[heapName(experiment)] = heap
	}
	return files, nil
}

func sumOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// The values of "gate:" in a text.
const (
	gateClean = "clean"
	gateGated = "gated"
)

// group is what result lines of a text share, so that benchstat makes one table
// of each.
type group struct{ gate, reading string }

// joinText makes the text of an experiment, and returns the heats with the lines
// that their results stand on and with the configuration and units that stand
// for all of them.
func joinText(records []Record) ([]byte, []Record) {
	config, units := heads(records)
	lines := map[group][]string{}
	into := map[group][]*int{} // where the number of each line goes
	add := func(f *ForkRecord, gate, line string, number *int) {
		if *number = 0; line == "" {
			return
		}
		f.Config, f.Units = config, units
		g := group{gate, string(f.Fork.Cell.Reading)}
		lines[g] = append(lines[g], line)
		into[g] = append(into[g], number)
	}
	records = slices.Clone(records)
	for i := range records {
		records[i].Forks = slices.Clone(records[i].Forks)
		for j := range records[i].Forks {
			f := &records[i].Forks[j]
			f.Config, f.Units = nil, nil
			gate := gateGated
			if f.Fork.Clean() {
				gate = gateClean
			}
			add(f, gate, f.Result, &f.Fork.Line)
			add(f, gateGated, f.GatedResult, &f.Fork.GatedLine)
		}
	}
	var out bytes.Buffer
	n := 0
	write := func(line string) {
		n++
		out.WriteString(line + "\n")
	}
	for _, line := range slices.Concat(units, config) {
		write(line)
	}
	for _, g := range groupsOf(lines) {
		write("")
		write("gate: " + g.gate)
		write("reading: " + g.reading)
		for i, line := range lines[g] {
			write(line)
			*into[g][i] = n
		}
	}
	return out.Bytes(), records
}

// groupsOf lists the groups in their order in a text.
func groupsOf(lines map[group][]string) []group {
	var order []group
	for g := range lines {
		order = append(order, g)
	}
	slices.SortFunc(order, func(a, b group) int {
		return cmp.Or(strings.Compare(a.gate, b.gate), strings.Compare(a.reading, b.reading))
	})
	return order
}

// heads are the configuration and Unit lines of the heats, each once.
func heads(records []Record) (config, units []string) {
	for _, r := range records {
		for _, f := range r.Forks {
			if !f.hasResult() {
				continue
			}
			config, units = union(config, f.Config), union(units, f.Units)
		}
	}
	return config, units
}

// union is the lines and those of more that are not among them.
func union(lines, more []string) []string {
	for _, line := range more {
		if !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	return lines
}

// splitHead takes the configuration and Unit lines from the head of a text.
func splitHead(lines []string) (config, units []string) {
	for _, line := range lines {
		switch {
		case line == "":
			return config, units
		case strings.HasPrefix(line, "Unit "):
			units = append(units, line)
		default:
			config = append(config, line)
		}
	}
	return config, units
}
