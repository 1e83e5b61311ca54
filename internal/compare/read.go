package compare

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"

	"hotpath/internal/bench"
	"hotpath/internal/results"
)

// maxFile bounds the memory that a benchmark file can ask for.
const maxFile = 256 << 20

// side is what stands on one side of the comparison.
type side struct {
	path    string
	run     bool        // a run folder, not a file
	order   []benchmark // as first met
	results map[benchmark][]result
	facts   map[string][]string // what made the results: distinct values
}

// benchmark identifies what is compared with what.
type benchmark struct {
	pkg     string // of a file's "pkg:" line, or a run's experiment
	reading string // of GOMAXPROCS, in runs
	name    string // without "Benchmark"; in files with the -GOMAXPROCS suffix
}

type result struct {
	line    int // in the file; 0 in runs
	iters   int
	metrics []results.Metric
}

// agree tells for each configuration key that says where a result comes from
// whether both sides must agree on it. Within a side each has one value.
var agree = map[string]bool{
	"goos": true, "goarch": true, "cpu": true, "cpus": true, "gomaxprocs": true,
	"go": true, "goversion": true, "go-version": true, "toolchain": true,
	"GOARCH": true, "GOAMD64": true, "GOGC": true,
	"commit": false, "revision": false, "gate": false,
}

// load reads a run folder or a benchmark file. The reader keeps the Unit lines
// of both sides and finds where they contradict each other.
func load(r *benchfmt.Reader, path string) (*side, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	s := &side{path: path, run: info.IsDir(), results: map[benchmark][]result{}, facts: map[string][]string{}}
	if s.run {
		err = s.loadRun(r)
	} else {
		err = s.loadFile(r)
	}
	if err == nil && len(s.order) == 0 {
		err = fmt.Errorf("%s: no benchmark result in it", path)
	}
	return s, err
}

// loadRun takes the score of each clean fork. Its units are those of the study.
func (s *side) loadRun(r *benchfmt.Reader) error {
	var units bytes.Buffer
	if err := bench.WriteUnits(&units); err != nil {
		return err
	}
	r.Reset(&units, s.path)
	for r.Scan() {
	}
	path := filepath.Clean(s.path)
	root, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer root.Close()
	run, err := results.Load(root, filepath.Base(path))
	if err != nil {
		return err
	}
	m := run.Manifest
	s.fact("cpu", m.Machine.CPU)
	s.fact("cpus", strconv.Itoa(m.Machine.CPUs))
	for _, f := range m.Go {
		if f.Name == "version" {
			f.Name = "go"
		}
		s.fact(f.Name, f.Value)
	}
	commit := m.Revision
	if m.Dirty {
		commit += " and changes"
	}
	s.fact("commit", commit)
	for _, e := range run.Experiments {
		for _, c := range e.Plan.Cells {
			b := benchmark{"experiments/" + e.Name, string(c.Reading), strings.TrimPrefix(c.Name.String(), "Benchmark")}
			for _, f := range e.Clean(c.ID()) {
				if v, ok := f.Value(c.Mode().Score()); ok {
					s.add(b, result{iters: 1, metrics: []results.Metric{{Value: v, Unit: c.Mode().Score().Name}}})
				}
			}
		}
	}
	return nil
}

// loadFile reads a file that go test wrote. Unlike benchstat it refuses a
// result line that does not parse, a number that is none, and a run that
// failed: what is missing then would count as measured.
func (s *side) loadFile(r *benchfmt.Reader) error {
	f, err := os.Open(s.path)
	if err != nil {
		return err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return err
	}
	if len(data) > maxFile {
		return fmt.Errorf("%s: larger than %d MiB", s.path, maxFile>>20)
	}
	lines, at, err := split(s.path, data)
	if err != nil {
		return err
	}
	refuse := func(line int, format string, args ...any) error {
		return fmt.Errorf("%s:%d: %s", s.path, at[line-1], fmt.Sprintf(format, args...))
	}
	r.Reset(bytes.NewReader(bytes.Join(lines, []byte("\n"))), s.path)
	for r.Scan() {
		switch rec := r.Result().(type) {
		case *benchfmt.SyntaxError:
			switch line := lines[rec.Line-1]; {
			case isResult(line):
				return refuse(rec.Line, "%s: the result is cut off, or something was printed into it; measure again", show(rec.Msg))
			case bytes.Contains(line, []byte("better=")), bytes.Contains(line, []byte("assume=")):
				return refuse(rec.Line, "%s", show(rec.Msg))
			}
		case *benchfmt.Result:
			_, line := rec.Pos()
			if m := s.take(rec, at[line-1]); m != nil {
				return refuse(line, "%v %s is no measurement", m.Value, show(m.Unit))
			}
		}
	}
	if err := r.Err(); err != nil {
		return err
	}
	for i, line := range lines {
		if string(line) == "FAIL" || bytes.HasPrefix(line, []byte("FAIL\t")) {
			return refuse(i+1, "the run failed, so results are missing; measure again")
		}
	}
	return nil
}

