package histogram

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

// An interval that lost the line break in front of it does not go with the comment
// or the legend that it is glued to.
func TestLogGlued(t *testing.T) {
	var b bytes.Buffer
	lines := strings.SplitAfter(string(writeLog(t, &LogWriter{Start: logTime}, &b, logEntries(Range{1, 1000, 1})[:2])), "\n")
	intervals := 0
	for i, line := range lines {
		if i == 0 || line == "" || strings.HasPrefix(line, "#") || strings.HasPrefix(line, `"`) {
			continue
		}
		intervals++
		for _, before := range []string{"# a comment", logVersion[:len(logVersion)-1], logLegend[:len(logLegend)-1], strings.TrimSuffix(lines[i-1], "\n")} {
			glued := strings.Join(lines[:i-1], "") + before + line
			got, errs := readLog(NewLogReader(strings.NewReader(glued)))
			if len(errs) != 1 || !strings.Contains(errs[0].Error(), "line break is lost") || len(got) != intervals-1 {
				t.Errorf("%.30q in front of an interval: %d intervals before it, errors %v", before, len(got), errs)
			}
		}
	}
	if intervals != 2 {
		t.Fatalf("%d intervals, want 2", intervals)
	}
}

// Logs that were joined say nothing of each other's times.
func TestLogJoined(t *testing.T) {
	payload, err := recorded(Range{1, 1000, 1}, 5).Export().EncodeV2()
	if err != nil {
		t.Fatal(err)
	}
	interval := "2,1,0," + string(payload) + "\n"
	const day = "#[StartTime: 1438869961 (seconds since epoch), Thu]\n"
	const next = "#[StartTime: 1438956361 (seconds since epoch), Fri]\n"
	const base = "#[BaseTime: 1000 (seconds since epoch)]\n"
	for name, c := range map[string]struct {
		second string
		want   int64 // start of the second log's interval
	}{
		"start":           {next, 1438956363},
		"version, start":  {logVersion + next, 1438956363},
		"base":            {base, 1002},
		"no time":         {logVersion, 2},
		"no time, legend": {logLegend, 2},
		"start, base":     {logVersion + next + base, 1002},
	} {
		for _, first := range []string{day, day + "#[BaseTime: 7 (seconds since epoch)]\n", logVersion} {
			got, errs := readLog(NewLogReader(strings.NewReader(first + interval + c.second + interval)))
			if errs != nil || len(got) != 2 || got[1].Start.Unix() != c.want {
				t.Errorf("%s behind %q: %v, want a start at %d; errors %v", name, first, got[len(got)-1].Start, c.want, errs)
			}
		}
	}
}

// The legend says whether the second field is a length or an end.
func TestLogLegend(t *testing.T) {
	payload, err := recorded(Range{1, 1000, 1}, 5).Export().EncodeV2()
	if err != nil {
		t.Fatal(err)
	}
	interval := "100,103,0," + string(payload) + "\n"
	for second, want := range map[string]time.Duration{`"Interval_Length"`: 103 * time.Second, `"EndTimestamp"`: 3 * time.Second, `"Mood"`: -1} {
		text := "#[BaseTime: 7 (seconds since epoch)]\n\"StartTimestamp\"," + second + ",\"Interval_Max\",\"Interval_Compressed_Histogram\"\n" + interval
		got, errs := readLog(NewLogReader(strings.NewReader(text)))
		if want < 0 {
			if len(errs) != 1 || !strings.Contains(errs[0].Error(), `line 3: the legend calls the second field "Mood"`) {
				t.Errorf("%s: errors %v", second, errs)
			}
			continue
		}
		if errs != nil || len(got) != 1 || got[0].Start.Unix() != 107 || got[0].End.Sub(got[0].Start) != want {
			t.Errorf("%s: %v, errors %v", second, got, errs)
		}
	}
}
