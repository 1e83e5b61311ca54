package ipc

import (
	"encoding/binary"

	"hotpath/impl/ipc/internal/path"
	"hotpath/impl/ipc/internal/wire"
)

// Path is how the bytes of a call pass through a server. Package steps has others
// than Pooled, to compare it with. All send the same bytes.
type Path = path.Path

// Pooled copies and allocates nothing. It reads ahead into pooled frames, shows
// handlers the cells where they lie there, and gathers answers from where their
// parts lie; an answer whose cells are the first of its request's is laid over the
// request and written in one piece. Answers to requests that arrived together
// leave together.
var Pooled Path = pooled{}

type pooled struct{ path.ReadsAhead }

func (pooled) String() string { return "pooled" }

func (pooled) Respond(x *path.Exchange, o *path.Output) {
	if b := answerInPlace(x); b != nil {
		o.Add(b)
		return
	}
	path.AddHead(x, o)
	for _, kv := range x.Cells {
		o.AddCell(kv, x.Block)
	}
}

// answerInPlace makes the request the answer, if the answer's cells are the first
// of the request's: it lays the head in front of them, where the request's was. To
// write one piece costs the system less than to gather two. It returns nil if the
// cells are others, the head does not fit, or the frame has other users.
func answerInPlace(x *path.Exchange) []byte {
	if x.BlockSize <= 0 || len(x.Message) > path.SmallMessage || !x.Frame.Sole() {
		return nil
	}
	end := 0
	for _, kv := range x.Cells {
		at, ok := path.Within(x.Block, kv)
		if !ok || at != end+wire.CellSize || int(binary.BigEndian.Uint32(x.Block[end:])) != len(kv) {
			return nil
		}
		end = at + len(kv)
	}
	head := path.NewHead(x)
	front := len(x.Body) - len(x.Block)
	start := front - head.Size
	if start < 0 {
		return nil
	}
	// The message first: it may be a view of what the head is about to cover.
	copy(x.Body[front-len(x.Message):], x.Message)
	head.AppendTo(x.Body[start:start])
	return x.Body[start : front+end]
}
