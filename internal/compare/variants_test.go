package compare

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf16"

	"golang.org/x/perf/benchfmt"
)

// shape is a benchmark file as programs write it, and how many results it holds.
type shape struct {
	name   string
	data   string
	events bool // one a line, of go test -json
	ended  bool // tells whether the run came to its end
}

const head = "goos: linux\ngoarch: amd64\npkg: example.org/p\ncpu: Some CPU @ 2.60GHz\n"

// measured are n results of each name, as go test prints them, with what else a
// line has behind its time, and what is printed ahead of each.
func measured(n int, ahead, behind string, names ...string) string {
	var b strings.Builder
	for k, name := range names {
		for i := range n {
			fmt.Fprintf(&b, "%sBenchmark%-24s\t%8d\t%10.4g ns/op%s\n", ahead, name, 1000+i, float64(100*(k+1))+0.1*float64(i*7%5), behind)
		}
	}
	return b.String()
}

// events turn the output of packages into what go test -json prints of it, line by
// line in turns.
func events(outputs ...string) string {
	var b strings.Builder
	put := func(e map[string]string) {
		data, err := json.Marshal(e)
		if err != nil {
			panic(err)
		}
		fmt.Fprintf(&b, "%s\n", data)
	}
	var rest [][]string
	for i, out := range outputs {
		put(map[string]string{"Action": "start", "Package": fmt.Sprint("p", i)})
		rest = append(rest, strings.SplitAfter(out, "\n"))
	}
	for left := true; left; {
		left = false
		for i := range rest {
			if len(rest[i]) > 0 {
				name, measures, split := strings.Cut(rest[i][0], "\t")
				if put(map[string]string{"Action": "output", "Package": fmt.Sprint("p", i), "Output": name + map[bool]string{true: "\t"}[split]}); split {
					put(map[string]string{"Action": "output", "Package": fmt.Sprint("p", i), "Output": measures})
				}
				rest[i], left = rest[i][1:], true
			}
		}
	}
	for i := range outputs {
		put(map[string]string{"Action": "pass", "Package": fmt.Sprint("p", i)})
	}
	return b.String()
}

func shapes() []shape {
	const ok = "PASS\nok  \texample.org/p\t12.345s\n"
	two := []string{"Sum/size=100-2", "Sum/size=1000-2"}
	plain := head + measured(8, "", "", two...) + ok
	return []shape{
		{"go test -bench", plain, false, true},
		{"-benchmem", head + measured(8, "", "\t      48 B/op\t       1 allocs/op", two...) + ok, false, true},
		{"SetBytes", head + measured(8, "", "\t 594.53 MB/s", two...) + ok, false, true},
		{"-v", "=== RUN   TestSum\n--- PASS: TestSum (0.00s)\n" + head + "BenchmarkSum\nBenchmarkSum/size=100\n" + measured(8, "    sum_test.go:9: hello\n", "", two...) + ok, false, true},
		{"-json", events(plain), true, true},
		{"-json, two packages", events(plain, head+measured(7, "", "", "Other-2")+ok), true, true},
		{"-json, no results in one", events(plain, "testing: warning: no tests to run\nPASS\nok  \tq\t0.1s\n"), true, true},
		{"a test binary", head + measured(8, "", "", two...) + "PASS\n", false, true},
		{"two packages", plain + strings.ReplaceAll(plain, "example.org/p", "example.org/q"), false, true},
		{"-cpu 1,2", head + measured(8, "", "", "Sum", "Sum-2") + ok, false, true},
		{"GOMAXPROCS of 1, sizes", head + measured(8, "", "", "Sum/size-8", "Sum/size-16", "Max") + ok, false, true},
		{"own units", "Unit req/s better=higher\n" + head + measured(8, "", "\t  123 req/s\t  7 cells", two...) + ok, false, true},
		{"own configuration", "commit: 0123abc\ngo: 1.26\n" + plain, false, true},
		{"one run behind the other", strings.Repeat(head+measured(2, "", "", two...)+ok, 4), false, true},
		{"with the log of a server", head + measured(8, "2026/11/30 12:00:00 listening on :8080\n", "", two...) + ok, false, true},
		{"CR LF", strings.ReplaceAll(plain, "\n", "\r\n"), false, true},
		{"a mark ahead", "\ufeff" + plain, false, true},
		{"coloured", strings.ReplaceAll(plain, "Benchmark", "\x1b[01;31m\x1b[KBenchmark\x1b[m\x1b[K"), false, true},
		{"grep Benchmark", measured(8, "", "", two...), false, false},
		{"grep, of a long list", measured(6, "", "\t      48 B/op\t       1 allocs/op", "A-2", "B-2", "C-2", "D-2", "E-2"), false, false},
	}
}

