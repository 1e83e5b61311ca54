package bench

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
)

// EnvTurns, in the environment of a fork, is the number of the file descriptor
// that the fork writes its answers to. It reads its orders from standard input.
// Without the variable a benchmark measures by itself, once.
const EnvTurns = "HOTPATH_TURNS"

// Order is what a runner tells a fork to do.
type Order struct {
	Verb string        // turn, keep, drop or end
	For  time.Duration // of a turn that is a time: what is to be counted
	Lead time.Duration // and what runs ahead of it
	Ops  int           // of a turn that is work
	Warm int           // and the operations ahead of it
}

// The verbs of orders.
const (
	VerbTurn = "turn"
	VerbKeep = "keep"
	VerbDrop = "drop"
	VerbEnd  = "end"
)

// TurnOrder is the order for a turn of that length.
func TurnOrder(t TurnLength) Order {
	ms := func(v float64) time.Duration { return time.Duration(v * float64(time.Millisecond)) }
	return Order{Verb: VerbTurn, For: ms(t.Millis), Lead: ms(t.LeadIn), Ops: t.Ops, Warm: t.Lead}
}

// String is the line without its end.
func (o Order) String() string {
	switch {
	case o.Verb != VerbTurn:
		return o.Verb
	case o.Ops > 0:
		return fmt.Sprintf("turn ops=%d lead-ops=%d", o.Ops, o.Warm)
	default:
		return fmt.Sprintf("turn ns=%d lead-ns=%d", o.For.Nanoseconds(), o.Lead.Nanoseconds())
	}
}

// ParseOrder reads what Order.String writes.
func ParseOrder(line string) (Order, error) {
	words := strings.Fields(line)
	if len(words) == 0 || !slices.Contains([]string{VerbTurn, VerbKeep, VerbDrop, VerbEnd}, words[0]) {
		return Order{}, fmt.Errorf("order %.60q is none of turn, keep, drop, end", line)
	}
	fields, err := parseFields(words[1:])
	if err != nil {
		return Order{}, fmt.Errorf("order %.60q: %w", line, err)
	}
	o := Order{
		Verb: words[0],
		For:  time.Duration(fields["ns"]), Lead: time.Duration(fields["lead-ns"]),
		Ops: int(fields["ops"]), Warm: int(fields["lead-ops"]),
	}
	if o.Verb == VerbTurn && (o.For > 0) == (o.Ops > 0) {
		return Order{}, fmt.Errorf("order %.60q: a turn is either a time or work", line)
	}
	return o, nil
}

// Ready is a fork's first line: it has made its contestant, mustered its
// workers, warmed up and parked.
type Ready struct {
	Held int64 // bytes of memory that all its processes hold
	Most int64 // and may come to hold while it measures
	PIDs []int // its processes; none stands for the one that was started
}

// String is the line without its end.
func (r Ready) String() string {
	s := fmt.Sprintf("ready held=%d most=%d", r.Held, r.Most)
	for _, pid := range r.PIDs {
		s += fmt.Sprintf(" pid=%d", pid)
	}
	return s
}

// ParseReady reads what Ready.String writes.
func ParseReady(line string) (Ready, error) {
	var r Ready
	words := strings.Fields(line)
	if len(words) == 0 || words[0] != "ready" {
		return r, fmt.Errorf("%.60q, want ready", line)
	}
	for _, w := range words[1:] {
		key, v, err := parseField(w)
		switch {
		case err != nil:
			return r, fmt.Errorf("%.60q: %w", line, err)
		case key == "held":
			r.Held = v
		case key == "most":
			r.Most = v
		case key == "pid" && v > 1 && v < 1<<31 && len(r.PIDs) < 16:
			r.PIDs = append(r.PIDs, int(v))
		default:
			return r, fmt.Errorf("%.60q: %.30q", line, w)
		}
	}
	return r, nil
}

// Answer is what a fork tells of a turn. Times are nanoseconds.
type Answer struct {
	Ops     int64 // that ended in what is counted
	Wall    int64
	CPU     int64 // user and system time of the process that the operations begin in, its collector's included
	Server  int64 // and of a server in a process of its own
	GC      int64 // part of CPU that the collector took
	Latency int64 // sum of the operations' latencies, where they are timed
	Workers int   // that ran in what is counted
	All     int64 // operations of the whole turn, lead-in included
	Whole   int64 // from the release of the workers until all had parked
}

