package results

import (
	"fmt"
	"strings"
	"unicode"

	"hotpath/internal/bench"
)

// Record is all that is kept of one heat until the run is sealed.
type Record struct {
	Experiment string       `json:"experiment"`
	Heat       Heat         `json:"heat"`
	Laps       []Lap        `json:"laps"`
	Forks      []ForkRecord `json:"forks"` // by ID
}

// ForkRecord is all that is kept of one fork of a heat. A fork that is not
// complete has none of the texts.
type ForkRecord struct {
	Fork        Fork     `json:"fork"`
	Config      []string `json:"config,omitempty"`       // "key: value" lines ahead of the result
	Units       []string `json:"units,omitempty"`        // Unit lines
	Result      string   `json:"result,omitempty"`       // the fork's line over its kept turns; empty where it kept none
	GatedResult string   `json:"gated_result,omitempty"` // a line over the others, if there is one
	Hlog        string   `json:"hlog,omitempty"`         // the interval of the kept turns
	GatedHlog   string   `json:"gated_hlog,omitempty"`   // and of the others
	Heap        []string `json:"heap,omitempty"`         // the rows of the fork's heap over time
}

// only is the heat as if no fork but one had taken part.
func (r Record) only(f ForkRecord) Record {
	r.Forks = []ForkRecord{f}
	var laps []Lap
	for _, l := range r.Laps {
		if t, ok := l.Turn(f.Fork.ID); ok {
			l.Turns = []Turn{t}
			laps = append(laps, l)
		}
	}
	r.Laps = laps
	return r
}

// hasResult reports whether the fork has a line in the text.
func (r ForkRecord) hasResult() bool { return r.Result != "" || r.GatedResult != "" }

// maxTail is the most bytes of a fork's last words.
const maxTail = 2000

// LastWords is what is worth keeping of the output of a fork that failed: its
// end, without Unit lines and without characters that a terminal obeys.
func LastWords(output string) string {
	var kept strings.Builder
	for line := range strings.Lines(strings.ToValidUTF8(output, "?")) {
		if strings.HasPrefix(line, "Unit ") {
			continue
		}
		for _, r := range line {
			switch {
			case r == '\n' || unicode.IsPrint(r):
				kept.WriteRune(r)
			case r == '\t':
				kept.WriteByte(' ')
			}
		}
	}
	words := strings.ReplaceAll(strings.TrimSpace(kept.String()), string(unicode.ReplacementChar), "?")
	if cut := len(words) - maxTail; cut > 0 {
		words = strings.ToValidUTF8(words[cut:], "")
	}
	return words
}

// LeftPart is where the numbers of the parts begin that cells are measured in
// which did not fit the memory in their own: LeftPart x (part + 1) + i is that of
// the i-th cell of a part.
const LeftPart = 100

// isPart reports whether a block of so many cells can have a part of that number.
func isPart(part, cells int) bool {
	if part >= LeftPart {
		return part/LeftPart <= cells && part%LeftPart < cells
	}
	return part >= 0 && part < cells
}

// part is what of a heat an error is about.
type part int

const (
	ofHeat part = iota
	ofTurn
	ofFork
	ofResult
	ofGated
	ofHlog
	ofGatedHlog
	ofHeap
)

// where says in words, or with file and line, where a part of a heat stands. The
// id is a heat's for its turns and itself, a fork's for all else; row counts
// turns and heap samples from 0.
type where func(p part, id, row int) string

// inRecord is where a part stands before the run is sealed.
func inRecord(p part, id, row int) string {
	switch p {
	case ofHeat:
		return fmt.Sprintf("heat %d", id)
	case ofTurn:
		return fmt.Sprintf("heat %d, turn %d", id, row+1)
	case ofResult:
		return fmt.Sprintf("result of fork %d", id)
	case ofGated:
		return fmt.Sprintf("gated result of fork %d", id)
	case ofHlog, ofGatedHlog:
		return fmt.Sprintf("histogram of fork %d", id)
	case ofHeap:
		return fmt.Sprintf("heap of fork %d, row %d", id, row+1)
	default:
		return fmt.Sprintf("fork %d", id)
	}
}

// heat reads a record into a heat and checks all of it against the plan and
// against itself.
func (r Record) heat(plan Plan, at where) (*Heat, error) {
	h := r.Heat
	cells := map[bench.CellID]bench.Cell{}
	for _, c := range plan.Cells {
		if c.Block == h.Block {
			cells[c.ID()] = c
		}
	}
	if err := h.check(plan, cells); err != nil {
		return nil, fmt.Errorf("%s: %w", at(ofHeat, h.ID, 0), err)
	}
	counted, err := countTurns(r, at)
	if err != nil {
		return nil, err
	}
	h.Laps = r.Laps
	seen := map[bench.CellID]bool{}
	for _, fr := range r.Forks {
		cell, planned := cells[fr.Fork.Cell]
		switch {
		case !planned:
			return nil, fmt.Errorf("%s: cell %.200q is not in the plan of block %s", at(ofFork, fr.Fork.ID, 0), fr.Fork.Cell.String(), h.Block)
		case seen[fr.Fork.Cell]:
			return nil, fmt.Errorf("%s: a second fork of %s in heat %d", at(ofFork, fr.Fork.ID, 0), fr.Fork.Cell, h.ID)
		}
		seen[fr.Fork.Cell] = true
		f, err := fr.fork(h.ID, cell, *counted[fr.Fork.ID], at)
		if err != nil {
			return nil, err
		}
		h.Forks = append(h.Forks, f)
	}
	return &h, nil
}

