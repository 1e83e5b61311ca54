package ipc

import (
	"fmt"
	"iter"

	"hotpath/impl/ipc/internal/path"
	"hotpath/impl/ipc/internal/wire"
)

// Response is the answer to a call. Used again for the next call it takes no new
// memory. It must not be copied.
type Response struct {
	_ noCopy

	// Message is the answer's message, Block its cell block; each is empty if
	// the answer has none. Both are views that die with Release or when the
	// Response is used again.
	Message, Block []byte

	frame *path.Frame
}

// Cells returns the cells of the block, which are views into it. Their lengths
// have been checked.
func (r *Response) Cells() iter.Seq[KeyValue] {
	return func(yield func(KeyValue) bool) {
		for at := 0; at < len(r.Block); {
			end, err := wire.CellEnd(r.Block, at)
			if err != nil || !yield(KeyValue(r.Block[at+wire.CellSize:end:end])) {
				return
			}
			at = end
		}
	}
}

// Release gives the memory of Message and Block back. Calling it is optional,
// and again is harmless.
func (r *Response) Release() {
	if r.frame != nil {
		r.frame.Release()
	}
	*r = Response{}
}

// parseResponse takes an answer apart. Its lengths must add up to that of body.
func parseResponse(h *wire.ResponseHeader, body []byte) (message, block []byte, err error) {
	header, rest, err := wire.Delimited(body)
	if err != nil {
		return nil, nil, fmt.Errorf("response header: %w", err)
	}
	if err := h.Parse(header); err != nil {
		return nil, nil, err
	}
	if h.Exception == nil {
		if message, rest, err = wire.Delimited(rest); err != nil {
			return nil, nil, fmt.Errorf("response message: %w", err)
		}
	}
	if n := max(h.CellBlock, 0); n != len(rest) {
		return nil, nil, fmt.Errorf("response with a cell block of %d bytes and room for %d", n, len(rest))
	}
	for at := 0; at < len(rest); {
		if at, err = wire.CellEnd(rest, at); err != nil {
			return nil, nil, fmt.Errorf("response: %w", err)
		}
	}
	return message, rest, nil
}

// noCopy makes go vet object to copies of what holds it.
type noCopy struct{}

func (noCopy) Lock()   {}
func (noCopy) Unlock() {}
