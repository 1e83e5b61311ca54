package histogram

import (
	"sync"
	"time"
)

// Reader divides what a histogram records into consecutive intervals, in place of a
// reset: Next returns what was recorded since the Reader's last Next. It writes
// nothing to the histogram, so any number of Readers can follow one, and each
// update is in exactly one interval of each of them.
//
// A Reader keeps 8 bytes for each cell between the smallest and the largest value.
// It belongs to one goroutine at a time.
type Reader struct {
	_     [0]sync.Mutex // makes go vet object to copies
	read  func(dst *Snapshot) *Snapshot
	base  Snapshot // as the interval began, but with the cells from first on alone
	first int
	start time.Time
}

// NewReader starts the first interval of the histogram that read takes snapshots
// of, as the methods Snapshot of this package do.
func NewReader(read func(dst *Snapshot) *Snapshot) *Reader {
	r := &Reader{read: read, start: time.Now()}
	s := read(nil)
	r.base.Range = s.Range
	r.add(s)
	return r
}

// Next ends the interval, returns what was recorded in it and how long it was, and
// starts the next one. It writes to dst, which may be nil, as read does. What Min
// and Max of an interval are says Snapshot.Sub.
func (r *Reader) Next(dst *Snapshot) (interval *Snapshot, length time.Duration) {
	now := time.Now()
	dst = r.read(dst)
	dst.sub(&r.base, r.first)
	r.add(dst)
	length = now.Sub(r.start)
	r.start = now
	return dst, length
}

// add makes base what it was plus s.
func (r *Reader) add(s *Snapshot) {
	b := &r.base
	b.Negative += s.Negative
	b.TooLarge += s.TooLarge
	b.Sum += s.Sum // which an Atomic may have before the count
	if s.Count == 0 {
		return
	}
	if b.Count == 0 {
		b.Min, b.Max = s.Min, s.Max
	}
	b.Min, b.Max = min(b.Min, s.Min), max(b.Max, s.Max)
	b.Count += s.Count

	g := newGeometry(b.Range)
	first, end := g.Cell(b.Min), g.Cell(b.Max)+1
	if len(b.Counts) == 0 {
		r.first = first
	}
	if end-first > len(b.Counts) {
		counts := make([]int64, end-first)
		copy(counts[r.first-first:], b.Counts)
		b.Counts, r.first = counts, first
	}
	for i := range b.Counts {
		b.Counts[i] += s.Counts[r.first+i]
	}
}
