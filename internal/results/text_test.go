package results_test

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"hotpath/internal/bench"
	"hotpath/internal/results"
)

func TestParseText(t *testing.T) {
	const units = "Unit ops assume=nothing\n"
	for _, tt := range []struct {
		text string
		want string // in the error; empty for none
	}{
		{units + "BenchmarkAdd/impl=x-2\t1\t5 ns/op\t7 ops\n", ""},
		{"prose\nBenchmarkAdd/impl=x-2\t1\t5 ns/op\n", ""},
		{"BenchmarkAdd/impl=x-2\t1\t5 ns/op", "last line is cut off"},
		{"BenchmarkAdd/impl=x-2\t1\t5 ns/o\n", `f:1: unit "ns/o" is not declared`},
		{"BenchmarkAdd/impl=x-2\t1\n", "f:1: "},
		{"\nBenchmarkAdd/impl=x-2\t1\tNaN ns/op\n", "f:2: "},
		{"BenchmarkAdd/impl=x-2\t1\t+Inf ns/op\n", "f:1: "},
		{"BenchmarkAdd/impl=x-2\t1\t-4 ns/op\n", "f:1: -4 ns/op is no measurement"},
		{"BenchmarkAdd/impl=<script>-2\t1\t5 ns/op\n", "f:1: benchmark name"},
		{"BenchmarkAdd/impl=x|y-2\t1\t5 ns/op\n", "f:1: benchmark name"},
		{"BenchmarkAdd/impl=x\x1b[31m-2\t1\t5 ns/op\n", "f:1: benchmark name"},
		{"BenchmarkAdd/impl=" + strings.Repeat("x", 300) + "\t1\t5 ns/op\n", "f:1: benchmark name"},
		{"Unit ops assume=nothing\nUnit ops assume=exact\n", "f:2: "},
		{strings.Repeat("x", 70_000) + "\n", "f: "},
	} {
		_, err := results.ParseText("f", strings.NewReader(tt.text))
		check(t, tt.text, err, tt.want)
	}
}

// check compares an error with the text that must be in it; empty for none.
func check(t *testing.T, what string, err error, want string) {
	t.Helper()
	switch {
	case want == "" && err != nil:
		t.Errorf("%.60q: %v", what, err)
	case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
		t.Errorf("%.60q: error %v, want %q", what, err, want)
	}
}

func TestOneResult(t *testing.T) {
	const line = "BenchmarkAdd/impl=x-2  \t       1\t         5.000 ns/op\n"
	name, err := bench.ParseName("BenchmarkAdd/impl=x")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		output, want string
	}{
		{"goos: linux\n" + line + "PASS\n", ""},
		{"goos: linux\ngoos: linux\n" + line, ""},
		{"goos: linux\nBenchmarkAdd/impl=x\tis slow today\n" + line, ""},
		{"goos: linux\nBenchmarkAdd/impl=x-2  \t\nBenchmarks are hard\n" + line, ""},
		{"goos: linux\nBenchmarkAdd/impl=y-2\t1\t5 ns/op\n" + line, ""},
		{"PASS\n", "no result line"},
		{line + line, "two result lines"},
		{line + strings.Replace(line, "5.000", "6.000", 1), "two result lines"},
		{"warning: " + line, "stands behind other text"},
		{"\ufeff" + line, "stands behind other text"},
		{"\x1b[0m" + line, "stands behind other text"},
		{line + "warning: " + line, "stands behind other text"},
		{strings.Replace(line, "impl=x", "impl=y", 1), "no result line"},
		{strings.Replace(line, "5.000", "5.0.0", 1), "output:1"},
		{strings.Replace(line, "ns/op", "ns/o", 1), "is not declared"},
	} {
		config, _, result, err := results.OneResult(tt.output, name)
		check(t, tt.output, err, tt.want)
		if tt.want == "" && (result+"\n" != line || len(config) != 1) {
			t.Errorf("%q: %q, %q", tt.output, config, result)
		}
	}
}

func TestLastWords(t *testing.T) {
	for output, want := range map[string]string{
		"":                        "",
		"\n panic: boom\n\n":      "panic: boom",
		"Unit ops assume=x\na\tb": "a b",
		"\x1b[31mred\x07\u202e\n": "[31mred",
		"\xff\x00b\ufffd":         "?b?",
	} {
		if got := results.LastWords(output); got != want {
			t.Errorf("%q: %q, want %q", output, got, want)
		}
	}
	long := results.LastWords(strings.Repeat("é", 1<<20) + "end")
	if len(long) > 2000 || len(long) < 1990 || !strings.HasSuffix(long, "end") || !utf8.ValidString(long) {
		t.Errorf("%d bytes are left of 2 MB, %q at the end", len(long), long[len(long)-3:])
	}
}

