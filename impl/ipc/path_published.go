package ipc

import "encoding/binary"

// growing is HBase's ByteBufferOutputStream: an array that doubles, or takes
// what is missing if that is more, and copies itself when a write does not fit.
type growing struct {
	b     []byte
	tally *tally
}

func newGrowing(size int, t *tally) *growing {
	t.allocated += int64(size)
	return &growing{make([]byte, 0, size), t}
}

func (g *growing) write(p []byte) {
	if len(p) > cap(g.b)-len(g.b) {
		size := max(2*cap(g.b), len(g.b)+len(p))
		b := make([]byte, 0, size)
		g.tally.allocated += int64(size)
		g.tally.copied += int64(len(g.b))
		g.b = append(b, g.b...)
	}
	g.tally.copied += int64(len(p))
	g.b = append(g.b, p...)
}

func (g *growing) writeInt(n int) {
	var b [4]byte
	binary.BigEndian.PutUint32(b[:], uint32(n))
	g.write(b[:])
}

// firstBlock is where HBase's cell blocks start to grow from.
const firstBlock = 16 << 10

// growBlock encodes the cells as HBase does when it does not know their size.
func growBlock(call *Call, t *tally) []byte {
	if len(call.reply) == 0 {
		return nil
	}
	block := newGrowing(firstBlock, t)
	for _, kv := range call.reply {
		block.writeInt(len(kv))
		block.write(kv)
	}
	return block.b
}

// exactly returns an empty array of n bytes.
func exactly(n int, t *tally) []byte {
	t.allocated += int64(n)
	return make([]byte, 0, n)
}

// delimitedHeader and delimitedMessage return the two messages of an answer.
func delimitedHeader(call *Call, block int, t *tally) []byte {
	h := responseHeader{callID: int32(call.header.callID), cellBlock: block}
	n := h.size()
	b := exactly(uvarintSize(uint64(n))+n, t)
	return h.appendTo(binary.AppendUvarint(b, uint64(n)))
}

func delimitedMessage(call *Call, t *tally) []byte {
	n := len(call.message)
	b := exactly(uvarintSize(uint64(n))+n, t)
	return append(binary.AppendUvarint(b, uint64(n)), call.message...)
}

type before struct {
	exactRequests
	copiedCells
}

func (before) String() string { return "before" }

// respond makes the frame of the size that follows its length and then writes
// the length first: the last write does not fit by those four bytes, and the
// frame doubles.
func (before) respond(call *Call, blockSize int, o *output) {
	block := growBlock(call, &o.tally)
	header, message := delimitedHeader(call, blockSize, &o.tally), delimitedMessage(call, &o.tally)
	total := len(header) + len(message) + len(block)
	frame := newGrowing(total, &o.tally)
	frame.writeInt(total)
	frame.write(header)
	frame.write(message)
	frame.write(block)
	o.add(frame.b)
}

type after struct {
	exactRequests
	copiedCells
}

func (after) String() string { return "after" }

// respond leaves the pieces where they are.
func (after) respond(call *Call, blockSize int, o *output) {
	block := growBlock(call, &o.tally)
	header, message := delimitedHeader(call, blockSize, &o.tally), delimitedMessage(call, &o.tally)
	length := binary.BigEndian.AppendUint32(exactly(lengthSize, &o.tally), uint32(len(header)+len(message)+len(block)))
	o.add(length)
	o.add(header)
	o.add(message)
	o.add(block)
}
