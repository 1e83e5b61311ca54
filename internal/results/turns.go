package results

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"hotpath/internal/bench"
)

// The columns of a run's turns. Gates are the letters of those not met.
const turnColumns = "heat,lap,order,fork,ops,wall-ns,cpu-ns,server-ns,latency-ns,workers," +
	"handoff-before-ns,handoff-after-ns,got-before,got-after,gates"

// The most operations and nanoseconds of a turn, and laps of a heat: a turn is
// far shorter than an hour, and sums over a heat do not overflow.
const (
	maxTurn = 1e13
	maxLap  = 5e5
)

// Turns are random digits: a run of 60,000, more than an hour has, is about 2 MB
// compressed.

// round keeps of a probe what it can tell: a tenth of a nanosecond, and a
// thousandth of a CPU.
func round(p bench.Probe) bench.Probe {
	return bench.Probe{HandOff: math.Round(p.HandOff*10) / 10, Got: math.Round(p.Got*1000) / 1000}
}

// appendTurns adds a heat's turns to a run's file of them.
func appendTurns(file []byte, r Record) []byte {
	if len(file) == 0 {
		file = append(file, turnColumns+"\n"...)
	}
	number := func(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
	for _, l := range r.Laps {
		probes := strings.Join([]string{number(l.Before.HandOff), number(l.After.HandOff), number(l.Before.Got), number(l.After.Got)}, ",")
		for i, t := range l.Turns {
			file = fmt.Appendf(file, "%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%s,%s\n",
				r.Heat.ID, l.N, i+1, t.Fork, t.Ops, t.Wall, t.CPU, t.Server, t.Latency, t.Workers, probes, t.Unmet)
		}
	}
	return file
}

// heatTurns are the laps of a heat with the line of the first turn.
type heatTurns struct {
	line int
	laps []Lap
}

// splitTurns takes a run's file of turns apart into laps by heat, whose rows
// must follow one another.
func splitTurns(file string, data []byte) (map[int]*heatTurns, error) {
	heats := map[int]*heatTurns{}
	last, n := 0, 0
	for line := range strings.Lines(string(data)) {
		n++
		line = strings.TrimSuffix(line, "\n")
		if n == 1 {
			if line != turnColumns {
				return nil, fmt.Errorf("%s:1: header %.200q, want %q", file, line, turnColumns)
			}
			continue
		}
		heat, lap, err := parseTurn(line)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, n, err)
		}
		h := heats[heat]
		if h == nil {
			h = &heatTurns{line: n}
			heats[heat] = h
		} else if heat != last {
			return nil, fmt.Errorf("%s:%d: heat %d again after heat %d", file, n, heat, last)
		}
		last = heat
		if k := len(h.laps) - 1; k >= 0 && h.laps[k].N == lap.N {
			h.laps[k].Turns = append(h.laps[k].Turns, lap.Turns...)
		} else {
			h.laps = append(h.laps, lap)
		}
	}
	return heats, nil
}

// parseTurn reads a row into a lap of that one turn. Its order is not read: it
// is that of the rows.
func parseTurn(row string) (heat int, lap Lap, err error) {
	fields := strings.Split(row, ",")
	if want := strings.Count(turnColumns, ",") + 1; len(fields) != want {
		return 0, lap, fmt.Errorf("%d fields, want %d", len(fields), want)
	}
	var ints [10]int64
	for i := range ints {
		if ints[i], err = strconv.ParseInt(fields[i], 10, 64); err != nil || ints[i] < 0 {
			return 0, lap, fmt.Errorf("%.40q is no count", fields[i])
		}
	}
	var probes [4]float64
	for i := range probes {
		if probes[i], err = strconv.ParseFloat(fields[len(ints)+i], 64); err != nil {
			return 0, lap, fmt.Errorf("%.40q is no number", fields[len(ints)+i])
		}
	}
	unmet, err := bench.ParseGateSet(fields[14])
	turn := Turn{
		Fork: int(ints[3]), Ops: ints[4], Wall: ints[5], CPU: ints[6], Server: ints[7], Latency: ints[8], Workers: int(ints[9]), Unmet: unmet,
	}
	return int(ints[0]), Lap{
		N:      int(ints[1]),
		Before: bench.Probe{HandOff: probes[0], Got: probes[2]},
		After:  bench.Probe{HandOff: probes[1], Got: probes[3]},
		Turns:  []Turn{turn},
	}, err
}

// gzipHeader is what compress writes ahead of the data: no name, no time.
var gzipHeader = []byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 0xff}

func compress(data []byte) ([]byte, error) {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(data); err != nil {
		return nil, err
	}
	err = w.Close()
	return out.Bytes(), err
}

func decompress(data []byte) ([]byte, error) {
	if !bytes.HasPrefix(data, gzipHeader) {
		return nil, fmt.Errorf("not compressed as a run is")
	}
	rest := bytes.NewReader(data)
	r, err := gzip.NewReader(rest)
	if err != nil {
		return nil, err
	}
	r.Multistream(false)
	out, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	switch {
	case err != nil:
		return nil, err
	case len(out) > maxFile:
		return nil, fmt.Errorf("more than %d MB of turns", maxFile>>20)
	case rest.Len() > 0:
		return nil, fmt.Errorf("%d bytes behind the compressed data", rest.Len())
	}
	return out, nil
}
