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
// the first heading, and the text below each heading. Nothing of it is markup but
// what the syntax of comments makes of it: paragraphs, lists, and lines set in.
// Links stay words.
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
		if s.Heading == escape(heading) {
			return s.Text
		}
	}
	return ""
}

// Asks is the first paragraph: what the experiment is about.
func (p prose) Asks() string {
	first, _, _ := strings.Cut(p.Question, "\n\n")
	return first
}

// known are the headings that have their places in a report.
var known = []string{"Method", "How this differs from the published study", "What is not re-created", "What the peers do besides", originals}

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
	heading := ""
	var part []string
	flush := func() {
		md := strings.Join(part, "\n\n")
		if heading == "" {
			p.Question = md
		} else {
			p.Sections = append(p.Sections, chapter{heading, md})
		}
		part = nil
	}
	for _, block := range new(doc.Package).Parser().Parse(text).Content {
		if h, ok := block.(*comment.Heading); ok {
			flush()
			heading = escape(plain(h.Text))
			continue
		}
		part = append(part, markdown(block))
	}
	flush()
	return p, nil
}

// markdown is a block of a comment that is no heading.
func markdown(block comment.Block) string {
	switch b := block.(type) {
	case *comment.Paragraph:
		return paragraph(plain(b.Text))
	case *comment.Code:
		var lines []string
		for line := range strings.Lines(b.Text) {
			lines = append(lines, "    "+shown(strings.TrimRight(line, "\n")))
		}
		return strings.Join(lines, "\n")
	case *comment.List:
		var items []string
		for _, item := range b.Items {
			var texts []string
			for _, inner := range item.Content {
				texts = append(texts, strings.ReplaceAll(markdown(inner), "\n", "\n  "))
			}
			items = append(items, "- "+strings.Join(texts, "\n\n  "))
		}
		return strings.Join(items, "\n")
	}
	return ""
}

// plain is what stands in a comment, without emphasis and without where its links
// lead.
func plain(texts []comment.Text) string {
	var b strings.Builder
	for _, t := range texts {
		switch t := t.(type) {
		case comment.Plain:
			b.WriteString(string(t))
		case comment.Italic:
			b.WriteString(string(t))
		case *comment.Link:
			b.WriteString(plain(t.Text))
		case *comment.DocLink:
			b.WriteString(plain(t.Text))
		}
	}
	return b.String()
}
