package report

import (
	"bytes"
	"fmt"
	stdhtml "html"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer/html"

	"hotpath/internal/bench"
	"hotpath/internal/results"
)

// html renders Markdown as a code host does, raw HTML and links of bare addresses
// included.
func rendered(t *testing.T, markdown []byte) string {
	t.Helper()
	var out bytes.Buffer
	if err := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(html.WithUnsafe())).Convert(markdown, &out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// evil is text that means something in Markdown, in HTML, or to who renders it.
const evil = "</details><script>x</script><img src=x onerror=y> [a](javascript:x) ![b](http://evil.test/c) `|` | https://evil.test www.evil.test WWW.evil.test a@evil.test " +
	"mailto:a@evil.test &lt;b&gt; **bold** _em_ ~~gone~~ <http://evil.test> [c]: d $x$ :smile: \x1b[31m \u202e\u2066 \u200b\u200d\ufeff \U000e0041\ufe0f # title\n\n# title\n===\n- list\n"

func TestEscape(t *testing.T) {
	plain := rendered(t, []byte("x"))
	for _, s := range []string{evil, "1. a", "- a", "+ a", "= a", "12) a", "# a", "> a", "    a", "=== ", "---", "***", "~~~", "```", "|a|b|", "\\", "&amp;", "a\u00a0b", "a`b", "`a`b``", "a&b"} {
		got := rendered(t, []byte(paragraph(s)+"\n"))
		got = regexp.MustCompile(`</?span>`).ReplaceAllString(got, "")
		if tags := regexp.MustCompile(`<[^>]*>`).FindAllString(got, -1); strings.Join(tags, "") != "<p></p>" && !(strings.Join(tags, "") == "" && strings.TrimSpace(s) == "") {
			t.Errorf("%q becomes %q, not a paragraph as %q", s, got, plain)
		}
		for _, r := range got {
			if r != '\n' && hiddenIn(r) {
				t.Errorf("%q passes %U", s, r)
			}
		}
		for _, cell := range []string{escape(s), code(s)} {
			row := rendered(t, []byte("| a | b |\n| - | - |\n| "+cell+" | c |\n"))
			if n := strings.Count(row, "<td>"); n != 2 {
				t.Errorf("%q makes %d cells of 2", s, n)
			}
			if got, want := legible(row), "a b "+legible(s)+" c"; legible(got) != legible(want) {
				t.Errorf("%q reads %q, want %q", s, got, want)
			}
		}
	}
}

// legible is what is to be read of a page, or of text that is no page.
func legible(text string) string {
	if strings.HasPrefix(text, "<table>") {
		text = stdhtml.UnescapeString(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(text, ""))
	}
	text = strings.Map(func(r rune) rune {
		if hiddenIn(r) && !unicode.IsSpace(r) {
			return -1
		}
		return r
	}, text)
	return strings.Join(strings.Fields(text), " ")
}

// hiddenIn reports whether a character cannot be seen, or changes how others are.
func hiddenIn(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Zl, unicode.Zp, unicode.Variation_Selector)
}

