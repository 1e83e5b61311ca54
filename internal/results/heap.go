package results

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// HeapSample is a fork's heap at a moment.
type HeapSample struct {
	MS     float64 // of measured time
	Bytes  int64   // occupied by objects, dead ones that are not swept yet included
	Cycles int64   // of the garbage collector that have ended since the first sample
}

// The columns of what a fork writes, and of what a run holds.
const (
	heapColumns   = "ms,heap-B,gc-cycles"
	sealedColumns = "fork," + heapColumns
)

// HeapRows returns the rows of a fork's heap file, without its header. It
// refuses what Load would.
func HeapRows(data []byte) ([]string, error) {
	header, body, _ := strings.Cut(string(data), "\n")
	if strings.TrimRight(header, "\r") != heapColumns {
		return nil, fmt.Errorf("heap over time:1: header %.60q, want %q", header, heapColumns)
	}
	var rows []string
	for line := range strings.Lines(body) {
		rows = append(rows, strings.TrimRight(line, "\r\n"))
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("heap over time: no sample")
	}
	if _, bad, err := parseHeap(rows); err != nil {
		return nil, fmt.Errorf("heap over time:%d: %w", bad+2, err)
	}
	return rows, nil
}

// parseHeap reads the rows of a fork. Of an error it tells the row.
func parseHeap(rows []string) (samples []HeapSample, bad int, err error) {
	var last HeapSample
	for i, row := range rows {
		if last, err = parseHeapSample(row, last); err != nil {
			return nil, i, err
		}
		samples = append(samples, last)
	}
	return samples, 0, nil
}

// parseHeapSample reads a sample, which comes after another one of its fork, or
// after the zero sample.
func parseHeapSample(row string, last HeapSample) (HeapSample, error) {
	var s HeapSample
	fields := strings.Split(row, ",")
	if len(fields) != 3 {
		return s, fmt.Errorf("%d fields, want %s", len(fields), heapColumns)
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

// appendHeap adds a fork's rows to a run's file of the heap over time.
func appendHeap(file []byte, r ForkRecord) []byte {
	for _, row := range r.Heap {
		if len(file) == 0 {
			file = append(file, sealedColumns+"\n"...)
		}
		file = fmt.Appendf(file, "%d,%s\n", r.Fork.ID, row)
	}
	return file
}

// heapLines are the rows of one fork with the line of the first.
type heapLines struct {
	line int
	rows []string
}

// splitHeap takes a run's file of the heap over time apart into rows by fork,
// which must follow one another.
func splitHeap(file string, data []byte) (map[int]*heapLines, error) {
	heaps := map[int]*heapLines{}
	last, n := 0, 0
	for line := range strings.Lines(string(data)) {
		n++
		line = strings.TrimSuffix(line, "\n")
		if n == 1 {
			if line != sealedColumns {
				return nil, fmt.Errorf("%s:1: header %.80q, want %q", file, line, sealedColumns)
			}
			continue
		}
		fork, row, _ := strings.Cut(line, ",")
		id, err := strconv.Atoi(fork)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: fork %.20q is no number", file, n, fork)
		}
		h := heaps[id]
		if h == nil {
			h = &heapLines{line: n}
			heaps[id] = h
		} else if id != last {
			return nil, fmt.Errorf("%s:%d: fork %d again after fork %d", file, n, id, last)
		}
		h.rows = append(h.rows, row)
		last = id
	}
	return heaps, nil
}
