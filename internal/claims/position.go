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

// locate lists the keys and tables of a well-formed document in its order.
func locate(data []byte) positions {
	var (
		ps     positions
		parser unstable.Parser
		table  string
		seen   = map[string]int{} // members of each array of tables
	)
	parser.Reset(data)
	add := func(path string, raw unstable.Range) {
		ps = append(ps, position{path, 1 + bytes.Count(data[:raw.Offset], []byte("\n"))})
	}
	var value func(path string, n *unstable.Node)
	keyValue := func(path string, n *unstable.Node) {
		keys := n.Key()
		for keys.Next() {
			path = join(path, string(keys.Node().Data))
			add(path, keys.Node().Raw)
		}
		value(path, n.Value())
	}
	value = func(path string, n *unstable.Node) {
		children := n.Children()
		switch n.Kind {
		case unstable.InlineTable:
			for children.Next() {
				keyValue(path, children.Node())
			}
		case unstable.Array:
			for i := 0; children.Next(); i++ {
				value(fmt.Sprintf("%s[%d]", path, i), children.Node())
			}
		}
	}
	for parser.NextExpression() {
		n := parser.Expression()
		if n.Kind == unstable.KeyValue {
			keyValue(table, n)
			continue
		}
		if n.Kind != unstable.Table && n.Kind != unstable.ArrayTable {
			continue
		}
		table = ""
		for keys := n.Key(); keys.Next(); {
			table = join(table, string(keys.Node().Data))
			if n.Kind == unstable.ArrayTable && keys.IsLast() {
				seen[table]++
			}
			if members := seen[table]; members > 0 {
				table = fmt.Sprintf("%s[%d]", table, members-1)
			}
			if keys.IsLast() {
				add(table, keys.Node().Raw)
			}
		}
	}
	return ps
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
