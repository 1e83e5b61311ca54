package wire

import (
	"encoding/binary"
	"fmt"
)

// CellSize is the size of the length in front of a cell in a cell block.
const CellSize = 4

// smallestCell are the parts of a KeyValue that do not vary in length: lengths of
// key and value, row length, family length, timestamp and type.
const smallestCell = 4 + 4 + 2 + 1 + 8 + 1

// CellEnd returns where the cell that begins at block[at] ends: block[at:end] is
// the cell with its length in front, block[at+CellSize:end] its KeyValue, whose
// inside is not looked at.
func CellEnd(block []byte, at int) (end int, err error) {
	left := len(block) - at - CellSize
	if left < 0 {
		return 0, fmt.Errorf("cell block: byte %d: %d bytes of a length", at, left+CellSize)
	}
	n := int(int32(binary.BigEndian.Uint32(block[at:])))
	if n < smallestCell || n > left {
		return 0, fmt.Errorf("cell block: byte %d: cell of %d bytes, %d left", at, n, left)
	}
	return at + CellSize + n, nil
}

// AppendBlock appends cells as a cell block, each behind its length.
func AppendBlock[T ~[]byte](b []byte, cells ...T) []byte {
	for _, kv := range cells {
		b = binary.BigEndian.AppendUint32(b, uint32(len(kv)))
		b = append(b, kv...)
	}
	return b
}

// BlockSize returns the size of the cells' block, -1 for none.
func BlockSize[T ~[]byte](cells []T) int {
	if len(cells) == 0 {
		return -1
	}
	n := 0
	for _, kv := range cells {
		n += CellSize + len(kv)
	}
	return n
}
