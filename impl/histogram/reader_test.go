package histogram

import (
	"testing"
	"time"
)

// Two readers of one histogram: each has every value once, whenever the other reads.
func TestReaders(t *testing.T) {
	r := Range{1, 1_000_000, 2}
	between := func(low, high int64, values ...int64) *Snapshot {
		s := holding(r, values...)
		s.Min, s.Max = low, high
		return s
	}
	for _, h := range each(r) {
		t.Run(h.name, func(t *testing.T) {
			record := func(values ...int64) {
				for _, v := range values {
					h.record(v)
				}
			}
			record(50_001)
			often, seldom := NewReader(h.snapshot), NewReader(h.snapshot)
			s, length := often.Next(nil)
			sameSnapshot(t, "no value", s, holding(r))
			if length < 0 || length > time.Minute {
				t.Errorf("an interval of %v", length)
			}
			record(-1, 40_001, 5_000_000)
			s, _ = often.Next(s)
			sameSnapshot(t, "a new minimum", s, between(40_001, 40_191, -1, 40_001, 5_000_000))
			record(60_001, 900_001, 40_001)
			s, _ = often.Next(s)
			sameSnapshot(t, "a new maximum", s, between(40_001, 900_001, 60_001, 900_001, 40_001))
			record(45_001, 46_001)
			s, _ = often.Next(s)
			sameSnapshot(t, "the bounds of the cells", s, between(44_800, 46_079, 45_001, 46_001))
			s, _ = often.Next(s)
			sameSnapshot(t, "no value again", s, holding(r))
			s, _ = seldom.Next(s)
			sameSnapshot(t, "seldom", s, holding(r, -1, 40_001, 5_000_000, 60_001, 900_001, 40_001, 45_001, 46_001))
			sameSnapshot(t, "all", h.snapshot(s), holding(r, 50_001, -1, 40_001, 5_000_000, 60_001, 900_001, 40_001, 45_001, 46_001))
		})
	}
}
