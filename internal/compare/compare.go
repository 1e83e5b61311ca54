// Package compare tells whether B is slower than A, each a run folder or a Go
// benchmark file of any project: the output of go test -bench, with -v or
// -json too.
//
// What is compared of two runs is the score of each contestant, heat by heat, as
// a multiple of what the block's baseline took beside it; of two files it is
// each unit that has a known direction, which is that of ns/op, B/op, allocs/op
// and MB/s, and of what a Unit line declares with better=.
//
// Runs and files are made one after the other, so results of A and B do not
// belong together pairwise: the interval of a ratio is that of two independent
// samples, and a machine that drifted between them is part of the ratio. Only
// who made two files in turns, A, B, A, B, knows that they may be paired.
//
// What is missing would count as measured, so it is never silent: whatever looks
// like a result is read or refused with its line, a run that did not come to its
// end is refused, and a benchmark that one side alone has is no pass.
//
// A verdict looks at one end of an interval: at the lower one to find a
// regression beyond the threshold, at the upper one to exclude it. Only one of
// the two can be wrong, so with m comparisons each end is taken at 1 - 0.05/m,
// and all verdicts together are right with a confidence of 95 %.
package compare

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"

	"hotpath/internal/bench"
	"hotpath/internal/stats"
)

// Verdict is the outcome; its number is the exit code of the command.
type Verdict int

const (
	NoRegression Verdict = iota
	Regression           // at least one benchmark is worse beyond the threshold
	CannotTell           // none is, but not all can be told
)

// Options of a comparison.
type Options struct {
	Threshold float64   // how much worse is a regression: 0.05 lets a time grow by 5 %, or a rate fall to 1/1.05
	Paired    bool      // the k-th result of a benchmark in A was made beside its k-th in B
	Mixed     bool      // compare, with a banner, results that differ in more than the code
	Input     io.Reader // standard input, which the path "-" stands for
}

// fewest is the number of results below which nothing is said of a benchmark.
const fewest = 6

// row is one comparison.
type row struct {
	benchmark
	unit    string
	better  int // +1 where higher is better, -1 where lower is
	a, b    []float64
	ratio   string // B / A
	verdict Verdict
	why     string
}

// Report compares B with A, the baseline, and writes benchstat's table, the
// ratios and the verdict. An error means that they cannot be compared, and
// comes with CannotTell.
func Report(w io.Writer, pathA, pathB string, o Options) (Verdict, error) {
	out, units, err := weigh(pathA, pathB, o)
	if err != nil {
		return CannotTell, err
	}
	if out.table, err = Benchstat(benchFile(out.a, out.a, out.b, units), benchFile(out.b, out.a, out.b, units)); err != nil {
		return CannotTell, err
	}
	return out.write(w)
}

// weigh compares B with A: all that a report says but for benchstat's table, and the
// units that both sides declare.
func weigh(pathA, pathB string, o Options) (out output, units benchfmt.UnitMetadataMap, err error) {
	r := new(benchfmt.Reader)
	a, b, placed, err := load(r, pathA, pathB, o.Input)
	if err != nil {
		return out, nil, err
	}
	if a.folder && o.Paired {
		return out, nil, errors.New("the heats of two runs do not belong together: runs are not compared in pairs")
	}
	doubts := slices.Concat(a.pooled("A"), b.pooled("B"), differences(a, b), matchProcs(a, b, o.Mixed))
	if len(doubts) > 0 && !o.Mixed {
		return out, nil, fmt.Errorf("%s; a ratio would tell more than what the code does (-mixed compares all the same, and says so)", strings.Join(doubts, "; "))
	}
	rows, lost, notes, err := match(a, b, r.Units(), o.Mixed)
	if err != nil {
		return out, nil, err
	}
	same := maps.EqualFunc(a.results, b.results, func(as, bs []result) bool {
		return slices.EqualFunc(as, bs, func(r, s result) bool { return slices.Equal(r.metrics, s.metrics) })
	})
	for i := range rows {
		if err := rows[i].judge(o, level(len(rows)), same); err != nil {
			return out, nil, err
		}
	}
	return output{a: a, b: b, o: o, doubts: doubts, rows: rows, lost: lost, notes: append(placed, notes...), same: same}, r.Units(), nil
}

// level is that of the interval between two ends that are each taken at the
// Bonferroni level of m comparisons.
func level(m int) float64 { return 2*stats.Bonferroni(m) - 1 }

