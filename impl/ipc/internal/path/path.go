// Package path is what a server's response paths have in common: the memory that
// requests are read into and answers are gathered in, and what it costs.
package path

import "io"

// Path is how the bytes of a call pass through a server: how requests are read,
// how a handler sees their cells, and how an answer is assembled. A handler
// notices nothing of it, and a client neither: all paths send the same bytes.
type Path interface {
	String() string // as in benchmark names

	// Source cuts what a connection receives into requests of at most limit bytes,
	// whose frames count for b.
	Source(from io.Reader, limit int, b *Budget) Source
	// CopiesCells says that a handler gets every cell in an array of its own.
	CopiesCells() bool
	// Respond appends the answer to o.
	Respond(x *Exchange, o *Output)
	// Batches says that answers may share a write.
	Batches() bool
}

// Exchange is one call as its path sees it: the request where it lies, and what
// its handler answers.
type Exchange struct {
	CallID      uint32
	Frame       *Frame // holds the request
	Body, Block []byte // the request, and its cell block

	Message   []byte
	Cells     [][]byte
	BlockSize int // of the cells as a block, -1 for none
}

// ReadsAhead is the request side of a path that reads into pooled frames and
// leaves the cells there.
type ReadsAhead struct{}

// Source returns a ReadAhead.
func (ReadsAhead) Source(from io.Reader, limit int, b *Budget) Source {
	return NewReadAhead(from, limit, b)
}

// CopiesCells reports false.
func (ReadsAhead) CopiesCells() bool { return false }

// Batches reports true.
func (ReadsAhead) Batches() bool { return true }
