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
	from   io.Reader
	limit  int
	length [wire.LengthSize]byte
	got    int    // bytes of the length, or of the frame once there is one
	frame  *Frame // nil: the length comes next
	need   int    // length of the whole frame
	given  bool   // the frame is whole and has been given out
	tally  Tally
}

func NewReadExact(from io.Reader, limit int) *ReadExact {
	return &ReadExact{from: from, limit: limit}
}

func (r *ReadExact) Current() *Frame { return r.frame }
func (r *ReadExact) Close()          { r.frame = nil }

func (r *ReadExact) Pending() int {
	switch {
	case r.given:
		return 0
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
	if r.given {
		return nil, nil
	}
	if r.frame == nil {
		if r.got < wire.LengthSize {
			return nil, nil
		}
		n, ping, err := wire.FrameLength(r.length[:], r.limit)
		r.got = 0
		if err != nil || ping {
			return nil, err
		}
		r.frame, r.need = r.array(min(n, trustedLength)), n
	}
	if r.got < r.need {
		return nil, nil
	}
	r.given = true
	return r.frame.Buf, nil
}

func (r *ReadExact) Fill() error {
	if r.given {
		r.frame, r.got, r.given = nil, 0, false
	}
	var to []byte
	if r.frame == nil {
		to = r.length[r.got:]
	} else {
		if r.got == len(r.frame.Buf) {
			grown := r.array(min(r.need, 2*r.got))
			r.tally.Copied += int64(copy(grown.Buf, r.frame.Buf))
			r.frame = grown
		}
		to = r.frame.Buf[r.got:]
		to = to[:min(len(to), SocketChunk)]
	}
	n, err := r.from.Read(to)
	if n > 0 {
		r.got += n
		r.tally.Reads++
		return nil
	}
	return err
}

func (r *ReadExact) array(n int) *Frame {
	r.tally.Allocated += int64(n)
	return HeapFrame(n)
}
