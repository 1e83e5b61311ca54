package host

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"hotpath/internal/bench"
)

// machine unpacks testdata/<name>.txt, a proc and sys tree in which each file
// follows a line "-- path --". Process 1 is this process.
func machine(t *testing.T, name string) tree {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	return unpack(t, string(data))
}

func unpack(t *testing.T, text string) tree {
	t.Helper()
	dir := t.TempDir()
	header := regexp.MustCompile(`(?m)^-- (.+) --\n`)
	found := header.FindAllStringSubmatchIndex(text, -1)
	for i, m := range found {
		end := len(text)
		if i+1 < len(found) {
			end = found[i+1][0]
		}
		file := filepath.Join(dir, text[m[2]:m[3]])
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text[m[1]:end]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(dir, "proc"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("1", filepath.Join(dir, "proc", "self")); err != nil {
		t.Fatal(err)
	}
	return tree(dir)
}

func TestFingerprint(t *testing.T) {
	for _, c := range []struct {
		machine string
		cpus    int // of the process's affinity
		want    int // usable
		facts   map[string]string
	}{
		{"metal", 4, 2, map[string]string{
			"scheduled on":           "4 of 4 CPUs",
			"cpu limit":              "1.5 CPUs", // of a parent: stricter than its own
			"topology":               "sockets 1, cores 2, threads 4",
			"caches":                 "L1d 48K for 2 CPUs, L1i 32K for 2 CPUs, L2 1280K for 2 CPUs, L3 12288K for 4 CPUs, line 64",
			"governor":               "performance, powersave",
			"turbo":                  "on",
			"transparent huge pages": "always",
			"clocksource":            "hpet",
			"memory":                 "16.0 GiB",
			"swap":                   "2.0 GiB, used 1.0 GiB",
			"isolated cpus":          "2-3",
			"load average at start":  "3.10 2.20 1.05",
		}},
		{"vm", 2, 2, map[string]string{
			"scheduled on":           "2 of 2 CPUs",
			"cpu limit":              "none",
			"topology":               "sockets 1, cores 2, threads 2",
			"governor":               bench.NotVisible,
			"turbo":                  bench.NotVisible,
			"transparent huge pages": "madvise",
			"clocksource":            "tsc",
			"memory":                 "23.5 GiB",
			"swap":                   "none",
			"isolated cpus":          "none",
			"load average at start":  "0.02 0.10 0.08",
		}},
		{"container", 3, 3, map[string]string{
			"scheduled on":           "3 of 8 CPUs",
			"cpu limit":              "2.5 CPUs",
			"governor":               bench.NotVisible,
			"turbo":                  "on",
			"transparent huge pages": bench.NotVisible,
			"clocksource":            bench.NotVisible,
			"memory":                 bench.NotVisible,
			"swap":                   bench.NotVisible,
			"isolated cpus":          bench.NotVisible,
			"load average at start":  bench.NotVisible,
		}},
	} {
		m := fingerprint(machine(t, c.machine), c.cpus)
		if m.CPUs != c.want {
			t.Errorf("%s: %d CPUs usable, want %d", c.machine, m.CPUs, c.want)
		}
		got := map[string]string{}
		for _, f := range m.Facts {
			got[f.Name] = f.Value
		}
		for name, want := range c.facts {
			if got[name] != want {
				t.Errorf("%s: %s = %q, want %q", c.machine, name, got[name], want)
			}
		}
	}
}

// A machine without proc and sys, as on other systems, has the same facts by
// name, and none is empty.
func TestFingerprintOfNothing(t *testing.T) {
	full, bare := fingerprint(machine(t, "metal"), 4), fingerprint(tree(t.TempDir()), 4)
	if bare.CPUs != 4 || bare.CPU == "" {
		t.Errorf("CPU %q, %d CPUs", bare.CPU, bare.CPUs)
	}
	if len(bare.Facts) != len(full.Facts) {
		t.Fatalf("%d facts, want %d", len(bare.Facts), len(full.Facts))
	}
	for i, f := range bare.Facts {
		if f.Name != full.Facts[i].Name || f.Value == "" {
			t.Errorf("fact %d: %q = %q, want a value for %q", i, f.Name, f.Value, full.Facts[i].Name)
		}
	}
}

// What the fingerprint publishes must not tell whose machine it is.
func TestFingerprintIsAnonymous(t *testing.T) {
	private := []string{}
	if name, err := os.Hostname(); err == nil && len(name) > 3 {
		private = append(private, name)
	}
	if dir, err := os.Getwd(); err == nil {
		private = append(private, dir)
	}
	if user := os.Getenv("USER"); len(user) > 3 {
		private = append(private, user)
	}
	m := Fingerprint()
	for _, f := range append(m.Facts, bench.Fact{Name: "cpu", Value: m.CPU}) {
		for _, p := range private {
			if strings.Contains(f.Value, p) {
				t.Errorf("%s tells %q", f.Name, p)
			}
		}
	}
}

func TestModelFromNumbers(t *testing.T) {
	if got := machine(t, "container").cpuinfo(); !strings.HasSuffix(got, " implementer 0x41 part 0xd0c") {
		t.Errorf("cpuinfo() = %q", got)
	}
}

func TestSlug(t *testing.T) {
	for _, c := range []struct {
		cpu  string
		cpus int
		want string
	}{
		{"Intel(R) Xeon(R) Processor @ 2.60GHz", 2, "xeon-2cpu"},
		{"Intel(R) Xeon(R) Platinum 8375C CPU @ 2.90GHz", 64, "xeon-platinum-8375c-64cpu"},
		{"12th Gen Intel(R) Core(TM) i7-1260P", 16, "core-i7-1260p-16cpu"},
		{"AMD EPYC", 2, "epyc-2cpu"},
		{"AMD EPYC 7B13 64-Core Processor", 8, "epyc-7b13-8cpu"},
		{"AMD Ryzen 9 5950X 16-Core Processor", 32, "ryzen-9-5950x-32cpu"},
		{"Apple M1", 8, "apple-m1-8cpu"},
		{"arm64 implementer 0x41 part 0xd0c", 4, "arm64-0x41-0xd0c-4cpu"},
		{"QEMU Virtual CPU version 2.5+", 1, "qemu-version-2-5-1cpu"},
		{"../../etc <script>é\x00", 1, "etc-script-1cpu"},
		{strings.Repeat("long", 30), 1, strings.Repeat("long", 8) + "-1cpu"},
		{"", 3, "cpu-3cpu"},
	} {
		if got := Slug(c.cpu, c.cpus); got != c.want {
			t.Errorf("Slug(%q, %d) = %q, want %q", c.cpu, c.cpus, got, c.want)
		}
	}
}

func TestCPULimit(t *testing.T) {
	for _, c := range []struct {
		name, text string
		limit      float64
		visible    bool
	}{
		{"no cgroup file", "", 0, false},
		{"hierarchy not mounted", "-- proc/1/cgroup --\n0::/a\n", 0, false},
		{"version 2, no limit file in the root", "-- proc/1/cgroup --\n0::/\n-- sys/fs/cgroup/cgroup.procs --\n", 0, true},
		{"version 2, own", "-- proc/1/cgroup --\n0::/a\n-- sys/fs/cgroup/cgroup.procs --\n-- sys/fs/cgroup/a/cpu.max --\n50000 100000\n", 0.5, true},
		{"path outside the view", "-- proc/1/cgroup --\n0::/../..\n-- sys/fs/cgroup/cgroup.procs --\n-- sys/fs/cgroup/cpu.max --\n200000 100000\n", 2, true},
		{"nonsense", "-- proc/1/cgroup --\n0::/\n-- sys/fs/cgroup/cgroup.procs --\n-- sys/fs/cgroup/cpu.max --\nmany\n", 0, true},
		{"period of zero", "-- proc/1/cgroup --\n0::/\n-- sys/fs/cgroup/cgroup.procs --\n-- sys/fs/cgroup/cpu.max --\n1 0\n", 0, true},
	} {
		limit, visible := unpack(t, c.text).cpuLimit()
		if limit != c.limit || visible != c.visible {
			t.Errorf("%s: limit %v, visible %v; want %v, %v", c.name, limit, visible, c.limit, c.visible)
		}
	}
}

func TestUsable(t *testing.T) {
	for _, c := range []struct {
		cpus  int
		limit float64
		want  int
	}{{4, 0, 4}, {4, 8, 4}, {4, 2, 2}, {4, 1.5, 2}, {4, 0.5, 1}} {
		if got := usable(c.cpus, c.limit); got != c.want {
			t.Errorf("usable(%d, %v) = %d, want %d", c.cpus, c.limit, got, c.want)
		}
	}
}
