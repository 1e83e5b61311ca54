package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"hotpath/internal/results"
)

// reported is what a contestant's forks print in a block, by unit, in the order
// of the line.
type reported []struct {
	unit  string
	value float64
}

// block is a block of the synthetic run of several experiments.
type block struct {
	experiment string
	name       string // with %s for the contestant
	reading    results.Reading
	tier       results.Tier
	cells      []struct {
		impl string
		role results.Role
		of   reported
	}
}

func (b *block) add(impl string, role results.Role, of reported) {
	b.cells = append(b.cells, struct {
		impl string
		role results.Role
		of   reported
	}{impl, role, of})
}

// severalBlocks are blocks of every kind that the two experiments have.
func severalBlocks() []*block {
	sample := &block{experiment: "multihistogram", name: "BenchmarkRecord/impl=%s/mode=sample/histograms=5/threads=2", reading: results.PerThread, tier: results.Judged}
	thrpt := &block{experiment: "multihistogram", name: "BenchmarkRecord/impl=%s/mode=thrpt/histograms=5/threads=2", reading: results.NumCPU, tier: results.Peers}
	for _, r := range []struct {
		impl        string
		role        results.Role
		ns, error   float64
		heap, snaps float64
	}{
		{"floor", results.Floor, 20, 0, 0, 0},
		{"fastlong", results.Published, 900, 0.02, 4200, 8100},
		{"hdratomic", results.Published, 470, 0.0005, 270000, 91000},
		{"fastlong_again", results.Control, 900, 0.02, 4200, 8100},
		{"set", results.Ours, 80, 0.0005, 49000, 31000},
		{"hdrgo3", results.Peer, 640, 0.0005, 270000, 190000},
	} {
		of := reported{{"ns/op", r.ns}, {"ns/update", r.ns / 10}, {"B/op", 0}}
		if r.error > 0 {
			of = append(of, reported{{"p50-error", r.error / 2}, {"p99-error", r.error}, {"p99.9-error", r.error * 2}, {"p99.99-error", r.error * 3},
				{"B/histogram", r.heap}, {"snapshot-ns", r.snaps}, {"snapshot-allocs", 0}, {"snapshot-B", 0}}...)
		}
		thrpt.add(r.impl, r.role, of)
		if r.role != results.Ours && r.role != results.Peer {
			sample.add(r.impl, r.role, reported{{"mean-latency-ns", r.ns}, {"p50-latency-ns", r.ns * 0.9}, {"p99-latency-ns", r.ns * 3}})
		}
	}
	fixed := &block{experiment: "ipc", name: "BenchmarkEcho/impl=%s/mode=fixed/procs=1/gogc=800", reading: results.NumCPU, tier: results.Judged}
	var twos []*block
	for _, load := range []string{"conns=16/depth=1", "conns=1/depth=1", "conns=1/depth=8"} {
		twos = append(twos, &block{experiment: "ipc", name: "BenchmarkEcho/impl=%s/mode=thrpt/procs=2/" + load, reading: results.NumCPU, tier: results.Peers})
	}
	open := &block{experiment: "ipc", name: "BenchmarkEcho/impl=%s/mode=open/procs=2/conns=16/rate=4000", reading: results.NumCPU, tier: results.Peers}
	for _, p := range []struct {
		impl              string
		role              results.Role
		real, server      float64
		copied, allocated float64
	}{
		{"floor", results.Floor, 0, 31e3, 0, 0},
		{"before", results.Published, 0.43, 141e3, 410956, 554e3},
		{"after", results.Published, 0.40, 109e3, 308162, 246e3},
		{"pooled", results.Ours, 0.11, 34e3, 0, 0},
		{"before_again", results.Control, 0.43, 141e3, 410956, 554e3},
		{"grpc", results.Peer, 0, 420e3, -1, -1},
	} {
		if p.real > 0 {
			fixed.add(p.impl, p.role, reported{{"real-sec", p.real}, {"user-sec", p.real * 1.04}, {"sys-sec", 0.17 * p.real / 0.4}, {"cpu-sec", p.real * 1.4},
				{"gc-share", p.allocated / 5e6}, {"gc-pause-p99-ns", 92e3}, {"gc-pause-max-ns", 410e3}, {"peak-heap-B", 4e6 + 8*p.allocated}, {"B/op", 2e5 + p.allocated}})
		}
		of := reported{{"ns/op", p.server * 1.3}, {"server-cpu-ns/op", p.server}, {"server-B/op", max(0, p.allocated*1.4)}, {"server-gc-share", max(0, p.allocated) / 5e6}, {"writes/op", 1}, {"reads/op", 2}}
		if p.copied >= 0 {
			of = append(of, reported{{"copied-B/op", p.copied}, {"path-alloc-B/op", p.allocated}}...)
		}
		for _, two := range twos {
			two.add(p.impl, p.role, of)
		}
		open.add(p.impl, p.role, reported{{"mean-latency-ns", p.server * 3}, {"achieved-rate", 4000}, {"p50-service-ns", p.server * 2}, {"p50-latency-ns", p.server * 2.5},
			{"p99-service-ns", p.server * 4}, {"p99-latency-ns", p.server * 9}})
	}
	return append([]*block{sample, thrpt, fixed, open}, twos...)
}

