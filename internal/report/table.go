package report

import (
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
	// Words is how many columns at the end are of words too.
	Words int
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
			if i >= len(t.Head)-t.Words {
				t.Words--
			}
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
		if i < t.Left || i >= len(rule)-t.Words {
			rule[i] = ":---"
		}
	}
	line(rule)
	for _, row := range t.Rows {
		line(row)
	}
	return b.String()
}
