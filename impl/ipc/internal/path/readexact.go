package path

import (
	"io"

	"hotpath/impl/ipc/internal/wire"
)

const (
	// SocketChunk is how much HBase reads from or writes to a socket at once:
	// the Java runtime copies each piece through memory outside its heap.
	SocketChunk = 64 << 10

	// trustedLength is the largest array that is made before its bytes arrive.
	trustedLength = 128 << 10
)

// ReadExact reads as the published server does: the length, then an array of
// that length, in pieces. Unlike there, a large array grows with what arrives.
type ReadExact struct {
	from    io.Reader
	limit   int
	budget  *Budget
	length  [wire.LengthSize]byte
	got     int    // bytes of the length, or of the frame once there is one
	frame   *Frame // nil: the length comes next
	need    int    // length of the whole frame
	refusal error  // why the frame is not read
	given   bool   // the frame, or its header, has been given out
	skip    int    // bytes to come of a frame that is not read
	tally   Tally
}

// NewReadExact reads frames of at most limit bytes.
func NewReadExact(from io.Reader, limit int, b *Budget) *ReadExact {
	return &ReadExact{from: from, limit: limit, budget: b}
}

func (r *ReadExact) Current() *Frame { return r.frame }

func (r *ReadExact) Close() {
	if r.frame != nil {
		r.frame.Release()
		r.frame = nil
	}
}

func (r *ReadExact) Pending() int {
	switch {
	case r.given || r.skip > 0:
		return r.skip
	case r.frame == nil:
		return r.got
	}
	return wire.LengthSize + r.got
}

func (r *ReadExact) Costs() Tally {
	t := r.tally
	r.tally = Tally{}
	return t
}

func (r *ReadExact) Next() ([]byte, error) {
	if r.given || r.skip > 0 {
		return nil, nil
	}
	if r.frame == nil {
		if r.got < wire.LengthSize {
			return nil, nil
		}
		n, ping, err := wire.FrameLength(r.length[:], r.limit)
		r.got = 0
		if ping || err == wire.ErrNegative {
			return nil, err
		}
		r.frame, r.need, r.refusal = r.array(min(n, trustedLength), true), n, err
	}
	if r.refusal != nil {
		return r.refuse()
	}
	if r.got < r.need {
		return nil, nil
	}
	r.given = true
	return r.frame.Buf, nil
}

// refuse skips the frame, once the header at its start is there.
func (r *ReadExact) refuse() ([]byte, error) {
	header, more := wire.HeaderOf(r.frame.Buf[:r.got], r.need)
	if more {
		return nil, nil
	}
	r.given, r.skip = true, r.need-r.got
	return header, r.refusal
}

func (r *ReadExact) Fill() error {
	if r.given && r.skip == 0 {
		r.Close()
		r.got, r.given, r.refusal = 0, false, nil
	}
	var to []byte
	switch {
	case r.given: // nobody looks at the frame any more
		if len(r.frame.Buf) > SocketChunk {
			r.Close()
			r.frame = r.array(SocketChunk, true)
		}
		to = r.frame.Buf[:min(r.skip, len(r.frame.Buf))]
	case r.frame == nil:
		to = r.length[r.got:]
	default:
		if r.got == len(r.frame.Buf) && !r.grow() {
			return nil
		}
		to = r.frame.Buf[r.got:]
	}
	n, err := r.from.Read(to[:min(len(to), SocketChunk)])
	if n > 0 {
		if r.given {
			r.skip -= n
		} else {
			r.got += n
		}
		r.tally.Reads++
		return nil
	}
	return err
}

// grow makes the array larger, if the budget allows it.
func (r *ReadExact) grow() bool {
	grown := r.array(min(r.need, 2*r.got), false)
	if grown == nil {
		r.refusal = wire.ErrNoRoom
		return false
	}
	r.tally.Copied += int64(copy(grown.Buf, r.frame.Buf))
	r.frame.Release()
	r.frame = grown
	return true
}

func (r *ReadExact) array(n int, must bool) *Frame {
	f := r.budget.heapFrame(n, must)
	if f != nil {
		r.tally.Allocated += int64(n)
	}
	return f
}
