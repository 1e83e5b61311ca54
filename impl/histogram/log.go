package histogram

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// LogEntry is one interval of a histogram log: what was recorded from Start to
// End, under a tag. A log may hold several series, told apart by their tags; the
// entry of the only series mostly has none.
type LogEntry struct {
	Tag        string
	Start, End time.Time
	Snapshot   *Snapshot
}

// logEpoch is what time stamps in a log count from if it names no base time.
var logEpoch = time.Unix(0, 0)

const (
	logVersion = "#[Histogram log format version 1.3]\n"
	logLegend  = `"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"` + "\n"
	logStart   = "#[StartTime: %s (seconds since epoch), %s]\n"
	logBase    = "#[BaseTime: %s (seconds since epoch)]\n"
	logExact   = "#[Exact: count %d, sum %d, min %d, max %d, negative %d, too large %d]\n"
)

// LogWriter writes a histogram log (.hlog, format version 1.3) as HdrHistogram
// defines it; tools in Java, Go and other languages read it.
//
// The format has no place for a snapshot's exact sum, minimum and maximum nor for
// its refused values. They stand in a comment above the interval, which other
// readers skip and LogReader reads: a snapshot comes back from a log as it was.
//
// A LogWriter is for one goroutine at a time. Its fields must not change after the
// first Write.
type LogWriter struct {
	Start time.Time // the log's start time; none if zero
	Base  time.Time // time stamps count from here; absolute if zero

	// MaxUnit divides the maximum that stands readable in each interval's line.
	// Zero means 1e6, which is what the tools expect: values in nanoseconds, and
	// the maximum in milliseconds.
	MaxUnit float64

	w       io.Writer
	started bool
}

// NewLogWriter returns a LogWriter whose first Write puts the header in front.
func NewLogWriter(w io.Writer) *LogWriter { return &LogWriter{w: w} }

// Write appends one interval, in one write to the underlying writer.
//
// It refuses what some reader of the format would misread: a tag with a comma, a
// space or a line break, a Start before the base time, and an End before Start.
// Nothing of such an entry is written.
func (l *LogWriter) Write(e *LogEntry) error {
	if strings.ContainsAny(e.Tag, ", \n\r\u0085\u2028\u2029") { // Java's line breaks
		return fmt.Errorf("histogram log: tag %q has a comma, a space or a line break", e.Tag)
	}
	base := l.Base
	if base.IsZero() {
		base = logEpoch
	}
	start, err := logSeconds(base, e.Start)
	if err != nil {
		return fmt.Errorf("histogram log: start: %w", err)
	}
	length, err := logSeconds(e.Start, e.End)
	if err != nil {
		return fmt.Errorf("histogram log: end: %w", err)
	}
	s := e.Snapshot
	payload, err := s.Export().EncodeV2()
	if err != nil {
		return err
	}
	var b []byte
	if !l.started {
		if b, err = l.header(b, base); err != nil {
			return err
		}
	}
	unit := l.MaxUnit
	if unit == 0 {
		unit = 1e6
	}
	b = fmt.Appendf(b, logExact, s.Count, s.Sum, s.Min, s.Max, s.Negative, s.TooLarge)
	if e.Tag != "" {
		b = fmt.Appendf(b, "Tag=%s,", e.Tag)
	}
	b = fmt.Appendf(b, "%s,%s,%.3f,%s\n", start, length, float64(s.Max)/unit, payload)
	if _, err := l.w.Write(b); err != nil {
		return err
	}
	l.started = true
	return nil
}

// header always names the base time: without one, readers guess whether time
// stamps are absolute.
func (l *LogWriter) header(b []byte, base time.Time) ([]byte, error) {
	b = append(b, logVersion...)
	if !l.Start.IsZero() {
		start, err := logSeconds(logEpoch, l.Start)
		if err != nil {
			return nil, fmt.Errorf("histogram log: start time: %w", err)
		}
		b = fmt.Appendf(b, logStart, start, l.Start.UTC().Format("Mon Jan 02 15:04:05 MST 2006"))
	}
	origin, err := logSeconds(logEpoch, base)
	if err != nil {
		return nil, fmt.Errorf("histogram log: base time: %w", err)
	}
	b = fmt.Appendf(b, logBase, origin)
	return append(b, logLegend...), nil
}

