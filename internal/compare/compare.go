// Package compare tells whether B is slower than A, each a run folder or a Go
// benchmark file of any project: the output of go test -bench, with -v or
// -json too.
//
// What is compared is the score of each benchmark: in a run, of its clean
// forks; in a file, each unit that has a known direction, which is that of
// ns/op and MB/s, and of what a Unit line declares with better=. Bytes and
// allocations per operation are left to benchstat's table unless declared.
//
// Runs and files are made one after the other, so results of A and B do not
// belong together pairwise: the interval of a ratio is that of two independent
// samples, and a machine that drifted between them is part of the ratio. Only
// who made two files in turns, A, B, A, B, knows that they may be paired.
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
	Threshold float64 // how much worse is a regression: 0.05 lets a time grow by 5 %, or a rate fall to 1/1.05
	Paired    bool    // the k-th result of a benchmark in A was made beside its k-th in B
	Mixed     bool    // compare, with a banner, results that differ in more than the code
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
	r := new(benchfmt.Reader)
	a, err := load(r, pathA)
	if err != nil {
		return CannotTell, err
	}
	b, err := load(r, pathB)
	if err != nil {
		return CannotTell, err
	}
	if a.run != b.run {
		return CannotTell, errors.New("one side is a run folder, the other a benchmark file: compare two of a kind")
	}
	if a.run && o.Paired {
		return CannotTell, errors.New("the rounds of two runs do not belong together: runs are not compared in pairs")
	}
	doubts := slices.Concat(a.pooled("A"), b.pooled("B"), differences(a, b), matchProcs(a, b, o.Mixed))
	if len(doubts) > 0 && !o.Mixed {
		return CannotTell, fmt.Errorf("%s; a ratio would tell more than what the code does (-mixed compares all the same, and says so)", strings.Join(doubts, "; "))
	}
	rows, gone, notes, err := match(a, b, r.Units())
	if err != nil {
		return CannotTell, err
	}
	table, err := benchstat(a, b, r.Units())
	if err != nil {
		return CannotTell, err
	}
	same := maps.EqualFunc(a.results, b.results, func(as, bs []result) bool {
		return slices.EqualFunc(as, bs, func(r, s result) bool { return slices.Equal(r.metrics, s.metrics) })
	})
	for i := range rows {
		if err := rows[i].judge(o, level(len(rows)), same); err != nil {
			return CannotTell, err
		}
	}
	out := output{a: a, b: b, o: o, doubts: doubts, table: table, rows: rows, gone: gone, notes: notes, same: same}
	return out.write(w)
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
			doubts = append(doubts, fmt.Sprintf("gomaxprocs differs: %s ran with %s in A, %s in B", show(base.name), procs(suffix), procs(other)))
		}
		if rename && len(as) == 1 && len(bs) == 1 {
			a.rename(as[0], base)
			b.rename(bs[0], base)
		}
	}
	return doubts
}

// byBase lists the benchmarks that differ in nothing but GOMAXPROCS.
func (s *side) byBase() map[benchmark][]benchmark {
	m := map[benchmark][]benchmark{}
	for _, b := range s.order {
		base, _ := b.cutProcs()
		m[base] = append(m[base], b)
	}
	return m
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

// match finds what can be compared, what of A is gone in B, and notes what else
// is left out.
func match(a, b *side, units benchfmt.UnitMetadataMap) (rows []row, gone, notes []string, err error) {
	var unjudged []string
	for _, n := range a.order {
		if b.results[n] == nil {
			gone = append(gone, n.full())
			continue
		}
		inB := b.units(n)
		for _, unit := range a.units(n) {
			r := row{benchmark: n, unit: unit, better: better(units, unit)}
			switch {
			case r.better == 0:
				if !slices.Contains(unjudged, show(unit)) {
					unjudged = append(unjudged, show(unit))
				}
				continue
			case !slices.Contains(inB, unit):
				gone = append(gone, n.full()+" "+show(unit))
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
		if a.results[n] == nil {
			notes = append(notes, "only in B: "+n.full())
		}
	}
	if len(unjudged) > 0 {
		notes = append(notes, "not judged, since no Unit line declares which way is better: "+strings.Join(unjudged, ", "))
	}
	if len(rows) == 0 {
		return nil, nil, nil, fmt.Errorf("nothing in common that can be judged, such as %s of one benchmark: A has %s, B has %s", bench.TimePerOp, a.order[0].full(), b.order[0].full())
	}
	return rows, gone, notes, nil
}

func (b benchmark) full() string { return strings.TrimSpace(show(b.pkg) + " " + show(b.String())) }

func (b benchmark) String() string {
	if b.reading != "" {
		return b.name + "@" + b.reading
	}
	return b.name
}

// better is +1 where higher values of a unit are better, -1 where lower ones
// are, and 0 where nothing is to be judged.
func better(units benchfmt.UnitMetadataMap, unit string) int {
	undeclared := units.Get(unit, "better") == nil
	if undeclared && (unit == bench.BytesPerOp.Name || unit == bench.AllocsPerOp.Name) {
		return 0
	}
	return units.GetBetter(unit)
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
	ratio := stats.UnpairedRatio
	if o.Paired {
		if len(r.a) != len(r.b) {
			return fmt.Errorf("%s: %d results in A, %d in B: they are no pairs", show(r.name), len(r.a), len(r.b))
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
