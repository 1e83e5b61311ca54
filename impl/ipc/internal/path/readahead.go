package path

import (
	"encoding/binary"
	"io"

	"hotpath/impl/ipc/internal/wire"
)

const (
	firstFrame = 64 << 10 // what a connection takes before it knows its frames
	keptFrame  = 1 << 20  // the largest that a connection keeps between two requests
)

// ReadAhead reads as much as there is into a pooled frame, which holds as many
// requests as happen to arrive together. The frame grows with what has arrived,
// whatever a length announces, to at most twice of it.
type ReadAhead struct {
	from       io.Reader
	limit      int
	budget     *Budget
	size       int // of the frame to take next
	frame      *Frame
	start, end int  // what has arrived and is not given out
	noRoom     bool // the budget does not allow what the unfinished frame needs
	skip       int  // bytes to come of a frame that is not read
	tally      Tally
}

// NewReadAhead reads frames of at most limit bytes.
func NewReadAhead(from io.Reader, limit int, b *Budget) *ReadAhead {
	return &ReadAhead{from: from, limit: limit, budget: b, size: firstFrame}
}

func (r *ReadAhead) Pending() int    { return r.end - r.start + r.skip }
func (r *ReadAhead) Current() *Frame { return r.frame }

func (r *ReadAhead) Costs() Tally {
	t := r.tally
	r.tally = Tally{}
	return t
}

func (r *ReadAhead) Close() {
	if r.frame != nil {
		r.frame.Release()
		r.frame = nil
	}
}

// Idle gives back a large frame of which everything has been given out.
func (r *ReadAhead) Idle() {
	if r.end == r.start && r.frame != nil && len(r.frame.Buf) > keptFrame {
		r.start, r.end = 0, 0
		r.Close()
	}
}

func (r *ReadAhead) Next() ([]byte, error) {
	if r.skip > 0 {
		n := min(r.skip, r.end-r.start)
		r.start, r.skip = r.start+n, r.skip-n
	}
	for r.end-r.start >= wire.LengthSize {
		b := r.frame.Buf[r.start:r.end]
		n, ping, err := wire.FrameLength(b, r.limit)
		if err != nil {
			return r.refuse(b[wire.LengthSize:], n, err)
		}
		if ping {
			r.start += wire.LengthSize
			continue
		}
		if n > len(b)-wire.LengthSize {
			if r.noRoom {
				return r.refuse(b[wire.LengthSize:], n, wire.ErrNoRoom)
			}
			return nil, nil
		}
		r.start += wire.LengthSize + n
		return b[wire.LengthSize : wire.LengthSize+n : wire.LengthSize+n], nil
	}
	return nil, nil
}

// refuse skips a frame of n bytes, once the header at its start is there.
func (r *ReadAhead) refuse(b []byte, n int, err error) ([]byte, error) {
	header, more := wire.HeaderOf(b, n)
	if more {
		return nil, nil
	}
	here := min(n, len(b))
	r.start += wire.LengthSize + here
	r.skip, r.noRoom = n-here, false
	return header, err
}

func (r *ReadAhead) Fill() error {
	r.makeRoom()
	if r.noRoom {
		return nil
	}
	n, err := r.from.Read(r.frame.Buf[r.end:])
	if n > 0 {
		r.end += n
		r.tally.Reads++
		return nil
	}
	return err
}

// makeRoom sees to it that the unfinished frame can go on in one piece behind
// what has arrived of it.
func (r *ReadAhead) makeRoom() {
	have := r.end - r.start
	if have == 0 {
		r.start, r.end = 0, 0
		if r.budget.Tight() {
			r.size = firstFrame
		}
		if r.frame != nil && (!r.frame.Sole() || len(r.frame.Buf) > max(r.size, firstFrame)) {
			r.Close()
		}
		if r.frame == nil {
			r.frame = r.take(r.size, firstFrame)
		}
		return
	}
	need := wire.LengthSize
	if have >= wire.LengthSize {
		need += min(int(binary.BigEndian.Uint32(r.frame.Buf[r.start:])), max(r.limit, wire.LargestHeader))
	}
	old, room := r.frame, len(r.frame.Buf)
	switch {
	case r.start+need <= room, need > room && r.end < room:
		return
	case need <= room && old.Sole():
		copy(old.Buf, old.Buf[r.start:r.end])
	default:
		grown := min(need, 2*have)
		f := r.take(max(r.size, grown), max(firstFrame, grown))
		if f == nil {
			r.noRoom = true
			return
		}
		r.frame = f
		copy(f.Buf, old.Buf[r.start:r.end])
		old.Release()
		r.size = min(max(r.size, len(f.Buf)), keptFrame)
	}
	r.tally.Copied += int64(have)
	r.start, r.end = 0, have
}

// take returns a frame of the better size or, where the budget does not allow
// that, of the least, and nil if it does not allow that either. Every connection
// may have a first frame.
func (r *ReadAhead) take(better, least int) *Frame {
	f, made := r.budget.newFrame(better, better <= firstFrame)
	if f == nil {
		r.size = firstFrame
		f, made = r.budget.newFrame(least, least <= firstFrame)
	}
	if made {
		r.tally.Allocated += int64(len(f.Buf))
	}
	return f
}
