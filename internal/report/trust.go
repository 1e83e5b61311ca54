package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

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
	return fmt.Sprintf("Differences of over %s are real wherever there is an interval; ~ and ? decide nothing. All of it is of %s, not of more.",
		percentUp(worst), bench.Plural(t.Run.Manifest.Machine.CPUs, "CPU"))
}

// Table has a row for each experiment.
func (t trust) Table() *table {
	out := &table{Head: []string{"experiment", "tells apart where claims are judged", "tells apart elsewhere", "turns thrown away", "claims decided"}, Left: 1}
	for _, x := range t.Run.Experiments {
		n, decided := tallyOf(x), 0
		for _, v := range x.Judgement.Verdicts {
			if v.Word != study.Inconclusive {
				decided++
			}
		}
		judged, others := resolution(x)
		out.add(pageLink(x), judged, others, fmt.Sprintf("%s of %s", share(n.Gated, n.Kept+n.Gated), bench.Count(int64(n.Kept+n.Gated))),
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

// resolution says how small a difference an experiment tells apart, by what its
// controls show: in times, where claims are judged and elsewhere.
func resolution(x *study.Experiment) (judged, others string) {
	known, unknown := map[bool][]float64{}, map[bool]int{} // by whether claims are judged there
	for _, b := range x.Blocks {
		switch c := b.Control(b.Score()); {
		case c.Twin == "":
		case c.Measured.Level == 0:
			unknown[b.Judged()]++
		default:
			known[b.Judged()] = append(known[b.Judged()], c.Resolution())
		}
	}
	told := func(judged bool) string {
		s := between(known[judged])
		if n := unknown[judged]; n > 0 && len(known[judged]) > 0 {
			s += fmt.Sprintf(", not known of %d", n)
		}
		return s
	}
	return told(true), told(false)
}

// between prints the least and the greatest of some shares, of which there may be
// none for want of heats.
func between(shares []float64) string {
	if len(shares) == 0 {
		return "not known"
	}
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
	bench.GateSteal:       {"the hypervisor took CPUs", "measure at another hour"},
	bench.GateParked:      {"processes that were to stand still did not", "report it, where the hypervisor took nothing"},
	bench.GateParallelism: {"workers did not get the CPUs that they could use", endOthers},
	bench.GateProbe:       {"not all CPUs were there before or after", endOthers},
	bench.GateWorkers:     {"some workers got no turn of the scheduler", endOthers},
}

// few is the share of turns below which a further reason is not worth a reader's time.
const few = 0.01

const endOthers = "end other programs, which `make doctor` names"

// Reasons says why turns were thrown away, the most frequent reason first, and
// after those that have the same remedy what it is.
func (t trust) Reasons() string {
	var todos []string
	why := map[string][]string{}
	for i, g := range t.gates {
		c := causes[g.Gate]
		if i > 0 && float64(g.Turns) < few*float64(t.turns.Kept+t.turns.Gated) {
			continue
		}
		if why[c.todo] == nil {
			todos = append(todos, c.todo)
		}
		why[c.todo] = append(why[c.todo], fmt.Sprintf("%s (%s)", c.what, share(g.Turns, t.turns.Kept+t.turns.Gated)))
	}
	var reasons []string
	for _, todo := range todos {
		reasons = append(reasons, bench.List(why[todo])+": "+todo)
	}
	return strings.Join(reasons, "; ")
}

// Noisy reports whether most turns were thrown away.
func (t trust) Noisy() bool { return t.turns.Gated > t.turns.Kept }

// Failed is how many processes gave no result.
func (t trust) Failed() int { return t.turns.Failed }