// several writes a run of two experiments below dir. All of it follows from a
// fixed seed.
func several(t *testing.T, dir string) {
	t.Helper()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	const rounds = 15
	m := results.Manifest{
		Start:    time.Date(2026, 11, 30, 9, 12, 0, 0, time.UTC),
		Machine:  results.Machine{CPU: "Test CPU", CPUs: 2},
		Revision: "0123abc", Seed: 7, Budget: "30m", Layouts: 3, Attempts: 3, Patience: 1,
		Gates: results.Gates{Foreign: 0.05, Steal: 0.01, Parallelism: 0.95, HandOff: 0.7}, Distance: 240,
		Claims: map[string]string{},
	}
	type measured struct {
		experiment string
		cell       results.Cell
		of         reported
	}
	var all []measured
	blocks := severalBlocks()
	for _, name := range []string{"multihistogram", "ipc"} {
		claims, err := os.ReadFile(filepath.Join(experimentsDir, name, "claims.toml"))
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(claims)
		m.Claims[name] = hex.EncodeToString(sum[:])
		plan := results.Plan{Experiment: name, Rounds: map[results.Tier]int{results.Judged: rounds, results.Peers: rounds}}
		for _, b := range blocks {
			if b.experiment != name {
				continue
			}
			for _, c := range b.cells {
				bench := fmt.Sprintf(b.name, c.impl)
				cell := results.Cell{Name: bench, Reading: b.reading, Threads: 2, Role: c.role, Seconds: 0.5, Tier: b.tier, Block: results.BlockOf(bench, b.reading)}
				plan.Cells = append(plan.Cells, cell)
				all = append(all, measured{name, cell, c.of})
			}
		}
		m.Plan = append(m.Plan, plan)
	}
	p, err := results.Create(root, "20261130T0912Z-test-2cpu", m)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(3, 4))
	id := 0
	for round := 1; round <= rounds; round++ {
		for _, c := range all {
			id++
			if err := p.Commit(severalRecord(t, id, round, c.experiment, c.cell, c.of, rng)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := p.Seal(m.Start.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
}

func severalRecord(t *testing.T, id, round int, experiment string, cell results.Cell, of reported, rng *rand.Rand) results.Record {
	t.Helper()
	r := results.Record{
		Experiment: experiment,
		Fork:       results.Fork{ID: id, Cell: cell.Key(), Round: round, Order: 1, Layout: 1 + (round-1)%3, Attempt: 1, State: results.Complete},
		Config:     []string{"goos: linux", "cpu: Test CPU"},
	}
	noise := 1 + 0.01*rng.NormFloat64()
	ops := 2500
	line := []string{cell.Name + "-2", "1"}
	for _, v := range of {
		line = append(line, fmt.Sprintf("%.6g %s", v.value*noise, v.unit))
		if v.unit != "ns/op" && v.unit != "B/op" {
			r.Units = append(r.Units, "Unit "+v.unit+" assume=nothing")
		}
	}
	if cell.Mode() == "sample" {
		h := hdrhistogram.New(1, int64(time.Hour), 3)
		ops = 500
		for range ops {
			if err := h.RecordValue(int64(of[0].value * noise * (0.7 + rng.ExpFloat64()*0.3))); err != nil {
				t.Fatal(err)
			}
		}
		var log bytes.Buffer
		if err := hdrhistogram.NewHistogramLogWriter(&log).OutputIntervalHistogram(h); err != nil {
			t.Fatal(err)
		}
		r.Hlog = strings.TrimSpace(log.String())
	}
	if cell.Mode() == "fixed" {
		for i := range 20 {
			r.Heap = append(r.Heap, fmt.Sprintf("%.3f,%d,%d", 5*float64(i), 2_000_000+i%4*700_000, i/4))
		}
	}
	r.Units = append(r.Units, "Unit ops assume=nothing")
	r.Result = strings.Join(append(line, fmt.Sprintf("%d ops", ops)), "\t")
	return r
}

func TestSeveralExperiments(t *testing.T) {
	dir := t.TempDir()
	several(t, dir)
	files := build(t, Options{Results: dir, Experiments: experimentsDir, Dir: filepath.Dir(dir)})
	compareGolden(t, dir, files, "several.golden.md")
	kinds := []string{"forest", "percentiles", "latency", "heap", "accuracy", "throughput", "ratios", "ladder", "costs", "sequence"}
	for _, kind := range kinds {
		if !slices.ContainsFunc(files.names(), func(name string) bool { return strings.Contains(name, "-"+kind+"-") }) {
			t.Errorf("no chart of kind %s", kind)
		}
	}
	text := string(files[reportName])
	for _, name := range files.names() {
		if name != reportName && !strings.Contains(text, name) {
			t.Errorf("the report does not show %s", name)
		}
	}
}
