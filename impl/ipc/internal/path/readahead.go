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
	size       int // of the frame to take next
	frame      *Frame
	start, end int // what has arrived and is not given out
	tally      Tally
}

func NewReadAhead(from io.Reader, limit int) *ReadAhead {
	return &ReadAhead{from: from, limit: limit, size: firstFrame}
}

func (r *ReadAhead) Pending() int    { return r.end - r.start }
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

func (r *ReadAhead) Next() ([]byte, error) {
	for r.end-r.start >= wire.LengthSize {
		b := r.frame.Buf[r.start:r.end]
		n, ping, err := wire.FrameLength(b, r.limit)
		if err != nil {
			return nil, err
		}
		if ping {
			r.start += wire.LengthSize
			continue
		}
		if n > len(b)-wire.LengthSize {
			return nil, nil
		}
		r.start += wire.LengthSize + n
		return b[wire.LengthSize : wire.LengthSize+n : wire.LengthSize+n], nil
	}
	return nil, nil
}

func (r *ReadAhead) Fill() error {
	r.makeRoom()
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
		if r.frame != nil && (!r.frame.Sole() || len(r.frame.Buf) > keptFrame) {
			r.Close()
		}
		if r.frame == nil {
			r.frame = r.take(r.size)
		}
		return
	}
	need := wire.LengthSize
	if have >= wire.LengthSize {
		need += int(binary.BigEndian.Uint32(r.frame.Buf[r.start:])) // next has checked it
	}
	old, room := r.frame, len(r.frame.Buf)
	switch {
	case r.start+need <= room, need > room && r.end < room:
		return
	case need <= room && old.Sole():
		copy(old.Buf, old.Buf[r.start:r.end])
	default:
		r.frame = r.take(max(r.size, min(need, 2*have)))
		copy(r.frame.Buf, old.Buf[r.start:r.end])
		old.Release()
		r.size = min(max(r.size, len(r.frame.Buf)), keptFrame)
	}
	r.tally.Copied += int64(have)
	r.start, r.end = 0, have
}

func (r *ReadAhead) take(n int) *Frame {
	f, made := NewFrame(n)
	if made {
		r.tally.Allocated += int64(len(f.Buf))
	}
	return f
}