// damage changes a file, and says whether the file is incomplete then: whether
// there is anything that it had to hold and does not.
type damage struct {
	name       string
	do         func(rng *rand.Rand, s shape) (data string, ok bool)
	incomplete bool
}

// at picks a place in a file that begins a result, outside of events.
func at(rng *rand.Rand, s shape, sub string) (int, bool) {
	if s.events {
		return 0, false
	}
	var places []int
	for i := 0; ; {
		j := strings.Index(s.data[i:], sub)
		if j < 0 {
			break
		}
		places = append(places, i+j)
		i += j + len(sub)
	}
	if len(places) == 0 {
		return 0, false
	}
	return places[rng.IntN(len(places))], true
}

// insert puts one of some texts ahead of a result, or into it behind sub.
func insert(sub string, behind bool, texts ...string) func(*rand.Rand, shape) (string, bool) {
	return func(rng *rand.Rand, s shape) (string, bool) {
		i, ok := at(rng, s, sub)
		if behind {
			i += len(sub)
		}
		return s.data[:i] + texts[rng.IntN(len(texts))] + s.data[i:], ok
	}
}

var damages = []damage{
	{"text ahead", insert("Benchmark", false, "hello", "done: ", "50%\r", "\x00", "\x1b[2K\r", "\x1b]0;t\a", "\u200b", "\u00a0\u2003", "µ", "\xb5", "=== "), false},
	{"a mark ahead", insert("Benchmark", false, "\ufeff"), false},
	{"text in the name", insert("Bench", true, "\x1b[0m", "\x00", " ", "\n", "\u200b", "\ufeff"), false},
	{"text at the count", insert("\t", true, "hello\n", "log: 3\n", "\x1b[0m", "\x00", "x", "\u200b", "\u00a0"), false},
	{"text in the unit", insert(" ns/", true, "\n", "hello\n", "\x00", " "), false},
	{"no end of line", func(rng *rand.Rand, s shape) (string, bool) {
		i, ok := at(rng, s, "/op\n")
		if !ok {
			return "", false
		}
		return s.data[:i+3] + s.data[i+4:], true
	}, false},
	{"UTF-16", func(rng *rand.Rand, s shape) (string, bool) { return wide(s.data, rng.IntN(2) == 0), true }, false},
	{"UTF-16 from a line on", func(rng *rand.Rand, s shape) (string, bool) {
		i, ok := at(rng, s, "Benchmark")
		return s.data[:i] + wide(s.data[i:], rng.IntN(2) == 0), ok
	}, false},
	{"cut off", func(rng *rand.Rand, s shape) (string, bool) {
		i := rng.IntN(len(s.data))
		return s.data[:i], s.ended || i > 0 && s.data[i-1] != '\n'
	}, true},
	{"cut off behind a line", func(rng *rand.Rand, s shape) (string, bool) {
		lines := strings.SplitAfter(strings.TrimSuffix(s.data, "\n"), "\n")
		return strings.Join(lines[:rng.IntN(len(lines)-1)], ""), s.ended
	}, true},
	{"ends in a failure", func(rng *rand.Rand, s shape) (string, bool) {
		lines := strings.SplitAfter(s.data, "\n")
		ends := []string{"FAIL\n", "FAIL\texample.org/p\t1.2s\n", "panic: oh\n\ngoroutine 1 [running]:\n", "signal: killed\n", "exit status 2\n", "fatal error: all goroutines are asleep - deadlock!\n",
			"panic: test timed out after 10m0s\n", "--- FAIL: BenchmarkSum\n", "SIGQUIT: quit\n", "*** Test killed with quit: ran too long (11m0s).\n"}
		return strings.Join(lines[:len(lines)*2/3], "") + ends[rng.IntN(len(ends))], !s.events
	}, true},
	{"no PASS", func(rng *rand.Rand, s shape) (string, bool) {
		data := strings.NewReplacer("PASS\r\n", "", "PASS\n", "", "ok  \texample.org/p\t12.345s\n", "", "ok  \texample.org/q\t12.345s\n", "").Replace(s.data)
		return strings.ReplaceAll(data, "ok  \texample.org/p\t12.345s\r\n", ""), s.ended && !s.events
	}, true},
	{"no last event", func(rng *rand.Rand, s shape) (string, bool) {
		lines := strings.SplitAfter(strings.TrimSuffix(s.data, "\n"), "\n")
		return strings.Join(lines[:len(lines)-1-rng.IntN(3)], ""), s.events
	}, true},
	{"a failed event", func(rng *rand.Rand, s shape) (string, bool) {
		i := strings.LastIndex(s.data, `"pass"`)
		if i < 0 {
			return "", false
		}
		return s.data[:i] + `"fail"` + s.data[i+6:], true
	}, true},
	{"an event cut off", func(rng *rand.Rand, s shape) (string, bool) {
		lines := strings.SplitAfter(s.data, "\n")
		i := 1 + rng.IntN(len(lines)-2)
		lines[i] = lines[i][:1+rng.IntN(len(lines[i])-3)] + "\n"
		return strings.Join(lines, ""), s.events
	}, true},
}

