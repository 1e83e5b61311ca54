package chart

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"hotpath/internal/bench"
	"hotpath/internal/results"
	"hotpath/internal/stats"
)

// level is the confidence of the intervals that charts draw from the data. It
// describes; verdicts bring their own.
const level = 0.95

// measure is a unit as benchmarks print it, with the way to print its values.
type measure struct {
	unit  bench.Unit
	text  string // what it is, in words
	print func(float64) string
	tick  func(float64) string
}

// scoreUnits are the units that say how fast a contestant is; a fork carries
// the one of its mode.
var scoreUnits = []measure{
	{bench.MeanLatency, "mean latency", nanoseconds, shortTime},
	{bench.TimePerOp, "time per operation", nanoseconds, shortTime},
	{bench.Real, "time", seconds, func(v float64) string { return shortTime(v * 1e9) }},
}

// scored is the score unit that a block's forks carry, if any.
func (s *study) scored(block bench.Block) (measure, bool) {
	for _, m := range scoreUnits {
		if len(s.scores(block, m.unit)) > 0 {
			return m, true
		}
	}
	return measure{}, false
}

// study is an experiment with what is derived from it once for all kinds.
type study struct {
	*results.Experiment
	ctx   Context
	forks map[bench.CellID][]*results.Fork // by cell
	roles map[string]bench.Role
	tints map[string]int // by contestant: index of its colour and dashes
}

func newStudy(e *results.Experiment, ctx Context) *study {
	s := &study{Experiment: e, ctx: ctx, forks: map[bench.CellID][]*results.Fork{}, roles: map[string]bench.Role{}, tints: map[string]int{}}
	for _, f := range e.Forks {
		s.forks[f.Cell] = append(s.forks[f.Cell], f)
	}
	for _, c := range e.Plan.Cells {
		s.roles[c.Impl()] = c.Role
	}
	next := 0
	for _, c := range e.Plan.Cells {
		impl := c.Impl()
		_, seen := s.tints[impl]
		if seen || !s.ranked(impl) {
			continue
		}
		s.tints[impl] = next
		next++
	}
	control := ctx.Claims.Control
	if t, ok := s.tints[control.Baseline]; ok {
		s.tints[control.Candidate] = t
	}
	return s
}

// ranked reports whether a contestant can be the fastest or slowest of a block.
func (s *study) ranked(impl string) bool {
	return s.roles[impl] != bench.Floor && s.roles[impl] != bench.Control
}

// score is how fast one contestant of a block is.
type score struct {
	cell   bench.Cell
	impl   string
	median stats.Interval // of the clean forks, or of the gated ones, which count for nothing, where none is clean
	clean  []float64
	gated  []float64 // gated forks that ran to their end
}

// scores returns the contestants of a block that have a value in unit, in the
// order of the plan.
func (s *study) scores(block bench.Block, unit bench.Unit) []score {
	var all []score
	for _, cell := range s.Block(block) {
		sc := score{cell: cell, impl: cell.Impl(), clean: s.Values(cell, unit)}
		for _, f := range s.forks[cell.ID()] {
			if v, ok := f.Value(unit); ok && f.State == bench.Complete && !f.Clean() {
				sc.gated = append(sc.gated, v)
			}
		}
		values := sc.clean
		if len(values) == 0 {
			values = sc.gated
		}
		if len(values) == 0 {
			continue
		}
		// Too few values for an interval leave the median, which is drawn alone.
		sc.median, _ = stats.Median(values, level)
		all = append(all, sc)
	}
	return all
}

// byMedian sorts scores, the fastest first and those without a clean fork last.
func byMedian(scores []score) []score {
	return slices.SortedStableFunc(slices.Values(scores), func(a, b score) int {
		if ca, cb := len(a.clean) > 0, len(b.clean) > 0; ca != cb {
			if ca {
				return -1
			}
			return 1
		}
		return cmp.Compare(a.median.Estimate, b.median.Estimate)
	})
}

// contenders are the scores that a title may compare: those of clean forks,
// and of more than the floor and the control where there is more.
func (s *study) contenders(scores []score) []score {
	clean := slices.DeleteFunc(slices.Clone(scores), func(sc score) bool { return len(sc.clean) == 0 })
	ranked := slices.DeleteFunc(slices.Clone(clean), func(sc score) bool { return !s.ranked(sc.impl) })
	if len(ranked) == 0 {
		return clean
	}
	return ranked
}

// noClean is the title where only gated forks are left.
func noClean(scores []score) string {
	return "None of " + plural(len(scores), "contestant") + " has a clean fork: nothing here counts"
}

// blockWords takes a block's name apart: the benchmark, and its parameters and
// reading of GOMAXPROCS in words.
func blockWords(block bench.Block) (benchmark string, words []string) {
	for p := range block.Params.All() {
		key, value := p.Key, p.Value
		switch key {
		case "mode":
		case "threads", "histograms", "conns", "cells", "procs":
			one, many := strings.TrimSuffix(key, "s"), key
			switch key {
			case "conns":
				one, many = "connection", "connections"
			case "procs":
				one, many = "process", "processes"
			}
			if value != "1" {
				one = many
			}
			words = append(words, value+nbsp+one)
		case "depth":
			words = append(words, value+nbsp+"in"+nbsp+"flight"+nbsp+"each")
		case "size":
			words = append(words, value+nbsp+"B"+nbsp+"each")
		case "gogc":
			words = append(words, "GOGC"+nbsp+value)
		case "rate":
			words = append(words, value+nbsp+"operations/s")
		default:
			words = append(words, key+"="+value)
		}
	}
	words = append(words, "GOMAXPROCS"+nbsp+string(block.Reading))
	return strings.TrimPrefix(block.Benchmark, "Benchmark"), words
}

// describe puts a block's name into words.
func describe(block bench.Block) string {
	benchmark, words := blockWords(block)
	return strings.Join(append([]string{benchmark}, words...), ", ")
}

// each says how many of something stand behind each of several values.
func each(counts []int, noun string) string {
	if lo := slices.Min(counts); lo == slices.Max(counts) {
		return plural(lo, noun) + " each"
	}
	return span(counts) + " " + noun + "s each"
}

// span is the range of some counts: "21" or "18 to 21".
func span(counts []int) string {
	lo, hi := slices.Min(counts), slices.Max(counts)
	if lo == hi {
		return number(lo)
	}
	return number(lo) + " to " + number(hi)
}

// sentence starts with a capital letter.
func sentence(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// clean makes text from the data safe to show on one line.
func clean(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t' || r == '\n' || r == '\r':
			return ' '
		// Format characters can turn the direction of text and hide parts of it.
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r), r == 0xFFFE, r == 0xFFFF, r == '\u2028', r == '\u2029':
			return -1
		}
		return r
	}, s)
}
