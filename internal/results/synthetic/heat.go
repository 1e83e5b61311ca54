package synthetic

import (
	"math"
	"slices"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"hotpath/internal/bench"
	"hotpath/internal/results"
)

// cpus is how many a made-up machine has.
const cpus = 2

// builder numbers heats and forks over a run.
type builder struct {
	start        time.Time // of the next heat
	layouts      int
	heat, forkID int
}

// heats are those of an experiment, which its blocks take turns in.
func (b *builder) heats(e Experiment) []*results.Heat {
	of := map[bench.Block][][]bench.Cell{} // by part
	var blocks []bench.Block
	for _, c := range e.Cells {
		if of[c.Block] == nil {
			blocks = append(blocks, c.Block)
		}
		parts := []int{0}
		if e.Parts != nil {
			parts = e.Parts(c)
		}
		for _, p := range parts {
			for len(of[c.Block]) <= p {
				of[c.Block] = append(of[c.Block], nil)
			}
			of[c.Block][p] = append(of[c.Block][p], c)
		}
	}
	var heats []*results.Heat
	for number := 1; number <= e.Heats; number++ {
		for _, block := range blocks {
			for part, cells := range of[block] {
				heats = append(heats, b.one(e, cells, part, number))
			}
		}
	}
	return heats
}

// one is a heat of the cells.
func (b *builder) one(e Experiment, cells []bench.Cell, part, number int) *results.Heat {
	b.heat++
	h := &results.Heat{
		ID: b.heat, Block: cells[0].Block, Part: part, Number: number, Start: b.start,
		Layout:  (number - 1) % max(b.layouts, 1),
		Windows: []bench.Noise{{Wall: 2, Foreign: 0.01}},
	}
	for _, c := range cells {
		b.forkID++
		f := &results.Fork{ID: b.forkID, Cell: c.ID(), Heat: h.ID, Start: b.start, State: bench.Complete}
		if e.State != nil {
			f.State = e.State(c, number)
		}
		if f.State != bench.Complete {
			f.Tail = "panic: made up"
		}
		h.Forks = append(h.Forks, f)
		h.Seconds += float64(c.Laps) * c.Turn.Expected()
	}
	b.start = b.start.Add(time.Duration(h.Seconds * 1e9))
	for lap := 1; lap <= cells[0].Laps; lap++ {
		if l := e.lap(h, cells, number, lap); len(l.Turns) > 0 {
			h.Laps = append(h.Laps, l)
		}
	}
	for i, f := range h.Forks {
		e.finish(f, cells[i], h, number)
	}
	return h
}

// lap has the forks take turns in another order each time.
func (e Experiment) lap(h *results.Heat, cells []bench.Cell, number, lap int) results.Lap {
	handOff := 57.0
	if e.HandOff != nil {
		handOff = e.HandOff(h.Block, number, lap)
	}
	probe := bench.Probe{HandOff: handOff, Got: cpus}
	l := results.Lap{N: lap, Before: probe, After: probe}
	for i := range cells {
		at := (i + lap) % len(cells)
		c, f := cells[at], h.Forks[at]
		if f.State != bench.Complete && lap > c.Laps/2 {
			continue
		}
		t := turn(c, e.Cost(c, number, lap))
		t.Fork = f.ID
		if e.Server != nil {
			t.Server = int64(math.Round(e.Server(c, number, lap) * float64(t.Ops)))
		}
		if e.Unmet != nil {
			t.Unmet = e.Unmet(c, number, lap)
		}
		if t.Kept() {
			f.Kept++
		} else {
			f.Gated++
		}
		l.Turns = append(l.Turns, t)
	}
	return l
}

