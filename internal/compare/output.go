package compare

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"golang.org/x/perf/benchfmt"

	"hotpath/internal/bench"
	"hotpath/internal/stats"
)

// output is all that a comparison has to say.
type output struct {
	a, b   *side
	o      Options
	doubts []string
	table  string
	rows   []row
	lost   []string // what one side alone has
	notes  []string
	same   bool // both sides hold the same measurements
}

func (out output) write(w io.Writer) (Verdict, error) {
	var buf bytes.Buffer
	fmt.Fprintf(&buf, "A  %s\nB  %s\n", out.a.describe(), out.b.describe())
	for _, d := range out.doubts {
		fmt.Fprintf(&buf, "MIXED, as told: %s\n", d)
	}
	fmt.Fprintf(&buf, "\n%s\n\n", out.table)

	design := "taken independently: a drift of the machine between A and B is part of the ratio"
	if out.o.Paired {
		design = "paired: the k-th result of A with the k-th of B"
	}
	fmt.Fprintf(&buf, "B / A, results %s.\n", design)
	fmt.Fprintf(&buf, "All verdicts together are right with 95 %% confidence (comparisons: %d, each end of an interval at %.4g %%).\n", len(out.rows), 100*stats.Bonferroni(len(out.rows)))
	counts := out.writeRows(&buf)
	for _, line := range slices.Concat(out.lost, out.notes) {
		fmt.Fprintln(&buf, line)
	}
	verdict, words := out.conclude(counts)
	fmt.Fprintln(&buf, words)
	_, err := buf.WriteTo(w)
	return verdict, err
}

// writeRows writes the comparisons, package by package, and counts their
// verdicts.
func (out output) writeRows(buf *bytes.Buffer) map[Verdict]int {
	tab := tabwriter.NewWriter(buf, 0, 0, 2, ' ', 0)
	counts := map[Verdict]int{}
	for i, r := range out.rows {
		if i == 0 || out.rows[i-1].pkg != r.pkg {
			tab.Flush()
			fmt.Fprintln(buf)
			if r.pkg != "" {
				fmt.Fprintf(buf, "pkg: %s\n", Show(r.pkg))
			}
			fmt.Fprintln(tab, "benchmark\tunit\tn\tB / A\toutcome")
		}
		counts[r.verdict]++
		fmt.Fprintf(tab, "%s\t%s\t%d+%d\t%s\t%s\n", Show(r.String()), Show(r.unit), len(r.a), len(r.b), r.ratio, r.why)
	}
	tab.Flush()
	fmt.Fprintln(buf)
	return counts
}

// conclude is the verdict on all comparisons, in words too.
func (out output) conclude(counts map[Verdict]int) (Verdict, string) {
	switch beyond := bench.Percent(out.o.Threshold, 4); {
	case counts[Regression] > 0:
		return Regression, fmt.Sprintf("regression beyond %s: %d of %d comparisons", beyond, counts[Regression], len(out.rows))
	case counts[CannotTell] > 0 || len(out.lost) > 0:
		return CannotTell, fmt.Sprintf("cannot tell: %d of %d comparisons open, %d that one side lacks", counts[CannotTell], len(out.rows), len(out.lost))
	case out.same:
		return NoRegression, "no difference: A and B hold the same measurements"
	default:
		return NoRegression, fmt.Sprintf("no regression beyond %s: %d comparisons", beyond, len(out.rows))
	}
}

func (s *side) describe() string {
	text := fmt.Sprintf("%s, benchmarks: %d", Show(s.path), len(s.order))
	for _, name := range slices.Sorted(maps.Keys(s.facts)) {
		text += fmt.Sprintf(", %s %s", name, list(s.facts[name]))
	}
	return text
}

// list prints the first few of foreign values.
func list(values []string) string {
	const most = 4
	more := ""
	if n := len(values) - most; n > 0 {
		values, more = values[:most], fmt.Sprintf(" and %d more", n)
	}
	return strings.Trim(fmt.Sprintf("%q", values), "[]") + more
}

// Benchstat prints what benchstat makes of what A and B hold, in the format of
// benchmark files. Where there is no benchstat it prints that.
func Benchstat(a, b []byte) (string, error) {
	dir, err := os.MkdirTemp("", "compare")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	args := []string{"tool", "benchstat"}
	for i, data := range [][]byte{a, b} {
		label := string(rune('A' + i))
		file := filepath.Join(dir, label)
		if err := os.WriteFile(file, data, 0o600); err != nil {
			return "", err
		}
		args = append(args, label+"="+file)
	}
	cmd := exec.Command("go", args...)
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	err = cmd.Run()
	says := strings.TrimSpace(errOut.String())
	switch {
	case err != nil: // the verdict does not take it
		return fmt.Sprintf("benchstat's table is not shown: go tool benchstat: %v: %s\n`go get -tool golang.org/x/perf/cmd/benchstat@latest` in a module brings it there.", err, Show(cut(says))), nil
	case says != "": // it exits with 0 after it could not read a file
		return "", fmt.Errorf("go tool benchstat: %s", says)
	}
	return strings.TrimRight(out.String(), "\n"), nil
}

// benchFile is the part of a side that both a and b have. Nothing stands in it that
// would keep A and B in separate tables, or act on a terminal.
func benchFile(s, a, b *side, units benchfmt.UnitMetadataMap) []byte {
	var file bytes.Buffer
	for _, u := range slices.SortedFunc(maps.Values(units), func(x, y *benchfmt.UnitMetadata) int {
		return cmp.Or(strings.Compare(x.OrigUnit, y.OrigUnit), strings.Compare(x.Key, y.Key))
	}) {
		fmt.Fprintf(&file, "Unit %s %s=%s\n", Show(u.OrigUnit), Show(u.Key), Show(u.Value))
	}
	for _, n := range a.order {
		if b.results[n] == nil {
			continue
		}
		fmt.Fprintf(&file, "pkg: %s\nreading: %s\n", Show(n.pkg), Show(n.reading))
		for _, r := range s.results[n] {
			fmt.Fprintf(&file, "Benchmark%s\t%d", Show(n.name), r.iters)
			for _, m := range r.metrics {
				fmt.Fprintf(&file, "\t%v %s", m.Value, Show(m.Unit))
			}
			fmt.Fprintln(&file)
		}
	}
	return file.Bytes()
}
