package wire

import (
	"errors"
	"fmt"
	"math"
)

// ConnectionHeader is the first message on a connection. All fields are views
// into the bytes it was parsed from; empty ones are absent on the wire.
type ConnectionHeader struct {
	User, Service, Codec, Compressor []byte
}

func (h *ConnectionHeader) Parse(b []byte) error {
	*h = ConnectionHeader{}
	f := Fields{Msg: b}
	named := true // a user_info must name its effective user
	for f.Next() {
		switch f.Tag {
		case 1<<3 | Bytes:
			u := Fields{Msg: f.Data}
			named = h.User != nil
			for u.Next() {
				if u.Tag == 1<<3|Bytes {
					h.User, named = u.Data, true
				}
			}
			if u.Err != nil {
				return fmt.Errorf("connection header: User: %w", u.Err)
			}
		case 2<<3 | Bytes:
			h.Service = f.Data
		case 3<<3 | Bytes:
			h.Codec = f.Data
		case 4<<3 | Bytes:
			h.Compressor = f.Data
		}
	}
	if f.Err != nil {
		return fmt.Errorf("connection header: %w", f.Err)
	}
	if !named {
		return errors.New("connection header: User: no effective user")
	}
	return nil
}

func (h *ConnectionHeader) AppendTo(b []byte) []byte {
	if user := BytesSize(h.User); user > 0 {
		b = AppendUint(b, 1<<3|Bytes, uint64(user))
		b = AppendBytes(b, 1, h.User)
	}
	b = AppendBytes(b, 2, h.Service)
	b = AppendBytes(b, 3, h.Codec)
	return AppendBytes(b, 4, h.Compressor)
}

// RequestHeader is what comes before each call's parameter.
type RequestHeader struct {
	CallID    uint32
	Method    []byte // a view into the bytes it was parsed from
	HasParam  bool   // a delimited parameter follows the header
	CellBlock int    // bytes of the cell block at the end of the frame, -1: none
	Priority  uint32
}

func (h *RequestHeader) Parse(b []byte) error {
	*h = RequestHeader{}
	block := noCellBlock
	f := Fields{Msg: b}
	for f.Next() {
		var err error
		switch f.Tag {
		case 1<<3 | Varint:
			h.CallID = uint32(f.Num)
		case 2<<3 | Bytes:
			trace := Fields{Msg: f.Data} // of no use here, but it must be sound
			for trace.Next() {
			}
			err = trace.Err
		case 3<<3 | Bytes:
			h.Method = f.Data
		case 4<<3 | Varint:
			h.HasParam = f.Num != 0
		case 5<<3 | Bytes:
			err = block.parse(f.Data)
		case 6<<3 | Varint:
			h.Priority = uint32(f.Num)
		}
		if err != nil {
			return fmt.Errorf("request header: field %d: %w", f.Tag>>3, err)
		}
	}
	if f.Err == nil {
		h.CellBlock, f.Err = block.bytes()
	}
	if f.Err != nil {
		return fmt.Errorf("request header: %w", f.Err)
	}
	return nil
}

func (h *RequestHeader) Size() int {
	n := uintSize(uint64(h.CallID)) + BytesSize(h.Method) + cellBlockMetaSize(h.CellBlock)
	if h.HasParam {
		n += 2
	}
	if h.Priority != 0 {
		n += uintSize(uint64(h.Priority))
	}
	return n
}

func (h *RequestHeader) AppendTo(b []byte) []byte {
	b = AppendUint(b, 1<<3|Varint, uint64(h.CallID))
	b = AppendBytes(b, 3, h.Method)
	if h.HasParam {
		b = append(b, 4<<3|Varint, 1)
	}
	b = appendCellBlockMeta(b, 5, h.CellBlock)
	if h.Priority != 0 {
		b = AppendUint(b, 6<<3|Varint, uint64(h.Priority))
	}
	return b
}

