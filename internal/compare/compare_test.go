package compare

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// lines makes n results of a benchmark that scatter by 2 % round a value.
func lines(name string, n int, value float64, unit string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "Benchmark%s\t100\t%.4f %s\n", name, value*(1+0.002*float64(i*7%11-5)), unit)
	}
	return b.String()
}

// write puts A and B into files and returns their paths.
func write(t *testing.T, a, b string) (pathA, pathB string) {
	t.Helper()
	dir := t.TempDir()
	pathA, pathB = filepath.Join(dir, "a.txt"), filepath.Join(dir, "b.txt")
	for path, data := range map[string]string{pathA: a, pathB: b} {
		if err := os.WriteFile(path, []byte(data), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return pathA, pathB
}

// judged is a report without benchstat's table, which takes longer than the rest.
func judged(w io.Writer, pathA, pathB string, o Options) (Verdict, error) {
	out, _, err := weigh(pathA, pathB, o)
	if err != nil {
		return CannotTell, err
	}
	return out.write(w)
}

func TestVerdicts(t *testing.T) {
	base := lines("X-2", 10, 100, "ns/op")
	wide := base + lines("X-2", 10, 130, "ns/op")
	for name, c := range map[string]struct {
		a, b    string
		o       Options
		verdict Verdict
		want    string
	}{
		"itself":            {base, base, Options{}, NoRegression, "no difference: A and B hold the same measurements"},
		"few, itself":       {lines("X", 2, 9, "ns/op"), lines("X", 2, 9, "ns/op"), Options{}, NoRegression, "no difference"},
		"noisy, itself":     {wide, wide, Options{}, NoRegression, "no difference"},
		"noisy, the same":   {wide + lines("Y", 9, 50, "ns/op"), wide + lines("Y", 9, 50.1, "ns/op"), Options{}, NoRegression, "no difference: the same measurements"},
		"slower":            {base, lines("X-2", 10, 110, "ns/op"), Options{}, Regression, "regression beyond 5 %: 1 of 1"},
		"slower, allowed":   {base, lines("X-2", 10, 110, "ns/op"), Options{Threshold: 0.2}, NoRegression, "worse, by less than 20 %"},
		"slower, unclear":   {base, lines("X-2", 10, 105, "ns/op"), Options{}, CannotTell, "the threshold of 5 % lies within the interval"},
		"faster":            {base, lines("X-2", 10, 90, "ns/op"), Options{}, NoRegression, "better"},
		"alike":             {base, lines("X-2", 10, 100.2, "ns/op"), Options{}, NoRegression, "no difference shown"},
		"one of two slower": {base + lines("Y", 9, 50, "ns/op"), base + lines("Y", 9, 55, "ns/op"), Options{}, Regression, "1 of 2"},
		"too few":           {lines("X", 3, 100, "ns/op"), lines("X", 3, 200, "ns/op"), Options{}, CannotTell, "n/a (n=3)"},
		"too few on a side": {base, lines("X-2", 5, 200, "ns/op"), Options{}, CannotTell, "n/a (n=5)"},
		"too few, the same": {lines("X", 3, 9, "ns/op") + base, lines("X", 3, 9, "ns/op") + lines("X-2", 10, 100.1, "ns/op"), Options{}, CannotTell, "n/a (n=3)"},
		"too few for the level": {
			lines("X", 6, 100, "ns/op") + base + many(60, 100), lines("X", 6, 200, "ns/op") + base + many(60, 100),
			Options{}, CannotTell, "n/a (n=6)"},
		"zeros":             {lines("X", 8, 0, "ns/op"), lines("X", 8, 1, "ns/op"), Options{}, CannotTell, "not a positive number"},
		"rate falls":        {lines("X", 10, 100, "MB/s"), lines("X", 10, 90, "MB/s"), Options{}, Regression, "worse by more than 5 %"},
		"rate rises":        {lines("X", 10, 100, "MB/s"), lines("X", 10, 110, "MB/s"), Options{}, NoRegression, "better"},
		"declared rate":     {"Unit req/s better=higher\n" + lines("X", 10, 100, "req/s\t5 ns/op"), lines("X", 10, 90, "req/s\t5 ns/op"), Options{}, Regression, "1 of 2"},
		"allocations":       {lines("X", 10, 5, "ns/op\t8 B/op"), lines("X", 10, 5, "ns/op\t16 B/op"), Options{}, Regression, "1 of 2"},
		"cells":             {lines("X", 10, 5, "ns/op\t8 cells"), lines("X", 10, 5, "ns/op\t16 cells"), Options{}, NoRegression, "is better: cells\nno regression"},
		"first allocation":  {lines("X", 10, 5, "ns/op\t0 allocs/op"), lines("X", 10, 5, "ns/op\t1 allocs/op"), Options{}, Regression, "from 0"},
		"no more":           {lines("X", 10, 5, "ns/op\t64 B/op"), lines("X", 10, 5, "ns/op\t0 B/op"), Options{}, NoRegression, "to 0"},
		"still none":        {lines("X", 10, 5, "ns/op\t0 B/op"), lines("X", 10, 5.01, "ns/op\t0 B/op"), Options{}, NoRegression, "the same measurements"},
		"now and then":      {lines("X", 10, 5, "ns/op\t0 B/op"), lines("X", 9, 5, "ns/op\t0 B/op") + lines("X", 1, 5, "ns/op\t1 B/op"), Options{}, CannotTell, "not a positive number"},
		"rate from 0":       {"Unit hits/op better=higher\n" + lines("X", 10, 5, "ns/op\t0 hits/op"), lines("X", 10, 5, "ns/op\t1 hits/op"), Options{}, NoRegression, "from 0"},
		"rate to 0":         {"Unit hits/op better=higher\n" + lines("X", 10, 5, "ns/op\t1 hits/op"), lines("X", 10, 5, "ns/op\t0 hits/op"), Options{}, Regression, "to 0"},
		"few from 0":        {lines("X", 5, 5, "ns/op\t0 B/op"), lines("X", 5, 5, "ns/op\t1 B/op"), Options{}, CannotTell, "n/a (n=5)"},
		"gone":              {base + lines("Y", 9, 5, "ns/op"), base, Options{}, CannotTell, "only in A: Y\n"},
		"new, or lost in A": {base, base + lines("Y", 9, 5, "ns/op"), Options{}, CannotTell, "only in B: Y\n"},
		"new, as told":      {base, base + lines("Y", 9, 5, "ns/op"), Options{Mixed: true}, NoRegression, "only in B: Y\n"},
		"gone, as told":     {base + lines("Y", 9, 5, "ns/op"), base, Options{Mixed: true}, CannotTell, "only in A: Y\n"},
		"a unit lost in A":  {base, lines("X-2", 10, 100, "ns/op\t3 B/op"), Options{}, CannotTell, "only in B: X-2 B/op\n"},
		"drift, unpaired":   {drift(100), drift(108), Options{}, CannotTell, "independently"},
		"drift, paired":     {drift(100), drift(108), Options{Paired: true}, Regression, "paired: the k-th"},
		"words":             {"Benchmarking 3 things\nBenchmarkX is slow\nBenchmarkX-2\nBenchmarkX: 3 of them\nUnit tests passed\n{not: an event}\n" + base, base, Options{}, NoRegression, "no difference"},
		"two packages":      {"pkg: p\n" + base + "PASS\npkg: q\n" + base + "PASS\n", "pkg: p\n" + base + "pkg: q\n" + lines("X-2", 10, 120, "ns/op") + "ok  \tq\t1s\n", Options{}, Regression, "1 of 2"},
		"sizes, no GOMAXPROCS": {lines("X/size-8", 9, 5, "ns/op") + lines("Z", 9, 7, "ns/op"), lines("X/size-16", 9, 5, "ns/op") + lines("Z", 9, 7, "ns/op"), Options{}, CannotTell,
			"only in A: X/size-8\nonly in B: X/size-16\n"},
		"of no package":    {"pkg: p\n" + base + "PASS\n" + base, "pkg: p\n" + base + "PASS\n" + lines("X-2", 10, 120, "ns/op"), Options{}, Regression, "1 of 2"},
		"a mark ahead":     {"\ufeff" + base, base, Options{}, NoRegression, "same measurements"},
		"a mark between":   {base + "\ufeff" + base, base + base, Options{}, NoRegression, "same measurements"},
		"another space":    {strings.Replace(base, "\t", "\u00a0", 2), base, Options{}, NoRegression, "same measurements"},
		"coloured":         {strings.ReplaceAll(base, "Benchmark", "\x1b[01;31m\x1b[KBenchmark\x1b[m\x1b[K"), base, Options{}, NoRegression, "same measurements"},
		"carriage returns": {strings.ReplaceAll(base, "\n", "\r\n"), base, Options{}, NoRegression, "same measurements"},
		"two commits":      {"commit: a\n" + base, "commit: b\n" + lines("X-2", 10, 90, "ns/op"), Options{}, NoRegression, `commit "a"`},
		"pooled commits, as told": {
			"commit: a\n" + base + "commit: b\n" + base, base + base, Options{Mixed: true}, NoRegression,
			`MIXED, as told: A pools results of 2 values of commit: "a" "b"`},
		"CPUs, as told":       {"cpu: a\n" + base, "cpu: b\n" + base, Options{Mixed: true}, NoRegression, `MIXED, as told: cpu differs: "a" in A, "b" in B`},
		"GOMAXPROCS, as told": {base, lines("X", 10, 200, "ns/op"), Options{Mixed: true}, Regression, "MIXED, as told: gomaxprocs differs: X ran with 2 in A, 1 in B"},
		"several GOMAXPROCS":  {base + lines("X-4", 10, 50, "ns/op"), base, Options{}, CannotTell, "only in A: X-4"},
	} {
		t.Run(name, func(t *testing.T) {
			if c.o.Threshold == 0 {
				c.o.Threshold = 0.05
			}
			a, b := write(t, c.a, c.b)
			var out bytes.Buffer
			verdict, err := judged(&out, a, b, c.o)
			if err != nil || verdict != c.verdict || !strings.Contains(out.String(), c.want) {
				t.Errorf("verdict %d, %v, want %d and %q in\n%s", verdict, err, c.verdict, c.want, &out)
			}
		})
	}
}

// many are n benchmarks: they make the level of each interval higher.
func many(n int, value float64) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(lines(fmt.Sprintf("Y%d", i), 10, value, "ns/op"))
	}
	return b.String()
}

