package results_test

import (
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"

	"hotpath/internal/bench"
	"hotpath/internal/results"
	"hotpath/internal/results/synthetic"
)

// The heats of number 1 of small.
const thrpt, sample, fixed = 0, 1, 2

// fork changes a fork of a heat.
func fork(heat, fork int, change func(f *results.ForkRecord)) func([]results.Record) {
	return func(rs []results.Record) { change(&rs[heat].Forks[fork]) }
}

// everywhere changes every fork.
func everywhere(change func(f *results.ForkRecord)) func([]results.Record) {
	return func(rs []results.Record) {
		for i := range rs {
			for j := range rs[i].Forks {
				change(&rs[i].Forks[j])
			}
		}
	}
}

// result changes the line of the first fork of a heat.
func result(heat int, old, new string) func([]results.Record) {
	return fork(heat, 0, func(f *results.ForkRecord) { f.Result = strings.Replace(f.Result, old, new, 1) })
}

// turn changes the first turn of the second lap.
func turn(change func(*results.Turn)) func([]results.Record) {
	return func(rs []results.Record) { change(&rs[thrpt].Laps[1].Turns[0]) }
}

var contradictions = map[string]struct {
	change func([]results.Record)
	want   string // in both errors
	at     string // in Load's
}{

	"ops of kept turns":      {turn(func(t *results.Turn) { t.Ops++ }), "operations,", "counter.txt:"},
	"ops are missing":        {result(thrpt, " ops", " turns"), "operations,", "counter.txt:"},
	"samples":                {fork(sample, 1, func(f *results.ForkRecord) { f.Hlog = f.GatedHlog }), "samples in the histogram", "counter.hlog:"},
	"gated samples":          {fork(sample, 1, func(f *results.ForkRecord) { f.GatedHlog = f.Hlog }), "samples in the histogram", "counter.hlog:"},
	"no histogram":           {fork(sample, 1, func(f *results.ForkRecord) { f.Hlog, f.GatedHlog = "", "" }), "fork 5: no histogram", "counter.hlog"},
	"no kept histogram":      {fork(sample, 1, func(f *results.ForkRecord) { f.Hlog = "" }), "no histogram of its operations", "counter.hlog"},
	"a histogram too many":   {fork(thrpt, 0, func(f *results.ForkRecord) { f.Hlog = "0,0,0,AAAA" }), "its mode is", "counter.hlog:"},
	"no histogram's text":    {fork(sample, 1, func(f *results.ForkRecord) { f.Hlog = "0,0,0,AAAA" }), "fork 5: ", "counter.hlog:"},
	"gated ops":              {fork(thrpt, 0, func(f *results.ForkRecord) { f.GatedResult = f.Result }), "operations,", "counter.txt:"},
	"gated without a turn":   {fork(thrpt, 2, func(f *results.ForkRecord) { f.GatedResult = f.Result }), "no gated turn", "counter.forks.jsonl:3"},
	"no result":              {fork(thrpt, 0, func(f *results.ForkRecord) { f.Result = "" }), "a result belongs to them", "counter.forks.jsonl:1"},
	"another cell's result":  {result(thrpt, "impl=atomic", "impl=longadder"), "the result is of BenchmarkAdd/impl=longadder", "counter.txt:"},
	"not a number":           {result(thrpt, "\t1\t", "\t1\tNaN cpu-ns/op\t"), "fork 1: ", "counter.txt:"},
	"a negative number":      {result(thrpt, "\t1\t", "\t1\t-4 cpu-ns/op\t"), "no measurement", "counter.txt:"},
	"a unit not declared":    {result(thrpt, "cpu-ns/op", "cpu-ns/o"), `unit "cpu-ns/o" is not declared`, "counter.txt:"},
	"a unit that is markup":  {fork(thrpt, 0, func(f *results.ForkRecord) { f.Units = []string{"Unit <img> assume=nothing"} }), "unit ", "counter."},
	"another configuration":  {everywhere(func(f *results.ForkRecord) { f.Config = []string{"host: me"} }), "configuration", "counter."},
	"a configuration hidden": {everywhere(func(f *results.ForkRecord) { f.Config = []string{"cpu: \u202ex"} }), "configuration", "counter."},
	"a control in a result":  {result(thrpt, "\t1\t", "\t1\v\t"), "fork 1: ", "counter.txt:"},

	"a failed fork's result": {fork(thrpt, 0, func(f *results.ForkRecord) { f.Fork.State = bench.Failed }), "failed and has a result", "counter.forks.jsonl:1"},
	"a state":                {fork(thrpt, 0, func(f *results.ForkRecord) { f.Fork.State = "<img onerror>" }), "in state", "counter.forks.jsonl:1"},
	"kept":                   {fork(thrpt, 0, func(f *results.ForkRecord) { f.Fork.Kept++ }), "turns kept", "counter.forks.jsonl:1"},
	"gated":                  {fork(thrpt, 0, func(f *results.ForkRecord) { f.Fork.Gated = -1 }), "turns kept", "counter.forks.jsonl:1"},
	"turns enough":           {fork(4, 1, func(f *results.ForkRecord) { f.Fork.Enough = true }), "fork 12 counts with 5 turns, fewer than 8", "counter.forks.jsonl:12"},
	"another range":          {fork(4, 0, func(f *results.ForkRecord) { f.Hlog = inRange(f.Hlog, 1e9, 3) }), "forks 4 and 11 of", "counter."},
	"usage":                  {fork(thrpt, 0, func(f *results.ForkRecord) { f.Fork.Usage.Wall = -1 }), "used", "counter.forks.jsonl:1"},
	"another heat":           {fork(thrpt, 0, func(f *results.ForkRecord) { f.Fork.Heat = 2 }), "", "counter."},
	"another block's cell":   {fork(thrpt, 2, func(f *results.ForkRecord) { f.Fork.Cell.Reading = bench.One }), "is not in the plan of block", "counter.forks.jsonl:3"},
	"a cell twice":           {func(rs []results.Record) { rs[thrpt].Forks[2].Fork.Cell = rs[thrpt].Forks[0].Fork.Cell }, "a second fork of", "counter.forks.jsonl:3"},
	"words of the complete":  {fork(thrpt, 0, func(f *results.ForkRecord) { f.Fork.Tail = "x" }), "last words", "counter.forks.jsonl:1"},

	"a turn of nobody":    {turn(func(t *results.Turn) { t.Fork = 99 }), "fork 99 is not of heat 1", "counter.turns.csv.gz:5"},
	"two turns in a lap":  {func(rs []results.Record) { l := rs[thrpt].Laps[1].Turns; l[1].Fork = l[0].Fork }, "a second turn of fork", "counter.turns.csv.gz:6"},
	"no operation":        {turn(func(t *results.Turn) { t.Ops = 0 }), "no turn", "counter.turns.csv.gz:5"},
	"too many operations": {turn(func(t *results.Turn) { t.Ops = 1e15 }), "no turn", "counter.turns.csv.gz:5"},
	"laps out of order":   {func(rs []results.Record) { rs[thrpt].Laps[1].N = 1; rs[thrpt].Laps[0].N = 2 }, "lap 1 after lap 2", "counter.turns.csv.gz:5"},
	"lap 10^15":           {func(rs []results.Record) { rs[thrpt].Laps[8].N = 1e15 }, "lap 1000000000000000", "counter.turns.csv.gz:26"},
	"a probe":             {func(rs []results.Record) { rs[thrpt].Laps[1].Before.Got = -2 }, "a probe of -2", "counter.turns.csv.gz:5"},
	"heap in disorder":    {fork(fixed, 0, func(f *results.ForkRecord) { f.Heap = []string{"2,1,0", "1,1,0"} }), "1 ms comes after 2 ms", "counter.heap.csv:3"},
	"heap without a result": {fork(thrpt, 0, func(f *results.ForkRecord) {
		f.Fork.State, f.Result, f.GatedResult, f.Heap = bench.Failed, "", "", []string{"1,1,0"}
	}), "and no result", "counter.forks.jsonl:1"},

	"a block not planned": {func(rs []results.Record) { rs[thrpt].Heat.Block.Reading = bench.One }, "is not in the plan", "counter.heats.jsonl:1"},
	"a part too many":     {func(rs []results.Record) { rs[thrpt].Heat.Part = 3 }, "part 3 of", "counter.heats.jsonl:1"},
	"heat 0":              {func(rs []results.Record) { rs[thrpt].Heat.Number = 0 }, "heat number 0", "counter.heats.jsonl:1"},
	"heat 10^15":          {func(rs []results.Record) { rs[thrpt].Heat.Number = 1e15 }, "of 2 planned", "counter.heats.jsonl:1"},
	"a heat twice":        {func(rs []results.Record) { rs[3].Heat.Number = 1 }, "heat 4 is the second with number 1", "counter.heats.jsonl"},
	"seconds":             {func(rs []results.Record) { rs[thrpt].Heat.Seconds = -1 }, "-1 seconds", "counter.heats.jsonl:1"},
	"a layout":            {func(rs []results.Record) { rs[thrpt].Heat.Layout = -1 }, "layout -1", "counter.heats.jsonl:1"},
	"a window":            {func(rs []results.Record) { rs[thrpt].Heat.Windows[0].Steal = -7 }, "window", "counter.heats.jsonl:1"},
	"why it ended":        {func(rs []results.Record) { rs[thrpt].Heat.Incomplete = "\x1b[31m" }, "is no text", "counter.heats.jsonl:1"},
	"a heat is missing":   {func(rs []results.Record) { rs[5].Heat.ID = 7; refer(&rs[5]) }, "heat 7 where 6 is next", "counter.heats.jsonl"},
	"a fork is missing":   {func(rs []results.Record) { renumber(&rs[5], 14, 15) }, "fork 15 where 14 is next", "counter.heats.jsonl"},
}

