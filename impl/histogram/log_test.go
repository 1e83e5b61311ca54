package histogram

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

var logTime = time.Date(2026, 11, 30, 9, 12, 0, 123456789, time.UTC)

// logEntries are intervals of a second. The odd ones have the tag A.
func logEntries(r Range) []*LogEntry {
	var entries []*LogEntry
	for i := range 4 {
		at := logTime.Add(time.Duration(i) * time.Second)
		e := &LogEntry{Start: at, End: at.Add(time.Second), Snapshot: recorded(r, sequence(10*i)...)}
		if i%2 == 1 {
			e.Tag = "A"
		}
		entries = append(entries, e)
	}
	return entries
}

func writeLog(t testing.TB, l *LogWriter, out *bytes.Buffer, entries []*LogEntry) []byte {
	t.Helper()
	l.w = out
	for _, e := range entries {
		if err := l.Write(e); err != nil {
			t.Fatal(err)
		}
	}
	return out.Bytes()
}

// readLog returns all intervals and all errors.
func readLog(l *LogReader) (entries []*LogEntry, errs []error) {
	for {
		e, err := l.Read()
		switch {
		case err == io.EOF:
			return entries, errs
		case err != nil:
			errs = append(errs, err)
		default:
			entries = append(entries, e)
		}
	}
}

func equalEntries(t *testing.T, got, want []*LogEntry) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d intervals, want %d", len(got), len(want))
	}
	for i := range want {
		if !reflect.DeepEqual(got[i], want[i]) {
			t.Errorf("interval %d: got %+v, want %+v", i, got[i], want[i])
		}
	}
}

func TestLogRoundTrip(t *testing.T) {
	// Values below zero and beyond the range, to find their counts again.
	want := logEntries(Range{1, 100_000, 3})
	want = append(want, &LogEntry{Tag: "#=\"ü", Start: logTime, End: logTime, Snapshot: recorded(Range{5, math.MaxInt64, 1}, -1, 3, math.MaxInt64)})
	for name, w := range map[string]*LogWriter{
		"absolute": {},
		"start":    {Start: logTime},
		"base":     {Start: logTime, Base: logTime},
		"old base": {Start: logTime, Base: logTime.AddDate(-40, 0, 0), MaxUnit: 1},
	} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			got, errs := readLog(NewLogReader(bytes.NewReader(writeLog(t, w, &b, want))))
			if errs != nil {
				t.Fatal(errs)
			}
			equalEntries(t, got, want)
		})
	}
}

func TestLogHeader(t *testing.T) {
	var b bytes.Buffer
	text := string(writeLog(t, &LogWriter{Start: logTime}, &b, logEntries(Range{1, 1000, 1})[:2]))
	const want = `#[Histogram log format version 1.3]
#[StartTime: 1796029920.123456789 (seconds since epoch), Mon Nov 30 09:12:00 UTC 2026]
#[BaseTime: 0.000 (seconds since epoch)]
"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"
#[Exact: count 0, sum 0, min 0, max 0, negative 0, too large 0]
1796029920.123456789,1.000,0.000,HIST`
	if !strings.HasPrefix(text, want) {
		t.Errorf("got %s, want %s", text, want)
	}
	if strings.Count(text, "\n") != 4+2*2 {
		t.Errorf("more lines than a header and two intervals:\n%s", text)
	}
}

// hdrhistogram-go, like Java, cuts time stamps off to milliseconds after it has
// been through a float64.
func millis(t *testing.T, what string, got int64, want time.Time) {
	t.Helper()
	if d := want.UnixMilli() - got; d < 0 || d > 1 {
		t.Errorf("%s: %d ms, want %d", what, got, want.UnixMilli())
	}
}

func TestLogReadByHdrhistogram(t *testing.T) {
	for _, w := range []*LogWriter{{}, {Start: logTime, Base: logTime}} {
		var b bytes.Buffer
		want := logEntries(Range{1, hourNanos, 3})
		writeLog(t, w, &b, want)
		r := hdrhistogram.NewHistogramLogReader(&b)
		for i, e := range want {
			h, err := r.NextIntervalHistogram()
			if err != nil || h == nil {
				t.Fatalf("interval %d: %v, %v", i, h, err)
			}
			if !h.Equals(e.Snapshot.Export()) || h.Tag() != e.Tag {
				t.Errorf("interval %d is another one, tag %q", i, h.Tag())
			}
			millis(t, "start", h.StartTimeMs(), e.Start)
			millis(t, "end", h.EndTimeMs(), e.End)
		}
		if h, err := r.NextIntervalHistogram(); h != nil || err != nil {
			t.Errorf("behind the last interval: %v, %v", h, err)
		}
	}
}

