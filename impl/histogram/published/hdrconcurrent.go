package published

import (
	"math"
	"sync/atomic"

	"hotpath/impl/histogram"
	"hotpath/impl/histogram/internal/hdr"
)

// HDRConcurrent is HdrHistogram's ConcurrentHistogram: it grows with the values
// that it meets, while others record.
//
// It holds two arrays of counts. Writers record in the active one, in the write
// section of a Phaser; a writer that finds it too short replaces one array after
// the other by a longer copy, each while it is the inactive one and no writer
// holds it. A value's count is the sum of both.
//
// What HDRAtomic says of refused values and of the fields of a Snapshot holds
// here, but no value is too large. The shifting of values, which the original has
// for its histograms of floating-point numbers, is left out as well.
//
// Any number of goroutines may record and read. Record does not wait, except to
// grow; Snapshot, Reset and growing wait for each other. Use NewHDRConcurrent.
type HDRConcurrent struct {
	phaser   Phaser
	active   atomic.Pointer[[]atomic.Int64]
	inactive *[]atomic.Int64 // the holder of the reader lock's
	digits   int
	whole    hdr.Geometry // of all values: a cell has the same number in shorter arrays
	extremes extremes
	total    atomic.Int64
	negative atomic.Int64
}

// NewHDRConcurrent returns a histogram that tells values apart by so many
// significant decimal digits, 1 to 5; it panics on others.
func NewHDRConcurrent(digits int) *HDRConcurrent {
	h := &HDRConcurrent{digits: digits, whole: hdr.New(1, math.MaxInt64, digits)}
	h.active.Store(h.array(2))
	h.inactive = h.array(2)
	h.extremes.reset()
	return h
}

// array returns counts for values up to highest, at least 2.
func (h *HDRConcurrent) array(highest int64) *[]atomic.Int64 {
	counts := make([]atomic.Int64, hdr.New(1, highest, h.digits).Cells)
	return &counts
}

// Record adds v. It returns ErrNegative if it refuses v.
func (h *HDRConcurrent) Record(v int64) error {
	if v < 0 {
		h.negative.Add(1)
		return ErrNegative
	}
	for cell := h.whole.Cell(v); !h.increment(cell); {
		h.grow(v)
	}
	h.extremes.extend(v)
	h.total.Add(1)
	return nil
}

// increment counts a value in a cell, unless the active array is too short.
func (h *HDRConcurrent) increment(cell int) bool {
	phase := h.phaser.Enter()
	counts := *h.active.Load()
	fits := cell < len(counts)
	if fits {
		counts[cell].Add(1)
	}
	h.phaser.Exit(phase)
	return fits
}

// grow makes both arrays long enough for v.
func (h *HDRConcurrent) grow(v int64) {
	h.phaser.ReaderLock()
	defer h.phaser.ReaderUnlock()
	if h.whole.Cell(v) < len(*h.inactive) {
		return
	}
	for _, longer := range []*[]atomic.Int64{h.array(v), h.array(v)} {
		for i := range *h.inactive {
			(*longer)[i].Store((*h.inactive)[i].Load())
		}
		h.inactive = h.active.Swap(longer)
		h.phaser.Flip(0)
	}
}

// Count returns the number of values recorded.
func (h *HDRConcurrent) Count() int64 { return h.total.Load() }

// Snapshot reads the histogram into dst, or into a new snapshot if dst is nil,
// and returns it. Its Range reaches as far as the histogram has grown.
func (h *HDRConcurrent) Snapshot(dst *histogram.Snapshot) *histogram.Snapshot {
	h.phaser.ReaderLock()
	defer h.phaser.ReaderUnlock()
	active, inactive := *h.active.Load(), *h.inactive
	grown := h.whole
	grown.Cells = len(active)
	_, highest := grown.Bounds(grown.Cells - 1)
	dst = emptySnapshot(histogram.Range{Lowest: 1, Highest: highest, Digits: h.digits}, &grown, dst)
	for i := range active {
		dst.Counts[i] = active[i].Load() + inactive[i].Load()
	}
	dst.Negative = h.negative.Load()
	h.extremes.complete(&grown, dst)
	return dst
}

// Reset sets everything to zero, cell by cell, and keeps the range. A record at
// the same time may be lost in part.
func (h *HDRConcurrent) Reset() {
	h.phaser.ReaderLock()
	defer h.phaser.ReaderUnlock()
	active, inactive := *h.active.Load(), *h.inactive
	for i := range active {
		active[i].Store(0)
		inactive[i].Store(0)
	}
	h.total.Store(0)
	h.extremes.reset()
	h.negative.Store(0)
}
