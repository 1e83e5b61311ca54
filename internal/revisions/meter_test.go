package revisions

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"hotpath/internal/bench"
	"hotpath/internal/results"
)

// A lap counts where both turns were kept and tell the unit.
func TestOverLaps(t *testing.T) {
	turn := func(fork int, wall, server int64, unmet bench.GateSet) results.Turn {
		return results.Turn{Fork: fork, Ops: 10, Wall: wall, Server: server, Unmet: unmet}
	}
	spoilt := bench.GateSet(0).With(bench.GateSteal)
	laps := []results.Lap{
		{N: 1, Turns: []results.Turn{turn(1, 100, 50, 0), turn(2, 150, 50, 0)}},
		{N: 2, Turns: []results.Turn{turn(2, 900, 50, spoilt), turn(1, 100, 50, 0)}},
		{N: 3, Turns: []results.Turn{turn(2, 900, 50, 0), turn(1, 100, 50, spoilt)}},
		{N: 4, Turns: []results.Turn{turn(1, 100, 50, 0)}},
		{N: 5, Turns: []results.Turn{turn(3, 700, 50, 0), turn(2, 300, 0, 0), turn(1, 100, 50, 0)}},
	}
	if got := overLaps(laps, 2, 1, bench.TimePerOp); !slices.Equal(got, []float64{1.5, 3}) {
		t.Errorf("time: %v", got)
	}
	if got := overLaps(laps, 2, 1, bench.ServerCPU); !slices.Equal(got, []float64{1}) {
		t.Errorf("server: %v", got)
	}
}

func TestFigureOf(t *testing.T) {
	two := []float64{2, 2, 2}
	one := []float64{1, 1, 1}
	for _, c := range []struct {
		ratios, controls []float64
		least            int
		want             bool
	}{
		{two, one, 3, true}, {two, one, 4, false}, {two, one[:2], 3, false}, {two[:2], one, 3, false}, {nil, nil, 0, false},
		{[]float64{math.NaN(), 1, 1}, one, 3, false}, {two, []float64{0, 1, 1}, 3, false},
	} {
		f, ok := figureOf("ns/op", c.ratios, c.controls, c.least)
		if ok != c.want || ok && (f.ratio != 2 || f.control != 1 || f.unit != "ns/op") {
			t.Errorf("%v, %v, least %d: %+v, %v", c.ratios, c.controls, c.least, f, ok)
		}
	}
}

func TestPairUp(t *testing.T) {
	x, y, z := benchmark{"p", "one", "X"}, benchmark{"p", "one", "Y"}, benchmark{"q", "one", "X"}
	l := pairUp([2][]benchmark{{y, x}, {x, z, y}})
	if !slices.Equal(l.common, []benchmark{y, x}) || !slices.Equal(l.only, []string{"only in B: q X@one"}) {
		t.Errorf("%+v", l)
	}
	l = pairUp([2][]benchmark{{x}, {z}})
	if len(l.common) != 0 || !slices.Equal(l.only, []string{"only in A: p X@one", "only in B: q X@one"}) {
		t.Errorf("%+v", l)
	}
}

// What a test binary prints is read by the name of the benchmark; other lines are
// passed over.
func TestSampleOfCalls(t *testing.T) {
	out := func(ns float64) string {
		return fmt.Sprintf("goos: linux\nBenchmarkSetup prints this\nBenchmarkX/a-2  \t     100\t  7 ns/op\nBenchmarkX/ab-2  \t     100\t  %v ns/op\t 8 B/op\nPASS\n", ns)
	}
	b := benchmark{name: "X/ab-2"}
	laps := [][]string{{out(10), out(20), out(10)}, {out(20), out(44), out(22)}, {out(5), out(10), out(5)}}
	s, err := sampleOfCalls(b, laps)
	if err != nil || s.failed != "" || len(s.figures) != 1 {
		t.Fatalf("%+v, %v", s, err)
	}
	if f := s.figures[0]; f.unit != "ns/op" || f.ratio < 2 || f.ratio > 2.2 || f.control < 1 || f.control > 1.1 {
		t.Errorf("%+v", f)
	}
	if len(s.a) != 3 || len(s.b) != 3 || s.b[1][0].Value != 44 || s.b[1][1].Unit != "B/op" {
		t.Errorf("results %+v, %+v", s.a, s.b)
	}
	for name, bad := range map[string]string{"a call printed no result of it": "PASS\n", "it prints no ns/op": "BenchmarkX/ab-2\t1\t5 MB/s\n"} {
		if s, err := sampleOfCalls(b, [][]string{{out(1), bad, out(1)}}); err != nil || s.failed != name || len(s.figures) > 0 {
			t.Errorf("%q: %+v, %v", bad, s, err)
		}
	}
}
