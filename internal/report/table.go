package report

import "strings"

// table is a Markdown table; cells are Markdown.
type table struct {
	Head []string
	Left int // leading columns of words; the others are numbers, set to the right
	Rows [][]string
}

func (t *table) add(cells ...string) { t.Rows = append(t.Rows, cells) }

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