// logSeconds formats the time from one moment to another in seconds, with 3
// decimals, or 9 if there is less than a millisecond in it.
func logSeconds(from, to time.Time) (string, error) {
	d := to.Sub(from)
	if !from.Add(d).Equal(to) {
		return "", fmt.Errorf("%v is too far from %v", to, from)
	}
	if d < 0 {
		return "", fmt.Errorf("%v is before %v", to, from)
	}
	if d%time.Millisecond == 0 {
		return fmt.Sprintf("%d.%03d", d/time.Second, d%time.Second/time.Millisecond), nil
	}
	return fmt.Sprintf("%d.%09d", d/time.Second, d%time.Second), nil
}

// LogReader reads a histogram log, from LogWriter or any other writer of the
// format, as long as its histograms are in HdrHistogram's encoding version 2.
//
// Logs may follow each other in one file: a header behind an interval begins another
// one, with times of its own.
//
// A cut log gives an error that names the line, unless it ends with a whole interval
// or line of the header: that is a shorter log. A damaged one gives such errors too,
// since histograms have a checksum, unless what was hit are time stamps, tags or
// comments and still are such.
//
// A LogReader is for one goroutine at a time.
type LogReader struct {
	// From and To, if not zero, pass over all intervals that do not start in
	// [From, To). The histograms of these are not decoded.
	From, To time.Time

	r      *bufio.Reader
	line   int
	header logHeader
	inLog  bool      // an interval has been read since the header began
	exact  *Snapshot // from the comment above the next interval, without Counts
}

// logHeader is what a log says of all its intervals.
type logHeader struct {
	start, base time.Time // zero until known
	second      string    // the legend's name of the second field, "" without a legend
}

// begin forgets the log before, if there was one: logs may be joined in one file,
// and say nothing of each other.
func (l *LogReader) begin() {
	if l.inLog {
		l.header, l.inLog = logHeader{}, false
	}
}

// NewLogReader returns a LogReader.
func NewLogReader(r io.Reader) *LogReader { return &LogReader{r: bufio.NewReader(r)} }

// Read returns the next interval. At the end of the log it returns io.EOF.
//
// After an error that names a line, Read goes on behind that line. An error of the
// underlying reader comes back as it is.
//
// What LogWriter wrote comes back as it was. In an interval from another writer,
// Min, Max and Sum are what Import makes of cells.
func (l *LogReader) Read() (*LogEntry, error) {
	for {
		text, err := l.r.ReadString('\n')
		if err != nil && err != io.EOF {
			return nil, err
		}
		if text == "" && l.exact == nil {
			return nil, io.EOF
		}
		var e *LogEntry
		if text == "" {
			l.exact, err = nil, fmt.Errorf("no interval follows: %w", io.ErrUnexpectedEOF)
		} else {
			l.line++
			e, err = l.parse(text)
		}
		if err != nil {
			return nil, fmt.Errorf("histogram log, line %d: %w", l.line, err)
		}
		if e != nil {
			return e, nil
		}
	}
}

// parse returns nil for a line that is no interval of the range.
func (l *LogReader) parse(line string) (*LogEntry, error) {
	text := strings.TrimRight(line, "\r\n")
	comment, legend := strings.HasPrefix(text, "#"), strings.HasPrefix(text, `"StartTimestamp"`)
	switch {
	case !comment && !legend:
		if strings.TrimSpace(text) == "" {
			return nil, nil
		}
		return l.interval(text)
	case text == line:
		return nil, io.ErrUnexpectedEOF
	case logInterval.MatchString(text):
		l.exact = nil
		return nil, errors.New("an interval is in a line with a comment or with the legend: a line break is lost")
	case comment:
		return nil, l.comment(text)
	}
	l.begin()
	l.header.second = ""
	if fields := strings.Split(text, ","); len(fields) > 1 {
		l.header.second = strings.Trim(fields[1], `"`)
	}
	return nil, nil
}

// logInterval matches where an interval begins, its tag aside.
var logInterval = regexp.MustCompile(`[0-9.]+[, ]+[0-9.]+[, ]+[0-9.eE+-]+[, ]+HIST`)