func lastLine(data string) string {
	lines := strings.Split(strings.TrimSpace(data), "\n")
	return lines[len(lines)-1]
}

// wide is a text as UTF-16, of either order of bytes.
func wide(text string, little bool) string {
	var b []byte
	for _, u := range append([]uint16{0xfeff}, utf16.Encode([]rune(text))...) {
		if little {
			b = append(b, byte(u), byte(u>>8))
		} else {
			b = append(b, byte(u>>8), byte(u))
		}
	}
	return string(b)
}

// count is how many results are read of a file.
func count(data string) (int, error) {
	s, _, _, err := load(new(benchfmt.Reader), standardInput, "testdata/plain.txt", strings.NewReader(data))
	n := 0
	if err == nil {
		for _, rs := range s.results {
			n += len(rs)
		}
	}
	return n, err
}

// Files of 20 shapes are damaged in a thousand ways. No result is lost in
// silence: what is there is read, or refused with its line. And no file that is
// incomplete is a pass, on either side.
func TestDamagedFiles(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 1000))
	all := shapes()
	if len(all) != 20 {
		t.Fatalf("%d shapes", len(all))
	}
	done := map[string]int{}
	for made := 0; made < 1000; {
		s, d := all[rng.IntN(len(all))], damages[made%len(damages)]
		data, ok := d.do(rng, s)
		if !ok || data == s.data || d.incomplete && success.MatchString(lastLine(data)) { // whole runs are complete
			continue
		}
		made++
		done[d.name]++
		whole, err := count(s.data)
		if err != nil {
			t.Fatalf("%s: %v", s.name, err)
		}
		n, err := count(data)
		switch {
		case err != nil && !strings.HasPrefix(err.Error(), "standard input:"):
			t.Errorf("%s, %s: an error without a place: %v", s.name, d.name, err)
		case err != nil:
		case d.incomplete:
			t.Errorf("%s, %s: %d of %d results, and no word of it\n%q", s.name, d.name, n, whole, data)
		case n != whole:
			t.Errorf("%s, %s: %d of %d results, and no word of it\n%q", s.name, d.name, n, whole, data)
		}
	}
	for _, d := range damages {
		if done[d.name] < 20 {
			t.Errorf("%s: %d variants", d.name, done[d.name])
		}
	}
}

// Each shape compared with itself is a pass, and with a damaged self it is none.
func TestShapes(t *testing.T) {
	for _, s := range shapes() {
		a, b := write(t, s.data, s.data)
		if verdict, err := judged(new(bytes.Buffer), a, b, Options{Threshold: 0.05}); err != nil || verdict != NoRegression {
			t.Errorf("%s: verdict %d, %v", s.name, verdict, err)
		}
		a, b = write(t, s.data, s.data[:len(s.data)*2/3])
		for _, sides := range [][2]string{{a, b}, {b, a}} {
			if verdict, err := judged(new(bytes.Buffer), sides[0], sides[1], Options{Threshold: 0.05}); verdict == NoRegression {
				t.Errorf("%s, cut off: verdict %d, %v", s.name, verdict, err)
			}
		}
	}
}
