package results

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// loader takes the files of an experiment apart.
type loader struct {
	run   string
	plan  Plan
	files map[string][]byte // of the run

	text      []string
	heats     []sealedHeat // one for each line of their file
	forks     []Fork       // the same
	heatLines map[int]int  // of each heat's ID
	forkLines map[int]int
	turns     map[int]*heatTurns
	intervals map[string]intervalLine
	heaps     map[int]*heapLines
}

func (l *loader) at(name string) string { return "results/" + l.run + "/" + name }

// loadExperiment puts the heats of an experiment together again and checks them.
func loadExperiment(run string, plan Plan, files map[string][]byte) (*Experiment, []Record, error) {
	l := &loader{run: run, plan: plan, files: files}
	records, err := l.records()
	if err != nil {
		return nil, nil, err
	}
	e := &Experiment{Name: plan.Experiment, Plan: plan}
	for _, r := range records {
		h, err := r.heat(plan, l.where)
		if err != nil {
			return nil, nil, err
		}
		e.Heats = append(e.Heats, h)
		e.Forks = append(e.Forks, h.Forks...)
	}
	if err := l.compare(records); err != nil {
		return nil, nil, err
	}
	return e, records, nil
}

// records reads all files of the experiment into its heats.
func (l *loader) records() (records []Record, err error) {
	e := l.plan.Experiment
	l.text = strings.Split(string(l.files[textName(e)]), "\n")
	if l.heats, l.heatLines, err = readObjects(l.at(heatsName(e)), l.files[heatsName(e)], func(h sealedHeat) int { return h.ID }); err != nil {
		return nil, err
	}
	if l.forks, l.forkLines, err = readObjects(l.at(forksName(e)), l.files[forksName(e)], func(f Fork) int { return f.ID }); err != nil {
		return nil, err
	}
	if l.turns, err = splitTurns(l.at(turnsName(e)), l.files[turnsName(e)]); err != nil {
		return nil, err
	}
	if l.intervals, err = splitHlog(l.at(hlogName(e)), l.files[hlogName(e)]); err != nil {
		return nil, err
	}
	if l.heaps, err = splitHeap(l.at(heapName(e)), l.files[heapName(e)]); err != nil {
		return nil, err
	}
	byHeat := map[int][]ForkRecord{}
	for _, f := range l.forks {
		if l.heatLines[f.Heat] == 0 {
			return nil, fmt.Errorf("%s: fork %d is of heat %d, which is not in %s", l.where(ofFork, f.ID, 0), f.ID, f.Heat, heatsName(e))
		}
		r, err := l.fork(f)
		if err != nil {
			return nil, err
		}
		byHeat[f.Heat] = append(byHeat[f.Heat], r)
	}
	for _, h := range l.heats {
		r := Record{Experiment: e, Heat: h.Heat, Forks: byHeat[h.ID]}
		if t := l.turns[h.ID]; t != nil {
			r.Laps = t.laps
		}
		records = append(records, r)
	}
	return records, nil
}

// readObjects reads a file of one JSON object a line, whose IDs rise, and
// returns the line of each ID too.
func readObjects[T any](file string, data []byte, id func(T) int) (objects []T, lines map[int]int, err error) {
	lines = map[int]int{}
	n, last := 0, 0
	for text := range bytes.Lines(data) {
		n++
		var object T
		dec := json.NewDecoder(bytes.NewReader(text))
		dec.DisallowUnknownFields()
		if err := dec.Decode(&object); err != nil {
			return nil, nil, fmt.Errorf("%s:%d: %v: %s", file, n, err, damaged)
		}
		if id(object) <= last {
			return nil, nil, fmt.Errorf("%s:%d: number %d comes after %d", file, n, id(object), last)
		}
		last = id(object)
		lines[last] = n
		objects = append(objects, object)
	}
	return objects, lines, nil
}

// fork gathers what the files hold of a fork.
func (l *loader) fork(f Fork) (ForkRecord, error) {
	r := ForkRecord{Fork: f}
	var err error
	if r.Result, err = l.result(f, f.Line); err != nil {
		return r, err
	}
	if r.GatedResult, err = l.result(f, f.GatedLine); err != nil {
		return r, err
	}
	if f.Line > 0 || f.GatedLine > 0 {
		r.Config, r.Units = splitHead(l.text)
	}
	r.Hlog = l.intervals[hlogTag(f, false)].interval
	r.GatedHlog = l.intervals[hlogTag(f, true)].interval
	if h := l.heaps[f.ID]; h != nil {
		r.Heap = h.rows
	}
	if len(r.Heap) != f.HeapRows {
		return r, fmt.Errorf("%s: %d rows of fork %d, want %d", l.where(ofHeap, f.ID, 0), len(r.Heap), f.ID, f.HeapRows)
	}
	return r, nil
}

// result is a line of the text, or none for 0.
func (l *loader) result(f Fork, line int) (string, error) {
	if line == 0 {
		return "", nil
	}
	if line < 0 || line >= len(l.text) || !strings.HasPrefix(l.text[line-1], "Benchmark") {
		return "", fmt.Errorf("%s: fork %d: its result is not on line %d of %s", l.where(ofFork, f.ID, 0), f.ID, line, textName(l.plan.Experiment))
	}
	return l.text[line-1], nil
}

// where is the file and line of a part of a heat.
func (l *loader) where(p part, id, row int) string {
	e := l.plan.Experiment
	file, line := forksName(e), l.forkLines[id]
	fork := Fork{}
	if line > 0 {
		fork = l.forks[line-1]
	}
	switch p {
	case ofHeat:
		file, line = heatsName(e), l.heatLines[id]
	case ofTurn:
		file, line = turnsName(e), 0
		if t := l.turns[id]; t != nil {
			line = t.line + row
		}
	case ofResult:
		file, line = textName(e), fork.Line
	case ofGated:
		file, line = textName(e), fork.GatedLine
	case ofHlog:
		file, line = hlogName(e), l.intervals[hlogTag(fork, false)].line
	case ofGatedHlog:
		file, line = hlogName(e), l.intervals[hlogTag(fork, true)].line
	case ofHeap:
		file, line = heapName(e), 0
		if h := l.heaps[id]; h != nil {
			line = h.line + row
		}
	}
	if line == 0 {
		return l.at(file)
	}
	return fmt.Sprintf("%s:%d", l.at(file), line)
}

// compare joins the heats anew and refuses what differs from the files. Where all
// else is as it was written, a heat's checksum tells of what was changed within.
func (l *loader) compare(records []Record) error {
	e := l.plan.Experiment
	joined, err := join(e, records)
	if err != nil {
		return err
	}
	for _, name := range fileNames(e) {
		if name == heatsName(e) {
			continue
		}
		if line := difference(l.files[name], joined[name]); line > 0 {
			return fmt.Errorf("%s:%d: not as it was written: %s", l.at(name), line, damaged)
		}
	}
	if line := difference(l.files[heatsName(e)], joined[heatsName(e)]); line > 0 {
		return fmt.Errorf("%s:%d: the heat's checksum differs from that of what the files hold of it: %s", l.at(heatsName(e)), line, damaged)
	}
	return nil
}
