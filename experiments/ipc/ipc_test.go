package ipc_test

import (
	"errors"
	"fmt"
	"net"
	"os"
	"runtime/debug"
	"strconv"
	"sync/atomic"
	"testing"

	"hotpath/internal/bench"
	"hotpath/internal/contest"
	"hotpath/internal/measure"
)

func TestMain(m *testing.M) {
	if name, ok := os.LookupEnv(serving); ok {
		if err := serveLines(name, os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(measure.Main(m, measure.Suite{Benchmark: "BenchmarkEcho", Cases: cases()}))
}

func BenchmarkEcho(b *testing.B) { measure.Run(b, cases()) }

// cells is how many cells a call carries.
const cells = 10

// The published run warms up for a while and then makes so many calls; fewer
// than the study's, so that many fresh processes fit the time.
const (
	fixedWarmUp = 250
	fixedCalls  = 2500
)

// A turn of so many calls holds several collections of those contestants that
// make garbage.
var (
	work      = bench.TurnLength{Ops: 100, Lead: 10, Takes: 15}
	short     = bench.TurnLength{Millis: 20, LeadIn: 2}
	timed     = bench.TurnLength{Millis: 50, LeadIn: 5}
	scheduled = bench.TurnLength{Millis: 250, LeadIn: 2}
)

// openRate is how many calls a second begin in the open loop: few enough for
// each of its contestants to keep up on average.
const openRate = 500

// shape is everything that a case varies besides the contestant.
type shape struct {
	mode         bench.Mode
	procs        int // processes: server and client in one, or in one each
	conns, depth int
	size         int // bytes of a cell's value
	gogc         int
	rate         int // calls a second (open)
	turn         bench.TurnLength
	laps         int
	tier         bench.Tier
}

// cases lists the published run, and what two processes show.
func cases() []measure.Case {
	var all []measure.Case
	add := func(s shape, systems []system) {
		for _, contestant := range systems {
			if s.depth == 1 || !contestant.oneCall {
				all = append(all, s.of(contestant))
			}
		}
	}
	run := shape{mode: bench.Fixed, procs: 1, conns: 1, depth: 1, size: 10240, gogc: 800, turn: work, laps: 40, tier: bench.Judged}
	add(run, study())
	run.gogc, run.laps, run.tier = 100, 25, bench.Peers
	add(run, study())

	two := shape{mode: bench.Throughput, procs: 2, conns: 1, depth: 1, size: 10240, gogc: 100, turn: short, laps: 14, tier: bench.Peers}
	for _, size := range []int{10240, 100} {
		s := two
		s.size = size
		if size == run.size {
			add(s, in(contest.InLadder))
		} else {
			add(s, in(contest.InLoad))
		}
		s.conns = 16
		add(s, in(contest.InLoad))
		s.conns, s.depth = 1, 8
		add(s, in(contest.InLoad))
	}
	for _, conns := range []int{1, 16} {
		s := two
		s.mode, s.conns, s.turn, s.laps = bench.Sample, conns, timed, 10
		add(s, in(contest.InTimed))
	}
	open := two
	open.mode, open.rate, open.turn, open.laps = bench.Open, openRate, scheduled, 10
	add(open, in(contest.InOpen))
	return all
}

// of is the contestant's case.
func (s shape) of(c system) measure.Case {
	name := fmt.Sprintf("impl=%s/mode=%s/procs=%d/conns=%d/depth=%d/cells=%d/size=%d/gogc=%d",
		c.Name, s.mode, s.procs, s.conns, s.depth, cells, s.size, s.gogc)
	if s.rate > 0 {
		name += fmt.Sprintf("/rate=%d", s.rate)
	}
	m := measure.Case{
		Name:    name,
		Role:    c.Role,
		Twin:    c.Again,
		Rival:   c.Rival,
		About:   c.About,
		Holds:   c.Holds,
		Mode:    s.mode,
		Threads: s.conns * s.depth,
		Batch:   1,
		Ops:     fixedCalls,
		WarmUp:  fixedWarmUp,
		Rate:    float64(s.rate),
		Parks:   true, // callers wait for their answers
		Env:     map[string]string{"GOGC": strconv.Itoa(s.gogc)},
		Runs:    []measure.Placement{{Reading: bench.NumCPU, Tier: s.tier, Turn: s.turn, Laps: s.laps}},
		New: func() measure.Subject {
			subject, err := s.start(c)
			if err != nil {
				panic(err)
			}
			return subject
		},
	}
	if s.procs == 2 {
		m.Runs[0].Startup = 0.1 // of the server's process
	}
	return m
}

// start makes the server and its connections.
func (s shape) start(c system) (measure.Subject, error) {
	debug.SetGCPercent(s.gogc) // as the name says, also where nobody set GOGC
	host := hostHere
	if s.procs == 2 {
		host = hostProcess
	}
	h, err := host(c, s.gogc)
	if err != nil {
		return measure.Subject{}, err
	}
	clients := make([]client, s.conns)
	for i := range clients {
		if clients[i], err = c.dial(h.addr, s.depth); err != nil {
			return measure.Subject{}, errors.Join(err, h.end())
		}
	}
	e := newEcho(studyText, cells, s.size, 0)
	var workers atomic.Int64
	return measure.Subject{
		Worker: func() (func(int), func()) {
			i := int(workers.Add(1)-1) % s.conns
			call := clients[i].caller(e).call
			return func(n int) {
				for range n {
					if err := call(); err != nil {
						panic(err)
					}
				}
			}, nil
		},
		Window: h.window,
		Beside: h.beside,
		Metrics: func() map[bench.Unit]float64 {
			for _, c := range clients {
				c.close()
			}
			if err := h.end(); err != nil {
				panic(err)
			}
			return nil
		},
	}, nil
}

// hosted is a server where it runs.
type hosted struct {
	addr   string
	window func() func() map[bench.Unit]float64 // see measure.Subject
	beside func() bench.Ready                   // the same; nil where it runs in this process
	end    func() error
}

func hostHere(c system, _ int) (hosted, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return hosted{}, err
	}
	srv, err := c.serve(l)
	if err != nil {
		return hosted{}, err
	}
	return hosted{
		addr: l.Addr().String(),
		window: func() func() map[bench.Unit]float64 {
			before := srv.path()
			return func() map[bench.Unit]float64 {
				m := map[bench.Unit]float64{}
				srv.path().since(before, m)
				return m
			}
		},
		end: func() error { srv.stop(); return nil },
	}, nil
}

func hostProcess(c system, gogc int) (hosted, error) {
	p, err := startProcess(c.Name, gogc)
	if err != nil {
		return hosted{}, err
	}
	ask := func(line string) map[bench.Unit]float64 {
		figures, err := p.ask(line)
		if err != nil {
			panic(fmt.Errorf("server %s: %w", c.Name, err))
		}
		return figures
	}
	return hosted{
		addr: p.addr,
		window: func() func() map[bench.Unit]float64 {
			ask("open")
			return func() map[bench.Unit]float64 { return ask("close") }
		},
		beside: func() bench.Ready { return p.ready },
		end:    p.end,
	}, nil
}