func TestLogOfHdrhistogram(t *testing.T) {
	var b bytes.Buffer
	w := hdrhistogram.NewHistogramLogWriter(&b)
	base := logTime.UnixMilli()
	w.SetBaseTime(base)
	for _, err := range []error{w.OutputLogFormatVersion(), w.OutputComment("of a test"), w.OutputStartTime(base), w.OutputLegend()} {
		if err != nil {
			t.Fatal(err)
		}
	}
	// The library writes base times in whole seconds; the reader finds the start
	// time of this log instead, which is in whole seconds as well.
	want := logEntries(Range{1, hourNanos, 3})
	for _, e := range want {
		h := e.Snapshot.Export()
		h.SetTag(e.Tag)
		h.SetStartTimeMs(e.Start.UnixMilli())
		h.SetEndTimeMs(e.End.UnixMilli())
		if err := w.OutputIntervalHistogram(h); err != nil {
			t.Fatal(err)
		}
	}
	got, errs := readLog(NewLogReader(&b))
	if errs != nil || len(got) != len(want) {
		t.Fatalf("%d intervals, errors %v", len(got), errs)
	}
	for i, e := range got {
		if !e.Snapshot.Export().Equals(want[i].Snapshot.Export()) || e.Tag != want[i].Tag {
			t.Errorf("interval %d is another one, tag %q", i, e.Tag)
		}
		if start := want[i].Start.Truncate(time.Second); !e.Start.Equal(start) || !e.End.Equal(start.Add(time.Second)) {
			t.Errorf("interval %d: %v to %v, want %v", i, e.Start, e.End, start)
		}
	}
}

// The file was written by HdrHistogram for Java 2.1.11.
func TestLogOfJava(t *testing.T) {
	file, err := os.Open("testdata/java.hlog")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	entries, errs := readLog(NewLogReader(file))
	if errs != nil || len(entries) != 4 {
		t.Fatalf("%d intervals, errors %v", len(entries), errs)
	}
	for i, e := range entries {
		if want := recorded(Range{1, hourNanos, 1 + i%3}, sequence(10*i)...); !e.Snapshot.Export().Equals(want.Export()) {
			t.Errorf("interval %d: not what was recorded", i)
		}
		start := time.UnixMilli(1441812279474 + 1001*int64(i)).UTC()
		if end := start.Add(997 * time.Millisecond); !e.Start.Equal(start) || !e.End.Equal(end) {
			t.Errorf("interval %d: %v to %v, want %v to %v", i, e.Start, e.End, start, end)
		}
		if want := []string{"", "A"}[i%2]; e.Tag != want {
			t.Errorf("interval %d: tag %q, want %q", i, e.Tag, want)
		}
	}
}

// Time stamps that lie far before the start time count from it.
func TestLogRelativeToStart(t *testing.T) {
	payload, err := recorded(Range{1, 1000, 1}, 5).Export().EncodeV2()
	if err != nil {
		t.Fatal(err)
	}
	for start, want := range map[string]time.Time{
		"": time.Unix(100, 5e8), // first stamp is the start
		"#[StartTime: 1000 (seconds since epoch), any text]\n":                                        time.Unix(100, 5e8),
		"#[StartTime: 1438869961.225 (seconds since epoch), Thu]\n":                                   time.UnixMilli(1438870061725),
		"#[StartTime: 1438869961 (seconds since epoch), Thu]\n#[BaseTime: 7 (seconds since epoch)]\n": time.Unix(107, 5e8),
	} {
		got, errs := readLog(NewLogReader(strings.NewReader(start + "100.5,1.0,5,0\n\n100.5,2.,.005," + string(payload))))
		if len(errs) != 1 || len(got) != 1 || !got[0].Start.Equal(want) || got[0].End.Sub(want) != 2*time.Second {
			t.Errorf("after %q: %d intervals, errors %v", start, len(got), errs)
		}
	}
}