// interval returns nil for one that is out of the range.
func (l *LogReader) interval(text string) (*LogEntry, error) {
	exact := l.exact
	l.exact = nil // serves one line, whatever becomes of it
	l.inLog = true
	var e LogEntry
	fields := strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
	if len(fields) > 0 && strings.HasPrefix(fields[0], "Tag=") {
		e.Tag = fields[0][len("Tag="):]
		fields = fields[1:]
	}
	if len(fields) != 4 {
		return nil, fmt.Errorf("%d fields, want start, length, maximum and histogram", len(fields))
	}
	if err := l.times(&e, fields[0], fields[1]); err != nil {
		return nil, err
	}
	if _, err := strconv.ParseFloat(fields[2], 64); err != nil {
		return nil, fmt.Errorf("maximum: %q is not a number", fields[2])
	}
	if e.Start.Before(l.From) || !l.To.IsZero() && !e.Start.Before(l.To) {
		return nil, nil
	}
	h, err := hdrhistogram.Decode([]byte(fields[3]))
	if err != nil {
		return nil, fmt.Errorf("histogram: %w", err)
	}
	if e.Snapshot, err = Import(h); err != nil {
		return nil, fmt.Errorf("histogram: %w", err)
	}
	if exact != nil {
		if exact.Count != e.Snapshot.Count {
			return nil, fmt.Errorf("histogram: %d values, but the line above says %d", e.Snapshot.Count, exact.Count)
		}
		exact.Range, exact.Counts = e.Snapshot.Range, e.Snapshot.Counts
		e.Snapshot = exact
	}
	return &e, nil
}

// times reads when an interval began and how long it was, or when it ended if that
// is what the legend says of the second field.
func (l *LogReader) times(e *LogEntry, first, second string) error {
	start, err := parseLogSeconds(first)
	if err != nil {
		return fmt.Errorf("start: %w", err)
	}
	e.Start = l.absolute(start)
	switch l.header.second {
	case "", "Interval_Length":
		length, err := parseLogSeconds(second)
		if err != nil {
			return fmt.Errorf("length: %w", err)
		}
		e.End = e.Start.Add(length)
	case "EndTimestamp", "Interval_End":
		end, err := parseLogSeconds(second)
		if err != nil {
			return fmt.Errorf("end: %w", err)
		}
		e.End = l.absolute(end)
	default:
		return fmt.Errorf("the legend calls the second field %q, which is neither a length nor an end", l.header.second)
	}
	return nil
}

// absolute returns the moment of a time stamp. Like all readers of the format, it
// takes time stamps to count from the start time if the log names no base time and
// its first stamp lies more than a year before the start time.
func (l *LogReader) absolute(stamp time.Duration) time.Time {
	at := logEpoch.Add(stamp)
	if l.header.base.IsZero() {
		l.header.base = logEpoch
		if !l.header.start.IsZero() && at.Before(l.header.start.Add(-365*24*time.Hour)) {
			l.header.base = l.header.start
		}
	}
	return l.header.base.Add(stamp).UTC()
}

// comment takes from a comment what readers must know of it.
func (l *LogReader) comment(text string) error {
	kind, rest, _ := strings.Cut(text, " ")
	switch kind {
	case "#[Histogram":
		l.begin()
	case "#[StartTime:", "#[BaseTime:":
		l.begin()
		number, rest, _ := strings.Cut(rest, " ")
		if !strings.HasPrefix(rest, "(seconds since epoch)") || !strings.HasSuffix(rest, "]") {
			return fmt.Errorf("%q is cut or damaged", text)
		}
		d, err := parseLogSeconds(number)
		if err != nil {
			return fmt.Errorf("%s %w", kind[len("#["):], err)
		}
		if at := logEpoch.Add(d); kind == "#[StartTime:" {
			l.header.start = at
		} else {
			l.header.base = at
		}
	case "#[Exact:":
		before := l.exact
		l.exact = nil
		var s Snapshot
		if _, err := fmt.Sscanf(text+"\n", logExact, &s.Count, &s.Sum, &s.Min, &s.Max, &s.Negative, &s.TooLarge); err != nil {
			return fmt.Errorf("%q is cut or damaged", text)
		}
		l.exact = &s
		if before != nil {
			return errors.New("no interval has followed the exact values before these")
		}
	}
	return nil
}

// parseLogSeconds reads a decimal number of seconds to the nanosecond, which a
// float64 of seconds since the epoch does not hold.
func parseLogSeconds(text string) (time.Duration, error) {
	if strings.Trim(text, "+-.0123456789") == "" {
		if d, err := time.ParseDuration(text + "s"); err == nil {
			return d, nil
		}
	}
	return 0, fmt.Errorf("%q is not a number of seconds", text)
}
