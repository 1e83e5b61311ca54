// Package explorer makes a page of a run on which a reader chooses what is
// compared with what: one HTML file that needs no other and asks for none, from
// disk too.
//
// # What the page holds
//
// Beside d3 and Observable Plot, which draw its charts, and scripts of its own, the
// page holds a run as JSON in the element "data": who took part and what it is,
// the figures that the other pages show, the values of each fork, and what each
// turn of each lap cost. From turns the page computes the ratio of any two
// contestants as package study does: Hodges and Lehmann's estimate over the laps of
// a heat, the same and its signed-rank interval over the heats, widened by what
// the block's control shows of equals. Two that were never in one heat are compared
// over the block's baseline, heat by heat, and the page says so. As a ratio over
// laps is not the quotient of two others, no smaller set of numbers gives all of
// them.
//
// Numbers of turns and forks have four characters each, and an error of at most two
// in a million; the page prints three digits.
//
// # Safety
//
// A name or a word from the run enters the page as JSON, in which no character is
// markup, and is shown as text. The page's policy allows no request.
package explorer

import (
	"bytes"
	"embed"
	"encoding/json"
	"text/template"

	"hotpath/internal/study"
)

//go:embed page.html style.css js third_party
var files embed.FS

// scripts are the page's, in the order in which they run.
var scripts = []string{
	"third_party/d3.min.js", "third_party/plot.umd.min.js",
	"js/format.js", "js/stats.js", "js/run.js", "js/view.js", "js/element.js", "js/plots.js",
	"js/contestants.js", "js/heats.js", "js/curves.js", "js/claims.js", "js/main.js",
}

var page = template.Must(template.New("page.html").Funcs(template.FuncMap{
	"scripts": func() []string { return scripts },
	"file": func(name string) (string, error) {
		text, err := files.ReadFile(name)
		return string(text), err
	},
}).ParseFS(files, "page.html"))

// Page makes the page of a run. It depends on the run alone: the same run gives the
// same bytes.
func Page(run *study.Run) ([]byte, error) {
	data, err := json.Marshal(dataOf(run)) // in which no character is markup
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = page.Execute(&out, string(data))
	return out.Bytes(), err
}
