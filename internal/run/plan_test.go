package run

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"hotpath/internal/bench"
	"hotpath/internal/results"
)

// block makes the cells of a block: a baseline, its control, a peer to beat, and
// so many others.
func block(name string, others int, tier bench.Tier) []bench.Cell {
	var cells []bench.Cell
	add := func(impl string, role bench.Role, twin string, rival bool) {
		c := bench.Cell{
			Name:    bench.NewName(name, bench.Param{Key: "impl", Value: impl}, bench.Param{Key: "mode", Value: "thrpt"}),
			Reading: bench.NumCPU, Threads: 2, Role: role, Twin: twin, Rival: rival, Tier: tier,
			Turn: bench.TurnLength{Millis: 10}, Laps: 20,
		}
		c.Block = c.ID().Block()
		cells = append(cells, c)
	}
	add("floor", bench.Floor, "", false)
	add("base", bench.Published, "", false)
	for i := range others {
		add(fmt.Sprintf("other%d", i), bench.Ours, "", false)
	}
	add("rival", bench.Peer, "", true)
	add("base_again", bench.Control, "base", false)
	return cells
}

func impls(cells []bench.Cell) []string {
	var names []string
	for _, c := range cells {
		names = append(names, c.Impl())
	}
	return names
}

// Each part has the baseline, its control and the peer to beat; together they
// have every contestant once, and no part is larger than a heat may be.
func TestParts(t *testing.T) {
	for others := range 40 {
		cells := block("BenchmarkX", others, bench.Peers)
		seen := map[string]int{}
		ps := parts(cells)
		for _, p := range ps {
			names := impls(p)
			if len(p) > most {
				t.Errorf("%d others: a part of %d", others, len(p))
			}
			for _, anchor := range []string{"base", "base_again", "rival"} {
				if !slices.Contains(names, anchor) {
					t.Errorf("%d others: the part %q lacks %s", others, names, anchor)
				}
			}
			for _, n := range names {
				seen[n]++
			}
		}
		for _, c := range cells {
			want := 1
			if c.Impl() == "base" || c.Impl() == "base_again" || c.Impl() == "rival" {
				want = len(ps)
			}
			if seen[c.Impl()] != want {
				t.Errorf("%d others: %s is in %d parts of %d, want %d", others, c.Impl(), seen[c.Impl()], len(ps), want)
			}
		}
	}
}

// Heats of every part are as many as planned, numbered in their order, and
// spread over the run.
func TestSchedule(t *testing.T) {
	plans := []results.Plan{{
		Experiment: "e",
		Cells:      slices.Concat(block("BenchmarkJ", 2, bench.Judged), block("BenchmarkP", 12, bench.Peers)),
		Heats:      map[bench.Tier]int{bench.Judged: 15, bench.Peers: 6},
	}}
	heats := schedule(plans, layouts, 1)
	places := map[slot][]int{}
	last := map[slot]int{}
	for i, h := range heats {
		key := slot{h.experiment, h.block(), h.part, 0, 0}
		if h.number != last[key]+1 {
			t.Errorf("heat %d of %v comes after %d", h.number, key, last[key])
		}
		last[key] = h.number
		places[key] = append(places[key], i)
		if h.layout != 1+(h.number-1)%layouts {
			t.Errorf("heat %d has layout %d", h.number, h.layout)
		}
	}
	for key, at := range places {
		want := plans[0].Heats[bench.Peers]
		if key.block.Benchmark == "BenchmarkJ" {
			want = plans[0].Heats[bench.Judged]
		}
		if len(at) != want {
			t.Errorf("%v has %d heats, want %d", key, len(at), want)
		}
		for i := 1; i < len(at); i++ {
			if gap := at[i] - at[i-1]; gap > 2*len(heats)/want+2 {
				t.Errorf("%v: %d heats lie between two of its", key, gap)
			}
		}
	}
	if len(places) != 4 {
		t.Errorf("%d parts, want one judged and three of peers", len(places))
	}
}

// A budget buys the judged heats of a verdict before more of the others.
func TestAllot(t *testing.T) {
	plans := []results.Plan{{Experiment: "e", Cells: slices.Concat(block("BenchmarkJ", 2, bench.Judged), block("BenchmarkP", 3, bench.Peers))}}
	of := func(heats map[bench.Tier]int) time.Duration {
		return costOf([]results.Plan{{Cells: plans[0].Cells, Heats: heats}})
	}
	judged, peers := of(map[bench.Tier]int{bench.Judged: 1}), of(map[bench.Tier]int{bench.Peers: 1})
	budget := func(j, p int) time.Duration {
		return time.Duration(float64(judged*time.Duration(j)+peers*time.Duration(p))/planned) + time.Second
	}
	for _, want := range [][2]int{{3, 0}, {3, 3}, {12, 3}, {12, 6}, {15, 6}, {15, 9}, {24, 12}} {
		if err := allot(plans, budget(want[0], want[1])); err != nil {
			t.Error(err)
		}
		if got := plans[0].Heats; got[bench.Judged] < want[0] || got[bench.Peers] < want[1] {
			t.Errorf("a budget for %v buys %v", want, got)
		}
	}
	if err := allot(plans, time.Second); err == nil {
		t.Error("a budget of a second is enough")
	}
	long := results.Plan{Experiment: "long", Cells: block("BenchmarkL", 2, bench.Judged)}
	for i := range long.Cells {
		long.Cells[i].Laps *= 100
	}
	both := []results.Plan{long, plans[0]}
	if err := allot(both, budget(24, 24)+150*judged*6); err != nil {
		t.Error(err)
	}
	if l, s := both[0].Heats[bench.Judged], both[1].Heats[bench.Judged]; l < 6 || s < 24 {
		t.Errorf("%d long heats and %d short ones: what is left goes to what fits it", l, s)
	}
}

func TestSpread(t *testing.T) {
	for last := 1; last <= 60; last++ {
		for n := 1; n <= last; n++ {
			rounds := spread(n, last)
			if len(rounds) != n {
				t.Fatalf("%d of %d rounds: chose %d", n, last, len(rounds))
			}
			number := 0
			for round := 1; round <= last; round++ {
				if rounds[round] > 0 {
					number++
					if rounds[round] != number {
						t.Fatalf("%d of %d rounds: number %d in round %d", n, last, rounds[round], round)
					}
				}
			}
		}
	}
}
