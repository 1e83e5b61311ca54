package compare

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/perf/benchfmt"

	"hotpath/internal/results"
)

// maxFile bounds the memory that a benchmark file can ask for.
const maxFile = 256 << 20

// loadFile reads a file that go test wrote. Unlike benchstat it refuses whatever
// looks like a result and is not read as one, a number that is none, and a run
// that did not come to its end: what is missing then would count as measured.
func loadFile(r *benchfmt.Reader, path string, input io.Reader) (*side, error) {
	s := newSide(path)
	if path == standardInput {
		s.path = "standard input"
	} else {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		input = f
	}
	data, err := io.ReadAll(io.LimitReader(input, maxFile+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxFile {
		return nil, fmt.Errorf("%s: larger than %d MiB", s.path, maxFile>>20)
	}
	text, err := split(data)
	if err != nil {
		return nil, fmt.Errorf("%s:%w", s.path, err)
	}
	if err := text.checkEnds(); err != nil {
		return nil, fmt.Errorf("%s:%w", s.path, err)
	}
	if err := s.take(r, text); err != nil {
		return nil, fmt.Errorf("%s:%w", s.path, err)
	}
	return s, nil
}

// take reads the results of a text, and refuses what looks like one and is not
// read.
func (s *side) take(r *benchfmt.Reader, text *text) error {
	read := make([]bool, len(text.lines))
	r.Reset(bytes.NewReader(bytes.Join(text.lines, []byte("\n"))), s.path)
	for r.Scan() {
		switch rec := r.Result().(type) {
		case *benchfmt.SyntaxError:
			line := text.lines[rec.Line-1]
			if isCut.Match(line) {
				return text.errorf(rec.Line-1, "%s: the result is cut off, or something was printed into it; measure again", Show(rec.Msg))
			}
			if bytes.Contains(line, []byte("better=")) || bytes.Contains(line, []byte("assume=")) {
				return text.errorf(rec.Line-1, "%s", Show(rec.Msg))
			}
		case *benchfmt.Result:
			_, line := rec.Pos()
			read[line-1] = true
			if m := s.result(rec, text.at[line-1]); m != nil {
				return text.errorf(line-1, "%v %s is no measurement", m.Value, Show(m.Unit))
			}
		}
	}
	if err := r.Err(); err != nil {
		return fmt.Errorf(" %w", err)
	}
	for i, line := range text.lines {
		if !read[i] && looksLikeResult(line) {
			return text.errorf(i, "a result that is not one line of its own: %s: something was printed into it, or it is damaged; measure again", Show(cut(string(line))))
		}
		if read[i] && !utf8.Valid(line) {
			return text.errorf(i, "a result that is not UTF-8")
		}
	}
	return nil
}

// result adds the result that stands in a line. It returns a metric whose value is
// no number, if there is one.
func (s *side) result(rec *benchfmt.Result, line int) *results.Metric {
	for _, c := range rec.Config {
		if _, known := agree[c.Key]; known {
			s.fact(c.Key, string(c.Value))
		}
	}
	res := result{line: line, iters: rec.Iters}
	for _, v := range rec.Values {
		m := results.Metric{Value: v.OrigValue, Unit: v.OrigUnit}
		if m.Unit == "" {
			m = results.Metric{Value: v.Value, Unit: v.Unit}
		}
		if math.IsNaN(m.Value) || math.IsInf(m.Value, 0) {
			return &m
		}
		res.metrics = append(res.metrics, m)
	}
	s.add(benchmark{rec.GetConfig("pkg"), rec.GetConfig("reading"), string(rec.Name)}, res)
	return nil
}

// isName tells the name of a benchmark from other words that begin with
// Benchmark, as the testing package does.
func isName(line []byte) bool {
	rest, ok := bytes.CutPrefix(line, []byte("Benchmark"))
	return ok && (len(rest) == 0 || rest[0] < 'a' || rest[0] > 'z')
}

const (
	gap    = `[\s\p{Z}\p{C}]+` // of what can be seen as a space, or not at all
	number = `[-+]?[0-9][0-9.eE+-]*`
)

var (
	// A name with a tab behind it, as results are printed, or with a count where tabs
	// became spaces.
	isCut = regexp.MustCompile(`^Benchmark([^a-z\s]\S*)?(\s*\t|\s+[0-9]+(\s*$|  ))`)

	// What stands in a result and hardly anywhere else: a count with a value and a
	// unit behind it, a benchmark's name with a value of a usual unit behind a tab, or
	// a name with a count and a value.
	measurements = regexp.MustCompile(`(?:^|` + gap + `)[0-9][0-9.e+]*` + gap + number + gap + `(?:\S*/op|MB/s)` +
		`|Benchmark\S*.*(?:\t|  )\s*` + number + gap + `(?:ns/op|B/op|allocs/op|MB/s)` +
		`|Benchmark\S*` + gap + `[0-9]+` + gap + number)
)

// looksLikeResult reports whether a line holds what only a result does, wherever
// on the line.
func looksLikeResult(line []byte) bool { return measurements.Match(line) }

// cut is the beginning of a long line.
func cut(line string) string {
	const most = 80
	if len(line) > most {
		return strings.ToValidUTF8(line[:most], "") + "…"
	}
	return line
}