// pooled tells which facts have several values within one side.
func (s *side) pooled(label string) []string {
	var doubts []string
	for _, name := range slices.Sorted(maps.Keys(s.facts)) {
		if vs := s.facts[name]; len(vs) > 1 {
			doubts = append(doubts, fmt.Sprintf("%s pools results of %d values of %s: %s", label, len(vs), name, list(vs)))
		}
	}
	return doubts
}

// differences tells which facts should be alike on both sides and are not.
// What only one side knows is no difference.
func differences(a, b *side) []string {
	var doubts []string
	for _, name := range slices.Sorted(maps.Keys(a.facts)) {
		va, vb := a.facts[name], b.facts[name]
		if agree[name] && len(vb) > 0 && !slices.Equal(slices.Sorted(slices.Values(va)), slices.Sorted(slices.Values(vb))) {
			doubts = append(doubts, fmt.Sprintf("%s differs: %s in A, %s in B", name, list(va), list(vb)))
		}
	}
	return doubts
}

// matchProcs tells when A and B ran the same benchmark under GOMAXPROCS that
// have none in common. To rename is to make a pair of them where each side has
// one.
func matchProcs(a, b *side, rename bool) []string {
	if !a.endsInProcs() || !b.endsInProcs() {
		return nil
	}
	inB := b.byBase()
	var doubts []string
	byBase := a.byBase()
	for _, n := range a.order {
		base, suffix := n.cutProcs()
		as, bs := byBase[base], inB[base]
		if len(bs) == 0 || slices.ContainsFunc(as, func(n benchmark) bool { return slices.Contains(bs, n) }) {
			continue
		}
		if len(doubts) == 0 {
			_, other := bs[0].cutProcs()
			doubts = append(doubts, fmt.Sprintf("gomaxprocs differs: %s ran with %s in A, %s in B", Show(base.name), procs(suffix), procs(other)))
		}
		if rename && len(as) == 1 && len(bs) == 1 {
			a.rename(as[0], base)
			b.rename(bs[0], base)
		}
	}
	return doubts
}

// byBase lists the benchmarks that differ in nothing but what may be GOMAXPROCS.
func (s *side) byBase() map[benchmark][]benchmark {
	m := map[benchmark][]benchmark{}
	for _, b := range s.order {
		base, _ := b.cutProcs()
		m[base] = append(m[base], b)
	}
	return m
}

// endsInProcs reports whether a number at the end of names is GOMAXPROCS: go test
// runs all benchmarks under the same ones. In a name such as X/size-8 it is a part
// of the name.
func (s *side) endsInProcs() bool {
	var all [][]string
	for _, bs := range s.byBase() {
		var suffixes []string
		for _, b := range bs {
			_, suffix := b.cutProcs()
			suffixes = append(suffixes, suffix)
		}
		slices.Sort(suffixes)
		all = append(all, suffixes)
	}
	return !slices.ContainsFunc(all, func(suffixes []string) bool { return !slices.Equal(suffixes, all[0]) })
}

func (b benchmark) cutProcs() (base benchmark, suffix string) {
	_, parts := benchfmt.Name(b.name).Parts()
	if n := len(parts); n > 0 && parts[n-1][0] == '-' {
		suffix = string(parts[n-1])
	}
	b.name = strings.TrimSuffix(b.name, suffix)
	return b, suffix
}

func procs(suffix string) string {
	if suffix == "" {
		return "1"
	}
	return suffix[1:]
}

func (s *side) rename(from, to benchmark) {
	rs := s.results[from]
	delete(s.results, from)
	s.results[to] = rs
	s.order[slices.Index(s.order, from)] = to
}

