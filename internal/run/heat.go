package run

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"time"

	"hotpath/internal/bench"
	"hotpath/internal/host"
	"hotpath/internal/results"
)

// longTurn is from when on the machine may be another one after a turn than it
// was before, so that a probe belongs between two turns.
const longTurn = 0.05

// hampered is after how many windows of a machine in use a heat may be broken off.
const hampered = 2

// heat is forks that are alive side by side.
type heat struct {
	*Conductor
	contestants []Contestant
	breakOff    bool // where the machine is in use
	forks       []*fork
	laps        []results.Lap
	windows     []bench.Noise
	since       host.Reading // when the window began
	judged      int          // laps of the windows that have ended
	last        bench.Probe
	broken      string // why it ended before its laps, if it did
}

// gather starts the forks in an order that is shuffled, since what memory a process
// gets depends on those before it. They have the numbers from first on, in the order
// of the contestants. The last of these that do not fit into the memory beside the
// others are left out.
func (h *heat) gather(ctx context.Context, first int) error {
	forks := make([]*fork, len(h.contestants))
	for _, i := range rand.Perm(len(forks)) {
		f, err := startFork(ctx, h.contestants[i], h.scratch)
		if err != nil {
			return err
		}
		if f.alive() && f.ready.Most > h.memory {
			f.fail(bench.Failed, fmt.Errorf("needs %d MiB of memory, and a heat may hold %d MiB", f.ready.Most>>20, h.memory>>20))
		}
		forks[i] = f
		h.forks = append(h.forks, f) // to be ended if the next one cannot start
		h.leaveOut(forks)
	}
	h.forks = slices.DeleteFunc(forks, func(f *fork) bool { return f == nil })
	for i, f := range h.forks {
		f.ID = first + i
	}
	return nil
}

// leaveOut ends the last of the forks until the others fit into the memory.
func (h *heat) leaveOut(forks []*fork) {
	held := int64(0)
	for i, f := range forks {
		if f == nil || !f.alive() {
			continue
		}
		if held += f.ready.Most; held > h.memory {
			held -= f.ready.Most
			f.kill()
			forks[i] = nil
		}
	}
}

// disperse ends the forks that have not ended.
func (h *heat) disperse() {
	for _, f := range h.forks {
		select {
		case <-f.exited:
		default:
			f.kill()
		}
	}
}

// planned is how many laps the heat has, but for those that make up for gated ones.
func (h *heat) planned() int { return h.contestants[0].Cell.Laps }

// run holds the laps that are planned, and those that are to make up for gated
// ones.
func (h *heat) run(ctx context.Context) error {
	planned := h.planned()
	h.last = h.prober.Probe()
	h.openWindow()
	for lap := 1; lap <= planned && h.anyAlive(); lap++ {
		if err := h.lap(ctx, lap); err != nil {
			return err
		}
		if h.windowLasts() && h.timeOf(planned-lap) >= h.gates.Window {
			h.closeWindow()
			if h.breakOff && len(h.windows) == hampered && h.inUse() {
				h.broken = "the machine was in use: broken off, and held again later"
				return nil
			}
			h.openWindow()
		}
	}
	h.closeWindow()
	if h.breakOff && h.inUse() {
		h.broken = "the machine was in use: held again later"
		return nil
	}
	for extra := planned / 2; extra > 0 && h.dirty() > 0; { // of forks that are alive
		h.openWindow()
		for n := min(max(h.dirty(), h.lapsOf(h.gates.Window)), extra); n > 0 && h.anyAlive(); n, extra = n-1, extra-1 {
			if err := h.lap(ctx, len(h.laps)+1); err != nil {
				return err
			}
		}
		h.closeWindow()
	}
	return nil
}

// taken is a turn with what its gates look at.
type taken struct {
	results.Turn
	fork          *fork
	busy          float64
	before, after bench.Probe
}

// lap is a turn of each fork in an order that is shuffled anew, between two
// probes; long turns have probes of their own.
func (h *heat) lap(ctx context.Context, n int) error {
	lap := results.Lap{N: n, Before: h.last}
	order := slices.DeleteFunc(slices.Clone(h.forks), func(f *fork) bool { return !f.alive() })
	rand.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	var turns []taken
	for _, f := range order {
		t, busy, err := f.turn(ctx, h.cpus)
		if err != nil {
			return err
		}
		now := taken{Turn: t, fork: f, busy: busy, before: h.last}
		if long := f.cell.Turn.Expected() > longTurn; long {
			h.last = h.prober.Probe()
			now.after = h.last
		}
		if f.alive() {
			turns = append(turns, now)
		}
	}
	if order[0].cell.Turn.Expected() <= longTurn {
		h.last = h.prober.Probe()
	}
	lap.After = h.last
	for _, t := range turns {
		if t.fork.cell.Turn.Expected() <= longTurn {
			t.after = lap.After
		}
		t.Unmet = h.gates.Turn(h.conditions(t))
		lap.Turns = append(lap.Turns, t.Turn)
	}
	h.laps = append(h.laps, lap)
	return nil
}

func (h *heat) conditions(t taken) bench.TurnConditions {
	cell := t.fork.cell
	c := bench.TurnConditions{Busy: t.busy, Workers: t.Workers, Probes: []bench.Probe{t.before, t.after}, CPUs: h.cpus}
	if !cell.Parks {
		c.Possible = min(cell.Threads, cell.Reading.Procs(cell.Threads, runtime.NumCPU()), h.cpus)
	}
	if cell.Mode() == bench.Sample && cell.Reading == bench.PerThread {
		c.Threads = cell.Threads
	}
	return c
}