// ResponseHeader is what comes before each call's result.
type ResponseHeader struct {
	CallID    int32
	Exception *Exception // nil: none, and a delimited result follows
	CellBlock int        // bytes of the cell block at the end of the frame, -1: none
}

// parse allocates for an exception alone, whose strings are copies.
func (h *ResponseHeader) Parse(b []byte) error {
	*h = ResponseHeader{}
	block := noCellBlock
	f := Fields{Msg: b}
	for f.Next() {
		var err error
		switch f.Tag {
		case 1<<3 | Varint:
			h.CallID = int32(f.Num)
		case 2<<3 | Bytes:
			if h.Exception == nil {
				h.Exception = new(Exception)
			}
			err = h.Exception.parse(f.Data)
		case 3<<3 | Bytes:
			err = block.parse(f.Data)
		}
		if err != nil {
			return fmt.Errorf("response header: field %d: %w", f.Tag>>3, err)
		}
	}
	if f.Err == nil {
		h.CellBlock, f.Err = block.bytes()
	}
	if f.Err != nil {
		return fmt.Errorf("response header: %w", f.Err)
	}
	return nil
}

func (h *ResponseHeader) Size() int {
	n := uintSize(uint64(uint32(h.CallID))) + cellBlockMetaSize(h.CellBlock)
	if h.Exception != nil {
		e := h.Exception.size()
		n += uintSize(uint64(e)) + e
	}
	return n
}

func (h *ResponseHeader) AppendTo(b []byte) []byte {
	b = AppendUint(b, 1<<3|Varint, uint64(uint32(h.CallID)))
	if h.Exception != nil {
		b = AppendUint(b, 2<<3|Bytes, uint64(h.Exception.size()))
		b = h.Exception.appendTo(b)
	}
	return appendCellBlockMeta(b, 3, h.CellBlock)
}

// Exception is the error in an answer. Package ipc has the same fields in a type
// of its own, which says what they mean.
type Exception struct {
	Class      string
	StackTrace string
	Host       string
	Port       int32
	DoNotRetry bool
}

func (e *Exception) parse(b []byte) error {
	f := Fields{Msg: b}
	for f.Next() {
		switch f.Tag {
		case 1<<3 | Bytes:
			e.Class = string(f.Data)
		case 2<<3 | Bytes:
			e.StackTrace = string(f.Data)
		case 3<<3 | Bytes:
			e.Host = string(f.Data)
		case 4<<3 | Varint:
			e.Port = int32(f.Num)
		case 5<<3 | Varint:
			e.DoNotRetry = f.Num != 0
		}
	}
	return f.Err
}

func (e *Exception) size() int {
	n := BytesSize(e.Class) + BytesSize(e.StackTrace) + BytesSize(e.Host)
	if e.Port != 0 {
		n += uintSize(uint64(e.Port))
	}
	if e.DoNotRetry {
		n += 2
	}
	return n
}

func (e *Exception) appendTo(b []byte) []byte {
	b = AppendBytes(b, 1, e.Class)
	b = AppendBytes(b, 2, e.StackTrace)
	b = AppendBytes(b, 3, e.Host)
	if e.Port != 0 {
		b = AppendUint(b, 4<<3|Varint, uint64(e.Port)) // sign-extended: ten bytes if negative
	}
	if e.DoNotRetry {
		b = append(b, 5<<3|Varint, 1)
	}
	return b
}

// cellBlockMeta is the length of a cell block as a header gives it. Repeated
// messages merge: the last length is the one that counts.
type cellBlockMeta int64

const noCellBlock cellBlockMeta = -1

func (m *cellBlockMeta) parse(b []byte) error {
	*m = max(*m, 0)
	f := Fields{Msg: b}
	for f.Next() {
		if f.Tag == 1<<3|Varint {
			*m = cellBlockMeta(uint32(f.Num))
		}
	}
	return f.Err
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
	b = append(b, number<<3|Bytes, byte(uintSize(uint64(length))))
	return AppendUint(b, 1<<3|Varint, uint64(length))
}
