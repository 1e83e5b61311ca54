package run

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"hotpath/internal/bench"
	"hotpath/internal/results"
)

// most is how many contestants are alive in a heat.
const most = 8

// ladder is what a budget buys, in this order: each step raises one tier of each
// experiment to a number of heats, as long as everything still fits, so that what
// is left goes to experiments whose heats are short. Twelve heats are the fewest
// that a verdict takes, and six that an interval does.
var ladder = []struct {
	tier  bench.Tier
	heats []int
}{
	{bench.Judged, []int{3}},
	{bench.Peers, []int{3}},
	{bench.Judged, []int{6, 9, 12}},
	{bench.Peers, []int{6}},
	{bench.Judged, []int{15}},
	{bench.Peers, []int{9}},
	{bench.Judged, []int{18, 21, 24}},
	{bench.Peers, []int{12, 15, 18, 21, 24}},
	{bench.Judged, []int{30, 36, 42, 48, 54, 60}},
	{bench.Peers, []int{30, 36, 42, 48, 54, 60}},
}

// planned is the share of a budget that is planned. What is left is for laps that
// a noisy machine spoils.
const planned = 0.9

// allot sets the heats of each tier of each experiment to what fits the planned
// share of the budget.
func allot(plans []results.Plan, budget time.Duration) error {
	fits := time.Duration(planned * float64(budget))
	for i := range plans {
		plans[i].Heats = map[bench.Tier]int{bench.Judged: ladder[0].heats[0]}
	}
	if least := costOf(plans); least > fits {
		return fmt.Errorf("-budget %v is too short: %d heats of each judged block take %v",
			budget, ladder[0].heats[0], time.Duration(float64(least)/planned).Round(time.Second)+time.Second)
	}
	for _, step := range ladder[1:] {
		for _, n := range step.heats {
			for _, p := range plans {
				before := p.Heats[step.tier]
				p.Heats[step.tier] = n
				if costOf(plans) > fits {
					p.Heats[step.tier] = before
				}
			}
		}
	}
	return nil
}

// A quick look gives each judged block as many heats as a verdict takes where a
// heat is short, and three where it is long; such a block gets no verdict.
const (
	quickHeats = 12
	quickLong  = 3
	quickLimit = 8 * time.Second
)

// look keeps the judged cells alone.
func look(plan *results.Plan) {
	plan.Cells = slices.DeleteFunc(plan.Cells, func(c bench.Cell) bool { return c.Tier != bench.Judged })
	plan.Heats = map[bench.Tier]int{bench.Judged: quickHeats}
	for _, cells := range blocks(plan.Cells) {
		for _, part := range parts(cells) {
			if cost(part) > quickLimit {
				plan.Heats[bench.Judged] = quickLong
			}
		}
	}
}

// blocks groups cells by block, in the order of the plan.
func blocks(cells []bench.Cell) [][]bench.Cell {
	at := map[bench.Block]int{}
	var all [][]bench.Cell
	for _, c := range cells {
		i, ok := at[c.Block]
		if !ok {
			i = len(all)
			at[c.Block] = i
			all = append(all, nil)
		}
		all[i] = append(all[i], c)
	}
	return all
}

// anchors are the cells of a block that take part in each of its parts: the
// baseline, which is the one that the control repeats or else the first, the
// control, and the peers to beat.
func anchors(cells []bench.Cell) []bench.Cell {
	baseline := cells[0].Impl()
	for _, c := range cells {
		if c.Role == bench.Control {
			baseline = c.Twin
		}
	}
	return slices.DeleteFunc(slices.Clone(cells), func(c bench.Cell) bool {
		return c.Impl() != baseline && c.Role != bench.Control && !c.Rival
	})
}

// parts divides a block into the cells that are alive together. They follow from
// the plan alone. An original is alive with its re-creation.
func parts(cells []bench.Cell) [][]bench.Cell {
	if len(cells) <= most {
		return [][]bench.Cell{cells}
	}
	always := anchors(cells)
	others := slices.DeleteFunc(slices.Clone(cells), func(c bench.Cell) bool {
		return slices.ContainsFunc(always, func(a bench.Cell) bool { return a.ID() == c.ID() })
	})
	groups := pairs(others)
	room := max(1, most-len(always))
	for n := (len(others) + room - 1) / room; ; n++ {
		var all [][]bench.Cell
		fits := true
		for i := range n { // of equal size, not the last one with what is left
			part := slices.Concat(groups[i*len(groups)/n : (i+1)*len(groups)/n]...)
			all = append(all, slices.Concat(always, part))
			fits = fits && len(part) <= room
		}
		if fits || n == len(groups) {
			return all
		}
	}
}

