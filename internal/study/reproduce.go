package study

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"hotpath/internal/bench"
	"hotpath/internal/claims"
	"hotpath/internal/results"
)

// Reproduction is how far two runs of the same code on one machine agree.
type Reproduction struct {
	A, B     string // names of the runs
	Ratios   []Twice
	Lacking  []Lack
	Verdicts []Agreement // of the claims that both runs judged
}

// MostApart is the largest share of ratios with intervals that do not overlap in
// runs that reproduce each other: 95 % intervals of equal ratios lie apart less
// often than that.
const MostApart = 0.05

// Twice is a ratio that both runs have an interval of, in laps of one placement.
type Twice struct {
	Place
	Baseline, Candidate string
	A, B                Interval // at Level
}

// Place is where ratios belong: a block, its score, and how far apart the CPUs
// were, which is bench.Nowhere where a machine does not show it.
type Place struct {
	Experiment string
	Block      bench.Block
	Unit       bench.Unit
	Placement  bench.Placement
}

// Lack is ratios of a place that one run has an interval of and the other has not.
type Lack struct {
	Place
	Run    string // that lacks them
	Ratios int
}

// Apart reports whether the intervals share no value.
func (t Twice) Apart() bool { return !t.A.Overlaps(t.B) }

// Reproduce compares each contestant's ratios to the baseline and to the rival of
// its block in two runs. Where the CPUs were decides what contends, so a ratio is
// compared with itself at the same placement.
func Reproduce(a, b *Run) Reproduction {
	r := Reproduction{A: a.Name, B: b.Name}
	for _, x := range a.Experiments {
		y := b.Experiment(x.Name)
		for _, block := range x.Blocks {
			r.block(x.Name, block, y.blockIn(block.Block))
		}
	}
	for _, y := range b.Experiments {
		x := a.Experiment(y.Name)
		for _, block := range y.Blocks {
			if x.blockIn(block.Block) == nil {
				r.block(y.Name, nil, block)
			}
		}
	}
	for _, g := range a.Agreements([]*Run{a, b}) {
		if !slices.Contains(g.Words, "") {
			r.Verdicts = append(r.Verdicts, g)
		}
	}
	return r
}

// blockIn is Block, for an experiment that a run may not have.
func (x *Experiment) blockIn(id bench.Block) *Block {
	if x == nil {
		return nil
	}
	return x.Block(id)
}

// block compares the ratios of a block; a or b is nil where that run has none.
func (r *Reproduction) block(experiment string, a, b *Block) {
	known := cmp.Or(a, b)
	unit := known.Score()
	pairs := a.duels()
	for _, p := range b.duels() {
		if !slices.Contains(pairs, p) {
			pairs = append(pairs, p)
		}
	}
	for _, pair := range pairs {
		inA, inB := a.byPlacement(unit, pair), b.byPlacement(unit, pair)
		for _, p := range append(slices.Clone(bench.Placements), bench.Nowhere) {
			ivA, okA := inA[p]
			ivB, okB := inB[p]
			place := Place{experiment, known.Block, unit, p}
			switch {
			case okA && okB:
				r.Ratios = append(r.Ratios, Twice{place, pair[0], pair[1], ivA, ivB})
			case okA:
				r.lack(place, r.B)
			case okB:
				r.lack(place, r.A)
			}
		}
	}
}

func (r *Reproduction) lack(p Place, run string) {
	for i := range r.Lacking {
		if l := &r.Lacking[i]; l.Place == p && l.Run == run {
			l.Ratios++
			return
		}
	}
	r.Lacking = append(r.Lacking, Lack{p, run, 1})
}

// duels are the pairs of a block that matter most: each contestant with the
// baseline, and with the rival. A block that is not there has none.
func (b *Block) duels() [][2]string {
	if b == nil {
		return nil
	}
	var against []string
	for _, r := range b.Rows {
		if r.Impl() == b.baseline || r.Rival {
			against = append(against, r.Impl())
		}
	}
	var pairs [][2]string
	for i, base := range against {
		for _, r := range b.Rows {
			if impl := r.Impl(); impl != base && !slices.Contains(against[:i], impl) {
				pairs = append(pairs, [2]string{base, impl})
			}
		}
	}
	return pairs
}

