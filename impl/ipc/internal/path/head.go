package path

import (
	"encoding/binary"

	"hotpath/impl/ipc/internal/wire"
)

// SmallMessage is the largest message that is worth copying behind its header
// for having one piece less to write.
const SmallMessage = 256

// AddHead appends everything in front of the cells, in one piece of scratch if
// the message is small.
func AddHead(x *Exchange, o *Output) {
	h, message := NewHead(x), x.Message
	if len(message) > SmallMessage {
		o.Add(h.AppendTo(o.Scratch(h.Size - len(message))[:0]))
		o.Add(message)
		return
	}
	o.Add(append(h.AppendTo(o.Scratch(h.Size)[:0]), message...))
}

// Head is everything in front of an answer's cells.
type Head struct {
	wire.ResponseHeader
	header, message int // bytes of both messages
	Size            int // bytes of all of it, with the message
	frame           int // what the answer's length says
}

// NewHead returns the head of an answer.
func NewHead(x *Exchange) (h Head) {
	h.ResponseHeader = wire.ResponseHeader{CallID: int32(x.CallID), CellBlock: x.BlockSize}
	h.header, h.message = h.ResponseHeader.Size(), len(x.Message)
	n := wire.UvarintSize(uint64(h.header)) + h.header + wire.UvarintSize(uint64(h.message)) + h.message
	h.Size, h.frame = wire.LengthSize+n, n+max(x.BlockSize, 0)
	return h
}

// AppendTo appends all but the message.
func (h *Head) AppendTo(b []byte) []byte {
	b = binary.BigEndian.AppendUint32(b, uint32(h.frame))
	b = binary.AppendUvarint(b, uint64(h.header))
	b = h.ResponseHeader.AppendTo(b)
	return binary.AppendUvarint(b, uint64(h.message))
}
