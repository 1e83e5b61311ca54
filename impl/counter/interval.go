package counter

import (
	"sync"
	"time"
)

// Interval divides what a counter counts into consecutive intervals, for rates
// and in place of a reset. It remembers the value at which the interval began
// and writes nothing to the counter, so any number of Intervals can follow one
// counter, and each increment is in exactly one interval of each of them. To
// reset a counter while others add to it cannot promise that.
//
// An Interval belongs to one goroutine at a time.
type Interval struct {
	_     [0]sync.Mutex // makes go vet object to copies
	value func() int64
	base  int64
	start time.Time
}

// NewInterval starts the first interval of the counter that value reads.
func NewInterval(value func() int64) *Interval {
	return &Interval{value: value, base: value(), start: time.Now()}
}

// Value returns what was added since the interval began.
func (i *Interval) Value() int64 { return i.value() - i.base }

// Next ends the interval, returns what was added in it and how long it was, and
// starts the next one.
func (i *Interval) Next() (delta int64, length time.Duration) {
	value, now := i.value(), time.Now()
	delta, length = value-i.base, now.Sub(i.start)
	i.base, i.start = value, now
	return delta, length
}
