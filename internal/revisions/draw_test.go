package revisions

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"hotpath/internal/stats"
)

// drawn checks that the last line of an output says where a chart is, or that no heat
// counts, and that this is so.
func drawn(t *testing.T, out, dir string) {
	t.Helper()
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	last := lines[len(lines)-1]
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	if last == "no chart: no heat counts" {
		if len(files) > 0 {
			t.Errorf("%q beside %q", last, files)
		}
		return
	}
	light, dark, ok := strings.Cut(strings.TrimPrefix(last, "chart: "), ", and for dark pages ")
	if !ok || len(files) != 2 {
		t.Fatalf("last line %q beside %q", last, files)
	}
	for _, file := range []string{light, filepath.Join(filepath.Dir(light), dark)} {
		if svg, err := os.ReadFile(file); err != nil || !bytes.Contains(svg, []byte("</svg>")) {
			t.Errorf("%s: %v\n%.100s", file, err, svg)
		}
	}
}

// trialOf is a trial of these sides that ended with an outcome for each benchmark.
func trialOf(a, b string, outcomes ...Outcome) *trial {
	tr := &trial{sources: &sources{trees: [2]tree{{name: a}, {name: b}}}, meter: &heats{}, o: Options{Threshold: 0.02}}
	for i, o := range outcomes {
		c := &contest{margin: 0.02, looks: 1, seen: 12, outcome: o, ratio: stats.Interval{Estimate: 1 + float64(i+1)/10, Low: 1.01, High: 1.9, N: 12, Level: 0.99}}
		for range 12 {
			c.ratios, c.controls = append(c.ratios, 1.1), append(c.controls, 1)
		}
		tr.entries = append(tr.entries, &entry{benchmark: benchmark{name: strings.Repeat("X", i+1)}, units: []string{"ns/op"}, contests: []*contest{c}, heats: 12})
	}
	return tr
}

func TestFinding(t *testing.T) {
	for want, tr := range map[string]*trial{
		"the work tree is slower than HEAD in 2 of 3 benchmarks, by a factor of up to 1.300":         trialOf("HEAD", ".", Slower, Open, Slower),
		"b is slower than a in 1 of 2 benchmarks, by a factor of up to 1.100; it is faster in 1":     trialOf("a", "b", Slower, Faster),
		"cannot tell in 1 of 3 benchmarks whether v2 is slower than v1; it is faster in 1":           trialOf("v1", "v2", Open, Faster, Alike),
		"HEAD is slower than the work tree in none of 1 benchmark":                                   trialOf(".", "HEAD", Alike),
		"the work tree is slower than HEAD in none of 2 benchmarks; it is faster in 2":               trialOf("HEAD", ".", Faster, Faster),
		"the work tree is slower than the work tree in 1 of 1 benchmark, by a factor of up to 1.100": trialOf(".", ".", Slower),
		"cannot tell in 2 of 2 benchmarks whether the work tree is slower than the work tree":        trialOf(".", ".", Open, Open),
		"b is slower than a in 1 of 4 benchmarks, by a factor of up to 1.200; it is faster in 2":     trialOf("a", "b", Faster, Slower, Faster, Open),
	} {
		if got := tr.finding(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// A chart lies in the folder that was asked for, whatever the sides are called, and
// one that cannot be written leaves nothing and one line.
func TestDraw(t *testing.T) {
	for name, want := range map[string]string{
		"HEAD~1":                    `^\d{8}T\d{6}Z-compare-head-1-the-work-tree-light\.svg$`,
		"../../<script>\n\x1b[31m'": `^\d{8}T\d{6}Z-compare-script-31m-the-work-tree-light\.svg$`,
		"ветка":                     `^\d{8}T\d{6}Z-compare-the-work-tree-light\.svg$`,
	} {
		dir := filepath.Join(t.TempDir(), "charts")
		line := trialOf(name, ".", Slower, Alike).draw(dir)
		drawn(t, line, dir)
		light, _, _ := strings.Cut(strings.TrimPrefix(line, "chart: "), ",")
		if !regexp.MustCompile(want).MatchString(filepath.Base(light)) {
			t.Errorf("%q: the chart is %s", name, light)
		}
		svg, err := os.ReadFile(light)
		if err != nil || !bytes.Contains(svg, []byte("<title>the work tree is slower than ")) || bytes.Contains(svg, []byte("<script")) || bytes.Contains(svg, []byte("\x1b")) {
			t.Errorf("%q: %v\n%.400s", name, err, svg)
		}
	}

	dir := filepath.Join(t.TempDir(), "charts")
	early := trialOf("HEAD", ".", Open)
	early.entries[0].contests = nil
	drawn(t, early.draw(dir), dir)
	if err := os.WriteFile(dir, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if line := trialOf("HEAD", ".", Slower).draw(dir); !strings.HasPrefix(line, "no chart: mkdir ") || strings.Contains(line, "\n") {
		t.Errorf("in a file: %q", line)
	}
}
