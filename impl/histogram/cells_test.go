package histogram

import (
	"math"
	"testing"
)

// Counts go on over the ends of both narrow counters, which the test does not count
// up to.
func TestCarry(t *testing.T) {
	s := NewSet(Range{1, 1000, 1}, 3)
	want := holding(Range{1, 1000, 1})
	var got *Snapshot
	const v = 33
	for range 3 {
		for range 2000 {
			s.Record(1, v)
			want.Counts[s.stripes[1].cells.Cell(v)]++
			want.Count++
			want.Sum += v
		}
		want.Min, want.Max = v, v
		got = s.Snapshot(1, got)
		sameSnapshot(t, "counted", got, want)

		c := &s.stripes[1].cells
		at := c.Cell(v)
		skipped := int64(math.MaxUint16-c.pages[at/pageCells][at%pageCells]) << 8
		c.pages[at/pageCells][at%pageCells] = math.MaxUint16
		c.heads[0].sum += v * skipped
		want.Counts[at] += skipped
		want.Count += skipped
		want.Sum += v * skipped
	}
	sameSnapshot(t, "neighbour", s.Snapshot(2, nil), holding(Range{1, 1000, 1}))
	if n := len(s.stripes[1].cells.over[0]); n != 1 {
		t.Errorf("%d cells went over", n)
	}
}

// An update takes one or two words; all come back.
func TestCoding(t *testing.T) {
	for _, n := range []int{1, 2, 3, 64, 65, 1 << 20} {
		c := newCoding(n)
		for _, i := range []int{0, n / 2, n - 1} {
			for _, v := range []int64{0, 1, math.MaxInt64, math.MaxInt64 - 1, -1, math.MinInt64,
				1 << 43, 1<<44 - 1, 1 << 44, 1<<58 - 1, 1 << 58, 1<<57 - 1, 1 << 57, 1 << 62} {
				words := [2]uint64{c.packWide(i), uint64(v)}
				if c.narrow(v) {
					words[0] = c.pack(i, v)
				}
				gotI, gotV, wide := c.unpack(words[0])
				if wide {
					gotV = int64(words[1])
				}
				if gotI != i || gotV != v || wide == c.narrow(v) {
					t.Errorf("of %d: %d in %d came back as %d in %d, wide %v", n, v, i, gotV, gotI, wide)
				}
			}
		}
	}
}