// Nothing of a run, a claims file, an advice file or a package comment is markup: the
// pages have the elements and links that they have with harmless words in its place.
func TestHostileText(t *testing.T) {
	elements := func(words string) map[string][]string {
		o := madeRun(t, func(m *results.Manifest) {
			// The reader of a run refuses what cannot be seen, and what is long.
			begin, end := shown(words), shown(words)
			begin, end = begin[:min(190, len(begin))], end[max(0, len(end)-190):]
			m.Machine.CPU, m.Budget = begin, end
			m.Machine.Facts = []bench.Fact{{Name: end, Value: begin}}
			m.Modules, m.Go, m.Binaries = m.Machine.Facts, m.Machine.Facts, m.Machine.Facts
		}, counterRun(2))
		o.Experiments = hostileExperiment(t, words)
		before := *build(t, o).Summaries[0]
		before.Run, before.Start = "20261129T0912Z-test-2cpu", before.Start.AddDate(0, 0, -1)
		if err := before.Keep(o.Results); err != nil {
			t.Fatal(err)
		}
		r := build(t, o)
		found := map[string][]string{}
		for _, name := range r.names() {
			if !strings.HasSuffix(name, ".md") {
				continue
			}
			page := rendered(t, r.Files[name])
			if i := strings.IndexFunc(page, func(r rune) bool { return r != '\n' && hiddenIn(r) }); i >= 0 {
				t.Errorf("%s passes %q", name, page[i:i+8])
			}
			page = regexp.MustCompile(`</?span>`).ReplaceAllString(page, "")
			page = regexp.MustCompile(`[0-9a-f]{64}|href="#title-[^"]*"`).ReplaceAllString(page, "")
			found[name] = regexp.MustCompile(`<[^>]*>`).FindAllString(page, -1)
		}
		return found
	}
	harmless, hostile := elements(strings.Repeat("harmless words ", 25)), elements(evil)
	for name, want := range harmless {
		got := hostile[name]
		for i := range max(len(got), len(want)) {
			if i >= len(got) || i >= len(want) || got[i] != want[i] {
				t.Errorf("%s: element %d: %q, want %q", name, i, slices.Clone(got[min(i, len(got)):min(i+3, len(got))]), want[min(i, len(want)):min(i+3, len(want))])
				break
			}
		}
	}
}

// hostileExperiment is the folder of an experiment whose files have words wherever they
// may have some.
func hostileExperiment(t *testing.T, words string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(experimentsDir)); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "counter", "claims.toml")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	changed := regexp.MustCompile(`(?m)^(text|source|reason|reading) = ".*"$`).ReplaceAll(text, fmt.Appendf(nil, "${1} = %s", strings.ReplaceAll(quote(words), "$", "$$")))
	// Names are at most 200 bytes long.
	n := 0
	changed = regexp.MustCompile(`(?m)^(id|candidate|units|name) = "(.*)"$|"longadder"\]$`).ReplaceAllFunc(changed, func(field []byte) []byte {
		key, value, isField := strings.Cut(string(field), " = ")
		n++
		piece := strings.ToValidUTF8(words[min(len(words), n%3*120):min(len(words), n%3*120+150)], "")
		switch {
		case !isField:
			return fmt.Appendf(nil, `"longadder", %s]`, quote("x"+piece))
		case key == "id":
			return fmt.Appendf(nil, "id = %s", quote(strings.Trim(value, `"`)+" "+piece))
		}
		return fmt.Appendf(nil, "%s = %s", key, quote("x"+piece))
	})
	if err := os.WriteFile(file, changed, 0o666); err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(dir, "counter", "advice.toml")
	if text, err = os.ReadFile(file); err != nil {
		t.Fatal(err)
	}
	changed = regexp.MustCompile(`(?m)^(need|when-not) = ".*"$`).ReplaceAll(text, fmt.Appendf(nil, "${1} = %s", strings.ReplaceAll(quote(words), "$", "$$")))
	if err := os.WriteFile(file, changed, 0o666); err != nil {
		t.Fatal(err)
	}
	line := strings.Join(strings.Fields(words), " ")
	comment := "// Package counter asks.\n//\n// # Method\n//\n// " + line + "\n//\n//   - " + line + "\n//\n//\t" + line + "\n//\n// A [link] to it.\n//\n// # Title " + strings.Map(func(r rune) rune {
		if strings.ContainsRune(";:!?+*/=[]{}_^°&§~%#@<\">()\\.", r) {
			return -1 // of a heading, by the syntax of comments
		}
		return r
	}, line) + "\n//\n// Text.\n//\n// [link]: javascript:x\npackage counter\n"
	if !strings.HasPrefix(words, "harmless") {
		comment = strings.ReplaceAll(comment, "\ufeff", "")
	}
	if err := os.WriteFile(filepath.Join(dir, "counter", "doc.go"), []byte(comment), 0o666); err != nil {
		t.Fatal(err)
	}
	return dir
}

// quote is a string of TOML.
func quote(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteString("\\" + string(r))
		case r < ' ' || hiddenIn(r):
			fmt.Fprintf(&b, "\\U%08x", r)
		default:
			b.WriteRune(r)
		}
	}
	return `"` + b.String() + `"`
}
