// Package chart draws what a run measured, as SVG for light and for dark pages.
//
// There is one file for each kind of chart and one row for it in Kinds. A kind
// looks at the data and decides whether, and how often, it applies; an
// experiment names no charts. Bytes depend on the data alone: the same
// experiment gives the same files.
//
// Axes are drawn here, on gonum's canvas and with its fonts, and not by
// plot.Plot: panels share their rows with columns of text beside them, and
// plot.Plot keeps its legend inside the data area. Logarithmic axes hold log10
// of the values.
//
// An SVG names its font and does not carry it, so that a viewer may draw with
// wider letters than those measured here; layouts leave room for them.
package chart

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"hotpath/internal/bench"
	"hotpath/internal/claims"
	"hotpath/internal/results"
)

// Kind is one kind of chart.
type Kind struct {
	Name    string
	figures func(*study) ([]figure, error) // none where the kind does not apply
}

// Kinds holds every kind of chart in the order of the charts that Draw returns.
var Kinds = []Kind{
	{"forest", forest},
	{"percentiles", percentiles},
	{"latency", waits},
	{"heap", heaps},
	{"accuracy", accuracy},
	{"throughput", throughput},
	{"ratios", ratios},
	{"ladder", ladder},
	{"costs", costs},
	{"sequence", sequence},
}

// Context is what charts show beside the measurements.
type Context struct {
	Claims   claims.File
	Verdicts []claims.Verdict
}

// Chart is one finished chart.
type Chart struct {
	Kind  string      // name of its row in Kinds
	Block bench.Block // the block that it shows; none where it shows several
	Name  string      // stem for a file name, of a-z, 0-9 and hyphens; unique within an experiment's charts
	Title string      // its finding, in words and numbers
	Alt   string      // what it shows, in numbers
	Light []byte      // SVG for a white page
	Dark  []byte      // SVG for a dark page
}

// Draw draws every chart that applies to an experiment. Text from the data
// comes out as plain text in the SVG and in Title and Alt, without control
// characters; what else Markdown needs is up to the caller.
//
// It returns an error, which names the cell, where a value that a chart would
// show is not a number or out of all proportion.
func Draw(e *results.Experiment, ctx Context) ([]Chart, error) {
	if err := check(e); err != nil {
		return nil, err
	}
	s := newStudy(e, ctx)
	var charts []Chart
	taken := map[string]bool{}
	for _, k := range Kinds {
		figures, err := k.figures(s)
		if err != nil {
			return nil, err
		}
		for _, f := range figures {
			stem := slug(e.Name + " " + k.Name + " " + f.block.String() + " " + f.part)
			name := stem
			for i := 2; taken[name]; i++ {
				name = stem + "-" + strconv.Itoa(i)
			}
			taken[name] = true
			charts = append(charts, Chart{
				Kind:  k.Name,
				Block: f.block,
				Name:  name,
				Title: onOneLine(f.title),
				Alt:   onOneLine(f.alt),
				Light: f.svg(light),
				Dark:  f.svg(dark),
			})
		}
	}
	return charts, nil
}

// Values outside of these bounds come from no measurement, and a logarithmic
// axis that had to reach them would hide all others.
const (
	smallest = 1e-6
	largest  = 1e15
)

// otherUnits are those that charts show and that may be zero.
var otherUnits = func() []measure {
	all := append(slices.Clone(errorUnits), updateUnit, histogramUnit, copiedUnit, allocatedUnit, serverUnit)
	for _, g := range costGroups {
		all = append(all, g.units...)
	}
	for _, p := range openPercentiles {
		all = append(all, measure{unit: bench.Service(p)}, measure{unit: bench.Latency(p)})
	}
	return all
}()

// check looks at all values that any chart may draw.
func check(e *results.Experiment) error {
	for _, f := range e.Forks {
		if f.ID < 1 || f.ID > 1e9 {
			return fmt.Errorf("%s: a fork's number is %d: no chart can show it", clean(f.Cell.String()), f.ID)
		}
		complain := func(what string, v float64) error {
			return fmt.Errorf("%s: fork %d: %s is %v: no chart can show it", clean(f.Cell.String()), f.ID, what, v)
		}
		for _, m := range scoreUnits {
			if v, ok := f.Value(m.unit); ok && !drawable(v) {
				return complain(m.unit.Name, v)
			}
		}
		for _, m := range otherUnits {
			if v, ok := f.Value(m.unit); ok && v != 0 && !drawable(v) {
				return complain(m.unit.Name, v)
			}
		}
		for _, sample := range f.Heap {
			if sample.MS != 0 && !drawable(sample.MS) {
				return complain("a moment of the heap over time", sample.MS)
			}
			if sample.Bytes < 0 || float64(sample.Bytes) > largest {
				return complain("the heap over time", float64(sample.Bytes))
			}
		}
		if f.Hist != nil && float64(f.Hist.Max()) > largest {
			return complain("largest latency in ns", float64(f.Hist.Max()))
		}
	}
	return nil
}

// onOneLine is text that stands outside of a drawing.
func onOneLine(s string) string { return strings.ReplaceAll(clean(s), nbsp, " ") }

func drawable(v float64) bool { return v >= smallest && v <= largest }

// slug makes a name for a file out of words, at most 140 bytes long.
func slug(s string) string {
	s = strings.ToLower(strings.ReplaceAll(s, "Benchmark", ""))
	words := strings.FieldsFunc(s, func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	words = slices.DeleteFunc(words, func(w string) bool { return w == "mode" })
	s = strings.Join(words, "-")
	return strings.Trim(s[:min(len(s), 140)], "-")
}

func log10(v float64) float64 { return math.Log10(v) }