// An interval without a tag must not come back with that of an interval that was
// passed over.
func TestLogRange(t *testing.T) {
	var b bytes.Buffer
	want := logEntries(Range{1, 100_000, 2})
	l := NewLogReader(bytes.NewReader(writeLog(t, &LogWriter{}, &b, want)))
	l.From, l.To = want[2].Start, want[3].Start
	got, errs := readLog(l)
	if errs != nil {
		t.Fatal(errs)
	}
	equalEntries(t, got, want[2:3])
}

func TestLogWriteRefuses(t *testing.T) {
	s := recorded(Range{1, 1000, 1}, 5)
	entry := func(tag string, start, end time.Time) *LogEntry { return &LogEntry{tag, start, end, s} }
	end := logTime.Add(time.Second)
	for _, c := range []struct {
		w    *LogWriter
		e    *LogEntry
		want string
	}{
		{&LogWriter{}, entry(",b", logTime, end), `tag ",b"`},
		{&LogWriter{}, entry("b,", logTime, end), `tag "b,"`},
		{&LogWriter{}, entry("a b", logTime, end), `tag "a b"`},
		{&LogWriter{}, entry("\n", logTime, end), `tag "\n"`},
		{&LogWriter{}, entry("a\u2028", logTime, end), "line break"},
		{&LogWriter{}, entry("", end, logTime), "end: "},
		{&LogWriter{Base: end}, entry("", logTime, end), "start: "},
		{&LogWriter{}, entry("", time.Time{}, end), "start: "},
		{&LogWriter{}, entry("", logTime, logTime.AddDate(400, 0, 0)), "end: "},
		{&LogWriter{Start: time.Unix(-1, 0)}, entry("", logTime, end), "start time: "},
		{&LogWriter{Base: time.Unix(-1, 0)}, entry("", logTime, end), "base time: "},
	} {
		var b bytes.Buffer
		c.w.w = &b
		if err := c.w.Write(c.e); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("tag %q from %v to %v: error %v, want one with %q", c.e.Tag, c.e.Start, c.e.End, err, c.want)
		}
		if b.Len() > 0 {
			t.Errorf("written with an error: %q", b.Bytes())
		}
	}
	if err := NewLogWriter(full{}).Write(entry("", logTime, end)); !errors.Is(err, errFull) {
		t.Errorf("error %v", err)
	}
}

func TestLogErrors(t *testing.T) {
	var b bytes.Buffer
	w := &LogWriter{Start: logTime}
	lines := strings.SplitAfter(string(writeLog(t, w, &b, logEntries(Range{1, 1000, 1})[:1])), "\n")
	header, exact, interval := strings.Join(lines[:4], ""), lines[4], lines[5]
	start, rest, _ := strings.Cut(interval, ",")
	length, rest, _ := strings.Cut(rest, ",")
	highest, payload, _ := strings.Cut(rest, ",")
	other, err := hdrhistogram.New(10, 15, 1).EncodeV2()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ text, want string }{
		{"x\n", "line 1: 1 fields"},
		{header + "Tag=A,1,2\n", "line 5: 2 fields"},
		{header + interval[:len(interval)-1] + ",\n" + "x " + interval, "line 6: 5 fields"},
		{header + "1e3," + length + "," + highest + "," + payload, `line 5: start: "1e3"`},
		{header + "1h2," + length + "," + highest + "," + payload, `line 5: start: "1h2"`},
		{header + "-," + length + "," + highest + "," + payload, `line 5: start: "-"`},
		{header + start + ",1.0.0," + highest + "," + payload, `line 5: length: "1.0.0"`},
		{header + start + "," + length + ",x," + payload, `line 5: maximum: "x"`},
		{header + start + "," + length + "," + highest + ",HIST\n", "line 5: histogram: "},
		{header + start + "," + length + "," + highest + "," + string(other) + "\n", "line 5: histogram: range 10 to 15"},
		{header + exact, "line 5: no interval follows"},
		{header + exact + exact + interval, "line 6: no interval has followed"},
		{header + strings.Replace(exact, "count 0", "count 1", 1) + interval, "line 6: histogram: 0 values, but the line above says 1"},
		{header + strings.Replace(exact, "]", "", 1) + interval, `line 5: "#[Exact: `},
		{"#[StartTime: x (seconds since epoch)]\n", `line 1: StartTime: "x"`},
		{"#[BaseTime: 1 (seconds\n", "line 1: "},
		{"#[BaseTime: 1 (seconds since epoch)\n", "line 1: "},
		{header[:20], "line 1: unexpected EOF"},
	} {
		_, errs := readLog(NewLogReader(strings.NewReader(c.text)))
		if len(errs) != 1 || !strings.Contains(errs[0].Error(), c.want) {
			t.Errorf("%q: errors %v, want one with %q", c.text, errs, c.want)
		}
	}
	broken := io.MultiReader(strings.NewReader(header+exact+start), iotest.ErrReader(errFull))
	if _, err := NewLogReader(broken).Read(); err != errFull {
		t.Errorf("error %v of the underlying reader", err)
	}
}

