package bench

import "strings"

// wording are the words for a parameter of a name, with one and with several of
// it behind the value. A parameter without any is printed as key=value.
var wording = map[string]struct{ one, many string }{
	"threads":    {"thread", "threads"},
	"histograms": {"histogram", "histograms"},
	"procs":      {"process", "processes"},
	"conns":      {"connection", "connections"},
	"depth":      {"in" + NBSP + "flight" + NBSP + "each", "in" + NBSP + "flight" + NBSP + "each"},
	"cells":      {"cell", "cells"},
	"size":       {"B" + NBSP + "each", "B" + NBSP + "each"},
	"rate":       {"operations/s", "operations/s"},
}

// Words tells in words what the block's cells have in common, the mode aside.
func (b Block) Words() []string {
	var words []string
	for p := range b.Params.All() {
		w, known := wording[p.Key]
		switch {
		case p.Key == "mode":
		case p.Key == "gogc":
			words = append(words, "GOGC"+NBSP+p.Value)
		case !known:
			words = append(words, p.Key+"="+p.Value)
		case p.Value == "1":
			words = append(words, p.Value+NBSP+w.one)
		default:
			words = append(words, p.Value+NBSP+w.many)
		}
	}
	return append(words, "GOMAXPROCS"+NBSP+string(b.Reading))
}

// Func is the benchmark's function without the word that every one begins with.
func (b Block) Func() string { return strings.TrimPrefix(b.Benchmark, "Benchmark") }

// Describe is the block in a line of words.
func (b Block) Describe() string { return strings.Join(append([]string{b.Func()}, b.Words()...), ", ") }

// Short is the block's name without the word that every benchmark begins with
// and without a parameter, and its reading.
func (b Block) Short(without string) string {
	name := Name{b.Func(), b.Params.without(without)}
	return name.String() + ", " + string(b.Reading)
}
