package run

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"hotpath/internal/bench"
	"hotpath/internal/results"
)

// ladder is what a budget buys, in this order: each step raises one tier to a
// number of rounds, as long as everything still fits. Twelve pairs are the
// fewest that decide anything, 21 rounds the fewest of a run worth keeping. All
// are multiples of the number of link layouts.
var ladder = []struct {
	tier   bench.Tier
	rounds []int
}{
	{bench.Judged, []int{3}},
	{bench.Peers, []int{3}},
	{bench.Judged, []int{6, 9, 12, 15, 18, 21}},
	{bench.Peers, []int{6, 9, 12}},
	{bench.Judged, []int{24, 27, 30}},
	{bench.Peers, []int{15, 18, 21}},
	{bench.Judged, []int{33, 36, 39, 42}},
	{bench.Peers, []int{24, 27, 30, 33, 36, 39, 42}},
	{bench.Judged, []int{48, 54, 60}},
	{bench.Peers, []int{48, 54, 60}},
}

// planned is the share of a budget that is planned. What is left is for waiting
// for, and repeating, what a noisy machine spoils.
const planned = 0.8

// allot sets the rounds of each tier, the same for all experiments, to what
// fits the planned share of the budget.
func allot(plans []results.Plan, budget time.Duration) error {
	rounds := map[bench.Tier]int{}
	for _, step := range ladder {
		for _, n := range step.rounds {
			before := rounds[step.tier]
			rounds[step.tier] = n
			if costOf(plans, rounds) > time.Duration(planned*float64(budget)) {
				rounds[step.tier] = before
			}
		}
	}
	if rounds[bench.Judged] == 0 {
		least := float64(costOf(plans, map[bench.Tier]int{bench.Judged: layouts})) / planned
		return fmt.Errorf("-budget %v is too short: %d rounds of the judged cells take %v", budget, layouts, time.Duration(least).Round(time.Second)+time.Second)
	}
	for i := range plans {
		plans[i].Rounds = rounds
	}
	return nil
}

// look keeps the judged cells and gives each three rounds of half the time.
func look(plan *results.Plan) {
	plan.Cells = slices.DeleteFunc(plan.Cells, func(c bench.Cell) bool { return c.Tier != bench.Judged })
	for i := range plan.Cells {
		plan.Cells[i].Seconds /= 2
	}
	plan.Rounds = map[bench.Tier]int{bench.Judged: layouts}
}

// cost is the expected life of a fork.
func cost(c bench.Cell) time.Duration {
	return time.Duration((0.15 + c.Startup + 1.1*c.Seconds) * float64(time.Second))
}

func costOf(plans []results.Plan, rounds map[bench.Tier]int) time.Duration {
	var sum time.Duration
	for _, p := range plans {
		for _, c := range p.Cells {
			sum += cost(c) * time.Duration(rounds[c.Tier])
		}
	}
	return sum
}

// turn is one block in one round: its cells in the order of running.
type turn struct {
	experiment string
	round      int
	layout     int
	cells      []bench.Cell
}

// spread chooses n of the rounds 1 to last, with even distances and as many of
// each link layout as if they were the rounds 1 to n.
func spread(n, last int) map[int]bool {
	rounds := map[int]bool{}
	for i := range n {
		layout := i % layouts
		// The last round of that layout that is not after i*last/n.
		rounds[1+layout+layouts*((i*last-layout*n)/(layouts*n))] = true
	}
	return rounds
}

// schedule is the order of everything: in each round the blocks of all
// experiments are shuffled, and the contestants within each, so that no drift
// of the machine favours one of them. A tier with fewer rounds than the run has
// them spread over all of it, for the machine of the first hour is not that of
// the last. It follows from the plan, the number of links and the seed.
func schedule(plans []results.Plan, links int, seed uint64) []turn {
	last := 0
	for _, p := range plans {
		for _, n := range p.Rounds {
			last = max(last, n)
		}
	}
	due := make([]map[bench.Tier]map[int]bool, len(plans))
	for i, p := range plans {
		due[i] = map[bench.Tier]map[int]bool{}
		for tier, n := range p.Rounds {
			due[i][tier] = spread(n, last)
		}
	}
	var turns []turn
	for round := 1; round <= last; round++ {
		rng := rand.New(rand.NewPCG(seed, uint64(round)))
		var these []turn
		for i, p := range plans {
			byBlock := map[bench.Block]int{}
			for _, c := range p.Cells {
				if !due[i][c.Tier][round] {
					continue
				}
				at, ok := byBlock[c.Block]
				if !ok {
					at = len(these)
					byBlock[c.Block] = at
					these = append(these, turn{experiment: p.Experiment, round: round, layout: 1 + (round-1)%links})
				}
				these[at].cells = append(these[at].cells, c)
			}
		}
		rng.Shuffle(len(these), func(i, j int) { these[i], these[j] = these[j], these[i] })
		for _, t := range these {
			rng.Shuffle(len(t.cells), func(i, j int) { t.cells[i], t.cells[j] = t.cells[j], t.cells[i] })
		}
		turns = append(turns, these...)
	}
	return turns
}
