package ipc

import (
	"errors"
	"fmt"
	"math"
	"strings"
)

// connectionHeader is the first message on a connection. All fields are views
// into the bytes it was parsed from; empty ones are absent on the wire.
type connectionHeader struct {
	user, service, codec, compressor []byte
}

func (h *connectionHeader) parse(b []byte) error {
	*h = connectionHeader{}
	f := fields{msg: b}
	named := true // a user_info must name its effective user
	for f.next() {
		switch f.tag {
		case 1<<3 | wireBytes:
			u := fields{msg: f.data}
			named = h.user != nil
			for u.next() {
				if u.tag == 1<<3|wireBytes {
					h.user, named = u.data, true
				}
			}
			if u.err != nil {
				return fmt.Errorf("connection header: user: %w", u.err)
			}
		case 2<<3 | wireBytes:
			h.service = f.data
		case 3<<3 | wireBytes:
			h.codec = f.data
		case 4<<3 | wireBytes:
			h.compressor = f.data
		}
	}
	if f.err != nil {
		return fmt.Errorf("connection header: %w", f.err)
	}
	if !named {
		return errors.New("connection header: user: no effective user")
	}
	return nil
}

func (h *connectionHeader) appendTo(b []byte) []byte {
	if user := bytesSize(h.user); user > 0 {
		b = appendUint(b, 1<<3|wireBytes, uint64(user))
		b = appendBytes(b, 1, h.user)
	}
	b = appendBytes(b, 2, h.service)
	b = appendBytes(b, 3, h.codec)
	return appendBytes(b, 4, h.compressor)
}

// requestHeader is what comes before each call's parameter.
type requestHeader struct {
	callID    uint32
	method    []byte // a view into the bytes it was parsed from
	hasParam  bool   // a delimited parameter follows the header
	cellBlock int    // bytes of the cell block at the end of the frame, -1: none
	priority  uint32
}

func (h *requestHeader) parse(b []byte) error {
	*h = requestHeader{}
	block := noCellBlock
	f := fields{msg: b}
	for f.next() {
		var err error
		switch f.tag {
		case 1<<3 | wireVarint:
			h.callID = uint32(f.num)
		case 2<<3 | wireBytes:
			trace := fields{msg: f.data} // of no use here, but it must be sound
			for trace.next() {
			}
			err = trace.err
		case 3<<3 | wireBytes:
			h.method = f.data
		case 4<<3 | wireVarint:
			h.hasParam = f.num != 0
		case 5<<3 | wireBytes:
			err = block.parse(f.data)
		case 6<<3 | wireVarint:
			h.priority = uint32(f.num)
		}
		if err != nil {
			return fmt.Errorf("request header: field %d: %w", f.tag>>3, err)
		}
	}
	if f.err == nil {
		h.cellBlock, f.err = block.bytes()
	}
	if f.err != nil {
		return fmt.Errorf("request header: %w", f.err)
	}
	return nil
}

func (h *requestHeader) size() int {
	n := uintSize(uint64(h.callID)) + bytesSize(h.method) + cellBlockMetaSize(h.cellBlock)
	if h.hasParam {
		n += 2
	}
	if h.priority != 0 {
		n += uintSize(uint64(h.priority))
	}
	return n
}

func (h *requestHeader) appendTo(b []byte) []byte {
	b = appendUint(b, 1<<3|wireVarint, uint64(h.callID))
	b = appendBytes(b, 3, h.method)
	if h.hasParam {
		b = append(b, 4<<3|wireVarint, 1)
	}
	b = appendCellBlockMeta(b, 5, h.cellBlock)
	if h.priority != 0 {
		b = appendUint(b, 6<<3|wireVarint, uint64(h.priority))
	}
	return b
}

// responseHeader is what comes before each call's result.
type responseHeader struct {
	callID    int32
	exception *Exception // nil: none, and a delimited result follows
	cellBlock int        // bytes of the cell block at the end of the frame, -1: none
}