func TestIntervals(t *testing.T) {
	const head, kept, gated = "#[Histogram log format version 1.3]\n\"StartTimestamp\"\n", "0.1,0.2,0.3,HIST\n", "Tag=gated,0.1,0.2,0.4,HIST\n"
	for _, tt := range []struct {
		log, want string
		both      bool
	}{
		{head + kept, "", false},
		{head + kept + gated, "", true},
		{head + gated + kept, "", true},
		{head, "no interval", false},
		{head + kept + kept, "a second interval", false},
		{head + gated + kept + gated, "a second interval", false},
		{head + "Tag=other,0.1,0.2,0.3,HIST\n", "not an interval", false},
		{head + "0.1,0.2,HIST\n", "not an interval", false},
	} {
		k, g, err := results.Intervals([]byte(tt.log))
		check(t, tt.log, err, tt.want)
		if tt.want == "" && (k != "0.1,0.2,0.3,HIST" || (g == "0.1,0.2,0.4,HIST") != tt.both) {
			t.Errorf("%q: %q and %q", tt.log, k, g)
		}
	}
	if k, g, err := results.Intervals([]byte(gated)); k != "" || g == "" || err != nil {
		t.Errorf("only gated: %q, %q, %v", k, g, err)
	}
}

func TestHeapRows(t *testing.T) {
	const header = "ms,heap-B,gc-cycles\n"
	for _, tt := range []struct {
		data, want string
	}{
		{header + "0.1,5,0\n5.2,7,1\n", ""},
		{header + "0.1,5,0\r\n0.1,5,0\r\n", ""},
		{"", "heap over time:1: header"},
		{"ms,heap-B\n0,5\n", "heap over time:1: header"},
		{header, "no sample"},
		{header + "0.1,5\n", "heap over time:2: 2 fields"},
		{header + "0.1,5,0,9\n", "heap over time:2: 4 fields"},
		{header + "NaN,5,0\n", `heap over time:2: "NaN" ms is no moment`},
		{header + "+Inf,5,0\n", "is no moment"},
		{header + "-1,5,0\n", "is no moment"},
		{header + "0,-5,0\n", "is no size"},
		{header + "0,5e3,0\n", "is no size"},
		{header + "0,5,-1\n", "is no count"},
		{header + "0,5,\n", "is no count"},
		{header + "7,5,0\n6,5,0\n", "heap over time:3: 6 ms comes after 7 ms"},
		{header + "7,5,4\n8,5,3\n", "heap over time:3: 3 gc-cycles come after 4"},
	} {
		rows, err := results.HeapRows([]byte(tt.data))
		check(t, tt.data, err, tt.want)
		if tt.want == "" && len(rows) != 2 {
			t.Errorf("%q: %q", tt.data, rows)
		}
	}
}

func FuzzParseText(f *testing.F) {
	f.Add("Unit ops assume=nothing\ngate: clean\nBenchmarkAdd/impl=x-2\t1\t5 ns/op\t7 ops\n")
	f.Fuzz(func(t *testing.T, text string) {
		lines, err := results.ParseText("f", strings.NewReader(text))
		if err != nil {
			return
		}
		for _, l := range lines {
			if bench.CheckName(l.Name) != nil || len(l.Metrics) == 0 || l.Number < 1 {
				t.Errorf("accepted %+v", l)
			}
			for _, m := range l.Metrics {
				if !(m.Value >= 0) {
					t.Errorf("accepted %v %s", m.Value, m.Unit)
				}
			}
		}
	})
}

func BenchmarkParseText(b *testing.B) {
	var text bytes.Buffer
	text.WriteString("Unit ops assume=nothing\n")
	for range 1_000_000 {
		text.WriteString("BenchmarkAdd/impl=x/mode=thrpt/threads=32-2\t1\t5.123 ns/op\t700000 ops\n")
	}
	for b.Loop() {
		if _, err := results.ParseText("f", bytes.NewReader(text.Bytes())); err != nil {
			b.Fatal(err)
		}
	}
}