// String is the line without its end.
func (a Answer) String() string {
	return fmt.Sprintf("turned ops=%d wall-ns=%d cpu-ns=%d server-ns=%d gc-ns=%d latency-ns=%d workers=%d all-ops=%d whole-ns=%d",
		a.Ops, a.Wall, a.CPU, a.Server, a.GC, a.Latency, a.Workers, a.All, a.Whole)
}

// ParseAnswer reads what Answer.String writes. Numbers that are not told are 0.
func ParseAnswer(line string) (Answer, error) {
	words := strings.Fields(line)
	if len(words) == 0 || words[0] != "turned" {
		return Answer{}, fmt.Errorf("%.60q, want turned", line)
	}
	f, err := parseFields(words[1:])
	if err != nil {
		return Answer{}, fmt.Errorf("%.80q: %w", line, err)
	}
	return Answer{
		Ops: f["ops"], Wall: f["wall-ns"], CPU: f["cpu-ns"], Server: f["server-ns"], GC: f["gc-ns"],
		Latency: f["latency-ns"], Workers: int(f["workers"]), All: f["all-ops"], Whole: f["whole-ns"],
	}, nil
}

// Busy is the CPUs that the whole turn kept busy: how many its workers got, since
// in the part that counts alone nobody reads the CPU time of threads that run.
func (a Answer) Busy() float64 {
	if a.All == 0 || a.Whole == 0 {
		return float64(a.CPU) / float64(a.Wall)
	}
	return float64(a.CPU) * float64(a.All) / float64(a.Ops) / float64(a.Whole)
}

// Check refuses an answer that no turn of that length can give on a machine with
// so many CPUs. took is the time between the order and the answer.
func (a Answer) Check(t TurnLength, took time.Duration, cpus int) error {
	wall := time.Duration(a.Wall)
	switch {
	case a.Ops <= 0:
		return fmt.Errorf("%d operations in a turn", a.Ops)
	case t.Ops > 0 && a.Ops != int64(t.Ops):
		return fmt.Errorf("%d operations in a turn of %d", a.Ops, t.Ops)
	case a.All != 0 && a.All < a.Ops:
		return fmt.Errorf("%d operations counted of %d", a.Ops, a.All)
	case wall <= 0 || wall > took || time.Duration(a.Whole) > took:
		return fmt.Errorf("a turn of %v in the %v between order and answer", max(wall, time.Duration(a.Whole)), took)
	case a.Whole != 0 && a.Whole < a.Wall:
		return fmt.Errorf("%v counted of a turn of %v", wall, time.Duration(a.Whole))
	case t.Ops == 0 && float64(wall) < 0.9*t.Millis*1e6:
		return fmt.Errorf("a turn of %v, ordered were %v ms", wall, t.Millis)
	case a.CPU < 0 || a.Server < 0 || float64(a.CPU+a.Server) > 1.05*float64(took)*float64(cpus)+1e7:
		return fmt.Errorf("%v of CPU time in %v on %d CPUs", time.Duration(a.CPU+a.Server), took, cpus)
	case a.Latency < 0 || a.Workers < 0 || a.GC < 0:
		return fmt.Errorf("latency %d, workers %d, collector %d", a.Latency, a.Workers, a.GC)
	}
	return nil
}

func parseFields(words []string) (map[string]int64, error) {
	fields := map[string]int64{}
	for _, w := range words {
		key, v, err := parseField(w)
		if err != nil {
			return nil, err
		}
		if _, twice := fields[key]; twice {
			return nil, fmt.Errorf("%s twice", key)
		}
		fields[key] = v
	}
	return fields, nil
}

// parseField reads key=value, where the value is a number that is not negative.
func parseField(word string) (string, int64, error) {
	key, value, _ := strings.Cut(word, "=")
	v, err := strconv.ParseInt(value, 10, 64)
	if err != nil || key == "" || v < 0 {
		return "", 0, fmt.Errorf("%.30q is not key=number", word)
	}
	return key, v, nil
}

// lineLimit is the longest line of a fork or a runner.
const lineLimit = 4096

// NewLines reads lines of either side, and stops at one that is longer than any
// of them can be.
func NewLines(r io.Reader) *bufio.Scanner {
	s := bufio.NewScanner(r)
	s.Buffer(make([]byte, 0, lineLimit), lineLimit)
	return s
}
