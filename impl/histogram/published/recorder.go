package published

import (
	"sync/atomic"
	"time"

	"hotpath/impl/histogram"
)

// Recorder is HdrHistogram's Recorder: it hands out what was recorded in
// intervals, each value in exactly one of them, without holding up those who
// record.
//
// It has two histograms, of which writers record in the active one, in the write
// section of a Phaser. An interval ends with a flip, so it is read when nobody
// writes to it any more. Over HDRConcurrent two phasers are nested, as in the
// original. Record's forms with a count and with an expected interval are left
// out.
//
// A Recorder has one sequence of intervals, whoever takes them. Any number of
// goroutines may call any method. Use NewRecorder or NewAutoRecorder.
type Recorder struct {
	phaser Phaser
	active atomic.Pointer[RecorderInterval]
	empty  func() recordable
}

// recordable is what a Recorder records in: an HDRAtomic or an HDRConcurrent.
type recordable interface {
	Record(v int64) error
	Snapshot(dst *histogram.Snapshot) *histogram.Snapshot
	Reset()
}

// RecorderInterval is what a Recorder recorded from Start to End.
type RecorderInterval struct {
	Start, End time.Time

	values recordable
	owner  *Recorder
	lent   bool // the caller of Interval has it
}

// NewRecorder returns a recorder of values of r. It panics if r is invalid.
func NewRecorder(r histogram.Range) *Recorder {
	return newRecorder(func() recordable { return NewHDRAtomic(r) })
}

// NewAutoRecorder returns a recorder whose histograms grow with the values, and
// tell them apart by so many significant decimal digits, 1 to 5; it panics on
// others.
func NewAutoRecorder(digits int) *Recorder {
	return newRecorder(func() recordable { return NewHDRConcurrent(digits) })
}

func newRecorder(empty func() recordable) *Recorder {
	r := &Recorder{empty: empty}
	first := &RecorderInterval{Start: time.Now(), values: empty(), owner: r}
	r.active.Store(first)
	return r
}

// Record adds v to the present interval. It returns ErrNegative or ErrTooLarge if
// it refuses v.
func (r *Recorder) Record(v int64) error {
	phase := r.phaser.Enter()
	err := r.active.Load().values.Record(v)
	r.phaser.Exit(phase)
	return err
}

// Interval ends the present interval, begins the next and returns the one that
// ended: every Record that returned before the call is in it or in one before.
//
// recycle is nil or an interval that the caller has done with; it serves for the
// next one, and so must not be used any more. Interval panics if it is no interval
// of this recorder, or was passed to it before.
func (r *Recorder) Interval(recycle *RecorderInterval) *RecorderInterval {
	r.phaser.ReaderLock()
	defer r.phaser.ReaderUnlock()
	next := recycle
	switch {
	case next == nil:
		next = &RecorderInterval{values: r.empty(), owner: r}
	case next.owner != r || !next.lent:
		panic("histogram: Interval with an interval that it did not return, or twice with the same one")
	default:
		next.values.Reset()
	}
	now := time.Now()
	next.Start, next.End, next.lent = now, time.Time{}, false
	ended := r.active.Swap(next)
	ended.End, ended.lent = now, true
	const pause = 500 * time.Microsecond // HdrHistogram's
	r.phaser.Flip(pause)
	return ended
}

// Reset drops what was recorded in the present interval and begins a new one.
func (r *Recorder) Reset() { r.Interval(nil) }

// Snapshot reads the interval into dst, or into a new snapshot if dst is nil, and
// returns it.
func (i *RecorderInterval) Snapshot(dst *histogram.Snapshot) *histogram.Snapshot {
	return i.values.Snapshot(dst)
}