// A run whose checksums all fit can still contradict itself, when a program wrote
// it wrongly. Commit refuses what Load does: one says which fork, the other where.
func TestContradictions(t *testing.T) {
	for name, c := range contradictions {
		t.Run(name, func(t *testing.T) {
			run := synthetic.Run(synthetic.Manifest(), small())
			records := synthetic.Records(run)
			c.change(records)
			_, root := newRoot(t)
			if err := results.SealUnchecked(root, "run", run.Manifest, records); err != nil {
				t.Fatal(err)
			}
			_, err := results.Load(root, "run")
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "results/run/"+c.at) {
				t.Errorf("Load: %v, want %q at %q", err, c.want, c.at)
			}
			if err := commitAll(t, root, run.Manifest, records); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("Commit: %v, want %q", err, c.want)
			}
		})
	}
}

// inRange is an interval of as many samples in a histogram of another range.
func inRange(interval string, highest int64, digits int) string {
	encoded := interval[strings.LastIndexByte(interval, ',')+1:]
	h, err := hdrhistogram.Decode([]byte(encoded))
	if err != nil {
		panic(err)
	}
	other := hdrhistogram.New(1, highest, digits)
	other.RecordValues(50, h.TotalCount())
	data, err := other.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	if err != nil {
		panic(err)
	}
	return strings.TrimSuffix(interval, encoded) + string(data)
}

