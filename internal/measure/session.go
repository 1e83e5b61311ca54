package measure

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"time"

	"hotpath/internal/bench"
)

// session is a case in a process: its contestant, its parked workers, and what
// the turns have measured so far.
type session struct {
	Case
	subject   Subject
	crew      *crew
	work      work
	collector collector
	restore   func()
	begun     time.Time
	done      int64      // operations since the contestant was made
	pending   []measured // turns that nobody has judged yet, the oldest first
	kept      sum
	dropped   sum
	lastOps   int // ordered, of a turn that is work
}

// measured is a turn that is over.
type measured struct {
	counted
	whole time.Duration // from the release of the workers until all had parked
	used
	beside map[bench.Unit]float64 // sums over the turn
}

// warmUp is how long the first turn is at most, which counts for nothing. Go
// compiles ahead of time: what has to settle are caches, page faults and the
// scheduler.
const warmUp = 100 * time.Millisecond

// start makes the contestant, musters its workers, warms up and parks.
func (c Case) start() (*session, error) {
	s := &session{Case: c, work: c.newWork(), restore: func() {}, begun: time.Now()}
	if s.work == nil {
		return nil, fmt.Errorf("unknown mode %q", c.Mode)
	}
	if locked() {
		// The clock's own P: it would wait for the one of a worker, and that for
		// the worker's turn on a CPU.
		procs := runtime.GOMAXPROCS(c.Threads + 1)
		runtime.LockOSThread()
		s.restore = func() {
			runtime.GOMAXPROCS(procs)
			runtime.UnlockOSThread()
		}
	}
	s.subject = c.New()
	s.crew = muster(c.Threads, c.WarmUp, s.subject)
	s.done = int64(c.Threads + c.WarmUp)
	runtime.GC() // the garbage of making it, and of what ran before, is not the case's
	warm := bench.Order{Verb: bench.VerbTurn, For: warmUp}
	if c.Mode == bench.Fixed {
		warm = bench.Order{Verb: bench.VerbTurn, Ops: max(c.WarmUp, c.Threads)}
	}
	if _, err := s.turn(warm); err != nil {
		return nil, err
	}
	s.pending = nil
	return s, nil
}

// stop gives back what start took.
func (s *session) stop() {
	s.collector.resume()
	s.restore()
}

// turn measures once and parks.
func (s *session) turn(o bench.Order) (bench.Answer, error) {
	if (o.Ops > 0) != (s.Mode == bench.Fixed) {
		return bench.Answer{}, fmt.Errorf("mode %s cannot take the turn %q", s.Mode, o)
	}
	s.lastOps = o.Ops
	s.collector.resume()
	closeWindow := func() map[bench.Unit]float64 { return nil }
	if s.subject.Window != nil {
		closeWindow = s.subject.Window()
	}
	before := readFacts()
	t := s.work.begin(o)
	released := time.Now()
	s.crew.run(func(i int, body func(int)) { s.work.do(t, i, body) })
	whole := time.Since(released)
	s.collector.pause()
	m := measured{whole: whole, used: readFacts().since(before), beside: closeWindow(), counted: s.work.count(t)}
	s.done += m.all
	s.crew.took(m.ran)
	if m.ops <= 0 || m.wall <= 0 {
		return bench.Answer{}, fmt.Errorf("%d operations ended in %v of a turn", m.ops, m.wall)
	}
	s.pending = append(s.pending, m)
	return m.answer(), nil
}

// answer tells of the turn. What it used is told of the operations that count.
func (m measured) answer() bench.Answer {
	part := float64(m.ops) / float64(m.all)
	return bench.Answer{
		Ops: m.ops, All: m.all, Workers: m.workers(), Whole: m.whole.Nanoseconds(),
		Wall: m.wall.Nanoseconds(), Latency: m.latency.Nanoseconds(),
		CPU:    int64(part * m.cpu() * 1e9),
		Server: int64(part * m.beside[bench.ServerCPU]),
		GC:     int64(part * m.gc * 1e9),
	}
}

// judge keeps or drops the oldest turn that is not judged yet.
func (s *session) judge(keep bool) error {
	if len(s.pending) == 0 {
		return fmt.Errorf("there is no turn to keep or drop")
	}
	m := s.pending[0]
	s.pending = s.pending[1:]
	if keep {
		s.kept.add(m)
	} else {
		s.dropped.add(m)
	}
	return nil
}

// obey measures as a runner orders it. The answers go to the file descriptor of
// that number.
func (s *session) obey(fd string) error {
	n, err := strconv.Atoi(fd)
	if err != nil {
		return fmt.Errorf("%s=%q: want the number of a file descriptor", bench.EnvTurns, fd)
	}
	answers := os.NewFile(uintptr(n), "answers")
	ready := Held()
	if s.subject.Beside != nil {
		b := s.subject.Beside()
		ready.Held, ready.Most, ready.PIDs = ready.Held+b.Held, ready.Most+b.Most, append(ready.PIDs, b.PIDs...)
	}
	if _, err := fmt.Fprintln(answers, ready); err != nil {
		return err
	}
	for lines := bench.NewLines(os.Stdin); lines.Scan(); {
		o, err := bench.ParseOrder(lines.Text())
		if err != nil {
			return err
		}
		switch o.Verb {
		case bench.VerbTurn:
			a, err := s.turn(o)
			if err != nil {
				return err
			}
			if _, err := fmt.Fprintln(answers, a); err != nil {
				return err
			}
		case bench.VerbKeep, bench.VerbDrop:
			if err := s.judge(o.Verb == bench.VerbKeep); err != nil {
				return err
			}
		case bench.VerbEnd:
			return nil
		}
	}
	return fmt.Errorf("the orders ended without %q", bench.VerbEnd)
}