// check refuses a heat that the plan does not have.
func (h *Heat) check(plan Plan, cells map[bench.CellID]bench.Cell) error {
	tier := bench.Tier("")
	for _, c := range cells {
		tier = c.Tier
	}
	switch {
	case len(cells) == 0:
		return fmt.Errorf("block %.200q is not in the plan", h.Block.String())
	case !isPart(h.Part, len(cells)):
		return fmt.Errorf("part %d of a block of %d cells", h.Part, len(cells))
	case h.Number < 1 || h.Number > plan.Heats[tier]:
		return fmt.Errorf("heat number %d of %d planned", h.Number, plan.Heats[tier])
	case h.Try < 0:
		return fmt.Errorf("try %d", h.Try)
	case h.Layout < 0:
		return fmt.Errorf("layout %d", h.Layout)
	case !(h.Seconds >= 0 && h.Seconds < 1e6):
		return fmt.Errorf("%v seconds", h.Seconds)
	case !isText(h.Incomplete, 500):
		return fmt.Errorf("incomplete: %.60q is no text", h.Incomplete)
	}
	for _, w := range h.Windows {
		for _, v := range []float64{w.Wall, w.Foreign, w.Steal, w.Parked} {
			if !(v >= 0 && v < 1e6) && v != bench.Unseen {
				return fmt.Errorf("window %+v", w)
			}
		}
	}
	return nil
}

// turnCount is what the turns of a fork come to.
type turnCount struct {
	kept, gated       int
	keptOps, gatedOps int64
	lap               int // of the last one
}

// countTurns checks the turns of a heat and counts them by fork.
func countTurns(r Record, at where) (map[int]*turnCount, error) {
	counted := map[int]*turnCount{}
	for _, f := range r.Forks {
		if counted[f.Fork.ID] != nil {
			return nil, fmt.Errorf("%s: fork %d twice", at(ofFork, f.Fork.ID, 0), f.Fork.ID)
		}
		counted[f.Fork.ID] = &turnCount{}
	}
	row, before := 0, 0
	for _, l := range r.Laps {
		if err := l.check(before); err != nil {
			return nil, fmt.Errorf("%s: %w", at(ofTurn, r.Heat.ID, row), err)
		}
		before = l.N
		for _, t := range l.Turns {
			err := t.check()
			c := counted[t.Fork]
			switch {
			case err != nil:
			case c == nil:
				err = fmt.Errorf("fork %d is not of heat %d", t.Fork, r.Heat.ID)
			case c.lap == l.N:
				err = fmt.Errorf("a second turn of fork %d in lap %d", t.Fork, l.N)
			}
			if err != nil {
				return nil, fmt.Errorf("%s: %w", at(ofTurn, r.Heat.ID, row), err)
			}
			c.add(l.N, t)
			row++
		}
	}
	return counted, nil
}

func (c *turnCount) add(lap int, t Turn) {
	c.lap = lap
	if t.Kept() {
		c.kept++
		c.keptOps += t.Ops
	} else {
		c.gated++
		c.gatedOps += t.Ops
	}
}

// check refuses a lap that cannot come after one of that number.
func (l Lap) check(before int) error {
	switch {
	case l.N <= before || l.N > maxLap:
		return fmt.Errorf("lap %d after lap %d", l.N, before)
	case len(l.Turns) == 0:
		return fmt.Errorf("lap %d has no turn", l.N)
	}
	for _, p := range []bench.Probe{l.Before, l.After} {
		for _, v := range []float64{p.HandOff, p.Got} {
			if !(v >= 0 && v < 1e9) && v != bench.Unseen {
				return fmt.Errorf("lap %d: a probe of %v", l.N, v)
			}
		}
	}
	return nil
}

func (t Turn) check() error {
	for _, v := range []int64{t.CPU, t.Latency, int64(t.Workers)} {
		if v < 0 || v > 1e3*maxTurn { // of many threads
			return fmt.Errorf("%+v is no turn", t)
		}
	}
	if t.Ops < 1 || t.Ops > maxTurn || t.Wall < 1 || t.Wall > maxTurn {
		return fmt.Errorf("%d operations in %d ns are no turn", t.Ops, t.Wall)
	}
	if known, _ := bench.ParseGateSet(t.Unmet.String()); known != t.Unmet {
		return fmt.Errorf("gates %b", t.Unmet)
	}
	return nil
}