// drift is a benchmark on a machine that slows down to half while it runs.
func drift(value float64) string {
	var b strings.Builder
	for i := range 12 {
		b.WriteString(lines("X", 1, value*(1+float64(i)/12)+float64(i%3), "ns/op"))
	}
	return b.String()
}

func TestRefusals(t *testing.T) {
	base := lines("X-2", 10, 100, "ns/op")
	const end = `{"Package":"p","Action":"pass"}` + "\n"
	event := `{"Action":"output","Package":"p","Output":"BenchmarkX-2\t1\t5 ns/op\n"}` + "\n"
	spread := strings.Replace(event, `\t1`, "\"}\n"+`{"Action":"output","Package":"p","Output":"\t1`, 1)
	for name, c := range map[string]struct {
		b    string
		o    Options
		want string
	}{
		"empty":                {"", Options{}, "b.txt: no benchmark result in it"},
		"no results":           {"PASS\nok  \tp\t0.1s\n", Options{}, "b.txt: no benchmark result in it"},
		"cut in the number":    {base + "BenchmarkX-2\t100\t10", Options{}, "b.txt:11: the last line is cut off"},
		"cut in the name":      {base + "BenchmarkX", Options{}, "b.txt:11: the last line is cut off"},
		"cut, more follows":    {base + "BenchmarkX-2   \t\n" + base, Options{}, "b.txt:11: missing iteration count"},
		"glued":                {"BenchmarkX-2   \t" + base, Options{}, "b.txt:1: parsing iteration count"},
		"printed into":         {base + "BenchmarkX-2   \thello\n       1\t70 ns/op\n", Options{}, "b.txt:11: parsing iteration count"},
		"cut unit":             {base + "BenchmarkX-2\t100\t10.2 ns/o\n" + base, Options{}, "b.txt:11: no ns/op, which other results of X-2 have"},
		"not a number":         {base + "BenchmarkX-2\t100\tNaN ns/op\n", Options{}, "b.txt:11: NaN ns/op is no measurement"},
		"infinite":             {base + "BenchmarkX-2\t100\t5 ns/op\t+Inf req/s\n", Options{}, "b.txt:11: +Inf req/s is no measurement"},
		"failed":               {base + "--- FAIL: BenchmarkY\nFAIL\n", Options{}, "b.txt:11: the run failed"},
		"failed, on Windows":   {base + "FAIL\r\n", Options{}, "b.txt:11: the run failed"},
		"event lacks a unit":   {strings.ReplaceAll(event+spread+strings.Replace(event, "ns/op", "ns/o", 1)+end, `"Package":"p",`, ""), Options{}, "b.txt:4: no ns/op"},
		"event of two lines":   {spread + strings.Replace(spread, "5 ns", "NaN ns", 1) + end, Options{}, "b.txt:3: NaN ns/op"},
		"event with two":       {strings.Replace(spread, "ns/op\\n", "ns/op\\nBenchmarkX-2\\t1\\tNaN ns/op\\n", 1) + end, Options{}, "b.txt:2: NaN ns/op"},
		"failed package":       {base + "FAIL\tp [build failed]\n", Options{}, "b.txt:11: the run failed"},
		"long line":            {"BenchmarkX" + strings.Repeat("x", 70_000) + "\t1\t5 ns/op\n", Options{}, "b.txt:1: a result line of more than 65534 bytes"},
		"event cut":            {event + event[:30], Options{}, "b.txt:2: the event is cut off"},
		"events end early":     {event + strings.Replace(event, `\n`, "", 1), Options{}, "b.txt:2: the last line is cut off"},
		"event not a number":   {event + strings.Replace(event, "5 ns", "NaN ns", 1) + end, Options{}, "b.txt:2: NaN ns/op"},
		"no last event":        {event, Options{}, "b.txt:1: no event ends this package"},
		"failed at the end":    {event + `{"Action":"fail","Package":"p"}` + "\n", Options{}, "b.txt:2: the run failed"},
		"a test's last event":  {event + `{"Action":"pass","Package":"p","Test":"BenchmarkX"}` + "\n", Options{}, "b.txt:2: no event ends this package"},
		"not built":            {event + end + `{"Action":"build-fail","ImportPath":"q"}` + "\n", Options{}, "b.txt:3: the run failed"},
		"no PASS":              {"goos: linux\npkg: p\n" + base, Options{}, "b.txt:12: no PASS behind this line"},
		"no first PASS":        {"goos: linux\n" + base + "goos: linux\n" + base + "PASS\n", Options{}, "b.txt:11: no PASS behind this line"},
		"killed":               {base + "signal: killed\n", Options{}, "b.txt:11: the run failed"},
		"panicked":             {base + "panic: oh\n\ngoroutine 1 [running]:\n", Options{}, "b.txt:11: the run failed"},
		"exit status":          {base + "exit status 2\n", Options{}, "b.txt:11: the run failed"},
		"ahead of it":          {base + "hello" + base, Options{}, "b.txt:11: a result that is not one line of its own: helloBenchmarkX-2"},
		"another encoding":     {base + "B\x00e\x00n\x00c\x00h\x00", Options{}, "b.txt:11: a byte of 0"},
		"Latin-1":              {base + "BenchmarkX/\xb5-2\t1\t5 ns/op\n", Options{}, "b.txt:11: a result that is not UTF-8"},
		"a count that is none": {base + "BenchmarkX-2\t1O0\t5 ns/op\n", Options{}, "b.txt:11: parsing iteration count"},
		"cursor moved":         {base + "50 %\rBenchmarkX-2\t100\t500 ns/op\n", Options{}, "b.txt:11: a result that is not"},
		"unit declared anew":   {"Unit ns/op better=higher\n" + base, Options{}, "b.txt:1: metadata better of unit ns/op already set to lower"},
		"nothing in common":    {lines("Y", 10, 5, "ns/op"), Options{}, "nothing in common that can be judged, such as ns/op of one benchmark: A has X-2, B has Y"},
		"no direction":         {lines("X-2", 10, 5, "cells"), Options{}, "nothing in common that can be judged"},
		"two CPUs":             {"cpu: a\n" + base + "cpu: b\n" + base, Options{}, `B pools results of 2 values of cpu: "a" "b"`},
		"two commits":          {"commit: a\n" + base + "commit: b\n" + base, Options{}, `B pools results of 2 values of commit: "a" "b"`},
		"another CPU":          {"cpu: other\n" + base, Options{}, `cpu differs: "here" in A, "other" in B`},
		"another Go":           {"go: 1.25\n" + base, Options{}, `go differs: "1.26" in A, "1.25" in B`},
		"another GOMAXPROCS":   {lines("X-8", 10, 100, "ns/op"), Options{}, "gomaxprocs differs: X ran with 2 in A, 8 in B"},
		"no pairs":             {base + base, Options{Paired: true}, "X-2: 10 results in A, 20 in B: they are no pairs"},
	} {
		t.Run(name, func(t *testing.T) {
			a, b := write(t, "Unit ns/op better=lower\ncpu: here\ngo: 1.26\n"+base, c.b)
			var out bytes.Buffer
			verdict, err := Report(&out, a, b, c.o)
			if verdict != CannotTell || err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("verdict %d, %v, want %q", verdict, err, c.want)
			}
			if out.Len() > 0 {
				t.Errorf("refused, and yet there is output:\n%s", &out)
			}
		})
	}
	a, _ := write(t, base, "")
	for _, sides := range [][2]string{{a, "nothing"}, {"nothing", a}} {
		if verdict, err := Report(new(bytes.Buffer), sides[0], sides[1], Options{}); verdict != CannotTell || err == nil || !strings.Contains(err.Error(), "nothing: no such file") {
			t.Errorf("verdict %d, %v", verdict, err)
		}
	}
	if _, err := Report(new(bytes.Buffer), t.TempDir(), t.TempDir(), Options{}); err == nil || !strings.Contains(err.Error(), "no manifest.json") {
		t.Errorf("a folder without a run: %v", err)
	}
}

