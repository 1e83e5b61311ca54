package steps

import (
	"encoding/binary"

	"hotpath/impl/ipc/internal/path"
)

// growing is HBase's ByteBufferOutputStream: an array that doubles, or takes
// what is missing if that is more, and copies itself when a write does not fit.
type growing struct {
	b     []byte
	tally *path.Tally
}

func newGrowing(size int, t *path.Tally) *growing {
	t.Allocated += int64(size)
	return &growing{make([]byte, 0, size), t}
}

func (g *growing) write(p []byte) {
	if len(p) > cap(g.b)-len(g.b) {
		size := max(2*cap(g.b), len(g.b)+len(p))
		b := make([]byte, 0, size)
		g.tally.Allocated += int64(size)
		g.tally.Copied += int64(len(g.b))
		g.b = append(b, g.b...)
	}
	g.tally.Copied += int64(len(p))
	g.b = append(g.b, p...)
}

func (g *growing) writeInt(n int) {
	var b [4]byte
	binary.BigEndian.PutUint32(b[:], uint32(n))
	g.write(b[:])
}

// firstBlock is where HBase's cell blocks start to grow from.
const firstBlock = 16 << 10
