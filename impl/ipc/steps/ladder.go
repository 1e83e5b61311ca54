package steps

import (
	"encoding/binary"
	"math"

	"hotpath/impl/ipc/internal/path"
	"hotpath/impl/ipc/internal/wire"
)

type oneFrame struct{ copies }

func (oneFrame) String() string { return "oneframe" }

func (oneFrame) Respond(x *path.Exchange, o *path.Output) {
	block := growBlock(x, &o.Tally)
	header, message := delimitedHeader(x, &o.Tally), delimitedMessage(x, &o.Tally)
	total := len(header) + len(message) + len(block)
	frame := newGrowing(wire.LengthSize+total, &o.Tally)
	frame.writeInt(total)
	frame.write(header)
	frame.write(message)
	frame.write(block)
	o.Add(frame.b)
}

type direct struct{ copies }

func (direct) String() string { return "direct" }

// Respond leaves room in front of the cells for everything that is known only
// once they are written, and puts that at the end of the room.
func (direct) Respond(x *path.Exchange, o *path.Output) {
	message := delimitedMessage(x, &o.Tally)
	longest := wire.ResponseHeader{CallID: int32(x.CallID), CellBlock: math.MaxInt32}
	room := wire.LengthSize + 1 + longest.Size() + len(message)
	frame := newGrowing(max(firstBlock, room), &o.Tally)
	frame.b = frame.b[:room]
	for _, kv := range x.Cells {
		frame.writeInt(len(kv))
		frame.write(kv)
	}
	header := delimitedHeader(x, &o.Tally)
	head := len(header) + len(message)
	start := room - head - wire.LengthSize
	o.Tally.Copied += int64(wire.LengthSize + head)
	binary.BigEndian.PutUint32(frame.b[start:], uint32(head+len(frame.b)-room))
	copy(frame.b[room-head:], header)
	copy(frame.b[room-len(message):], message)
	o.Add(frame.b[start:])
}

type presize struct{ copies }

func (presize) String() string { return "presize" }

func (presize) Respond(x *path.Exchange, o *path.Output) {
	path.AddHead(x, o)
	if x.BlockSize > 0 {
		block := newGrowing(x.BlockSize, &o.Tally)
		for _, kv := range x.Cells {
			block.writeInt(len(kv))
			block.write(kv)
		}
		o.Add(block.b)
	}
}

// pooledReply gathers an answer whose cells are copied into pooled memory.
type pooledReply struct{}

func (pooledReply) Respond(x *path.Exchange, o *path.Output) {
	path.AddHead(x, o)
	if x.BlockSize <= 0 {
		return
	}
	frame, made := path.NewFrame(x.BlockSize)
	if made {
		o.Tally.Allocated += int64(len(frame.Buf))
	}
	b := wire.AppendBlock(frame.Buf[:0], x.Cells...)
	o.Tally.Copied += int64(len(b))
	o.Blocks = append(o.Blocks, frame)
	o.Add(b)
}

type pooledBlock struct {
	copies
	pooledReply
}

func (pooledBlock) String() string { return "pooledblock" }

type views struct {
	newArrays
	pooledReply
}

func (views) CopiesCells() bool { return false }
func (views) String() string    { return "views" }

type oneCopy struct {
	path.ReadsAhead
	pooledReply
}

func (oneCopy) String() string { return "onecopy" }
