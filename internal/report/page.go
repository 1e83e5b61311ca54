package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"regexp"
	"text/template"

	"hotpath/internal/bench"
	"hotpath/internal/study"
)

//go:embed report.md.tmpl
var reportTemplate string

// page is what the template shows.
type page struct {
	Run         *study.Run
	Path        string // of the run's folder, from that of the report
	Experiments []*section
	Matrix      *table // claims by runs, where there are several
}

// Method is the numbers of the method and its rule.
func (p *page) Method() any { return study.Method }

func (p *page) Sentence() string { return canJudge(p.Run) }
func (p *page) Claims() *table   { return claimsTable(p.Experiments) }
func (p *page) Peers() *table    { return peersTable(p.Experiments) }

// Again says how often a fork is tried after its first attempt; empty where the
// run does not tell.
func (p *page) Again() string {
	switch n := p.Run.Manifest.Attempts - 1; n {
	case -1:
		return ""
	case 1:
		return "at most once"
	case 2:
		return "at most twice"
	default:
		return fmt.Sprintf("at most %d times", n)
	}
}

// render fills the template.
func (p *page) render() ([]byte, error) {
	t, err := template.New(reportName).Funcs(template.FuncMap{
		"escape": escape, "percent": percent, "plural": bench.Plural, "ratio": ratio, "number": number,
	}).Parse(reportTemplate)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := t.Execute(&out, p); err != nil {
		return nil, err
	}
	return emptyLines.ReplaceAll(out.Bytes(), []byte("\n\n")), nil
}

// emptyLines are what parts of the template that do not apply leave.
var emptyLines = regexp.MustCompile(`\n{3,}`)