// What the files cannot hold is not committed.
func TestUnspeakable(t *testing.T) {
	for want, change := range map[string]func(r *results.Record){
		"gates 10000000":    func(r *results.Record) { r.Laps[0].Turns[0].Unmet = 1 << 7 },
		"lap 9 has no turn": func(r *results.Record) { r.Laps[8].Turns = nil },
		"NaN":               func(r *results.Record) { r.Laps[0].Before.HandOff = math.NaN() },
		"NaN seconds":       func(r *results.Record) { r.Heat.Seconds = math.NaN() },
	} {
		run := synthetic.Run(synthetic.Manifest(), small())
		records := synthetic.Records(run)
		change(&records[0])
		_, root := newRoot(t)
		check(t, want, commitAll(t, root, run.Manifest, records), want)
	}
}

// refer has the forks of a heat name it.
func refer(r *results.Record) {
	for i := range r.Forks {
		r.Forks[i].Fork.Heat = r.Heat.ID
	}
}

// renumber gives a fork another number.
func renumber(r *results.Record, from, to int) {
	for i := range r.Forks {
		if r.Forks[i].Fork.ID == from {
			r.Forks[i].Fork.ID = to
		}
	}
	for _, l := range r.Laps {
		for i := range l.Turns {
			if l.Turns[i].Fork == from {
				l.Turns[i].Fork = to
			}
		}
	}
}

