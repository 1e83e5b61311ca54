package report

import (
	"fmt"
	"slices"
	"strings"

	"hotpath/internal/bench"
	"hotpath/internal/study"
)

// table is a Markdown table; cells are Markdown.
type table struct {
	Head []string
	Left int // leading columns of words; the others are numbers, set to the right
	Rows [][]string
}

func (t *table) add(cells ...string) { t.Rows = append(t.Rows, cells) }

// column is a column of a table of contestants.
type column struct {
	head string
	cell func(r *study.Row) string // Markdown
}

// contestants is a table with a row for each contestant, and ahead of the other
// columns one with their names.
func contestants(rows []*study.Row, columns []column) *table {
	t := &table{Head: []string{"contestant"}, Left: 1}
	for _, c := range columns {
		t.Head = append(t.Head, c.head)
	}
	for _, r := range rows {
		cells := []string{code(r.Impl())}
		for _, c := range columns {
			cells = append(cells, c.cell(r))
		}
		t.add(cells...)
	}
	return t
}

// median is a column of medians over the clean forks, with a text where there is
// none.
func median(unit bench.Unit, head string, print func(float64) string, none string) column {
	return column{head, func(r *study.Row) string {
		f := r.Figure(unit)
		if !f.Counts() {
			return none
		}
		return print(f.Median.Estimate)
	}}
}

// trimmed is the table without the rows and columns that say nothing.
func (t *table) trimmed() *table {
	empty := func(row []string) bool { return strings.Join(row[t.Left:], "") == "" }
	t.Rows = slices.DeleteFunc(t.Rows, empty)
	for i := len(t.Head) - 1; i >= t.Left; i-- {
		if !slices.ContainsFunc(t.Rows, func(row []string) bool { return row[i] != "" }) {
			t.Head = slices.Delete(t.Head, i, i+1)
			for j := range t.Rows {
				t.Rows[j] = slices.Delete(t.Rows[j], i, i+1)
			}
		}
	}
	return t
}

// transposed is the table with its columns as rows.
func (t *table) transposed() *table {
	r := &table{Head: []string{t.Head[0]}, Left: 1}
	for _, row := range t.Rows {
		r.Head = append(r.Head, row[0])
	}
	for i, head := range t.Head[1:] {
		row := []string{head}
		for _, cells := range t.Rows {
			row = append(row, cells[1+i])
		}
		r.add(row...)
	}
	return r
}

// String is the table, or nothing when it has no rows.
func (t *table) String() string {
	if t == nil || len(t.Rows) == 0 {
		return ""
	}
	var b strings.Builder
	line := func(cells []string) { b.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	line(t.Head)
	rule := make([]string, len(t.Head))
	for i := range rule {
		rule[i] = "---:"
		if i < t.Left {
			rule[i] = ":---"
		}
	}
	line(rule)
	for _, row := range t.Rows {
		line(row)
	}
	return b.String()
}

// number prints a value with four significant digits and commas.
func number(v float64) string { return bench.Full(v, 4) }

// micros prints nanoseconds as microseconds.
func micros(ns float64) string { return number(ns / 1e3) }

// percent prints a share.
func percent(v float64) string { return bench.Percent(v, 3) }

// ratio prints a ratio with its interval: 5.42 [5.31, 5.60].
func ratio(iv study.Interval) string {
	switch {
	case iv.Estimate == 0:
		return "n/a"
	case iv.Level == 0:
		return bench.Ratio(iv.Estimate) + " (n=" + fmt.Sprint(iv.N) + ")"
	}
	return bench.Ratio(iv.Estimate) + " [" + bench.Ratio(iv.Low) + ", " + bench.Ratio(iv.High) + "]"
}

// paired prints the ratio of two contestants.
func paired(b *study.Block, unit bench.Unit, baseline, candidate string) string {
	if baseline == candidate {
		return "1"
	}
	return ratio(b.Ratio(unit, baseline, candidate))
}

// code is a contestant's name in Markdown. Names have been checked by the
// reader of the run.
func code(s string) string { return "`" + s + "`" }

// escape makes text from outside plain in Markdown, in a table cell too.
func escape(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r < ' ' || r == 0x7f || (r >= 0x80 && r < 0xa0) || (r >= 0x202a && r <= 0x202e) || (r >= 0x2066 && r <= 0x2069):
			b.WriteByte(' ')
		case strings.ContainsRune("\\`*_{}[]<>#|~&!", r):
			b.WriteByte('\\')
			b.WriteRune(r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
