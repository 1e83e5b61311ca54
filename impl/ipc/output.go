package ipc

import (
	"encoding/binary"
	"net"
	"unsafe"
)

// output gathers answers that go out together.
type output struct {
	bufs   [][]byte // in order; they must not change until written
	size   int      // bytes in bufs
	arena  []byte   // memory for heads, which bufs holds views of
	blocks []*Frame // pooled memory in bufs
	tally  tally

	part net.Buffers // what one write takes
}

const keptArena = 64 << 10 // more than that is left to the garbage collector

// scratch returns n bytes that live until the output is reset.
func (o *output) scratch(n int) []byte { return carve(&o.arena, n) }

// carve cuts n bytes with no room to append to from an arena.
func carve(arena *[]byte, n int) []byte {
	a := *arena
	if n > cap(a)-len(a) {
		a = make([]byte, 0, max(4096, n))
	}
	end := len(a) + n
	*arena = a[:end]
	return a[len(a):end:end]
}

// add appends b.
func (o *output) add(b []byte) {
	if len(b) > 0 {
		o.bufs = append(o.bufs, b)
		o.size += len(b)
	}
}

// addCell appends kv with its length in front. A cell that stands in block, the
// way blocks hold cells, is taken from there together with its length, and in
// one piece with the cell before it if that is its neighbour.
func (o *output) addCell(kv KeyValue, block []byte) {
	if at, ok := within(block, kv); ok && at >= cellSize && int(binary.BigEndian.Uint32(block[at-cellSize:])) == len(kv) {
		cell := block[at-cellSize : at+len(kv)]
		o.size += len(cell)
		if last := len(o.bufs) - 1; last >= 0 {
			if from, ok := within(block, o.bufs[last]); ok && from+len(o.bufs[last]) == at-cellSize {
				o.bufs[last] = block[from : at+len(kv)]
				return
			}
		}
		o.bufs = append(o.bufs, cell)
		return
	}
	length := o.scratch(cellSize)
	binary.BigEndian.PutUint32(length, uint32(len(kv)))
	o.add(length)
	o.add(kv)
}

// within returns where in block the memory of b begins, if it does.
func within(block, b []byte) (at int, ok bool) {
	if len(b) == 0 || len(block) == 0 {
		return 0, false
	}
	distance := uintptr(unsafe.Pointer(unsafe.SliceData(b))) - uintptr(unsafe.Pointer(unsafe.SliceData(block)))
	return int(distance), distance <= uintptr(len(block)-len(b)) && len(b) <= len(block)
}

// reset forgets what has been written.
func (o *output) reset() {
	clear(o.bufs) // the garbage collector must not keep what they point to
	o.bufs, o.size = o.bufs[:0], 0
	if o.arena = o.arena[:0]; cap(o.arena) > keptArena {
		o.arena = nil
	}
	for i, f := range o.blocks {
		f.Release()
		o.blocks[i] = nil
	}
	o.blocks = o.blocks[:0]
}

// piece takes at most limit bytes from bufs into part and returns what is left
// of bufs.
func (o *output) piece(bufs [][]byte, limit int) (rest [][]byte) {
	o.part = o.part[:0]
	for i, b := range bufs {
		if len(b) > limit {
			if limit > 0 {
				o.part = append(o.part, b[:limit])
				bufs[i] = b[limit:]
			}
			return bufs[i:]
		}
		o.part = append(o.part, b)
		limit -= len(b)
	}
	return nil
}
