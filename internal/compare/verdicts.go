package compare

import (
	"bytes"
	"fmt"
	"io"
	"text/tabwriter"

	"golang.org/x/perf/benchfmt"

	"hotpath/internal/bench"
	"hotpath/internal/stats"
)

// write writes what a trial has found, and returns the verdict on all of it.
func (t *trial) write(w io.Writer) (Verdict, error) {
	var buf bytes.Buffer
	for side, tree := range t.trees {
		fmt.Fprintf(&buf, "%c  %s, %s\n", 'A'+side, show(tree.name), tree.about)
	}
	table, err := t.table()
	if err != nil {
		return CannotTell, err
	}
	fmt.Fprintf(&buf, "\n%s", table)
	fmt.Fprintf(&buf, "B / A in the same heats, and A / A beside them. All verdicts together are right with %s confidence (benchmarks: %d).\n\n",
		bench.Percent(1-familyError, 3), len(t.entries))
	each, noun := t.per()
	tab := tabwriter.NewWriter(&buf, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tab, "benchmark\tunit\theats\tB / A\tA / A\toutcome")
	for _, e := range t.entries {
		name := show(e.full())
		switch {
		case e.failed != "":
			fmt.Fprintf(tab, "%s\t\t%d\t\t\t%v: %s\n", name, e.heats, Open, e.failed)
		case len(e.contests) == 0:
			fmt.Fprintf(tab, "%s\t\t%d\t\t\t%v: %s\n", name, e.heats, Open, e.nothing())
		}
		for i, c := range e.contests {
			fmt.Fprintf(tab, "%s\t%s\t%d\t%s\t%s\t%s\n", name, show(e.units[i]), len(c.ratios), interval(c.ratio), interval(c.control), c.words(each, noun))
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
func (t *trial) conclude() (Verdict, string) {
	slower := t.count(func(e *entry) bool { return e.has(Slower) })
	open := t.count(func(e *entry) bool { return !e.settled() || e.failed != "" })
	switch n := len(t.entries); {
	case slower > 0:
		return Regression, fmt.Sprintf("slower: %d of %d", slower, n)
	case open > 0:
		return CannotTell, fmt.Sprintf("cannot tell: %d of %d", open, n)
	default:
		return NoRegression, fmt.Sprintf("nothing is slower: %d compared", n)
	}
}

// table is benchstat's, with a line that says what it does not see.
func (t *trial) table() (string, error) {
	if len(t.a.order) == 0 {
		return "", nil
	}
	var units bytes.Buffer
	if err := bench.WriteUnits(&units); err != nil {
		return "", err
	}
	r := benchfmt.NewReader(&units, "units")
	for r.Scan() {
	}
	table, err := benchstat(&t.a, &t.b, r.Units())
	if err != nil { // the verdicts do not take it
		return fmt.Sprintf("benchstat's table is not shown: %s\n\n", firstLine(err.Error())), nil
	}
	return table + "\n(benchstat compares all results of A with all of B, not those of the same heat)\n\n", nil
}