// pairs groups cells that a part must not divide: an original and its re-creation,
// which stands ahead of it.
func pairs(cells []bench.Cell) [][]bench.Cell {
	var groups [][]bench.Cell
	for i, c := range cells {
		if i > 0 && c.Recreation == cells[i-1].Impl() {
			last := len(groups) - 1
			groups[last] = append(groups[last], c)
		} else {
			groups = append(groups, []bench.Cell{c})
		}
	}
	return groups
}

// What a heat takes beside its turns, in seconds: a fork from its start until it
// is ready and from its last turn to its end, and the runner for each turn and
// each lap.
const (
	forkCost = 0.15
	turnCost = 0.0012
	lapCost  = 0.004
)

// cost is the expected time of a heat of these cells.
func cost(cells []bench.Cell) time.Duration {
	sum := 0.0
	for _, c := range cells {
		sum += forkCost + c.Startup + float64(c.Laps)*(turnCost+c.Turn.Expected())
	}
	sum += float64(cells[0].Laps) * lapCost
	return time.Duration(sum * float64(time.Second))
}

// costOf is the expected time of all heats of some plans.
func costOf(plans []results.Plan) time.Duration {
	var sum time.Duration
	for _, p := range plans {
		for _, cells := range blocks(p.Cells) {
			for _, part := range parts(cells) {
				sum += cost(part) * time.Duration(p.Heats[part[0].Tier])
			}
		}
	}
	return sum
}

// lane is the expected time of a plan's blocks that have contestants beside Go's, and
// how much of it these take until they are ready.
func lane(plan results.Plan) (all, startup time.Duration) {
	in := plan
	in.Cells = slices.DeleteFunc(slices.Clone(plan.Cells), func(c bench.Cell) bool { return c.Name.Lane() == "" })
	for _, cells := range blocks(in.Cells) {
		for _, part := range parts(cells) {
			for _, c := range part {
				if len(c.Command) > 0 {
					startup += time.Duration(c.Startup * float64(time.Second) * float64(plan.Heats[c.Tier]))
				}
			}
		}
	}
	return costOf([]results.Plan{in}), startup
}

// heatPlan is a heat that is to be held.
type heatPlan struct {
	experiment string
	part       int
	number     int // of the part's heats, from 1
	try        int // how many heats of that number were spoilt
	layout     int
	cells      []bench.Cell
}

func (h heatPlan) block() bench.Block { return h.cells[0].Block }

func (h heatPlan) slot() slot { return slot{h.experiment, h.block(), h.part, h.number, h.try} }

// left are the heats that make up for cells which did not fit into this one, as
// its record shows: each beside the baseline, or alone where it is that itself.
func (h heatPlan) left(rec results.Record) []heatPlan {
	if len(rec.Forks) == 0 {
		return nil
	}
	baseline := anchors(h.cells)[0]
	var more []heatPlan
	for i, c := range h.cells {
		if slices.ContainsFunc(rec.Forks, func(f results.ForkRecord) bool { return f.Fork.Cell == c.ID() }) {
			continue
		}
		again := h
		again.part = results.LeftPart*(h.part+1) + i
		again.cells = []bench.Cell{baseline, c}
		if c.ID() == baseline.ID() {
			again.cells = []bench.Cell{c}
		}
		more = append(more, again)
	}
	return more
}

// spread chooses n of the rounds 1 to last, with even distances.
func spread(n, last int) map[int]int {
	numbers := map[int]int{}
	for i := range n {
		numbers[1+i*last/n] = i + 1
	}
	return numbers
}

// schedule is the order of all heats. Those of each part are spread evenly over
// the run, for the machine of the first hour is not that of the last, and in
// each round they are shuffled. It follows from the plan, the number of link
// layouts and the seed.
func schedule(plans []results.Plan, links int, seed uint64) []heatPlan {
	last := 0
	for _, p := range plans {
		for _, n := range p.Heats {
			last = max(last, n)
		}
	}
	var all []heatPlan
	for round := 1; round <= last; round++ {
		var these []heatPlan
		for _, p := range plans {
			for _, cells := range blocks(p.Cells) {
				number := spread(p.Heats[cells[0].Tier], last)[round]
				if number == 0 {
					continue
				}
				for i, part := range parts(cells) {
					these = append(these, heatPlan{p.Experiment, i, number, 0, 1 + (number-1)%links, part})
				}
			}
		}
		rng := rand.New(rand.NewPCG(seed, uint64(round)))
		rng.Shuffle(len(these), func(i, j int) { these[i], these[j] = these[j], these[i] })
		all = append(all, these...)
	}
	return all
}
