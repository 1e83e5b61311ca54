package ipc

import (
	"encoding/binary"
	"math"
)

type oneFrame struct {
	exactRequests
	copiedCells
}

func (oneFrame) String() string { return "oneframe" }

func (oneFrame) respond(call *Call, blockSize int, o *output) {
	block := growBlock(call, &o.tally)
	header, message := delimitedHeader(call, blockSize, &o.tally), delimitedMessage(call, &o.tally)
	total := len(header) + len(message) + len(block)
	frame := newGrowing(lengthSize+total, &o.tally)
	frame.writeInt(total)
	frame.write(header)
	frame.write(message)
	frame.write(block)
	o.add(frame.b)
}

type direct struct {
	exactRequests
	copiedCells
}

func (direct) String() string { return "direct" }

// respond leaves room in front of the cells for everything that is known only
// once they are written, and puts that at the end of the room.
func (direct) respond(call *Call, blockSize int, o *output) {
	message := delimitedMessage(call, &o.tally)
	longest := responseHeader{callID: int32(call.header.callID), cellBlock: math.MaxInt32}
	room := lengthSize + 1 + longest.size() + len(message)
	frame := newGrowing(max(firstBlock, room), &o.tally)
	frame.b = frame.b[:room]
	for _, kv := range call.reply {
		frame.writeInt(len(kv))
		frame.write(kv)
	}
	header := delimitedHeader(call, blockSize, &o.tally)
	head := len(header) + len(message)
	start := room - head - lengthSize
	o.tally.copied += int64(lengthSize + head)
	binary.BigEndian.PutUint32(frame.b[start:], uint32(head+len(frame.b)-room))
	copy(frame.b[room-head:], header)
	copy(frame.b[room-len(message):], message)
	o.add(frame.b[start:])
}

type presize struct {
	exactRequests
	copiedCells
}

func (presize) String() string { return "presize" }

func (presize) respond(call *Call, blockSize int, o *output) {
	addHead(call, blockSize, o)
	if blockSize > 0 {
		block := newGrowing(blockSize, &o.tally)
		for _, kv := range call.reply {
			block.writeInt(len(kv))
			block.write(kv)
		}
		o.add(block.b)
	}
}

// pooledReply gathers an answer whose cells are copied into pooled memory.
type pooledReply struct{}

func (pooledReply) respond(call *Call, blockSize int, o *output) {
	addHead(call, blockSize, o)
	if blockSize <= 0 {
		return
	}
	frame, made := newFrame(blockSize)
	if made {
		o.tally.allocated += int64(len(frame.buf))
	}
	b := AppendBlock(frame.buf[:0], call.reply...)
	o.tally.copied += int64(len(b))
	o.blocks = append(o.blocks, frame)
	o.add(b)
}

type pooledBlock struct {
	exactRequests
	copiedCells
	pooledReply
}

func (pooledBlock) String() string { return "pooledblock" }

type views struct {
	exactRequests
	viewedCells
	pooledReply
}

func (views) String() string { return "views" }

type oneCopy struct {
	pooledRequests
	viewedCells
	pooledReply
}

func (oneCopy) String() string { return "onecopy" }

type pooled struct {
	pooledRequests
	viewedCells
}

func (pooled) String() string { return "pooled" }

func (pooled) respond(call *Call, blockSize int, o *output) {
	if b := answerInPlace(call, blockSize); b != nil {
		o.add(b)
		return
	}
	addHead(call, blockSize, o)
	for _, kv := range call.reply {
		o.addCell(kv, call.block)
	}
}

// answerInPlace makes the request the answer, if the answer's cells are the first
// of the request's: it lays the head in front of them, where the request's was. To
// write one piece costs the system less than to gather two. It returns nil if the
// cells are others, the head does not fit, or the frame has other users.
func answerInPlace(call *Call, blockSize int) []byte {
	if blockSize <= 0 || len(call.message) > smallMessage || !call.frame.sole() {
		return nil
	}
	end := 0
	for _, kv := range call.reply {
		at, ok := within(call.block, kv)
		if !ok || at != end+cellSize || int(binary.BigEndian.Uint32(call.block[end:])) != len(kv) {
			return nil
		}
		end = at + len(kv)
	}
	head := newHead(call, blockSize)
	front := len(call.body) - len(call.block)
	start := front - head.size
	if start < 0 {
		return nil
	}
	// The message first: it may be a view of what the head is about to cover.
	copy(call.body[front-len(call.message):], call.message)
	head.appendTo(call.body[start:start])
	return call.body[start : front+end]
}
