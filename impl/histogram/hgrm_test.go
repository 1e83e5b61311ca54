package histogram

import (
	"bytes"
	"errors"
	"math"
	"os"
	"strings"
	"testing"
)

const hourNanos = 3_600_000_000_000

// sequence returns the n values that the histograms in testdata recorded: a linear
// congruential generator, spread over 40 powers of two.
func sequence(n int) []int64 {
	values := make([]int64, n)
	x := uint64(1)
	for i := range values {
		x = x*6364136223846793005 + 1442695040888963407
		values[i] = int64(x >> 24 >> (x >> 59))
	}
	return values
}

// The golden files are what HdrHistogram for Java 2.1.11 printed for the same
// values.
func TestWriteHGRM(t *testing.T) {
	tail := recorded(Range{1, math.MaxInt64, 3}, 1000, 4500, 1_000_500, math.MaxInt64/3)
	g := newGeometry(tail.Range)
	for v, n := range map[int64]int64{1000: 1 << 50, 4500: 1 << 30, 1_000_500: 5000} {
		tail.Counts[g.Cell(v)] += n - 1
		tail.Count += n - 1
	}
	for _, c := range []struct {
		name  string
		s     *Snapshot
		ticks int
		unit  float64
	}{
		{"3", recorded(Range{1, hourNanos, 3}, sequence(10000)...), 5, 1e6},
		{"2", recorded(Range{1000, hourNanos, 2}, sequence(10000)...), 3, 1},
		{"5", recorded(Range{1, hourNanos, 5}, sequence(100)...), 7, 1000},
		{"empty", recorded(Range{1, 1000, 1}), 5, 1},
		{"zeros", recorded(Range{1000, 1_000_000, 3}, 0, 0), 5, 1},
		{"tail", tail, 1, 1e6}, // more values than percentiles, halves to round, columns that overflow
	} {
		t.Run(c.name, func(t *testing.T) {
			want, err := os.ReadFile("testdata/" + c.name + ".hgrm")
			if err != nil {
				t.Fatal(err)
			}
			var got bytes.Buffer
			if err := c.s.WriteHGRM(&got, c.ticks, c.unit); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got.Bytes(), want) {
				t.Errorf("got\n%s\nwant\n%s", got.Bytes(), want)
			}
		})
	}
}

// Percentiles end where a float64 cannot tell them from 100.
func TestWriteHGRMOfManyValues(t *testing.T) {
	s := recorded(Range{1, 1000, 1}, 5, 900)
	s.Counts[5] = 1 << 60
	s.Count = 1<<60 + 1
	var b bytes.Buffer
	if err := s.WriteHGRM(&b, 1, 1); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(b.String(), "\n")
	if want := "       927.0 1.000000000000 1152921504606846977"; len(lines) > 100 || lines[len(lines)-5] != want {
		t.Errorf("%d lines, the last row is %q, want %q", len(lines), lines[len(lines)-5], want)
	}
}

// full is a writer with no room.
type full struct{}

var errFull = errors.New("no room")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestWriteHGRMError(t *testing.T) {
	if err := recorded(Range{1, 1000, 1}, 5).WriteHGRM(full{}, 5, 1); !errors.Is(err, errFull) {
		t.Errorf("error %v", err)
	}
}
