package histogram

import (
	"runtime"
	"sync/atomic"

	"hotpath/impl/internal/pin"
)

// row has the log of one P: for each column the chunk to append to.
type row struct {
	gate
	index  int // in the table
	chunks [columns]atomic.Pointer[chunk]
}

// rows has a row for each P that there has been. When there are more, a larger
// table replaces this one. It has the same rows, so one who appends by way of the
// older table appends for all to see.
type rows struct {
	table atomic.Pointer[[]*row]
}

// enter pins the caller to its P and returns the P's row, or another where a pinned
// goroutine may not be alone. Until it leaves, only the caller may append to the
// row's chunks or exchange them.
func (r *rows) enter() *row {
	for {
		p := pin.Pin()
		t := *r.table.Load()
		for q := p; q < len(t); q++ {
			if t[q].shut() {
				return t[q]
			}
		}
		pin.Unpin()
		if p >= len(t) {
			r.grow(p + 1)
		} else {
			runtime.Gosched()
		}
	}
}

func (r *row) leave() {
	r.open()
	pin.Unpin()
}

// grow makes at least n rows.
func (r *rows) grow(n int) {
	old := r.table.Load()
	var t []*row
	if old != nil {
		t = *old
	}
	for n = max(n, runtime.GOMAXPROCS(0)); len(t) < n; {
		more := &row{index: len(t)}
		for k := range more.chunks {
			more.chunks[k].Store(noChunk)
		}
		t = append(t[:len(t):len(t)], more)
	}
	r.table.CompareAndSwap(old, &t)
}
