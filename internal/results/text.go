package results

import (
	"fmt"
	"io"
	"math"
	"strings"

	"golang.org/x/perf/benchfmt"

	"hotpath/internal/bench"
)

// Line is one result line of a Go benchmark file.
type Line struct {
	Number  int               // in the file, from 1
	Name    string            // with Benchmark and Go's -GOMAXPROCS suffix
	Config  map[string]string // "key: value" lines in force; shared between lines, not to be written
	Metrics []Metric
}

// ParseText reads a file in Go benchmark format. It refuses what benchstat
// would accept or skip in silence: broken result lines, units that nothing
// declares (a cut-off unit looks like a new one), numbers that are negative or
// not finite, names with characters that do not belong there, and a file that
// ends within a line. The file name is for messages.
func ParseText(file string, r io.Reader) ([]Line, error) {
	end := &lastByte{r: r}
	br := benchfmt.NewReader(end, file)
	var lines []Line
	var config map[string]string
	units := map[string]string{}
	names := map[string]string{} // checked, by what benchfmt calls them
	for br.Scan() {
		switch rec := br.Result().(type) {
		case *benchfmt.SyntaxError:
			return nil, fmt.Errorf("%s:%d: %s: the file is damaged; restore it, or measure again", file, rec.Line, rec.Msg)
		case *benchfmt.UnitMetadata:
			units[rec.OrigUnit] = rec.OrigUnit
		case *benchfmt.Result:
			_, number := rec.Pos()
			if !sameConfig(config, rec.Config) {
				config = make(map[string]string, len(rec.Config))
				for _, c := range rec.Config {
					config[c.Key] = string(c.Value)
				}
			}
			name, ok := names[string(rec.Name)]
			if !ok {
				name = "Benchmark" + string(rec.Name)
				if err := bench.CheckName(name); err != nil {
					return nil, fmt.Errorf("%s:%d: %w", file, number, err)
				}
				names[string(rec.Name)] = name
			}
			line := Line{Number: number, Name: name, Config: config, Metrics: make([]Metric, len(rec.Values))}
			for i, v := range rec.Values {
				m := Metric{Value: v.OrigValue, Unit: v.OrigUnit}
				if m.Unit == "" {
					m = Metric{Value: v.Value, Unit: v.Unit}
				}
				if declared, ok := units[m.Unit]; ok {
					m.Unit = declared // one string for all lines
				} else if bench.Standard(m.Unit) {
					units[m.Unit] = m.Unit
				} else {
					return nil, fmt.Errorf("%s:%d: unit %.40q is not declared by a Unit line ahead of it: the line is cut off, or of another program", file, number, m.Unit)
				}
				if math.IsNaN(m.Value) || math.IsInf(m.Value, 0) || m.Value < 0 {
					return nil, fmt.Errorf("%s:%d: %v %s is no measurement", file, number, m.Value, m.Unit)
				}
				line.Metrics[i] = m
			}
			lines = append(lines, line)
		}
	}
	if err := br.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if end.seen && end.b != '\n' {
		return nil, fmt.Errorf("%s: the last line is cut off: the file is damaged; restore it, or measure again", file)
	}
	return lines, nil
}

func sameConfig(m map[string]string, config []benchfmt.Config) bool {
	if len(m) != len(config) {
		return false
	}
	for _, c := range config {
		if v, ok := m[c.Key]; !ok || v != string(c.Value) {
			return false
		}
	}
	return true
}

// lastByte remembers the last byte read through it.
type lastByte struct {
	r    io.Reader
	b    byte
	seen bool
}

func (l *lastByte) Read(p []byte) (int, error) {
	n, err := l.r.Read(p)
	if n > 0 {
		l.b, l.seen = p[n-1], true
	}
	return n, err
}

// OneResult finds the result line of a benchmark in a fork's output, with the
// configuration and Unit lines ahead of it. Anything but exactly one line of
// that name, or a line that ParseText refuses, is an error.
func OneResult(output string, name bench.Name) (config, units []string, result string, err error) {
	for line := range strings.Lines(output) {
		line = strings.TrimRight(line, "\r\n")
		switch {
		case strings.HasPrefix(line, "Unit "):
			units = append(units, line)
		case strings.HasPrefix(line, "Benchmark") && strings.ContainsRune(line, '\t'):
			if printed, _, _ := strings.Cut(line, "\t"); bench.Procless(strings.TrimSpace(printed)) != name.String() {
				continue
			}
			if result != "" {
				return nil, nil, "", fmt.Errorf("two result lines of %s", name)
			}
			result = line
		case isConfig(line):
			config = append(config, line)
		}
	}
	if result == "" {
		return nil, nil, "", fmt.Errorf("no result line of %s", name)
	}
	file := strings.Join(append(append(units[:len(units):len(units)], config...), result), "\n") + "\n"
	if _, err := ParseText("output", strings.NewReader(file)); err != nil {
		return nil, nil, "", err
	}
	return config, units, result, nil
}

// isConfig recognises the configuration lines that go test prints.
func isConfig(line string) bool {
	key, _, ok := strings.Cut(line, ": ")
	return ok && (key == "goos" || key == "goarch" || key == "pkg" || key == "cpu")
}
