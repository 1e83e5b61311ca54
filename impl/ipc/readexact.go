package ipc

import "io"

const (
	// socketChunk is how much HBase reads from or writes to a socket at once:
	// the Java runtime copies each piece through memory outside its heap.
	socketChunk = 64 << 10

	// trustedLength is the largest array that is made before its bytes arrive.
	trustedLength = 128 << 10
)

// readExact reads as the published server does: the length, then an array of
// that length, in pieces. Unlike there, a large array grows with what arrives.
type readExact struct {
	from   io.Reader
	limit  int
	length [lengthSize]byte
	got    int    // bytes of the length, or of the frame once there is one
	frame  *Frame // nil: the length comes next
	need   int    // length of the whole frame
	given  bool   // the frame is whole and has been given out
	tally  tally
}

func newReadExact(from io.Reader, limit int) *readExact {
	return &readExact{from: from, limit: limit}
}

func (r *readExact) current() *Frame { return r.frame }
func (r *readExact) close()          { r.frame = nil }

func (r *readExact) pending() int {
	switch {
	case r.given:
		return 0
	case r.frame == nil:
		return r.got
	}
	return lengthSize + r.got
}

func (r *readExact) costs() tally {
	t := r.tally
	r.tally = tally{}
	return t
}

func (r *readExact) next() ([]byte, error) {
	if r.given {
		return nil, nil
	}
	if r.frame == nil {
		if r.got < lengthSize {
			return nil, nil
		}
		n, ping, err := frameLength(r.length[:], r.limit)
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
	return r.frame.buf, nil
}

func (r *readExact) fill() error {
	if r.given {
		r.frame, r.got, r.given = nil, 0, false
	}
	var to []byte
	if r.frame == nil {
		to = r.length[r.got:]
	} else {
		if r.got == len(r.frame.buf) {
			grown := r.array(min(r.need, 2*r.got))
			r.tally.copied += int64(copy(grown.buf, r.frame.buf))
			r.frame = grown
		}
		to = r.frame.buf[r.got:]
		to = to[:min(len(to), socketChunk)]
	}
	n, err := r.from.Read(to)
	if n > 0 {
		r.got += n
		r.tally.reads++
		return nil
	}
	return err
}

func (r *readExact) array(n int) *Frame {
	r.tally.allocated += int64(n)
	return heapFrame(n)
}
