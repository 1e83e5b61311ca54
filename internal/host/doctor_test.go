package host

import (
	"slices"
	"strings"
	"testing"

	"hotpath/internal/bench"
)

func levels(fs []Finding) map[string]Level {
	m := map[string]Level{}
	for _, f := range fs {
		m[f.Check] = f.Level
	}
	return m
}

// Each finding that is not ok says what to do.
func checkAdvice(t *testing.T, fs []Finding) {
	t.Helper()
	for _, f := range fs {
		if f.Level != OK && f.Advice == "" {
			t.Errorf("%s is %s without advice", f.Check, f.Level)
		}
		if f.Value == "" || strings.ContainsAny(f.Value+f.Advice, "\n\t") {
			t.Errorf("%s does not fit on a line: %q, %q", f.Check, f.Value, f.Advice)
		}
	}
}

func TestSettings(t *testing.T) {
	none := func(string) string { return "" }
	for _, c := range []struct {
		machine string
		cpus    int
		env     func(string) string
		want    map[string]Level // others are ok
	}{
		{"vm", 2, none, nil},
		{"vm", 1, none, map[string]Level{"cpus": Unfit}},
		{"vm", 2, func(name string) string {
			if name == "GOMAXPROCS" {
				return "1"
			}
			return ""
		}, map[string]Level{"go environment": Warn}},
		{"metal", 4, none, map[string]Level{
			"container cpu limit": Unfit, "governor": Warn, "turbo": Warn, "swap": Warn, "transparent huge pages": Warn,
		}},
		{"container", 3, none, map[string]Level{"container cpu limit": Unfit, "turbo": Warn}},
		{"container", 2, none, map[string]Level{"turbo": Warn}}, // 2.5 CPUs cannot be used up by 2
	} {
		fs := settings(machine(t, c.machine), c.cpus, c.env)
		checkAdvice(t, fs)
		for check, level := range levels(fs) {
			want := c.want[check]
			if want == "" {
				want = OK
			}
			if level != want {
				t.Errorf("%s on %d CPUs: %s is %s, want %s", c.machine, c.cpus, check, level, want)
			}
		}
	}
}

func TestTurboAdviceFitsTheDriver(t *testing.T) {
	for name, want := range map[string]string{"metal": "echo 1 | sudo tee /" + noTurbo, "container": "echo 0 | sudo tee /" + boost} {
		if f := turboFinding(machine(t, name)); !strings.HasSuffix(f.Advice, want) {
			t.Errorf("%s: %q, want %q", name, f.Advice, want)
		}
	}
}

func TestBehaviour(t *testing.T) {
	quiet := behaviour{
		clocksource: "tsc", clock: 30, cpus: 2,
		quiet:    bench.Noise{Foreign: 0.01},
		loaded:   bench.Noise{Steal: 0.001},
		parallel: 1.99,
	}
	for _, c := range []struct {
		name   string
		change func(*behaviour)
		want   map[string]Level // others are ok
	}{
		{"quiet", func(*behaviour) {}, nil},
		{"foreign within the gate", func(b *behaviour) { b.quiet.Foreign = 0.04 }, map[string]Level{"foreign CPU": Warn}},
		{"foreign", func(b *behaviour) { b.quiet.Foreign = 0.06 }, map[string]Level{"foreign CPU": Unfit}},
		{"steal within the gate", func(b *behaviour) { b.loaded.Steal = 0.008 }, map[string]Level{"steal": Warn}},
		{"steal", func(b *behaviour) { b.loaded.Steal = 0.02 }, map[string]Level{"steal": Unfit}},
		{"one CPU short", func(b *behaviour) { b.parallel = 1.1 }, map[string]Level{"parallelism": Unfit}},
		{"moved", func(b *behaviour) { b.handOffs = []float64{60, 55, 240} }, map[string]Level{"distance of CPUs": Warn}},
		{"late", func(b *behaviour) { b.late = []float64{5e6} }, map[string]Level{"hiccups": Warn}},
		{"slow clock", func(b *behaviour) { b.clock = 200 }, map[string]Level{"clock": Warn}},
		{"very slow clock", func(b *behaviour) { b.clock = 1200 }, map[string]Level{"clock": Unfit}},
		{"unsteady", func(b *behaviour) { b.passes = []float64{10, 12, 12, 12} }, map[string]Level{"calibration": Warn}},
		{"nothing visible", func(b *behaviour) {
			b.quiet, b.loaded, b.parallel = bench.Noise{Foreign: unseen}, bench.Noise{Steal: unseen}, unseen
		}, map[string]Level{"foreign CPU": Unfit, "steal": Unfit, "parallelism": Unfit}},
	} {
		b := quiet
		b.passes = []float64{10, 10, 10.5, 10}
		c.change(&b)
		fs := b.findings()
		checkAdvice(t, fs)
		for check, level := range levels(fs) {
			want := c.want[check]
			if want == "" {
				want = OK
			}
			if level != want {
				t.Errorf("%s: %s is %s, want %s", c.name, check, level, want)
			}
		}
	}
}

func TestBusiest(t *testing.T) {
	before := map[int]process{1: {"init", 100}, 2: {"build", 10}, 3: {"idle", 5}, 4: {"gone", 1}}
	after := map[int]process{1: {"init", 100.03}, 2: {"build", 11}, 3: {"idle", 5}, 5: {"build", 0.5}, 6: {"shell\x1b[31m", 0.5}}
	want := []string{`"build" 75 % of a CPU`, `"shell\x1b[31m" 25 % of a CPU`}
	if got := busiest(before, after, 2); !slices.Equal(got, want) {
		t.Errorf("busiest %q, want %q", got, want)
	}
}
