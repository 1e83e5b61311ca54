package ipc

import (
	"encoding/binary"
	"fmt"
	"math"

	"hotpath/impl/ipc/internal/wire"
)

// Cell is one value of a table with its coordinates. In a Cell parsed from a
// KeyValue the slices are views into it.
type Cell struct {
	Row       []byte // at most 32,767 bytes
	Family    []byte // at most 127 bytes
	Qualifier []byte
	Timestamp int64 // ms since 1970 where HBase sets it
	Type      byte  // 4 is a put
	Value     []byte
}

// KeyValue is an encoded Cell:
//
//	key length int32, value length int32,
//	row length int16, row, family length int8, family, qualifier, timestamp int64, type int8,
//	value
//
// all big-endian; the key is the second line. A cell block holds each KeyValue
// behind its length, an int32.
type KeyValue []byte

const (
	kvLengths = 4 + 4
	kvFixed   = 2 + 1 + 8 + 1 // the parts of a key that do not vary in length
)

// Size returns the length of the KeyValue that AppendTo appends.
func (c *Cell) Size() int {
	return kvLengths + c.keySize() + len(c.Value)
}

func (c *Cell) keySize() int {
	return kvFixed + len(c.Row) + len(c.Family) + len(c.Qualifier)
}

// AppendTo appends c as a KeyValue, without the length that a cell block has in
// front of it. It panics when a part is longer than its length field can say.
func (c *Cell) AppendTo(b []byte) []byte {
	if len(c.Row) > math.MaxInt16 || len(c.Family) > math.MaxInt8 || int64(c.Size()) > math.MaxInt32 {
		panic(fmt.Sprintf("ipc: cell with a row of %d, a family of %d and %d bytes in all", len(c.Row), len(c.Family), c.Size()))
	}
	b = binary.BigEndian.AppendUint32(b, uint32(c.keySize()))
	b = binary.BigEndian.AppendUint32(b, uint32(len(c.Value)))
	b = binary.BigEndian.AppendUint16(b, uint16(len(c.Row)))
	b = append(b, c.Row...)
	b = append(b, byte(len(c.Family)))
	b = append(b, c.Family...)
	b = append(b, c.Qualifier...)
	b = binary.BigEndian.AppendUint64(b, uint64(c.Timestamp))
	b = append(b, c.Type)
	return append(b, c.Value...)
}

// AppendBlock appends cells as a cell block, each behind its length.
func AppendBlock(b []byte, cells ...KeyValue) []byte { return wire.AppendBlock(b, cells...) }

// ParseKeyValue returns the parts of the KeyValue b as views into b. Every length
// in b must add up to len(b).
func ParseKeyValue(b []byte) (Cell, error) {
	if len(b) < kvLengths+kvFixed {
		return Cell{}, fmt.Errorf("keyvalue of %d bytes", len(b))
	}
	keyLen := int(int32(binary.BigEndian.Uint32(b)))
	valueLen := int(int32(binary.BigEndian.Uint32(b[4:])))
	rest := len(b) - kvLengths
	if keyLen < kvFixed || keyLen > rest || valueLen != rest-keyLen {
		return Cell{}, fmt.Errorf("keyvalue of %d bytes with a key of %d and a value of %d", len(b), keyLen, valueLen)
	}
	key, value := b[kvLengths:kvLengths+keyLen], b[kvLengths+keyLen:]

	rowLen := int(int16(binary.BigEndian.Uint16(key)))
	if rowLen < 0 || rowLen > keyLen-kvFixed {
		return Cell{}, fmt.Errorf("key of %d bytes with a row of %d", keyLen, rowLen)
	}
	family := 2 + rowLen + 1
	familyLen := int(int8(key[family-1]))
	if familyLen < 0 || familyLen > keyLen-kvFixed-rowLen {
		return Cell{}, fmt.Errorf("key of %d bytes with a row of %d and a family of %d", keyLen, rowLen, familyLen)
	}
	qualifier, stamp := family+familyLen, keyLen-9
	return Cell{
		Row:       key[2 : family-1 : family-1],
		Family:    key[family:qualifier:qualifier],
		Qualifier: key[qualifier:stamp:stamp],
		Timestamp: int64(binary.BigEndian.Uint64(key[stamp:])),
		Type:      key[keyLen-1],
		Value:     value[:valueLen:valueLen],
	}, nil
}
