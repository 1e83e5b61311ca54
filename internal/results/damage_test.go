package results_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"hotpath/internal/bench"
	"hotpath/internal/results"
	"hotpath/internal/results/synthetic"
)

// tiny is a run with a file of each kind and next to nothing in them.
func tiny(t testing.TB) (dir string, root *os.Root) {
	t.Helper()
	dir, root = newRoot(t)
	e := small()
	e.Cells = slices.DeleteFunc(e.Cells, func(c bench.Cell) bool { return c.Impl() != "longadder" || c.Mode() == bench.Throughput })
	for i := range e.Cells {
		e.Cells[i].Laps = 2
	}
	e.Heats = 1
	e.Unmet = func(c bench.Cell, heat, lap int) bench.GateSet { return bench.GateSet(lap - 1) }
	run := synthetic.Run(synthetic.Manifest(), e)
	records := synthetic.Records(run)
	for i := range records {
		for j := range records[i].Forks {
			f := &records[i].Forks[j]
			if f.Hlog != "" {
				f.Hlog, f.GatedHlog = inRange(f.Hlog, 1000, 1), inRange(f.GatedHlog, 1000, 1)
			}
			f.Units = []string{
				"Unit cpu-ns/op better=lower assume=nothing", "Unit real-sec better=lower assume=nothing", "Unit ops assume=nothing",
				"Unit mean-latency-ns better=lower assume=nothing", "Unit cpu-sec assume=nothing", "Unit workers-run assume=nothing", "Unit turns assume=nothing",
			}
			for _, p := range bench.Percentiles {
				f.Units = append(f.Units, "Unit "+bench.Latency(p).Name+" assume=nothing")
			}
		}
	}
	p, err := results.Create(root, "run", run.Manifest)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for _, r := range records {
		if err := p.Commit(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Seal(run.Manifest.End); err != nil {
		t.Fatal(err)
	}
	return dir, root
}

// soak says to try what takes minutes: every bit, and every byte of a full disk.
var soak = os.Getenv("HOTPATH_SOAK") != ""

// variants calls try with every truncation of a file, and with its every byte
// changed in a bit: in each of the eight where all is set.
func variants(whole []byte, all bool, try func(damaged []byte)) {
	for i := range whole {
		try(whole[:i])
		for bit := range 8 {
			if all || bit == i%8 {
				changed := slices.Clone(whole)
				changed[i] ^= 1 << bit
				try(changed)
			}
		}
	}
	try(append(slices.Clone(whole), '\n'))
	try(append(slices.Clone(whole), whole...))
}

// files are those of a run's folder.
func files(t testing.TB, dir string) fstest.MapFS {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "run", "*.*"))
	if err != nil {
		t.Fatal(err)
	}
	all := fstest.MapFS{}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all[filepath.Base(name)] = &fstest.MapFile{Data: data}
	}
	return all
}

// Any change to any file is refused, and the file named. With a manifest whose
// checksums fit the damage, what is read must still be what was measured.
func TestDamage(t *testing.T) {
	dir, root := tiny(t)
	whole := load(t, root)
	all := files(t, dir)
	if len(all) != 7 {
		t.Fatalf("%d files, want one of each kind", len(all))
	}
	for name, intact := range all {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run := maps.Clone(all)
			n := 0
			variants(intact.Data, soak, func(damaged []byte) {
				n++
				run[name] = &fstest.MapFile{Data: damaged}
				if _, err := results.LoadFiles(run); err == nil || !strings.Contains(err.Error(), name) {
					t.Errorf("%q: loaded, or another file named: %v", context(damaged, intact.Data), err)
				}
				if name == results.ManifestName {
					return
				}
				run[results.ManifestName] = &fstest.MapFile{Data: results.Resum(run)}
				start := time.Now()
				got, err := results.LoadFiles(run)
				took := time.Since(start)
				run[results.ManifestName] = all[results.ManifestName]
				switch {
				case err == nil && !reflect.DeepEqual(got.Experiments, whole.Experiments):
					t.Errorf("%q: loaded as another run", context(damaged, intact.Data))
				case err == nil && !meaningless(name, damaged, intact.Data):
					t.Errorf("%q: loaded as if nothing were", context(damaged, intact.Data))
				case err != nil && !strings.Contains(err.Error(), "results/run/counter."):
					t.Errorf("%q: the error names no file: %v", context(damaged, intact.Data), err)
				case took > 2*time.Second:
					t.Errorf("%q: took %v", context(damaged, intact.Data), took)
				}
			})
			t.Logf("%d variants of %d bytes", n, len(intact.Data))
		})
	}
	t.Run("turns, before they are compressed", func(t *testing.T) {
		t.Parallel()
		const name = "counter.turns.csv.gz"
		run := maps.Clone(all)
		content, err := results.Decompress(all[name].Data)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		variants(content, soak, func(damaged []byte) {
			n++
			data, err := results.Compress(damaged)
			if err != nil {
				t.Fatal(err)
			}
			run[name] = &fstest.MapFile{Data: data}
			run[results.ManifestName] = &fstest.MapFile{Data: results.Resum(run)}
			if _, err := results.LoadFiles(run); err == nil || !strings.Contains(err.Error(), "results/run/counter.") {
				t.Errorf("%q: %v", context(damaged, content), err)
			}
			run[results.ManifestName] = all[results.ManifestName]
		})
		t.Logf("%d variants of %d bytes", n, len(content))
	})
}

// meaningless reports whether two compressed files hold the same between their
// header and their end: some bits there fill it up.
func meaningless(name string, a, b []byte) bool {
	if !strings.HasSuffix(name, ".gz") || len(a) != len(b) || !bytes.Equal(a[:10], b[:10]) {
		return false
	}
	content := func(data []byte) []byte {
		r, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			return nil
		}
		all, err := io.ReadAll(r)
		if err != nil {
			return nil
		}
		return all
	}
	return content(a) != nil && bytes.Equal(content(a), content(b))
}

// context is where two files differ.
func context(a, b []byte) []byte {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	return bytes.TrimSpace(a[max(0, i-30):min(len(a), i+30)])
}
