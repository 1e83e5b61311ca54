// Package chart draws what a run or a comparison of two revisions measured, as SVG for
// light and for dark pages.
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
package chart

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"hotpath/internal/bench"
	"hotpath/internal/study"
)

// Kind is one kind of chart.
type Kind struct {
	Name    string
	form    string                  // for who does not see it
	figures func(*drawing) []figure // none where the kind does not apply
}

// Kinds holds every kind of chart of an experiment in the order of the charts
// that Draw returns.
var Kinds = []Kind{
	{"forest", "Published and measured ratios", forest},
	{"originals", "What re-creations take over what originals take", originals},
	{"throughput", "Speed of each contestant", throughput},
	{"percentiles", "Latency by percentile", percentiles},
	{"latency", "Service and response times", waits},
	{"ladder", "Bytes and CPU of each step", ladder},
	{"accuracy", "Error against time", accuracy},
	{"costs", "Memory and CPU of each contestant", costs},
	{"heap", "Heap over time", heaps},
	{"placement", "Cost of each lap against the CPUs' distance", placement},
	{"heats", "Ratio of each heat over the run", heats},
}

// Chart is one finished chart.
type Chart struct {
	Kind  string      // name of its row in Kinds
	Block bench.Block // the block that it shows; none where it shows several
	Name  string      // stem for a file name, of a-z, 0-9 and hyphens; unique within an experiment's charts
	Title string      // its finding, in words and numbers, with the experiment and n
	Alt   string      // what it is and what it shows, in at most 150 characters
	Light []byte      // SVG for a white page
	Dark  []byte      // SVG for a dark page
}

// Draw draws every chart that applies to an experiment. Text from the data
// comes out as plain text in the SVG and in Title and Alt, without control
// characters; what else Markdown needs is up to the caller.
//
// It returns an error, which names the cell, where a value that a chart would
// show is not a number or out of all proportion.
func Draw(x *study.Experiment) ([]Chart, error) {
	d := newDrawing(x)
	var charts []Chart
	taken := map[string]bool{}
	for _, k := range Kinds {
		figures := k.figures(d)
		if d.err != nil {
			return nil, d.err
		}
		for _, f := range figures {
			stem := slug(x.Name + " " + k.Name + " " + f.block.String() + " " + f.part)
			name := stem
			for i := 2; taken[name]; i++ {
				name = stem + "-" + strconv.Itoa(i)
			}
			taken[name] = true
			f.title = x.Name + ": " + f.title
			charts = append(charts, k.chart(name, f))
		}
	}
	return charts, nil
}

// chart draws a figure of the kind.
func (k Kind) chart(name string, f figure) Chart {
	if f.n != "" {
		f.title += " (" + f.n + ")"
	}
	title := onOneLine(f.title)
	alt := shorten(k.form+". "+title, 150)
	return Chart{Kind: k.Name, Block: f.block, Name: name, Title: title, Alt: alt, Light: f.svg(light, alt), Dark: f.svg(dark, alt)}
}

// drawing is an experiment that is being drawn.
type drawing struct {
	*study.Experiment
	tints map[string]int // by contestant: which shade of its role's hue, and which dashes
	err   error          // the first value that no chart can show
}

func newDrawing(x *study.Experiment) *drawing {
	d := &drawing{Experiment: x, tints: map[string]int{}}
	seen := map[bench.Role]int{}
	for _, b := range x.Blocks {
		for _, r := range b.Rows {
			if _, ok := d.tints[r.Impl()]; !ok {
				d.tints[r.Impl()] = seen[r.Role]
				seen[r.Role]++
			}
		}
	}
	for _, b := range x.Blocks {
		for _, r := range b.Rows {
			if t, ok := d.tints[cmp.Or(r.Twin, r.Recreation)]; ok {
				d.tints[r.Impl()] = t
			}
		}
	}
	return d
}

// Values outside of these bounds come from no measurement, and a logarithmic
// axis that had to reach them would hide all others.
const (
	smallest = 1e-6
	largest  = 1e15
)

func drawable(v float64) bool { return v >= smallest && v <= largest }

// refuse notes a value of a fork that no chart can show.
func (d *drawing) refuse(cell bench.CellID, fork int, what string, v float64) {
	if d.err == nil {
		d.err = fmt.Errorf("%s: fork %d: %s is %v: no chart can show it", printable(cell.String()), fork, what, v)
	}
}

// figures are a block's figures of a unit, without those that cannot be drawn.
// Zero has no place on a logarithmic axis: a score must not be 0.
func (d *drawing) figures(b *study.Block, unit bench.Unit) []*study.Figure {
	return slices.DeleteFunc(b.Figures(unit), func(f *study.Figure) bool {
		for _, p := range f.Points {
			if !drawable(p.Value) && (p.Value != 0 || slices.Contains(study.ScoreUnits, unit)) {
				d.refuse(f.ID(), p.Fork, unit.Name, p.Value)
				return true
			}
		}
		return false
	})
}

// slug makes a name for a file out of words, at most 140 bytes long.
func slug(s string) string {
	s = strings.ToLower(strings.ReplaceAll(s, "Benchmark", ""))
	words := strings.FieldsFunc(s, func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	words = slices.DeleteFunc(words, func(w string) bool { return w == "mode" })
	s = strings.Join(words, "-")
	return strings.Trim(s[:min(len(s), 140)], "-")
}

var log10 = math.Log10