// parse allocates for an exception alone, whose strings are copies.
func (h *responseHeader) parse(b []byte) error {
	*h = responseHeader{}
	block := noCellBlock
	f := fields{msg: b}
	for f.next() {
		var err error
		switch f.tag {
		case 1<<3 | wireVarint:
			h.callID = int32(f.num)
		case 2<<3 | wireBytes:
			if h.exception == nil {
				h.exception = new(Exception)
			}
			err = h.exception.parse(f.data)
		case 3<<3 | wireBytes:
			err = block.parse(f.data)
		}
		if err != nil {
			return fmt.Errorf("response header: field %d: %w", f.tag>>3, err)
		}
	}
	if f.err == nil {
		h.cellBlock, f.err = block.bytes()
	}
	if f.err != nil {
		return fmt.Errorf("response header: %w", f.err)
	}
	return nil
}

func (h *responseHeader) size() int {
	n := uintSize(uint64(uint32(h.callID))) + cellBlockMetaSize(h.cellBlock)
	if h.exception != nil {
		e := h.exception.size()
		n += uintSize(uint64(e)) + e
	}
	return n
}

func (h *responseHeader) appendTo(b []byte) []byte {
	b = appendUint(b, 1<<3|wireVarint, uint64(uint32(h.callID)))
	if h.exception != nil {
		b = appendUint(b, 2<<3|wireBytes, uint64(h.exception.size()))
		b = h.exception.appendTo(b)
	}
	return appendCellBlockMeta(b, 3, h.cellBlock)
}

// Exception is the error that a server answers a call with.
type Exception struct {
	Class      string // Java class name: what clients decide by
	StackTrace string // first line: class, colon, message, as Java prints it
	Host       string // where the region went, with Port; else empty
	Port       int32
	DoNotRetry bool
}

// Error returns the first line of the stack trace, led by the class.
func (e *Exception) Error() string {
	line, _, _ := strings.Cut(e.StackTrace, "\n")
	switch {
	case strings.HasPrefix(line, e.Class):
		return line
	case line == "":
		return e.Class
	}
	return e.Class + ": " + line
}

func (e *Exception) parse(b []byte) error {
	f := fields{msg: b}
	for f.next() {
		switch f.tag {
		case 1<<3 | wireBytes:
			e.Class = string(f.data)
		case 2<<3 | wireBytes:
			e.StackTrace = string(f.data)
		case 3<<3 | wireBytes:
			e.Host = string(f.data)
		case 4<<3 | wireVarint:
			e.Port = int32(f.num)
		case 5<<3 | wireVarint:
			e.DoNotRetry = f.num != 0
		}
	}
	return f.err
}

func (e *Exception) size() int {
	n := bytesSize(e.Class) + bytesSize(e.StackTrace) + bytesSize(e.Host)
	if e.Port != 0 {
		n += uintSize(uint64(e.Port))
	}
	if e.DoNotRetry {
		n += 2
	}
	return n
}

func (e *Exception) appendTo(b []byte) []byte {
	b = appendBytes(b, 1, e.Class)
	b = appendBytes(b, 2, e.StackTrace)
	b = appendBytes(b, 3, e.Host)
	if e.Port != 0 {
		b = appendUint(b, 4<<3|wireVarint, uint64(e.Port)) // sign-extended: ten bytes if negative
	}
	if e.DoNotRetry {
		b = append(b, 5<<3|wireVarint, 1)
	}
	return b
}

// cellBlockMeta is the length of a cell block as a header gives it. Repeated
// messages merge: the last length is the one that counts.
type cellBlockMeta int64

const noCellBlock cellBlockMeta = -1

func (m *cellBlockMeta) parse(b []byte) error {
	*m = max(*m, 0)
	f := fields{msg: b}
	for f.next() {
		if f.tag == 1<<3|wireVarint {
			*m = cellBlockMeta(uint32(f.num))
		}
	}
	return f.err
}

// bytes returns the length, -1 for none, and refuses one that no frame has.
func (m cellBlockMeta) bytes() (int, error) {
	if m > math.MaxInt32 {
		return 0, fmt.Errorf("cell block of %d bytes", m)
	}
	return int(m), nil
}

func cellBlockMetaSize(length int) int {
	if length < 0 {
		return 0
	}
	return 2 + uintSize(uint64(length))
}

func appendCellBlockMeta(b []byte, number byte, length int) []byte {
	if length < 0 {
		return b
	}
	b = append(b, number<<3|wireBytes, byte(uintSize(uint64(length))))
	return appendUint(b, 1<<3|wireVarint, uint64(length))
}