func (h *heat) anyAlive() bool { return slices.ContainsFunc(h.forks, (*fork).alive) }

func (h *heat) fork(id int) *fork {
	for _, f := range h.forks {
		if f.ID == id {
			return f
		}
	}
	return nil
}

// dirty is how many of the fork's turns that fared worst were gated.
func (h *heat) dirty() int {
	gated := map[int]int{}
	for _, lap := range h.laps {
		for _, t := range lap.Turns {
			if !t.Kept() {
				gated[t.Fork]++
			}
		}
	}
	worst, extra := 0, len(h.laps)-h.planned()
	for id, n := range gated {
		if h.fork(id).alive() {
			worst = max(worst, n-extra)
		}
	}
	return worst
}

// timeOf is the expected time of so many laps in seconds, and lapsOf how many
// laps so many seconds hold.
func (h *heat) timeOf(laps int) float64 {
	lap := lapCost
	for _, f := range h.forks {
		if f.alive() {
			lap += turnCost + f.cell.Turn.Expected()
		}
	}
	return lap * float64(laps)
}

func (h *heat) lapsOf(seconds float64) int { return int(seconds/h.timeOf(1)) + 1 }

// openWindow begins a window of laps, while all forks are stopped.
func (h *heat) openWindow() {
	h.since = h.observer.Read()
	for _, f := range h.forks {
		if f.alive() {
			f.rested, _ = f.clock()
		}
		f.parked, f.used = 0, 0
	}
}

func (h *heat) windowLasts() bool { return time.Since(h.since.At()).Seconds() >= h.gates.Window }

// closeWindow judges the laps since the window was opened by what was beside
// them, and has the verdicts told to the forks.
func (h *heat) closeWindow() {
	end := h.observer.Read()
	wall := end.At().Sub(h.since.At()).Seconds()
	forks, parked := 0.0, 0.0
	for _, f := range h.forks {
		if f.alive() {
			if now, ok := f.clock(); ok {
				f.parked += now - f.rested
			}
		}
		forks += f.used + f.parked
		parked = max(parked, f.parked/wall)
	}
	noise := h.since.Until(end, forks)
	noise.Parked = parked
	h.windows = append(h.windows, noise)
	unmet := h.gates.Beside(noise)
	for i := range h.laps[h.judged:] {
		lap := &h.laps[h.judged+i]
		for j := range lap.Turns {
			t := &lap.Turns[j]
			t.Unmet |= unmet
			f := h.fork(t.Fork)
			f.waiting = append(f.waiting, t.Kept())
		}
	}
	h.judged = len(h.laps)
}

// inUse reports whether the machine was in use beside every window so far.
func (h *heat) inUse() bool {
	return !slices.ContainsFunc(h.windows, func(n bench.Noise) bool { return h.gates.Beside(n) == 0 })
}

// end has the forks print their results, and makes the heat's record.
func (h *heat) end(ctx context.Context) (results.Record, error) {
	rec := results.Record{Laps: h.laps, Heat: results.Heat{Windows: h.windows, Incomplete: h.broken}}
	for _, f := range h.forks {
		var kept, gated sum
		for _, lap := range h.laps {
			for _, t := range lap.Turns {
				switch {
				case t.Fork != f.ID:
				case t.Kept():
					kept.add(t)
				default:
					gated.add(t)
				}
			}
		}
		f.Kept, f.Gated = kept.turns, gated.turns
		r, err := f.finish(ctx, kept.ops)
		if err != nil {
			return rec, err
		}
		if r.Fork.State == bench.Complete {
			// Which of its workers get a CPU within a short turn is the scheduler's
			// matter: all have started before the first one.
			r.Fork.Enough = kept.turns >= f.cell.Turn.LeastTurns()
			r.GatedResult = gated.line(r.Result)
			if kept.turns == 0 {
				r.Result = ""
			}
		}
		rec.Forks = append(rec.Forks, r)
	}
	return rec, nil
}

// sum is what some turns of a fork measured together.
type sum struct {
	turns                   int
	ops, wall, cpu, latency int64
}

func (s *sum) add(t results.Turn) {
	s.turns++
	s.ops, s.wall, s.cpu, s.latency = s.ops+t.Ops, s.wall+t.Wall, s.cpu+t.CPU, s.latency+t.Latency
}

// line is a result line of turns that do not count, under the name that the
// fork's own line has; none where there is no such turn.
func (s sum) line(result string) string {
	if s.turns == 0 {
		return ""
	}
	per := func(v int64) float64 { return float64(v) / float64(s.ops) }
	figures := []struct {
		value float64
		unit  bench.Unit
	}{{per(s.wall), bench.TimePerOp}, {per(s.cpu), bench.CPUPerOp}}
	if s.latency > 0 {
		figures[0].value, figures[0].unit = per(s.latency), bench.MeanLatency
	}
	name, _, _ := strings.Cut(result, "\t")
	line := name + "\t1"
	for _, f := range figures {
		line += fmt.Sprintf("\t%.6g %s", f.value, f.unit)
	}
	return line + fmt.Sprintf("\t%d %s\t%d %s", s.ops, bench.Operations, s.turns, bench.Turns)
}