// What a cut leaves is read, and the cut is reported in its line, unless it is
// behind an interval.
func TestLogCut(t *testing.T) {
	var b bytes.Buffer
	want := logEntries(Range{1, 1000, 1})
	text := writeLog(t, &LogWriter{Start: logTime}, &b, want)
	for n := range len(text) {
		cut := text[:n]
		line := bytes.Count(cut, []byte("\n"))
		last := cut[bytes.LastIndexByte(bytes.TrimSuffix(cut, []byte("\n")), '\n')+1:]
		ended := bytes.HasSuffix(last, []byte("\n"))
		if !ended {
			line++
		}
		whole := n == 0 || ended
		if len(last) > 0 && last[0] >= '0' && text[n] == '\n' {
			whole = true
		}
		if bytes.HasPrefix(last, []byte("#[Exact:")) {
			whole = false
		}
		got, errs := readLog(NewLogReader(bytes.NewReader(cut)))
		if whole && errs != nil {
			t.Fatalf("cut at %d, behind an interval: %v", n, errs)
		}
		if !whole && (len(errs) != 1 || !strings.Contains(errs[0].Error(), fmt.Sprintf("line %d:", line))) {
			t.Fatalf("cut at %d, in line %d: errors %v", n, line, errs)
		}
		equalEntries(t, got, want[:len(got)])
	}
}

// A damaged byte does not make an interval vanish without a word.
func TestLogDamage(t *testing.T) {
	var b bytes.Buffer
	want := logEntries(Range{1, 1000, 1})[1:3]
	text := writeLog(t, &LogWriter{Start: logTime}, &b, want)
	for n := range text {
		for _, flip := range []byte{1, 128, text[n] ^ '\n', text[n] ^ '#'} {
			if flip == 0 {
				continue
			}
			text[n] ^= flip
			got, errs := readLog(NewLogReader(bytes.NewReader(text)))
			if len(errs) == 0 {
				if len(got) != len(want) {
					t.Errorf("byte %d as %q: %d intervals and no error", n, text[n], len(got))
				}
				for i, e := range got {
					if !e.Snapshot.Export().Equals(want[i].Snapshot.Export()) {
						t.Errorf("byte %d as %q: interval %d is another one and no error", n, text[n], i)
					}
				}
			}
			text[n] ^= flip
		}
	}
}

// Whatever is read can be written and read again, or is refused.
func FuzzLog(f *testing.F) {
	var b bytes.Buffer
	f.Add(writeLog(f, &LogWriter{Start: logTime, Base: logTime}, &b, logEntries(Range{1, 1000, 1})))
	java, err := os.ReadFile("testdata/java.hlog")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(java)
	f.Fuzz(func(t *testing.T, text []byte) {
		entries, _ := readLog(NewLogReader(bytes.NewReader(text)))
		var b bytes.Buffer
		w := NewLogWriter(&b)
		var want []*LogEntry
		for _, e := range entries {
			if w.Write(e) == nil {
				want = append(want, e)
			}
		}
		got, errs := readLog(NewLogReader(&b))
		if errs != nil {
			t.Fatal(errs)
		}
		equalEntries(t, got, want)
	})
}
