package ipc

import (
	"encoding/binary"
	"errors"
	"fmt"
)

const lengthSize = 4 // an int32 before every frame

const pingLength = -1 // in place of a length: nothing follows, nothing is answered

// source cuts a stream into frames. It is used by one goroutine at a time.
type source interface {
	// next returns the next frame without its length, a view that lives as long
	// as the frame that current returns; nil: more must be read first.
	next() ([]byte, error)
	// fill reads once. It ends the life of all views that are not retained.
	fill() error
	// pending is how many bytes of an unfinished frame are there.
	pending() int
	current() *Frame
	// costs returns what the source has read, copied and allocated since the
	// last call.
	costs() tally
	close()
}

// errNegative is a length that is none: nothing after it can be understood.
var errNegative = errors.New("frame of negative length")

// tooBigError is the announcement of a frame over the limit.
type tooBigError struct{ length, limit int }

func (e *tooBigError) Error() string {
	return fmt.Sprintf("frame of %d bytes, at most %d are taken", e.length, e.limit)
}

// frameLength reads the length at the start of b.
func frameLength(b []byte, limit int) (n int, ping bool, err error) {
	n = int(int32(binary.BigEndian.Uint32(b)))
	switch {
	case n == pingLength:
		return 0, true, nil
	case n < 0:
		return 0, false, errNegative
	case n > limit:
		return 0, false, &tooBigError{n, limit}
	}
	return n, false, nil
}
