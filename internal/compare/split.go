package compare

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
)

// text is a file taken apart into lines, each with the number of the line of the
// file that it began at. The two differ in the output of go test -json: it is one
// event a line, and a result may be spread over several of them. Lines of one
// package stand together.
type text struct {
	lines [][]byte
	at    []int
}

// errorf is an error that belongs to a line, for whoever puts the file's name
// ahead of it.
func (t *text) errorf(line int, format string, args ...any) error {
	return fmt.Errorf("%d: %s", t.at[line], fmt.Sprintf(format, args...))
}

func (t *text) add(line []byte, at int) { t.lines, t.at = append(t.lines, line), append(t.at, at) }

// event is one of go test -json.
type event struct{ Action, Package, Test, Output string }

// ends are the actions of an event that ends a package, and whether it ends well.
var ends = map[string]bool{"pass": true, "skip": true, "fail": false, "build-fail": false}

// byteOrderMark may stand ahead of any file that was put together with others.
var byteOrderMark = []byte("\ufeff")

// colour is what a terminal obeys, such as what grep puts around a match.
var colour = regexp.MustCompile(`\x1b\[[0-9;]*[A-Za-z]`)

// split takes a file apart. It refuses text of another encoding, and events that
// do not end.
func split(data []byte) (*text, error) {
	var order []*stream
	packages := map[string]*stream{}
	number, events := 0, false
	for chunk := range bytes.Lines(data) {
		number++
		if i := bytes.IndexByte(chunk, 0); i >= 0 {
			return nil, fmt.Errorf("%d: a byte of 0: this is no UTF-8 text, or not all of it is: was it written as UTF-16? Convert it", number)
		}
		chunk = colour.ReplaceAll(bytes.TrimPrefix(chunk, byteOrderMark), nil)
		var e event
		if bytes.HasPrefix(chunk, []byte("{")) {
			switch err := json.Unmarshal(chunk, &e); {
			case err == nil && e.Action != "":
				events = true
				chunk = []byte(e.Output)
			case events:
				return nil, fmt.Errorf("%d: the event is cut off; measure again", number)
			}
		}
		out := packages[e.Package]
		if out == nil {
			out = &stream{began: number}
			if e.Package != "" {
				out.text.add([]byte("pkg: "+e.Package), number)
			}
			packages[e.Package] = out
			order = append(order, out)
		}
		if err := out.event(e, number); err != nil {
			return nil, err
		}
		if err := out.add(chunk, number); err != nil {
			return nil, fmt.Errorf("%d: %w", out.began, err)
		}
	}
	return join(order)
}

// join puts the packages one behind the other.
func join(order []*stream) (*text, error) {
	all := new(text)
	for _, out := range order {
		switch {
		case isName(out.open) || looksLikeResult(out.open):
			return nil, fmt.Errorf("%d: the last line is cut off; measure again", out.began)
		case out.events && !out.ended:
			return nil, fmt.Errorf("%d: no event ends this package: the run did not come to its end; measure again", out.last)
		}
		if len(out.open) > 0 {
			out.text.add(out.open, out.began)
		}
		all.lines, all.at = append(all.lines, out.text.lines...), append(all.at, out.text.at...)
	}
	return all, nil
}

// stream is the lines of one package.
type stream struct {
	text   text
	open   []byte // the line that has not ended
	began  int    // where it began
	last   int    // where the last event stands
	events bool   // of the package, and not text
	ended  bool   // by an event
}

// event notes what an event says of its package; text is no event.
func (s *stream) event(e event, number int) error {
	if e.Action == "" {
		return nil
	}
	s.events, s.last = s.events || e.Action != "build-output", number
	well, end := ends[e.Action]
	switch {
	case e.Test != "" || !end:
		return nil
	case !well:
		return fmt.Errorf("%d: the run failed, so results are missing; measure again", number)
	}
	s.ended = true
	s.text.add([]byte("PASS"), number)
	return nil
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
			if isName(line) || looksLikeResult(line) {
				return fmt.Errorf("a result line of more than %d bytes", bufio.MaxScanTokenSize-2)
			}
			line = nil
		}
		line = bytes.TrimSuffix(line, []byte("\r"))
		s.text.add(line, s.began)
		if success.Match(line) { // what follows is of another binary
			s.text.add([]byte("pkg:"), s.began)
		}
		s.open, s.began = rest, number
	}
}

var (
	// failure is what a run says that fails, and what is said of one that is ended.
	failure = regexp.MustCompile(`^(FAIL\s*$|FAIL\t|\s*--- FAIL: |panic: |fatal error: |exit status [0-9]+$|signal: |Killed$|Terminated$|SIG[A-Z]+: |\*\*\* Test killed)`)

	// header begins what a test binary prints, and success ends it.
	header  = regexp.MustCompile(`^(goos|pkg): `)
	success = regexp.MustCompile(`^(PASS$|ok  ?\t)`)
	aResult = regexp.MustCompile(`^Benchmark\S*\s+[0-9]+\s+[0-9]`)

	// runner stands in the files of run folders, which hold forks that came to
	// their end, without what these said at it.
	runner = regexp.MustCompile(`^gate: `)
)

// checkEnds refuses a run that failed or did not come to its end: results with
// the head of a test binary's output above them, and no success below.
func (t *text) checkEnds() error {
	headed, ours := -1, false // the line of a head or of a result below it that no success is below
	incomplete := func() error {
		return t.errorf(headed, "no PASS behind this line: the run did not come to its end; measure again")
	}
	for i, line := range t.lines {
		switch {
		case failure.Match(line):
			return t.errorf(i, "the run failed, so results are missing; measure again")
		case runner.Match(line):
			ours = true
		case header.Match(line):
			if headed >= 0 && aResult.Match(t.lines[headed]) && bytes.HasPrefix(line, []byte("goos: ")) && !ours {
				return incomplete()
			}
			headed = i
		case success.Match(line):
			headed = -1
		case headed >= 0 && aResult.Match(line):
			headed = i
		}
	}
	if headed >= 0 && !ours {
		return incomplete()
	}
	return nil
}
