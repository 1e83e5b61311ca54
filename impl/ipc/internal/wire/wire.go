package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
)

// The wire types of protobuf that this protocol knows. Groups are refused:
// nothing in the protocol uses them, and skipping one takes a stack.
const (
	Varint  = 0
	Fixed64 = 1
	Bytes   = 2
	Fixed32 = 5
)

const maxField = 1<<29 - 1 // the largest field number that protobuf allows

var (
	errVarint = errors.New("varint runs past the end or over 64 bits")
	ErrLength = errors.New("length runs past the end")
)

// Fields walks over the fields of a protobuf message without copying or
// allocating. A known field in a wrong wire type has another tag and so reads as
// an unknown one, as in every protobuf library.
type Fields struct {
	Msg []byte
	at  int

	Tag  uint64 // number<<3 | wire type
	Num  uint64 // the value of a varint
	Data []byte // the value of a bytes field, a view into msg
	Err  error  // why the walk ended early: position and cause
}

// Next steps to the next field; false means the end or an error.
func (f *Fields) Next() bool {
	if f.at == len(f.Msg) {
		return false
	}
	start := f.at
	if f.Tag = f.uvarint(); f.Err != nil {
		return false
	}
	if number := f.Tag >> 3; number == 0 || number > maxField {
		return f.fail(start, fmt.Errorf("field number %d", number))
	}
	switch f.Tag & 7 {
	case Varint:
		f.Num = f.uvarint()
	case Fixed64:
		f.skip(8)
	case Fixed32:
		f.skip(4)
	case Bytes:
		n := f.uvarint()
		if f.Err == nil {
			f.skip(n)
		}
		if f.Err == nil {
			f.Data = f.Msg[f.at-int(n) : f.at : f.at]
		}
	default:
		return f.fail(start, fmt.Errorf("wire type %d", f.Tag&7))
	}
	return f.Err == nil
}

func (f *Fields) uvarint() uint64 {
	if f.at < len(f.Msg) && f.Msg[f.at] < 0x80 { // nearly all of them
		f.at++
		return uint64(f.Msg[f.at-1])
	}
	v, n := binary.Uvarint(f.Msg[f.at:])
	if n <= 0 {
		f.fail(f.at, errVarint)
		return 0
	}
	f.at += n
	return v
}

func (f *Fields) skip(n uint64) {
	if n > uint64(len(f.Msg)-f.at) {
		f.fail(f.at, ErrLength)
		return
	}
	f.at += int(n)
}

func (f *Fields) fail(at int, cause error) bool {
	f.Err = fmt.Errorf("byte %d: %w", at, cause)
	return false
}

// Delimited splits a varint length and the message of that length from the
// front of b, both views.
func Delimited(b []byte) (msg, rest []byte, err error) {
	v, n := binary.Uvarint(b)
	if n <= 0 {
		return nil, nil, errVarint
	}
	if v > uint64(len(b)-n) {
		return nil, nil, ErrLength
	}
	end := n + int(v)
	return b[n:end:end], b[end:], nil
}

func UvarintSize(v uint64) int { return (bits.Len64(v|1) + 6) / 7 }

// Each size and append below is of a whole field with a number under 16, so with
// a tag of one byte. Absent (empty, zero) fields take nothing.

func BytesSize[T string | []byte](b T) int {
	if len(b) == 0 {
		return 0
	}
	return 1 + UvarintSize(uint64(len(b))) + len(b)
}

func AppendBytes[T string | []byte](b []byte, number byte, v T) []byte {
	if len(v) == 0 {
		return b
	}
	b = AppendUint(b, number<<3|Bytes, uint64(len(v)))
	return append(b, v...)
}

func uintSize(v uint64) int { return 1 + UvarintSize(v) }

func AppendUint(b []byte, tag byte, v uint64) []byte {
	return binary.AppendUvarint(append(b, tag), v)
}
