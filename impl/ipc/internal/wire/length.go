package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// LengthSize is the size of the length before every frame, an int32.
const LengthSize = 4

// LargestFrame leaves room for what is counted together with a frame in an int32.
const LargestFrame = math.MaxInt32 - 1<<20

// PingLength stands in place of a length: nothing follows, nothing is answered.
const PingLength = -1

// PingWord is PingLength as it is written, an unsigned number.
const PingWord = 1<<32 + PingLength

// NoCall is the call id of an exception that ends the connection.
const NoCall = -1

// ErrNegative is a length that is none: nothing after it can be understood.
var ErrNegative = errors.New("frame of negative length")

// TooBigError is the announcement of a frame over the limit.
type TooBigError struct{ Length, Limit int }

func (e *TooBigError) Error() string {
	return fmt.Sprintf("frame of %d bytes, at most %d are taken", e.Length, e.Limit)
}

// FrameLength reads the length at the start of b, which it returns also with a
// TooBigError.
func FrameLength(b []byte, limit int) (n int, ping bool, err error) {
	n = int(int32(binary.BigEndian.Uint32(b)))
	switch {
	case n == PingLength:
		return 0, true, nil
	case n < 0:
		return 0, false, ErrNegative
	case n > limit:
		return n, false, &TooBigError{n, limit}
	}
	return n, false, nil
}

// ErrNoRoom says that a frame may not be read because of others.
var ErrNoRoom = errors.New("no room for the request")

// LargestHeader is the largest header, with its length, that is looked for in a
// frame that is not read.
const LargestHeader = 16 << 10

// HeaderOf returns the header, for Delimited, at the start of a frame of size bytes
// of which b has arrived; more says that it has not all arrived. It is nil if
// there is none, now or ever.
func HeaderOf(b []byte, size int) (header []byte, more bool) {
	b = b[:min(size, len(b))]
	v, n := binary.Uvarint(b)
	if n < 0 || v > LargestHeader-binary.MaxVarintLen32 {
		return nil, false
	}
	if end := n + int(v); n > 0 && end <= len(b) {
		return b[:end], false
	}
	return nil, len(b) < size
}