// turn is one in which an operation costs so many nanoseconds.
func turn(c bench.Cell, cost float64) results.Turn {
	t := results.Turn{Workers: c.Threads}
	atOnce := 1.0 // operations
	if timed(c) {
		atOnce = float64(c.Threads)
	}
	if t.Ops = int64(c.Turn.Ops); t.Ops == 0 {
		t.Ops = max(1, int64(c.Turn.Millis*1e6*atOnce/cost))
	}
	total := float64(t.Ops) * cost
	t.Wall = max(1, int64(math.Round(total/atOnce)))
	t.CPU = t.Wall * int64(min(c.Threads, c.Reading.Procs(c.Threads, cpus), cpus))
	if timed(c) {
		t.Latency = int64(math.Round(total))
	}
	return t
}

// timed reports whether each operation of the cell is.
func timed(c bench.Cell) bool { return c.Mode() == bench.Sample || c.Mode() == bench.Open }

// finish gives a fork what it tells at its end.
func (e Experiment) finish(f *results.Fork, c bench.Cell, h *results.Heat, number int) {
	f.Enough = f.Kept >= c.Turn.LeastTurns()
	var kept, gated results.Turn
	for _, l := range h.Laps {
		if t, ok := l.Turn(f.ID); ok && t.Kept() {
			add(&kept, t)
		} else if ok {
			add(&gated, t)
		}
	}
	f.Usage = bench.Usage{Wall: h.Seconds, User: float64(kept.CPU+gated.CPU) / 1e9}
	if f.State != bench.Complete || kept.Ops == 0 {
		return
	}
	if timed(c) {
		f.Hist = Latencies(float64(kept.Latency)/float64(kept.Ops), kept.Ops)
	}
	if e.Metrics != nil {
		f.Metrics = e.Metrics(c, number)
	}
	for _, m := range metrics(c, kept, f) {
		if !slices.ContainsFunc(f.Metrics, func(n results.Metric) bool { return n.Unit == m.Unit }) {
			f.Metrics = append(f.Metrics, m)
		}
	}
	if e.Heap != nil {
		f.Heap = e.Heap(c, number)
	}
}

func add(sum *results.Turn, t results.Turn) {
	sum.Ops += t.Ops
	sum.Wall += t.Wall
	sum.CPU += t.CPU
	sum.Latency += t.Latency
}

// metrics follow from the kept turns of a fork.
func metrics(c bench.Cell, kept results.Turn, f *results.Fork) []results.Metric {
	var ms []results.Metric
	put := func(u bench.Unit, v float64) { ms = append(ms, results.Metric{Value: v, Unit: u.Name}) }
	per := func(sum int64) float64 { return float64(sum) / float64(kept.Ops) }
	switch c.Mode() {
	case bench.Fixed:
		put(bench.Real, float64(kept.Wall)/1e9)
		put(bench.CPUSeconds, float64(kept.CPU)/1e9)
	case bench.Sample, bench.Open:
		put(bench.MeanLatency, per(kept.Latency))
		for _, p := range bench.Percentiles {
			put(bench.Latency(p), float64(f.Hist.ValueAtQuantile(p)))
		}
	default:
		put(bench.TimePerOp, per(kept.Wall))
	}
	put(bench.CPUPerOp, per(kept.CPU))
	put(bench.WorkersRun, float64(c.Threads))
	put(bench.Turns, float64(f.Kept))
	put(bench.Operations, float64(kept.Ops))
	return ms
}

// Latencies is a histogram of n samples of about that mean: a narrow body, and a
// tail that is long where n is large.
func Latencies(mean float64, n int64) *hdrhistogram.Histogram {
	h := hdrhistogram.New(1, 60e9, 3)
	left := n
	for d := 0.0; d < 8 && left > 0; d += 0.02 { // decades above the quantile
		value := mean * (0.75 + 0.4*d)
		if d > 3.2 {
			value += 60 * math.Pow(10, 1.6*(d-3.2)) * math.Pow(mean/50, 0.3)
		}
		count := min(left, int64(math.Ceil(float64(n)*(math.Pow(10, -d)-math.Pow(10, -d-0.02)))))
		if err := h.RecordValues(max(1, int64(value)), count); err != nil {
			panic(err)
		}
		left -= count
	}
	if err := h.RecordValues(max(1, int64(mean)), left); err != nil {
		panic(err)
	}
	return h
}
