package bench

import (
	"math"
	"testing"
)

func TestTurnGates(t *testing.T) {
	busy := TurnConditions{Busy: 1.99, Possible: 2, Workers: 2, CPUs: 2}
	parks := TurnConditions{Busy: 0.3, Workers: 1, CPUs: 2, Probes: []Probe{{50, 1.99}, {50, 1.99}}}
	with := func(c TurnConditions, change func(*TurnConditions)) TurnConditions { change(&c); return c }
	for _, c := range []struct {
		name string
		turn TurnConditions
		want string
	}{
		{"busy", busy, ""},
		{"at the limit", with(busy, func(c *TurnConditions) { c.Busy = 1.9 }), ""},
		{"a CPU was taken", with(busy, func(c *TurnConditions) { c.Busy = 1.5 }), "p"},
		{"CPU not visible", with(busy, func(c *TurnConditions) { c.Busy = math.NaN() }), "p"},
		{"busy, whatever the probes got", with(busy, func(c *TurnConditions) { c.Probes = []Probe{{50, 1}} }), ""},
		{"parks", parks, ""},
		{"a probe after it got one CPU", with(parks, func(c *TurnConditions) { c.Probes = []Probe{{50, 1.99}, {50, 1.2}} }), "c"},
		{"a probe that is not visible", with(parks, func(c *TurnConditions) { c.Probes = []Probe{{Unseen, Unseen}} }), "c"},
		{"few workers in a short turn", with(busy, func(c *TurnConditions) { c.Workers = 1 }), ""},
		{"few workers in a turn for all", with(busy, func(c *TurnConditions) { c.Workers, c.Threads = 30, 32 }), "w"},
		{"all but one worker in a turn for all", with(busy, func(c *TurnConditions) { c.Workers, c.Threads = 31, 32 }), ""},
		{"two at once", with(busy, func(c *TurnConditions) { c.Busy, c.Threads = 0, 32 }), "pw"},
	} {
		if got := DefaultThresholds.Turn(c.turn).String(); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// A run that does not name the limit of the workers was held to all of them.
func TestAllWorkers(t *testing.T) {
	before := DefaultThresholds
	before.Workers = 0
	for workers, want := range map[int]string{31: "w", 32: ""} {
		if got := before.Turn(TurnConditions{Busy: 2, Possible: 2, Workers: workers, Threads: 32}).String(); got != want {
			t.Errorf("%d of 32: %q, want %q", workers, got, want)
		}
	}
}

func TestBesideGates(t *testing.T) {
	for _, c := range []struct {
		noise Noise
		want  string
	}{
		{Noise{Foreign: 0.05, Steal: 0.01, Parked: 0.005}, ""},
		{Noise{Foreign: 0.051}, "f"},
		{Noise{Steal: 0.011}, "s"},
		{Noise{Parked: 0.0051}, "k"},
		{Noise{Foreign: Unseen, Steal: math.NaN(), Parked: 1}, "fsk"},
	} {
		if got := DefaultThresholds.Beside(c.noise).String(); got != c.want {
			t.Errorf("%+v: %q, want %q", c.noise, got, c.want)
		}
	}
}

func TestGateSet(t *testing.T) {
	for s := range GateSet(1) << gates {
		back, err := ParseGateSet(s.String())
		if err != nil || back != s {
			t.Errorf("%08b is %q, which is %08b (%v)", s, s, back, err)
		}
	}
	for _, letters := range []string{"x", "ff", "f ", "\x00"} {
		if _, err := ParseGateSet(letters); err == nil {
			t.Errorf("%q is taken", letters)
		}
	}
}

func TestPlacement(t *testing.T) {
	for handOff, want := range map[float64]Placement{Unseen: Nowhere, 0: Near, 79.9: Near, 80: Between, 149.9: Between, 150: Far, 1e4: Far} {
		if got := DefaultThresholds.Placement(handOff); got != want {
			t.Errorf("%v ns: %q, want %q", handOff, got, want)
		}
	}
}