// byPlacement are the intervals of a ratio: the whole, as one of nowhere, where no
// lap of the block shows its placement.
func (b *Block) byPlacement(unit bench.Unit, pair [2]string) map[bench.Placement]Interval {
	if b == nil {
		return nil
	}
	c := b.Compare(unit, pair[0], pair[1], Level)
	shown := slices.ContainsFunc(b.heats, func(h *results.Heat) bool {
		return slices.ContainsFunc(h.Laps, func(l results.Lap) bool { return b.gates.Placement(l.HandOff()) != bench.Nowhere })
	})
	if shown || c.Noisy || c.Level == 0 {
		return c.Groups
	}
	return map[bench.Placement]Interval{bench.Nowhere: c.Interval}
}

// Contradicts reports whether one run found the claim's effect and another found
// that there is none.
func (a Agreement) Contradicts() bool {
	found := slices.ContainsFunc(a.Words, func(w Word) bool { return w == claims.Reproduced || w == claims.DirectionOnly })
	return found && slices.Contains(a.Words, claims.NotReproduced)
}

// Apart are the ratios whose intervals share no value.
func (r Reproduction) Apart() []Twice {
	return slices.DeleteFunc(slices.Clone(r.Ratios), func(t Twice) bool { return !t.Apart() })
}

// Contradictions are the claims that one run bears out and the other refutes.
func (r Reproduction) Contradictions() []Agreement {
	return slices.DeleteFunc(slices.Clone(r.Verdicts), func(a Agreement) bool { return !a.Contradicts() })
}

// Holds reports whether the runs reproduce each other: they have ratios in common,
// few of which lie apart, and no verdict contradicts another.
func (r Reproduction) Holds() bool {
	return len(r.Ratios) > 0 && float64(len(r.Apart())) <= MostApart*float64(len(r.Ratios)) && len(r.Contradictions()) == 0
}

// String is the comparison in words, with a line for all that is not alike.
func (r Reproduction) String() string {
	var s strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&s, format+"\n", args...) }
	apart, against := r.Apart(), r.Contradictions()
	line("A: %s", r.A)
	line("B: %s", r.B)
	line("ratios in both, at the same placement: %d", len(r.Ratios))
	line("intervals that do not overlap: %d; at most %s may", len(apart), bench.Percent(MostApart, 2))
	for _, t := range apart {
		line("  %s, %s / %s: %s in A, %s in B", t.Place, t.Baseline, t.Candidate, interval(t.A), interval(t.B))
	}
	line("placements that one run lacks, so that their ratios are not compared: %d", len(r.Lacking))
	for _, l := range r.Lacking {
		line("  %s, %s: not in %s", l.Place, bench.Plural(l.Ratios, "ratio"), l.Run)
	}
	unlike := slices.DeleteFunc(slices.Clone(r.Verdicts), Agreement.Agree)
	line("verdicts in both: %d; other words: %d, contradictions: %d", len(r.Verdicts), len(unlike), len(against))
	for _, v := range unlike {
		contradiction := ""
		if v.Contradicts() {
			contradiction = ": a CONTRADICTION"
		}
		line("  %s: %s in A, %s in B%s", v.Claim.ID, v.Words[0], v.Words[1], contradiction)
	}
	if r.Holds() {
		line("the runs reproduce each other")
	} else {
		line("the runs do NOT reproduce each other")
	}
	return s.String()
}

func (p Place) String() string {
	s := fmt.Sprintf("%s %s %s", p.Experiment, p.Block, p.Unit)
	if p.Placement != bench.Nowhere {
		s += ", CPUs " + string(p.Placement)
	}
	return s
}

func interval(iv Interval) string {
	return fmt.Sprintf("%s [%s, %s]", bench.Ratio(iv.Estimate), bench.Ratio(iv.Low), bench.Ratio(iv.High))
}
