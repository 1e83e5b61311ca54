package ipc

import (
	"encoding/binary"

	"hotpath/impl/ipc/internal/path"
	"hotpath/impl/ipc/internal/wire"
)

// request is what a client sends. Its cells are in cells, or in block if they are
// encoded already.
type request struct {
	method string
	param  []byte
	cells  []KeyValue
	block  []byte
}

func (r *request) blockSize() int {
	if len(r.block) > 0 {
		return len(r.block)
	}
	return wire.BlockSize(r.cells)
}

// size is of all parts, without what is little. Not an int: it may be too large
// for one.
func (r *request) size() (n int64) {
	n = int64(len(r.method)) + int64(len(r.param)) + int64(len(r.block))
	for _, kv := range r.cells {
		n += wire.CellSize + int64(len(kv))
	}
	return n
}

// addRequest appends a whole request.
func addRequest(o *path.Output, id uint32, r *request) {
	block, param := r.blockSize(), r.param
	h := wire.RequestHeader{CallID: id, Method: []byte(r.method), HasParam: true, CellBlock: block}
	header, delimiter := h.Size(), wire.UvarintSize(uint64(len(param)))
	total := wire.UvarintSize(uint64(header)) + header + delimiter + len(param) + max(block, 0)
	n := wire.LengthSize + total - max(block, 0)
	if len(param) > path.SmallMessage {
		n -= len(param)
	}
	b := o.Scratch(n)[:0]
	b = binary.BigEndian.AppendUint32(b, uint32(total))
	b = h.AppendTo(binary.AppendUvarint(b, uint64(header)))
	b = binary.AppendUvarint(b, uint64(len(param)))
	if len(param) > path.SmallMessage {
		o.Add(b)
		o.Add(param)
	} else {
		o.Add(append(b, param...))
	}
	o.Add(r.block)
	for _, kv := range r.cells {
		o.AddCell(kv, nil)
	}
}
