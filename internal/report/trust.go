package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"hotpath/internal/bench"
	"hotpath/internal/study"
)

// trust is how far a run is to be trusted.
type trust struct {
	Run   *study.Run
	turns study.Tally // of all experiments
	gates []study.GateCount
}

func trustOf(run *study.Run) trust {
	t := trust{Run: run}
	counts := map[bench.Gate]int{}
	for _, x := range run.Experiments {
		n := tallyOf(x)
		t.turns.Kept, t.turns.Gated, t.turns.Failed = t.turns.Kept+n.Kept, t.turns.Gated+n.Gated, t.turns.Failed+n.Failed
		for _, g := range x.Gates() {
			counts[g.Gate] += g.Turns
		}
	}
	for _, g := range bench.Gates() {
		if counts[g] > 0 {
			t.gates = append(t.gates, study.GateCount{Gate: g, Turns: counts[g]})
		}
	}
	slices.SortStableFunc(t.gates, func(a, b study.GateCount) int { return cmp.Compare(b.Turns, a.Turns) })
	return t
}

func tallyOf(x *study.Experiment) study.Tally {
	var sum study.Tally
	for _, b := range x.Blocks {
		for _, r := range b.Rows {
			n := r.Tally()
			sum.Clean, sum.Few, sum.Failed = sum.Clean+n.Clean, sum.Few+n.Few, sum.Failed+n.Failed
			sum.Kept, sum.Gated = sum.Kept+n.Kept, sum.Gated+n.Gated
		}
	}
	return sum
}

// Short is the answer in two sentences; empty where no control tells.
func (t trust) Short() string {
	worst := 0.0
	for _, x := range t.Run.Experiments {
		for _, b := range x.Blocks {
			if c := b.Control(b.Score()); c.Twin != "" && c.Measured.Level > 0 {
				worst = max(worst, c.Resolution())
			}
		}
	}
	if worst == 0 {
		return ""
	}
	return fmt.Sprintf("Differences of more than %s are real wherever they have an interval; what is marked ~ or ? decides nothing. All of it is of %s, and says nothing of more.",
		percentUp(worst), bench.Plural(t.Run.Manifest.Machine.CPUs, "CPU"))
}

// Table has a row for each experiment.
func (t trust) Table() *table {
	out := &table{Head: []string{"experiment", "smallest difference that it tells apart", "measuring turns thrown away", "claims decided"}, Left: 2}
	for _, x := range t.Run.Experiments {
		n, decided := tallyOf(x), 0
		for _, v := range x.Judgement.Verdicts {
			if v.Word != study.Inconclusive {
				decided++
			}
		}
		out.add(pageLink(x), resolution(x), fmt.Sprintf("%s of %s", share(n.Gated, n.Kept+n.Gated), bench.Count(int64(n.Kept+n.Gated))),
			fmt.Sprintf("%d of %d", decided, len(x.Judgement.Verdicts)))
	}
	return out
}

func share(part, all int) string {
	if all == 0 {
		return "n/a"
	}
	return bench.Percent(float64(part)/float64(all), 2)
}

// resolution says in words how small a difference an experiment tells apart, by
// what its controls show: in times, where claims are judged and elsewhere.
func resolution(x *study.Experiment) string {
	var judged, others []float64
	unknown := 0
	for _, b := range x.Blocks {
		c := b.Control(b.Score())
		switch {
		case c.Twin == "":
		case c.Measured.Level == 0:
			unknown++
		case b.Judged():
			judged = append(judged, c.Resolution())
		default:
			others = append(others, c.Resolution())
		}
	}
	var words []string
	if len(judged) > 0 {
		words = append(words, between(judged)+" where claims are judged")
	}
	if len(others) > 0 {
		words = append(words, between(others)+" elsewhere")
	}
	if len(words) == 0 {
		return "not known: too few heats"
	}
	if unknown > 0 {
		words = append(words, "not known of "+bench.Plural(unknown, "measurement"))
	}
	return bench.List(words)
}

// between prints the least and the greatest of some shares.
func between(shares []float64) string {
	least, most := percentUp(slices.Min(shares)), percentUp(slices.Max(shares))
	if least == most {
		return least
	}
	return least + " to " + most
}

// percentUp prints a share in percent, rounded up: a resolution is never better
// than it was.
func percentUp(v float64) string {
	if v < 0.01 {
		return bench.Decimal(math.Ceil(v*1000-1e-9)/10, 1) + bench.NBSP + "%"
	}
	return bench.Decimal(math.Ceil(v*100-1e-9), 0) + bench.NBSP + "%"
}

// causes says of each gate what made turns fail it, and what to do about it.
var causes = map[bench.Gate]struct{ what, todo string }{
	bench.GateForeign:     {"other programs used the CPUs", endOthers},
	bench.GateSteal:       {"the hypervisor gave CPUs to other machines", "Measure at another hour, or on a machine of its own"},
	bench.GateParked:      {"processes that were to stand still did not", "Report it, where the hypervisor took nothing"},
	bench.GateParallelism: {"workers did not get the CPUs that they could have used", endOthers},
	bench.GateProbe:       {"not all CPUs were to be had just before or after", endOthers},
	bench.GateWorkers:     {"some workers did not get a turn of the scheduler", endOthers},
}

const endOthers = "End other programs (`make doctor` names what is running)"

// Reasons says what to do about turns that were thrown away, and why those were for
// which that would help, the most frequent first.
func (t trust) Reasons() []string {
	var todos []string
	why := map[string][]string{}
	for _, g := range t.gates {
		c := causes[g.Gate]
		if why[c.todo] == nil {
			todos = append(todos, c.todo)
		}
		why[c.todo] = append(why[c.todo], fmt.Sprintf("%s (%s of turns)", c.what, share(g.Turns, t.turns.Kept+t.turns.Gated)))
	}
	var reasons []string
	for _, todo := range todos {
		reasons = append(reasons, todo+": "+bench.List(why[todo])+".")
	}
	return reasons
}

// Noisy reports whether most turns were thrown away.
func (t trust) Noisy() bool { return t.turns.Gated > t.turns.Kept }

// Failed is how many processes gave no result.
func (t trust) Failed() int { return t.turns.Failed }
