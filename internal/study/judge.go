package study

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"hotpath/internal/bench"
	"hotpath/internal/claims"
	"hotpath/internal/results"
	"hotpath/internal/stats"
)

// judge applies the claims to the run, if there are any.
func (x *Experiment) judge(m *results.Manifest) {
	if len(x.Claims.Claims) == 0 {
		return
	}
	override := ""
	if m.Quick {
		override = "a quick look, not a run"
	}
	measure := func(block bench.Block, unit bench.Unit, baseline, candidate string, level float64) (stats.Interval, error) {
		return ratio(x.run, block, unit, baseline, candidate, level)
	}
	x.Judgement = claims.Judge(x.Claims, m.Machine.CPUs, override, measure)
	x.explain()
}

// explain adds which gates took the pairs, where too few were left.
func (x *Experiment) explain() {
	j := &x.Judgement
	control := x.short(j.Control.Control.Block, j.Control.Measured)
	j.Control.Reason += control
	for i := range j.Verdicts {
		v := &j.Verdicts[i]
		why := control
		for _, c := range v.Comparisons {
			if why == "" {
				why = x.short(v.Claim.Block, c.Measured)
			}
		}
		v.Reason += why
	}
}

// short says which gates of a block were not met, if there are too few pairs.
func (x *Experiment) short(block bench.Block, iv stats.Interval) string {
	if iv.N >= claims.MinPairs {
		return ""
	}
	var words []string
	for _, g := range x.gates(func(f *results.Fork) bool { return f.Cell.Block() == block }) {
		words = append(words, fmt.Sprintf("%s (%s)", g.Gate, bench.Plural(g.Forks, "fork")))
	}
	if len(words) == 0 {
		return ""
	}
	return "; gates not met: " + bench.List(words)
}

// GateCount is how many forks did not meet a gate.
type GateCount struct {
	Gate  bench.Gate
	Forks int
}

// Gates counts the gated forks, the most frequent gate first. A fork that did not
// meet two counts for both.
func (x *Experiment) Gates() []GateCount {
	return x.gates(func(*results.Fork) bool { return true })
}

func (x *Experiment) gates(of func(*results.Fork) bool) []GateCount {
	forks := map[bench.Gate]int{}
	for _, f := range x.Forks {
		if len(f.Gated) == 0 || !of(f) {
			continue
		}
		for _, u := range f.Gated {
			forks[u.Gate]++
		}
	}
	var all []GateCount
	for g, n := range forks {
		all = append(all, GateCount{g, n})
	}
	slices.SortFunc(all, func(a, b GateCount) int {
		return cmp.Or(cmp.Compare(b.Forks, a.Forks), strings.Compare(string(a.Gate), string(b.Gate)))
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
			if v.Word != Inconclusive {
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
			a := Agreement{c, make([]Word, len(runs))}
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
