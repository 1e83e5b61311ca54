package report

import (
	"bytes"
	"embed"
	"html"
	"regexp"
	"strings"
	"text/template"

	"hotpath/internal/advice"
	"hotpath/internal/bench"
	"hotpath/internal/chart"
	"hotpath/internal/history"
	"hotpath/internal/study"
)

//go:embed templates
var templates embed.FS

// page is one page of a report: what the templates show.
type page struct {
	*content
	Name                    string   // of the file, below the folder of the report, with slashes
	X                       *section // of an experiment's own page
	Heading, Contents, Body string   // of a page behind REPORT.md
}

// content is what all pages have in common.
type content struct {
	Run         *study.Run
	Folder      string // of the run, from the folder of the report
	Experiments []*section
	Trust       trust
	Machines    *machines // nil where there is no other run
	Summaries   []*history.Summary
	History     courses
	Overview    []chart.Chart
}

// Method is the numbers of the method and its rule.
func (c *content) Method() any { return study.Method }

// Up leads from the page to the folder of the report.
func (p *page) Up() string { return strings.Repeat("../", strings.Count(p.Name, "/")) }

// Path leads from the page to the folder of the run.
func (p *page) Path() string { return p.Up() + p.Folder }

// Figure is a chart for light and for dark pages.
func (p *page) Figure(c chart.Chart) string {
	file := p.Up() + "plots/" + c.Name
	return `<picture><source media="(prefers-color-scheme: dark)" srcset="` + file + `-dark.svg"><img alt="` + attribute(c.Alt) + `" src="` + file + `-light.svg"></picture>`
}

func (c *content) Counts() string { return counts(c.Experiments) }

// Exceptions are the claims that are not borne out, and those that are open, if few.
func (c *content) Exceptions() []string { return exceptions(c.Experiments) }

func (c *content) Choices() *table { return choicesTable(c.Experiments) }

// WhoIsWho is the table of the contestants that the choices name.
func (c *content) WhoIsWho() *table { return whoIsWho(c.Experiments) }
func (c *content) Limit() string    { return percent(advice.Limit) }

// pageOf is where an experiment's own page is, from the folder of the report.
func pageOf(experiment string) string { return "report/" + experiment + ".md" }

// pageLink is a link from REPORT.md to an experiment's own page.
func pageLink(x *study.Experiment) string { return "[" + escape(x.Name) + "](" + pageOf(x.Name) + ")" }

// render fills a template.
func (p *page) render(name string) ([]byte, error) {
	t, err := template.New(name).Funcs(template.FuncMap{
		"escape": escape, "paragraph": paragraph, "percent": percent, "plural": bench.Plural, "ratio": ratio,
		"code": code, "processes": processes, "anchor": anchor, "decimal": bench.Decimal, "join": strings.Join, "inc": func(i int) int { return i + 1 },
	}).ParseFS(templates, "templates/*.tmpl")
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := t.ExecuteTemplate(&out, name, p); err != nil {
		return nil, err
	}
	if p.Heading != "" {
		p.Contents, p.Body = contents(out.Bytes()), out.String()
		out.Reset()
		if err := t.ExecuteTemplate(&out, "page", p); err != nil {
			return nil, err
		}
	}
	return emptyLines.ReplaceAll(out.Bytes(), []byte("\n\n")), nil
}

// emptyLines are what parts of a template that do not apply leave.
var emptyLines = regexp.MustCompile(`\n{3,}`)

// headings finds those of a page's second level.
var headings = regexp.MustCompile(`(?m)^## (.+)$`)

// contents is a table of contents: a link to each heading below the second.
func contents(page []byte) string {
	var links []string
	for _, m := range headings.FindAllSubmatch(page, -1) {
		links = append(links, "["+string(m[1])+"](#"+anchor(string(m[1]))+")")
	}
	return strings.Join(links, " · ")
}

// tags finds those of HTML.
var tags = regexp.MustCompile(`<[^>]*>`)

// anchor is the name that a heading, in Markdown, gets on the pages of code hosts.
func anchor(heading string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(html.UnescapeString(tags.ReplaceAllString(heading, ""))) {
		switch {
		case r == ' ':
			b.WriteByte('-')
		case r == '-' || r == '_' || r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			b.WriteRune(r)
		}
	}
	return b.String()
}