// The same measurements as go test prints them by itself, with -v and -json.
func TestForms(t *testing.T) {
	for _, form := range []string{"verbose.txt", "events.json"} {
		var out bytes.Buffer
		verdict, err := Report(&out, "testdata/plain.txt", filepath.Join("testdata", form), Options{Threshold: 0.05})
		if err != nil || verdict != NoRegression || !strings.Contains(out.String(), "no difference: A and B hold the same measurements") {
			t.Errorf("%s: verdict %d, %v\n%s", form, verdict, err, &out)
		}
	}
}

func TestGolden(t *testing.T) {
	var out bytes.Buffer
	if verdict, err := Report(&out, "testdata/plain.txt", "testdata/slower.txt", Options{Threshold: 0.05}); err != nil || verdict != Regression {
		t.Fatalf("verdict %d, %v", verdict, err)
	}
	if *update {
		if err := os.WriteFile("testdata/slower.golden", out.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("testdata/slower.golden")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(out.Bytes(), want) {
		t.Errorf("differs from testdata/slower.golden (-update rewrites it):\n%s", &out)
	}
}

func TestShow(t *testing.T) {
	for text, want := range map[string]string{
		`unknown field "x"`: `unknown field "x"`, `a\b`: `a\\b`, `a\"b`: `a\\"b`, "\x1b[2J": `\x1b[2J`, "two\nlines": `two\nlines`, "\u202e": `\u202e`,
	} {
		if got := Show(text); got != want {
			t.Errorf("%q is shown as %s, want %s", text, got, want)
		}
	}
}

func TestHostileNames(t *testing.T) {
	name := "X/\x1bred\u202e\x01-2"
	hostile := "cpu: \x1b]0;title\a\npkg: \x1b2J\nUnit \x1bu/s better=higher\n" + lines(name, 8, 100, "ns/op\t5 \x1bu/s") + lines("X/\x7f", 8, 5, "ns/op") + "PASS\n"
	a, b := write(t, hostile, strings.Replace(hostile, "title", "other", 1)+lines("new\x1b", 8, 5, "ns/op"))
	var out bytes.Buffer
	if _, err := Report(&out, a, b, Options{}); err == nil || strings.ContainsRune(err.Error(), '\x1b') {
		t.Errorf("error %q", err)
	}
	if _, err := Report(&out, a, b, Options{Mixed: true}); err != nil {
		t.Fatal(err)
	}
	for _, r := range out.String() {
		if r != '\n' && !unicode.IsPrint(r) && r != '\u00a0' {
			t.Fatalf("%q in the output\n%q", r, out.String())
		}
	}
	if !strings.Contains(out.String(), `X/\x1bred\u202e\x01-2`) {
		t.Errorf("the name is gone\n%s", &out)
	}
}