// match finds what can be compared, what one side alone has, and notes what else
// is left out. What is new in B is a note where A and B were told to differ.
func match(a, b *side, units benchfmt.UnitMetadataMap, mixed bool) (rows []row, lost, notes []string, err error) {
	var unjudged []string
	for _, n := range a.order {
		if b.results[n] == nil {
			lost = append(lost, "only in A: "+n.full())
			continue
		}
		inA, inB := a.units(n), b.units(n)
		for _, unit := range inB {
			if !slices.Contains(inA, unit) && better(units, unit) != 0 {
				lost = append(lost, "only in B: "+n.full()+" "+Show(unit))
			}
		}
		for _, unit := range inA {
			r := row{benchmark: n, unit: unit, better: better(units, unit)}
			switch {
			case r.better == 0:
				if !slices.Contains(unjudged, Show(unit)) {
					unjudged = append(unjudged, Show(unit))
				}
				continue
			case !slices.Contains(inB, unit):
				lost = append(lost, "only in A: "+n.full()+" "+Show(unit))
				continue
			}
			if r.a, err = a.values(n, unit); err != nil {
				return nil, nil, nil, err
			}
			if r.b, err = b.values(n, unit); err != nil {
				return nil, nil, nil, err
			}
			rows = append(rows, r)
		}
	}
	for _, n := range b.order {
		if a.results[n] == nil && mixed {
			notes = append(notes, "only in B: "+n.full())
		} else if a.results[n] == nil {
			lost = append(lost, "only in B: "+n.full())
		}
	}
	if len(unjudged) > 0 {
		notes = append(notes, "not judged, since no Unit line declares which way is better: "+strings.Join(unjudged, ", "))
	}
	if len(rows) == 0 {
		return nil, nil, nil, fmt.Errorf("nothing in common that can be judged, such as %s of one benchmark: A has %s, B has %s", bench.TimePerOp, a.order[0].full(), b.order[0].full())
	}
	return rows, lost, notes, nil
}

func (b benchmark) full() string { return strings.TrimSpace(Show(b.pkg) + " " + Show(b.String())) }

func (b benchmark) String() string {
	if b.reading != "" {
		return b.name + "@" + b.reading
	}
	return b.name
}

// better is +1 where higher values of a unit are better, -1 where lower ones
// are, and 0 where nothing is to be judged.
func better(units benchfmt.UnitMetadataMap, unit string) int { return units.GetBetter(unit) }

// fromZero decides where one side counted nothing and the other always something,
// which has no ratio. A time of 0 is no count.
func (r *row) fromZero() bool {
	if strings.Contains(r.unit, "ns") || strings.Contains(r.unit, "sec") {
		return false
	}
	none := func(v float64) bool { return v == 0 }
	some := func(v float64) bool { return v > 0 }
	all := func(vs []float64, is func(float64) bool) bool {
		return !slices.ContainsFunc(vs, func(v float64) bool { return !is(v) })
	}
	worse := false
	switch {
	case all(r.a, none) && all(r.b, some):
		r.ratio, worse = "from 0", r.better < 0
	case all(r.a, some) && all(r.b, none):
		r.ratio, worse = "to 0", r.better > 0
	default:
		return false
	}
	if r.verdict, r.why = NoRegression, "better"; worse {
		r.verdict, r.why = Regression, "REGRESSION: worse beyond any ratio"
	}
	return true
}

// judge compares the two samples. Equal samples are no difference however
// wide their interval is, where there are enough of them for it to be no
// accident, or where everything is the same.
func (r *row) judge(o Options, level float64, allSame bool) error {
	n := min(len(r.a), len(r.b))
	if allSame || n >= fewest && slices.Equal(r.a, r.b) {
		r.ratio, r.why = "1", "no difference: the same measurements"
		return nil
	}
	r.ratio, r.verdict = fmt.Sprintf("n/a (n=%d)", n), CannotTell
	if n < fewest {
		r.why = fmt.Sprintf("cannot tell: it takes %d results a side", fewest)
		return nil
	}
	if r.fromZero() {
		return nil
	}
	ratio := stats.UnpairedRatio
	if o.Paired {
		if len(r.a) != len(r.b) {
			return fmt.Errorf("%s: %d results in A, %d in B: they are no pairs", Show(r.name), len(r.a), len(r.b))
		}
		ratio = stats.PairedRatio
	}
	iv, err := ratio(r.b, r.a, level)
	if err != nil {
		r.why = "cannot tell: " + err.Error()
		return nil
	}
	r.ratio = fmt.Sprintf("%.3f [%.3f, %.3f]", iv.Estimate, iv.Low, iv.High)
	low, high := iv.Low, iv.High // of how many times as bad B is
	if r.better > 0 {
		low, high = 1/iv.High, 1/iv.Low
	}
	switch limit := 1 + o.Threshold; {
	case low > limit:
		r.verdict, r.why = Regression, "REGRESSION: worse by more than "+bench.Percent(o.Threshold, 4)
	case high > limit:
		r.why = fmt.Sprintf("cannot tell: the threshold of %s lies within the interval", bench.Percent(o.Threshold, 4))
	case low > 1:
		r.verdict, r.why = NoRegression, "worse, by less than "+bench.Percent(o.Threshold, 4)
	case high < 1:
		r.verdict, r.why = NoRegression, "better"
	default:
		r.verdict, r.why = NoRegression, "no difference shown"
	}
	return nil
}
