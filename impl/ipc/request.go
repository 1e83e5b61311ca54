package ipc

import "encoding/binary"

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
	return blockSize(r.cells)
}

// addRequest appends a whole request.
func addRequest(o *output, id uint32, r *request) {
	block, param := r.blockSize(), r.param
	h := requestHeader{callID: id, method: []byte(r.method), hasParam: true, cellBlock: block}
	header, delimiter := h.size(), uvarintSize(uint64(len(param)))
	total := uvarintSize(uint64(header)) + header + delimiter + len(param) + max(block, 0)
	n := lengthSize + total - max(block, 0)
	if len(param) > smallMessage {
		n -= len(param)
	}
	b := o.scratch(n)[:0]
	b = binary.BigEndian.AppendUint32(b, uint32(total))
	b = h.appendTo(binary.AppendUvarint(b, uint64(header)))
	b = binary.AppendUvarint(b, uint64(len(param)))
	if len(param) > smallMessage {
		o.add(b)
		o.add(param)
	} else {
		o.add(append(b, param...))
	}
	o.add(r.block)
	for _, kv := range r.cells {
		o.addCell(kv, nil)
	}
}

// blockSize returns the size of the cells' block, -1 for none.
func blockSize(cells []KeyValue) int {
	if len(cells) == 0 {
		return -1
	}
	n := 0
	for _, kv := range cells {
		n += cellSize + len(kv)
	}
	return n
}
