package claims

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// position is where a key or a table of a claims file stands. The path counts
// the members of arrays of tables from 0: claim[2].published.
type position struct {
	path string
	line int
}

type positions []position

// locator collects the positions of a document.
type locator struct {
	data  []byte
	found positions
}

// locate lists the keys and tables of a well-formed document in its order.
func locate(data []byte) positions {
	l := locator{data: data}
	var parser unstable.Parser
	parser.Reset(data)
	table := ""
	seen := map[string]int{} // members of each array of tables
	for parser.NextExpression() {
		n := parser.Expression()
		switch n.Kind {
		case unstable.KeyValue:
			l.keyValue(table, n)
		case unstable.Table, unstable.ArrayTable:
			table = l.table(n, seen)
		}
	}
	return l.found
}

func (l *locator) add(path string, raw unstable.Range) {
	l.found = append(l.found, position{path, 1 + bytes.Count(l.data[:raw.Offset], []byte("\n"))})
}

// table adds a table and returns its path.
func (l *locator) table(n *unstable.Node, seen map[string]int) string {
	path := ""
	for keys := n.Key(); keys.Next(); {
		path = join(path, string(keys.Node().Data))
		if n.Kind == unstable.ArrayTable && keys.IsLast() {
			seen[path]++
		}
		if members := seen[path]; members > 0 {
			path = fmt.Sprintf("%s[%d]", path, members-1)
		}
		if keys.IsLast() {
			l.add(path, keys.Node().Raw)
		}
	}
	return path
}

func (l *locator) keyValue(path string, n *unstable.Node) {
	for keys := n.Key(); keys.Next(); {
		path = join(path, string(keys.Node().Data))
		l.add(path, keys.Node().Raw)
	}
	l.value(path, n.Value())
}

func (l *locator) value(path string, n *unstable.Node) {
	children := n.Children()
	switch n.Kind {
	case unstable.InlineTable:
		for children.Next() {
			l.keyValue(path, children.Node())
		}
	case unstable.Array:
		for i := 0; children.Next(); i++ {
			l.value(fmt.Sprintf("%s[%d]", path, i), children.Node())
		}
	}
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

func (ps positions) has(path string) bool {
	for _, p := range ps {
		if p.path == path {
			return true
		}
	}
	return false
}

// line is that of a key; of a key that is not in the document it is that of
// the nearest table around it, and 1 where there is none.
func (ps positions) line(path string) int {
	for path != "" {
		for _, p := range ps {
			if p.path == path {
				return p.line
			}
		}
		path = path[:max(0, strings.LastIndexAny(path, ".["))]
	}
	return 1
}