// commitAll commits to a new run until an error.
func commitAll(t *testing.T, root *os.Root, m results.Manifest, records []results.Record) error {
	t.Helper()
	p, err := results.Create(root, "other", m)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for _, r := range records {
		if err := p.Commit(r); err != nil {
			return err
		}
	}
	return nil
}

// A manifest that a program wrote wrongly.
func TestManifests(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*results.Manifest)
		want   string
	}{
		"no plan":         {func(m *results.Manifest) { m.Plan = nil }, "names no experiment"},
		"experiment":      {func(m *results.Manifest) { m.Plan[0].Experiment = "../x" }, "letters, digits"},
		"planned twice":   {func(m *results.Manifest) { m.Plan = append(m.Plan, m.Plan[0]) }, "planned twice"},
		"cell twice":      {func(m *results.Manifest) { m.Plan[0].Cells = append(m.Plan[0].Cells, m.Plan[0].Cells[0]) }, "planned twice"},
		"10^15 heats":     {func(m *results.Manifest) { m.Plan[0].Heats[bench.Judged] = 1e15 }, "heats of tier"},
		"-1 heats":        {func(m *results.Manifest) { m.Plan[0].Heats[bench.Judged] = -1 }, "heats of tier"},
		"a tier":          {func(m *results.Manifest) { m.Plan[0].Heats["<b>"] = 1 }, "heats of tier"},
		"10^15 laps":      {func(m *results.Manifest) { m.Plan[0].Cells[0].Laps = 1e15 }, "laps"},
		"turns of a cell": {func(m *results.Manifest) { m.Plan[0].Cells[0].Turn.Millis = 7 }, "has other turns"},
		"twin":            {func(m *results.Manifest) { m.Plan[0].Cells[2].Twin = "<script>" }, "twin"},
		"about":           {func(m *results.Manifest) { m.Plan[0].Cells[0].About = "\u200b" }, "no text"},
		"environment":     {func(m *results.Manifest) { m.Plan[0].Cells[0].Env = map[string]string{"A B": ""} }, "environment"},
		"CPU":             {func(m *results.Manifest) { m.Machine.CPU = "x\x1b[2J" }, "no text"},
		"CPUs":            {func(m *results.Manifest) { m.Machine.CPUs = -2 }, "-2 CPUs"},
		"a fact":          {func(m *results.Manifest) { m.Go[0].Value = strings.Repeat("x", 2000) }, "no text"},
		"revision":        {func(m *results.Manifest) { m.Revision = "javascript:alert(1)" }, "revision"},
		"claims of none":  {func(m *results.Manifest) { m.Claims = map[string]string{"x": strings.Repeat("0", 64)} }, "claims of"},
		"claims' sum":     {func(m *results.Manifest) { m.Claims = map[string]string{"counter": "0"} }, "claims of"},
	} {
		m := synthetic.Run(synthetic.Manifest(), small()).Manifest
		m.Go = slices.Clone(m.Go)
		c.change(&m)
		_, root := newRoot(t)
		if _, err := results.Create(root, "run", m); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: Create: %v, want %q", name, err, c.want)
		}
		dir, root := sealed(t)
		all := files(t, dir)
		full := load(t, root).Manifest
		c.change(&full)
		all[results.ManifestName].Data = results.Encode(full)
		if _, err := results.LoadFiles(all); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: Load: %v, want %q", name, err, c.want)
		}
	}
}
