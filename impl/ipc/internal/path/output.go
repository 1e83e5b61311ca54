package path

import (
	"encoding/binary"
	"net"
	"unsafe"

	"hotpath/impl/ipc/internal/wire"
)

// Output gathers answers that go out together.
type Output struct {
	Bufs   [][]byte // in order; they must not change until written
	Size   int      // bytes in Bufs
	arena  []byte   // memory for heads, which Bufs holds views of
	Blocks []*Frame // pooled memory in Bufs
	Tally  Tally

	Part net.Buffers // what one write takes
}

// KeptArena is how large an arena is kept; more is left to the garbage collector.
const KeptArena = 64 << 10

// Scratch returns n bytes that live until the output is reset.
func (o *Output) Scratch(n int) []byte { return Carve(&o.arena, n) }

// Carve cuts n bytes with no room to append to from an arena.
func Carve(arena *[]byte, n int) []byte {
	a := *arena
	if n > cap(a)-len(a) {
		a = make([]byte, 0, max(4096, n))
	}
	end := len(a) + n
	*arena = a[:end]
	return a[len(a):end:end]
}

// Add appends b.
func (o *Output) Add(b []byte) {
	if len(b) > 0 {
		o.Bufs = append(o.Bufs, b)
		o.Size += len(b)
	}
}

// AddCell appends kv with its length in front. A cell that stands in block, the
// way blocks hold cells, is taken from there together with its length, and in
// one piece with the cell before it if that is its neighbour.
func (o *Output) AddCell(kv, block []byte) {
	if at, ok := Within(block, kv); ok && at >= wire.CellSize && int(binary.BigEndian.Uint32(block[at-wire.CellSize:])) == len(kv) {
		cell := block[at-wire.CellSize : at+len(kv)]
		o.Size += len(cell)
		if last := len(o.Bufs) - 1; last >= 0 {
			if from, ok := Within(block, o.Bufs[last]); ok && from+len(o.Bufs[last]) == at-wire.CellSize {
				o.Bufs[last] = block[from : at+len(kv)]
				return
			}
		}
		o.Bufs = append(o.Bufs, cell)
		return
	}
	length := o.Scratch(wire.CellSize)
	binary.BigEndian.PutUint32(length, uint32(len(kv)))
	o.Add(length)
	o.Add(kv)
}

// Within returns where in block the memory of b begins, if it does.
func Within(block, b []byte) (at int, ok bool) {
	if len(b) == 0 || len(block) == 0 {
		return 0, false
	}
	distance := uintptr(unsafe.Pointer(unsafe.SliceData(b))) - uintptr(unsafe.Pointer(unsafe.SliceData(block)))
	return int(distance), distance <= uintptr(len(block)-len(b)) && len(b) <= len(block)
}

// Reset forgets what has been written.
func (o *Output) Reset() {
	clear(o.Bufs) // the garbage collector must not keep what they point to
	clear(o.Part)
	o.Bufs, o.Size = o.Bufs[:0], 0
	if o.arena = o.arena[:0]; cap(o.arena) > KeptArena {
		o.arena = nil
	}
	for i, f := range o.Blocks {
		f.Release()
		o.Blocks[i] = nil
	}
	o.Blocks = o.Blocks[:0]
}

// Piece takes at most limit bytes from bufs into o.Part and returns what is left
// of bufs.
func (o *Output) Piece(bufs [][]byte, limit int) (rest [][]byte) {
	o.Part = o.Part[:0]
	for i, b := range bufs {
		if len(b) > limit {
			if limit > 0 {
				o.Part = append(o.Part, b[:limit])
				bufs[i] = b[limit:]
			}
			return bufs[i:]
		}
		o.Part = append(o.Part, b)
		limit -= len(b)
	}
	return nil
}
