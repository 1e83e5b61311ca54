package results

import (
	"fmt"
	"io"
	"math"

	"golang.org/x/perf/benchfmt"

	"hotpath/internal/bench"
)

// damaged says what to do about a file that is not as it was written.
const damaged = "the file is damaged; restore it from git, or measure again"

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
	p := textParser{file: file, units: map[string]string{}, names: map[string]string{}}
	for br.Scan() {
		switch rec := br.Result().(type) {
		case *benchfmt.SyntaxError:
			return nil, fmt.Errorf("%s:%d: %s: the file is damaged; restore it, or measure again", file, rec.Line, rec.Msg)
		case *benchfmt.UnitMetadata:
			p.units[rec.OrigUnit] = rec.OrigUnit
		case *benchfmt.Result:
			if err := p.add(rec); err != nil {
				return nil, err
			}
		}
	}
	if err := br.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if end.seen && end.b != '\n' {
		return nil, fmt.Errorf("%s: the last line is cut off: the file is damaged; restore it, or measure again", file)
	}
	return p.lines, nil
}

// textParser is what is known of a file in the middle of it.
type textParser struct {
	file   string
	lines  []Line
	config map[string]string // in force
	units  map[string]string // declared
	names  map[string]string // checked, by what benchfmt calls them
}

func (p *textParser) add(rec *benchfmt.Result) error {
	_, number := rec.Pos()
	if !sameConfig(p.config, rec.Config) {
		p.config = make(map[string]string, len(rec.Config))
		for _, c := range rec.Config {
			p.config[c.Key] = string(c.Value)
		}
	}
	name, ok := p.names[string(rec.Name)]
	if !ok {
		name = "Benchmark" + string(rec.Name)
		if err := bench.CheckName(name); err != nil {
			return fmt.Errorf("%s:%d: %w", p.file, number, err)
		}
		p.names[string(rec.Name)] = name
	}
	line := Line{Number: number, Name: name, Config: p.config, Metrics: make([]Metric, len(rec.Values))}
	for i, v := range rec.Values {
		m, err := p.metric(v)
		if err != nil {
			return fmt.Errorf("%s:%d: %w", p.file, number, err)
		}
		line.Metrics[i] = m
	}
	p.lines = append(p.lines, line)
	return nil
}

func (p *textParser) metric(v benchfmt.Value) (Metric, error) {
	m := Metric{Value: v.OrigValue, Unit: v.OrigUnit}
	if m.Unit == "" {
		m = Metric{Value: v.Value, Unit: v.Unit}
	}
	if declared, ok := p.units[m.Unit]; ok {
		m.Unit = declared // one string for all lines
	} else if bench.Standard(m.Unit) {
		p.units[m.Unit] = m.Unit
	} else {
		return m, fmt.Errorf("unit %.40q is not declared by a Unit line ahead of it: the line is cut off, or of another program", m.Unit)
	}
	if math.IsNaN(m.Value) || math.IsInf(m.Value, 0) || m.Value < 0 {
		return m, fmt.Errorf("%v %s is no measurement", m.Value, m.Unit)
	}
	return m, nil
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
