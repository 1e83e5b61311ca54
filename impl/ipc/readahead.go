package ipc

import (
	"encoding/binary"
	"io"
)

const (
	firstFrame = 64 << 10 // what a connection takes before it knows its frames
	keptFrame  = 1 << 20  // the largest that a connection keeps between two requests
)

// readAhead reads as much as there is into a pooled frame, which holds as many
// requests as happen to arrive together. The frame grows with what has arrived,
// whatever a length announces, to at most twice of it.
type readAhead struct {
	from       io.Reader
	limit      int
	size       int // of the frame to take next
	frame      *Frame
	start, end int // what has arrived and is not given out
	tally      tally
}

func newReadAhead(from io.Reader, limit int) *readAhead {
	return &readAhead{from: from, limit: limit, size: firstFrame}
}

func (r *readAhead) pending() int    { return r.end - r.start }
func (r *readAhead) current() *Frame { return r.frame }

func (r *readAhead) costs() tally {
	t := r.tally
	r.tally = tally{}
	return t
}

func (r *readAhead) close() {
	if r.frame != nil {
		r.frame.Release()
		r.frame = nil
	}
}

func (r *readAhead) next() ([]byte, error) {
	for r.end-r.start >= lengthSize {
		b := r.frame.buf[r.start:r.end]
		n, ping, err := frameLength(b, r.limit)
		if err != nil {
			return nil, err
		}
		if ping {
			r.start += lengthSize
			continue
		}
		if n > len(b)-lengthSize {
			return nil, nil
		}
		r.start += lengthSize + n
		return b[lengthSize : lengthSize+n : lengthSize+n], nil
	}
	return nil, nil
}

func (r *readAhead) fill() error {
	r.makeRoom()
	n, err := r.from.Read(r.frame.buf[r.end:])
	if n > 0 {
		r.end += n
		r.tally.reads++
		return nil
	}
	return err
}

// makeRoom sees to it that the unfinished frame can go on in one piece behind
// what has arrived of it.
func (r *readAhead) makeRoom() {
	have := r.end - r.start
	if have == 0 {
		r.start, r.end = 0, 0
		if r.frame != nil && (!r.frame.sole() || len(r.frame.buf) > keptFrame) {
			r.close()
		}
		if r.frame == nil {
			r.frame = r.take(r.size)
		}
		return
	}
	need := lengthSize
	if have >= lengthSize {
		need += int(binary.BigEndian.Uint32(r.frame.buf[r.start:])) // next has checked it
	}
	old, room := r.frame, len(r.frame.buf)
	switch {
	case r.start+need <= room, need > room && r.end < room:
		return
	case need <= room && old.sole():
		copy(old.buf, old.buf[r.start:r.end])
	default:
		r.frame = r.take(max(r.size, min(need, 2*have)))
		copy(r.frame.buf, old.buf[r.start:r.end])
		old.Release()
		r.size = min(max(r.size, len(r.frame.buf)), keptFrame)
	}
	r.tally.copied += int64(have)
	r.start, r.end = 0, have
}

func (r *readAhead) take(n int) *Frame {
	f, made := newFrame(n)
	if made {
		r.tally.allocated += int64(len(f.buf))
	}
	return f
}
