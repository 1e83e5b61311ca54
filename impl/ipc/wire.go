package ipc

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
)

// The wire types of protobuf that this protocol knows. Groups are refused:
// nothing in the protocol uses them, and skipping one takes a stack.
const (
	wireVarint  = 0
	wireFixed64 = 1
	wireBytes   = 2
	wireFixed32 = 5
)

const maxField = 1<<29 - 1 // the largest field number that protobuf allows

var (
	errVarint = errors.New("varint runs past the end or over 64 bits")
	errLength = errors.New("length runs past the end")
)

// fields walks over the fields of a protobuf message without copying or
// allocating. A known field in a wrong wire type has another tag and so reads as
// an unknown one, as in every protobuf library.
type fields struct {
	msg []byte
	at  int

	tag  uint64 // number<<3 | wire type
	num  uint64 // the value of a varint
	data []byte // the value of a bytes field, a view into msg
	err  error  // why the walk ended early: position and cause
}

// next steps to the next field; false means the end or an error.
func (f *fields) next() bool {
	if f.at == len(f.msg) {
		return false
	}
	start := f.at
	if f.tag = f.uvarint(); f.err != nil {
		return false
	}
	if number := f.tag >> 3; number == 0 || number > maxField {
		return f.fail(start, fmt.Errorf("field number %d", number))
	}
	switch f.tag & 7 {
	case wireVarint:
		f.num = f.uvarint()
	case wireFixed64:
		f.skip(8)
	case wireFixed32:
		f.skip(4)
	case wireBytes:
		n := f.uvarint()
		if f.err == nil {
			f.skip(n)
		}
		if f.err == nil {
			f.data = f.msg[f.at-int(n) : f.at : f.at]
		}
	default:
		return f.fail(start, fmt.Errorf("wire type %d", f.tag&7))
	}
	return f.err == nil
}

func (f *fields) uvarint() uint64 {
	if f.at < len(f.msg) && f.msg[f.at] < 0x80 { // nearly all of them
		f.at++
		return uint64(f.msg[f.at-1])
	}
	v, n := binary.Uvarint(f.msg[f.at:])
	if n <= 0 {
		f.fail(f.at, errVarint)
		return 0
	}
	f.at += n
	return v
}

func (f *fields) skip(n uint64) {
	if n > uint64(len(f.msg)-f.at) {
		f.fail(f.at, errLength)
		return
	}
	f.at += int(n)
}

func (f *fields) fail(at int, cause error) bool {
	f.err = fmt.Errorf("byte %d: %w", at, cause)
	return false
}

// delimited splits a varint length and the message of that length from the
// front of b, both views.
func delimited(b []byte) (msg, rest []byte, err error) {
	v, n := binary.Uvarint(b)
	if n <= 0 {
		return nil, nil, errVarint
	}
	if v > uint64(len(b)-n) {
		return nil, nil, errLength
	}
	end := n + int(v)
	return b[n:end:end], b[end:], nil
}

func uvarintSize(v uint64) int { return (bits.Len64(v|1) + 6) / 7 }

// Each size and append below is of a whole field with a number under 16, so with
// a tag of one byte. Absent (empty, zero) fields take nothing.

func bytesSize[T string | []byte](b T) int {
	if len(b) == 0 {
		return 0
	}
	return 1 + uvarintSize(uint64(len(b))) + len(b)
}

func appendBytes[T string | []byte](b []byte, number byte, v T) []byte {
	if len(v) == 0 {
		return b
	}
	b = appendUint(b, number<<3|wireBytes, uint64(len(v)))
	return append(b, v...)
}

func uintSize(v uint64) int { return 1 + uvarintSize(v) }

func appendUint(b []byte, tag byte, v uint64) []byte {
	return binary.AppendUvarint(append(b, tag), v)
}
