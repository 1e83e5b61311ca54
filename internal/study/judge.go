package study

import (
	"cmp"
	"fmt"
	"slices"

	"hotpath/internal/bench"
	"hotpath/internal/claims"
	"hotpath/internal/results"
)

// judge applies claims to the run, if there are any.
func (x *Experiment) judge(m *results.Manifest, f *claims.File) claims.Judgement {
	return claims.Judge(f, m.Machine.CPUs, func(block bench.Block, unit bench.Unit, baseline, candidate string, level float64) claims.Measured {
		b := x.Block(block)
		if b == nil {
			return claims.Measured{Err: fmt.Errorf("this run did not measure the block")}
		}
		c, control := b.Compare(unit, baseline, candidate, level), b.Control(unit)
		counting := c.N
		if c.Noisy {
			counting = len(b.HeatRatios(unit, baseline, candidate, Everywhere))
		}
		return claims.Measured{
			Interval: c.Interval, Counting: counting, Near: c.Groups[bench.Near], Far: c.Groups[bench.Far],
			Bias: control.Bias, Err: cmp.Or(c.Err, control.missing()), Spoilt: b.spoilt(counting),
		}
	})
}

// spoilt says which gates of a block were not met, where too few heats are left.
func (b *Block) spoilt(heats int) string {
	if heats >= claims.MinHeats {
		return ""
	}
	var words []string
	for _, g := range gatesOf(b.heats) {
		words = append(words, fmt.Sprintf("%s (%s)", g.Gate, bench.Plural(g.Turns, "turn")))
	}
	return bench.List(words)
}

// GateCount is how many turns did not meet a gate.
type GateCount struct {
	Gate  bench.Gate
	Turns int
}

// Gates counts the gated turns, the most frequent gate first. A turn that did not
// meet two counts for both.
func (x *Experiment) Gates() []GateCount { return gatesOf(x.run.Heats) }

func gatesOf(heats []*results.Heat) []GateCount {
	turns := map[bench.Gate]int{}
	for _, h := range heats {
		for _, lap := range h.Laps {
			for _, t := range lap.Turns {
				for _, g := range bench.Gates() {
					if t.Unmet.Has(g) {
						turns[g]++
					}
				}
			}
		}
	}
	var all []GateCount
	for g, n := range turns {
		all = append(all, GateCount{g, n})
	}
	slices.SortFunc(all, func(a, b GateCount) int {
		return cmp.Or(cmp.Compare(b.Turns, a.Turns), cmp.Compare(a.Gate, b.Gate))
	})
	return all
}

// Reach is what a machine can decide of the claims of some experiments, and what
// a run on it did.
type Reach struct {
	Orders     int // claims of which contestant needs less
	Magnitudes int // claims of by how much
	Beyond     int // of these, for machines with more CPUs
	Need       int // the most CPUs that they ask for
	Decided    int // claims of all that the run decided
}

// Reach sums up the claims of a run on its machine.
func (r *Run) Reach() Reach {
	var sum Reach
	for _, x := range r.Experiments {
		for _, v := range x.Judgement.Verdicts {
			if v.Word != claims.Inconclusive {
				sum.Decided++
			}
		}
		for _, c := range x.Claims.Claims {
			if c.Kind == claims.Order || c.Kind == claims.Less {
				sum.Orders++
				continue
			}
			sum.Magnitudes++
			if c.Needs.CPUs > r.Manifest.Machine.CPUs {
				sum.Beyond++
				sum.Need = max(sum.Need, c.Needs.CPUs)
			}
		}
	}
	return sum
}

// Agreement is the verdicts on one claim in several runs.
type Agreement struct {
	Claim claims.Claim
	Words []claims.Word // one for each run; empty where it did not measure the experiment
}

// Agree reports whether all runs come to the same verdict.
func (a Agreement) Agree() bool { return len(slices.Compact(slices.Clone(a.Words))) == 1 }

// Agreements has each claim that the run is judged by, with the verdicts of some
// runs, each judged by itself.
func (r *Run) Agreements(runs []*Run) []Agreement {
	var all []Agreement
	for _, x := range r.Experiments {
		for i, c := range x.Claims.Claims {
			a := Agreement{c, make([]claims.Word, len(runs))}
			for at, run := range runs {
				if y := run.Experiment(x.Name); y != nil {
					a.Words[at] = y.Judgement.Verdicts[i].Word
				}
			}
			all = append(all, a)
		}
	}
	return all
}
