package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// LengthSize is the size of the length before every frame, an int32.
const LengthSize = 4

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

// FrameLength reads the length at the start of b.
func FrameLength(b []byte, limit int) (n int, ping bool, err error) {
	n = int(int32(binary.BigEndian.Uint32(b)))
	switch {
	case n == PingLength:
		return 0, true, nil
	case n < 0:
		return 0, false, ErrNegative
	case n > limit:
		return 0, false, &TooBigError{n, limit}
	}
	return n, false, nil
}
