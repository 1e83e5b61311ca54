package report

import (
	"go/doc"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// prose is an experiment's package comment in Markdown: what stands ahead of
// the first heading, and the text below each heading.
type prose struct {
	Question string
	Sections []chapter
}

type chapter struct {
	Heading string
	Text    string
}

// Section returns the text below a heading, or "".
func (p prose) Section(heading string) string {
	for _, s := range p.Sections {
		if s.Heading == heading {
			return s.Text
		}
	}
	return ""
}

// known are the headings that have their places in a report.
var known = []string{"Method", "How this differs from the published study", "What is not re-created", besides}

// besides heads what an experiment says of other libraries.
const besides = "What the peers do besides"

// Others are the sections below headings that have no place of their own.
func (p prose) Others() []chapter {
	return slices.DeleteFunc(slices.Clone(p.Sections), func(s chapter) bool { return slices.Contains(known, s.Heading) })
}

// readProse reads doc.go of an experiment's folder.
func readProse(dir string) (prose, error) {
	file := filepath.Join(dir, "doc.go")
	if _, err := os.Stat(file); err != nil {
		return prose{}, fs.ErrNotExist
	}
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
	if err != nil {
		return prose{}, err
	}
	var p prose
	text := f.Doc.Text()
	// The sentence that godoc wants to start with "Package name".
	if rest, ok := strings.CutPrefix(text, "Package "+f.Name.Name+" "); ok {
		text = "This experiment " + rest
	}
	printer := &comment.Printer{HeadingID: func(*comment.Heading) string { return "" }}
	part := new(comment.Doc)
	heading := ""
	flush := func() {
		md := strings.TrimSpace(string(printer.Markdown(part)))
		if heading == "" {
			p.Question = md
		} else {
			p.Sections = append(p.Sections, chapter{heading, md})
		}
		part = new(comment.Doc)
	}
	for _, block := range new(doc.Package).Parser().Parse(text).Content {
		if h, ok := block.(*comment.Heading); ok {
			flush()
			heading = plain(h.Text)
			continue
		}
		part.Content = append(part.Content, block)
	}
	flush()
	return p, nil
}

func plain(texts []comment.Text) string {
	var b strings.Builder
	for _, t := range texts {
		if s, ok := t.(comment.Plain); ok {
			b.WriteString(string(s))
		}
	}
	return b.String()
}
