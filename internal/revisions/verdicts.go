package revisions

import (
	"bytes"
	"fmt"
	"io"
	"text/tabwriter"

	"hotpath/internal/bench"
	"hotpath/internal/compare"
	"hotpath/internal/stats"
)

// write writes what a trial has found, and returns the verdict on all of it.
func (t *trial) write(w io.Writer) (compare.Verdict, error) {
	var buf bytes.Buffer
	for side, tree := range t.trees {
		fmt.Fprintf(&buf, "%c  %s, %s\n", 'A'+side, compare.Show(tree.name), tree.about)
	}
	table, err := t.table()
	if err != nil {
		return compare.CannotTell, err
	}
	fmt.Fprintf(&buf, "\n%s", table)
	fmt.Fprintf(&buf, "B / A in the same heats, and A / A beside them. All verdicts together are right with %s confidence (benchmarks: %d).\n\n",
		bench.Percent(1-familyError, 3), len(t.entries))
	each, noun := t.per()
	tab := tabwriter.NewWriter(&buf, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tab, "benchmark\tunit\theats\tB / A\tA / A\toutcome")
	for _, e := range t.entries {
		name := e.full()
		switch {
		case e.failed != "":
			fmt.Fprintf(tab, "%s\t\t%d\t\t\t%v: %s\n", name, e.heats, Open, e.failed)
		case len(e.contests) == 0:
			fmt.Fprintf(tab, "%s\t\t%d\t\t\t%v: %s\n", name, e.heats, Open, e.nothing())
		}
		for i, c := range e.contests {
			fmt.Fprintf(tab, "%s\t%s\t%d\t%s\t%s\t%s\n", name, compare.Show(e.units[i]), len(c.ratios), interval(c.ratio), interval(c.control), c.words(each, noun))
		}
	}
	tab.Flush()
	fmt.Fprintln(&buf)
	for _, line := range t.only {
		fmt.Fprintln(&buf, line)
	}
	verdict, words := t.conclude()
	fmt.Fprintln(&buf, words)
	_, err = buf.WriteTo(w)
	return verdict, err
}

// nothing says why an entry has no figure.
func (e *entry) nothing() string {
	if e.heats == 0 {
		return "the budget ended before its first heat"
	}
	return "no heat counts, since others used the machine"
}

// interval prints a ratio.
func interval(iv stats.Interval) string {
	if iv.Level == 0 {
		return "n/a"
	}
	return fmt.Sprintf("%.3f [%.3f, %.3f]", iv.Estimate, iv.Low, iv.High)
}

// conclude is the verdict on all entries, in words too.
func (t *trial) conclude() (compare.Verdict, string) {
	slower, open := t.count((*entry).slower), t.count((*entry).open)
	switch n := len(t.entries); {
	case slower > 0:
		return compare.Regression, fmt.Sprintf("slower: %d of %d", slower, n)
	case open > 0:
		return compare.CannotTell, fmt.Sprintf("cannot tell: %d of %d", open, n)
	default:
		return compare.NoRegression, fmt.Sprintf("nothing is slower: %d compared", n)
	}
}

func (e *entry) slower() bool { return e.has(Slower) }

func (e *entry) open() bool { return !e.settled() || e.failed != "" }

// table is benchstat's, with a line that says what it does not see.
func (t *trial) table() (string, error) {
	var a, b bytes.Buffer
	for _, file := range []*bytes.Buffer{&a, &b} {
		if err := bench.WriteUnits(file); err != nil {
			return "", err
		}
	}
	empty := a.Len()
	for _, e := range t.entries {
		e.writeResults(&a, e.a)
		e.writeResults(&b, e.b)
	}
	if a.Len() == empty {
		return "", nil
	}
	table, err := compare.Benchstat(a.Bytes(), b.Bytes())
	if err != nil { // the verdicts do not take it
		return fmt.Sprintf("benchstat's table is not shown: %s\n\n", firstLine(err.Error())), nil
	}
	return table + "\n(benchstat compares all results of A with all of B, not those of the same heat)\n\n", nil
}

// writeResults writes results in the format of benchmark files.
func (b benchmark) writeResults(w io.Writer, rs []result) {
	for i, r := range rs {
		if i == 0 {
			fmt.Fprintf(w, "pkg: %s\nreading: %s\n", compare.Show(b.program), b.reading)
		}
		fmt.Fprintf(w, "Benchmark%s\t1", compare.Show(b.name))
		for _, m := range r {
			fmt.Fprintf(w, "\t%v %s", m.Value, compare.Show(m.Unit))
		}
		fmt.Fprintln(w)
	}
}
