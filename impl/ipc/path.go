package ipc

import "encoding/binary"

// Path is how the bytes of a call pass through a server: how requests are read,
// how a handler sees their cells, and how an answer is assembled. A handler
// notices nothing of it, and a client neither: all paths send the same bytes.
//
// Before is the path of HBase's protobuf server as it was when HBASE-5945 was
// filed, and After is what the patch made of it. OneFrame and Direct are ways
// in between: what the earlier attempts in that issue were about, reconstructed
// from their names alone. Each path from Presize on takes away one more
// allocation or copy, up to Pooled, which has none.
//
//	path         request            cells   answer
//	Before       new array          copies  growing block, copied into a growing frame
//	OneFrame     new array          copies  growing block, copied into an exact frame
//	Direct       new array          copies  cells written into a growing frame
//	After        new array          copies  growing block, gathered
//	Presize      new array          copies  exact new block, gathered
//	PooledBlock  new array          copies  exact pooled block, gathered
//	Views        new array          views   exact pooled block, gathered
//	OneCopy      pooled, read ahead views   exact pooled block, gathered
//	Pooled       pooled, read ahead views   cells gathered, or the request itself
//
// With new arrays, reads and writes come in pieces of 64 kB and one answer per
// write, as in HBase; with pooled ones, answers to requests that arrived
// together leave together.
type Path interface {
	String() string // as in benchmark names

	// source cuts what a connection receives into requests.
	source(c *conn) source
	// decode fills call.cells from call.block.
	decode(call *Call) error
	// respond appends the answer to o. block is the size of its cell block, -1
	// for none.
	respond(call *Call, block int, o *output)
	// batches says that answers may share a write.
	batches() bool
}

// The paths, in the order of what they save.
var (
	Before      Path = before{}
	OneFrame    Path = oneFrame{}
	Direct      Path = direct{}
	After       Path = after{}
	Presize     Path = presize{}
	PooledBlock Path = pooledBlock{}
	Views       Path = views{}
	OneCopy     Path = oneCopy{}
	Pooled      Path = pooled{}
)

// Paths returns all paths.
func Paths() []Path {
	return []Path{Before, OneFrame, Direct, After, Presize, PooledBlock, Views, OneCopy, Pooled}
}

// exactRequests is the request side of HBase.
type exactRequests struct{}

func (exactRequests) source(c *conn) source { return newReadExact(c.nc, c.s.maxFrame()) }
func (exactRequests) batches() bool         { return false }

// pooledRequests reads ahead into pooled frames.
type pooledRequests struct{}

func (pooledRequests) source(c *conn) source { return newReadAhead(c.nc, c.s.maxFrame()) }
func (pooledRequests) batches() bool         { return true }

// copiedCells gives every cell an array of its own, as HBase's decoder does.
type copiedCells struct{}

func (copiedCells) decode(call *Call) error {
	for at := 0; at < len(call.block); {
		end, err := cellEnd(call.block, at)
		if err != nil {
			return err
		}
		kv := make(KeyValue, end-at-cellSize)
		copy(kv, call.block[at+cellSize:end])
		call.out.tally.copied += int64(len(kv))
		call.out.tally.allocated += int64(len(kv))
		call.cells = append(call.cells, kv)
		at = end
	}
	return nil
}

// viewedCells leaves the cells where they are.
type viewedCells struct{}

func (viewedCells) decode(call *Call) error {
	for at := 0; at < len(call.block); {
		end, err := cellEnd(call.block, at)
		if err != nil {
			return err
		}
		call.cells = append(call.cells, KeyValue(call.block[at+cellSize:end:end]))
		at = end
	}
	return nil
}

// smallMessage is the largest message that is worth copying behind its header
// for having one piece less to write.
const smallMessage = 256

// addHead appends everything in front of the cells, in one piece of scratch if
// the message is small.
func addHead(call *Call, block int, o *output) {
	h, message := newHead(call, block), call.message
	if len(message) > smallMessage {
		o.add(h.appendTo(o.scratch(h.size - len(message))[:0]))
		o.add(message)
		return
	}
	o.add(append(h.appendTo(o.scratch(h.size)[:0]), message...))
}

// head is everything in front of an answer's cells.
type head struct {
	responseHeader
	header, message int // bytes of both messages
	size            int // bytes of all of it, with the message
	frame           int // what the answer's length says
}

func newHead(call *Call, block int) (h head) {
	h.responseHeader = responseHeader{callID: int32(call.header.callID), cellBlock: block}
	h.header, h.message = h.responseHeader.size(), len(call.message)
	n := uvarintSize(uint64(h.header)) + h.header + uvarintSize(uint64(h.message)) + h.message
	h.size, h.frame = lengthSize+n, n+max(block, 0)
	return h
}

// appendTo appends all but the message.
func (h *head) appendTo(b []byte) []byte {
	b = binary.BigEndian.AppendUint32(b, uint32(h.frame))
	b = binary.AppendUvarint(b, uint64(h.header))
	b = h.responseHeader.appendTo(b)
	return binary.AppendUvarint(b, uint64(h.message))
}
