package steps

import (
	"encoding/binary"

	"hotpath/impl/ipc/internal/path"
	"hotpath/impl/ipc/internal/wire"
)

// growBlock encodes the cells as HBase does when it does not know their size.
func growBlock(x *path.Exchange, t *path.Tally) []byte {
	if len(x.Cells) == 0 {
		return nil
	}
	block := newGrowing(firstBlock, t)
	for _, kv := range x.Cells {
		block.writeInt(len(kv))
		block.write(kv)
	}
	return block.b
}

// exactly returns an empty array of n bytes.
func exactly(n int, t *path.Tally) []byte {
	t.Allocated += int64(n)
	return make([]byte, 0, n)
}

// delimitedHeader and delimitedMessage return the two messages of an answer.
func delimitedHeader(x *path.Exchange, t *path.Tally) []byte {
	h := wire.ResponseHeader{CallID: int32(x.CallID), CellBlock: x.BlockSize}
	n := h.Size()
	b := exactly(wire.UvarintSize(uint64(n))+n, t)
	return h.AppendTo(binary.AppendUvarint(b, uint64(n)))
}

func delimitedMessage(x *path.Exchange, t *path.Tally) []byte {
	n := len(x.Message)
	b := exactly(wire.UvarintSize(uint64(n))+n, t)
	return append(binary.AppendUvarint(b, uint64(n)), x.Message...)
}

type before struct{ copies }

func (before) String() string { return "before" }

// Respond makes the frame of the size that follows its length and then writes
// the length first: the last write does not fit by those four bytes, and the
// frame doubles.
func (before) Respond(x *path.Exchange, o *path.Output) {
	block := growBlock(x, &o.Tally)
	header, message := delimitedHeader(x, &o.Tally), delimitedMessage(x, &o.Tally)
	total := len(header) + len(message) + len(block)
	frame := newGrowing(total, &o.Tally)
	frame.writeInt(total)
	frame.write(header)
	frame.write(message)
	frame.write(block)
	o.Add(frame.b)
}

type after struct{ copies }

func (after) String() string { return "after" }

// Respond leaves the pieces where they are.
func (after) Respond(x *path.Exchange, o *path.Output) {
	block := growBlock(x, &o.Tally)
	header, message := delimitedHeader(x, &o.Tally), delimitedMessage(x, &o.Tally)
	length := binary.BigEndian.AppendUint32(exactly(wire.LengthSize, &o.Tally), uint32(len(header)+len(message)+len(block)))
	o.Add(length)
	o.Add(header)
	o.Add(message)
	o.Add(block)
}
