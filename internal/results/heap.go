package results

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// HeapSample is a fork's heap at a moment.
type HeapSample struct {
	MS     float64 // since the measured window began
	Bytes  int64   // occupied by objects, dead ones that are not swept yet included
	Cycles int64   // of the garbage collector that have ended since the first sample
}

// The columns of what a fork writes, and of what a run holds.
var (
	heapColumns   = []string{"ms", "heap-B", "gc-cycles"}
	sealedColumns = append([]string{"fork"}, heapColumns...)
)

// HeapRows returns the rows of a fork's heap file, without its header. It
// refuses what Load would.
func HeapRows(data []byte) ([]string, error) {
	header, body, _ := strings.Cut(string(data), "\n")
	if want := strings.Join(heapColumns, ","); strings.TrimRight(header, "\r") != want {
		return nil, fmt.Errorf("heap over time:1: header %.60q, want %q", header, want)
	}
	var rows []string
	var last HeapSample
	n := 1
	for line := range strings.Lines(body) {
		n++
		line = strings.TrimRight(line, "\r\n")
		s, err := parseHeapSample(strings.Split(line, ","), last)
		if err != nil {
			return nil, fmt.Errorf("heap over time:%d: %w", n, err)
		}
		last = s
		rows = append(rows, line)
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("heap over time: no sample")
	}
	return rows, nil
}

// parseHeapSample reads the three fields of a sample, which comes after another
// one of its fork, or after the zero sample.
func parseHeapSample(fields []string, last HeapSample) (HeapSample, error) {
	var s HeapSample
	if len(fields) != len(heapColumns) {
		return s, fmt.Errorf("%d fields, want %s", len(fields), strings.Join(heapColumns, ","))
	}
	ms, errMS := strconv.ParseFloat(fields[0], 64)
	size, errSize := strconv.ParseInt(fields[1], 10, 64)
	cycles, errCycles := strconv.ParseInt(fields[2], 10, 64)
	s = HeapSample{ms, size, cycles}
	switch {
	case errMS != nil, math.IsNaN(ms), math.IsInf(ms, 0), ms < 0:
		return s, fmt.Errorf("%.40q ms is no moment", fields[0])
	case errSize != nil, size < 0:
		return s, fmt.Errorf("%.40q heap-B is no size", fields[1])
	case errCycles != nil, cycles < 0:
		return s, fmt.Errorf("%.40q gc-cycles is no count", fields[2])
	case ms < last.MS:
		return s, fmt.Errorf("%v ms comes after %v ms", ms, last.MS)
	case cycles < last.Cycles:
		return s, fmt.Errorf("%d gc-cycles come after %d", cycles, last.Cycles)
	}
	return s, nil
}

// joinHeap makes a run's file of the heap over time, or nothing where no fork
// has any.
func joinHeap(records []Record) ([]byte, error) {
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	for _, r := range records {
		for i, row := range r.Heap {
			if out.Len() == 0 && i == 0 {
				if err := w.Write(sealedColumns); err != nil {
					return nil, err
				}
			}
			if err := w.Write(append([]string{strconv.Itoa(r.Fork.ID)}, strings.Split(row, ",")...)); err != nil {
				return nil, err
			}
		}
		w.Flush()
	}
	return out.Bytes(), w.Error()
}

// heap is the samples of one fork with the line of the first.
type heap struct {
	line    int
	samples []HeapSample
}

// parseHeap reads a run's file of the heap over time into samples by fork,
// whose rows must follow one another.
func parseHeap(file string, data []byte) (map[int]*heap, error) {
	heaps := map[int]*heap{}
	r := csv.NewReader(bytes.NewReader(data))
	r.ReuseRecord = true
	r.FieldsPerRecord = len(sealedColumns)
	var current *heap
	last := 0
	for first := true; ; first = false {
		row, err := r.Read()
		if err == io.EOF {
			break
		}
		var malformed *csv.ParseError
		if errors.As(err, &malformed) {
			return nil, fmt.Errorf("%s:%d: %w: the file is damaged; restore it from git, or measure again", file, malformed.Line, malformed.Err)
		}
		line, _ := r.FieldPos(0)
		refuse := func(format string, args ...any) error {
			return fmt.Errorf("%s:%d: %s", file, line, fmt.Sprintf(format, args...))
		}
		if first {
			if got, want := strings.Join(row, ","), strings.Join(sealedColumns, ","); got != want {
				return nil, refuse("header %.80q, want %q", got, want)
			}
			continue
		}
		id, err := strconv.Atoi(row[0])
		if err != nil {
			return nil, refuse("fork %.20q is no number", row[0])
		}
		if current == nil || id != last {
			if heaps[id] != nil {
				return nil, refuse("fork %d again after fork %d", id, last)
			}
			current = &heap{line: line}
			heaps[id], last = current, id
		}
		var before HeapSample
		if n := len(current.samples); n > 0 {
			before = current.samples[n-1]
		}
		s, err := parseHeapSample(row[1:], before)
		if err != nil {
			return nil, refuse("%v", err)
		}
		current.samples = append(current.samples, s)
	}
	return heaps, nil
}
