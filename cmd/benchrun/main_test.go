package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hotpath/internal/bench"
	"hotpath/internal/results/synthetic"
)

// Claims that the benchmarks cannot decide, or that cannot be read, are refused, and
// an experiment without claims is none the worse.
func TestCheckClaims(t *testing.T) {
	const block = "BenchmarkAdd/mode=sample/threads=2@numcpu"
	const sound = `[[claim]]
id = "x"
kind = "less"
text = "b is faster"
source = "a paper"
metric = "mean-latency-ns"
block = "` + block + `"
baseline = "a"
candidate = "b"
`
	cells := synthetic.Cells(block, bench.Judged, "a", "b", "a_again")
	for name, c := range map[string]struct{ claims, want string }{
		"none":             {"", ""},
		"sound":            {sound, ""},
		"contestant":       {strings.Replace(sound, `"b"`, `"c"`, 1), `claims.toml: claim "x" is about the contestant "c"`},
		"metric":           {strings.Replace(sound, "mean-latency-ns", "furlongs", 1), "claims.toml:6"},
		"id missing":       {strings.Replace(sound, `id = "x"`, "", 1), "claims.toml:1: claim.id: missing"},
		"block not there":  {strings.Replace(sound, "threads=2", "threads=3", 1), "which no benchmark has"},
		"no file of words": {"\x00", "claims.toml:1"},
	} {
		dir := t.TempDir()
		if c.claims != "" {
			if err := os.WriteFile(filepath.Join(dir, "claims.toml"), []byte(c.claims), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if err := checkClaims(dir, cells); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}