// take adds the result that stands in a line. It returns a metric whose value is
// no number, if there is one.
func (s *side) take(rec *benchfmt.Result, line int) *results.Metric {
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

// isResult tells the name of a benchmark from other words that begin with
// Benchmark, as the testing package does.
func isResult(line []byte) bool {
	rest, ok := bytes.CutPrefix(line, []byte("Benchmark"))
	return ok && (len(rest) == 0 || rest[0] < 'a' || rest[0] > 'z')
}

func (s *side) add(b benchmark, r result) {
	if s.results[b] == nil {
		s.order = append(s.order, b)
	}
	s.results[b] = append(s.results[b], r)
}

func (s *side) fact(name, value string) {
	if !slices.Contains(s.facts[name], value) {
		s.facts[name] = append(s.facts[name], value)
	}
}

// units lists the units of a benchmark as first met.
func (s *side) units(b benchmark) []string {
	var units []string
	for _, r := range s.results[b] {
		for _, m := range r.metrics {
			if !slices.Contains(units, m.Unit) {
				units = append(units, m.Unit)
			}
		}
	}
	return units
}

// values are a benchmark's values of a unit that at least one of its results has.
func (s *side) values(b benchmark, unit string) ([]float64, error) {
	var vs []float64
	for _, r := range s.results[b] {
		i := slices.IndexFunc(r.metrics, func(m results.Metric) bool { return m.Unit == unit })
		if i < 0 {
			return nil, fmt.Errorf("%s:%d: no %s, which other results of %s have: the line is cut off, or of another program", s.path, r.line, show(unit), show(b.name))
		}
		vs = append(vs, r.metrics[i].Value)
	}
	return vs, nil
}

// split takes a file apart into lines, each with the number of the line that
// it began at. The two differ in the output of go test -json: it is one event
// a line, and a result may be spread over several of them. Lines of one
// package are kept together.
func split(file string, data []byte) (lines [][]byte, at []int, err error) {
	var order []*stream
	packages := map[string]*stream{}
	number, events := 0, false
	for chunk := range bytes.Lines(data) {
		number++
		name := ""
		if chunk[0] == '{' {
			var event struct{ Action, Package, Output string }
			switch err := json.Unmarshal(chunk, &event); {
			case err == nil && event.Action != "":
				events = true
				name, chunk = event.Package, []byte(event.Output)
			case events:
				return nil, nil, fmt.Errorf("%s:%d: the event is cut off; measure again", file, number)
			}
		}
		out := packages[name]
		if out == nil {
			out = new(stream)
			packages[name] = out
			order = append(order, out)
		}
		if err := out.add(chunk, number); err != nil {
			return nil, nil, fmt.Errorf("%s:%d: %w", file, out.began, err)
		}
	}
	for _, out := range order {
		if isResult(out.open) {
			return nil, nil, fmt.Errorf("%s:%d: the last line is cut off; measure again", file, out.began)
		}
		lines, at = append(lines, out.lines...), append(at, out.at...)
	}
	return lines, at, nil
}

// stream is the lines of one package.
type stream struct {
	lines [][]byte
	at    []int
	open  []byte // the line that has not ended
	began int
}

// add takes what was printed next, in a line of the file.
func (s *stream) add(chunk []byte, number int) error {
	if len(s.open) == 0 {
		s.began = number
	}
	s.open = append(s.open, chunk...)
	for {
		line, rest, ended := bytes.Cut(s.open, []byte("\n"))
		if !ended {
			return nil
		}
		if len(line) >= bufio.MaxScanTokenSize-2 { // benchfmt and benchstat would stop here
			if isResult(line) {
				return fmt.Errorf("a result line of more than %d bytes", bufio.MaxScanTokenSize-2)
			}
			line = nil
		}
		s.lines = append(s.lines, bytes.TrimSuffix(line, []byte("\r")))
		s.at = append(s.at, s.began)
		s.open, s.began = rest, number
	}
}

// show makes foreign text harmless on a terminal, and keeps different texts
// different.
func show(s string) string {
	q := strconv.Quote(s)
	return q[1 : len(q)-1]
}
