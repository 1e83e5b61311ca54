package ipc

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"strings"
	"testing"

	"hotpath/impl/ipc/internal/wire"
)

// countCells returns the number of cells in a block. Every cell must be sound to
// its last byte.
func countCells(block []byte) (int, error) {
	n := 0
	for at := 0; at < len(block); n++ {
		end, err := wire.CellEnd(block, at)
		if err != nil {
			return 0, err
		}
		if _, err := ParseKeyValue(block[at+wire.CellSize : end]); err != nil {
			return 0, fmt.Errorf("cell block: byte %d: %w", at, err)
		}
		at = end
	}
	return n, nil
}

func (c Cell) equal(d Cell) bool {
	return bytes.Equal(c.Row, d.Row) && bytes.Equal(c.Family, d.Family) && bytes.Equal(c.Qualifier, d.Qualifier) &&
		c.Timestamp == d.Timestamp && c.Type == d.Type && bytes.Equal(c.Value, d.Value)
}

func appendToBlock(block []byte, c *Cell) []byte {
	block = binary.BigEndian.AppendUint32(block, uint32(c.Size()))
	return c.AppendTo(block)
}

// TestKeyValueBytes holds the encoding against a cell that another client sent.
func TestKeyValueBytes(t *testing.T) {
	c := Cell{Row: []byte("r"), Family: []byte("f"), Qualifier: []byte("q"), Timestamp: 1, Type: 4, Value: []byte("v")}
	want := "0000000f" + "00000001" + "0001" + "72" + "01" + "66" + "71" + "0000000000000001" + "04" + "76"
	got := c.AppendTo(nil)
	if hex.EncodeToString(got) != want || c.Size() != len(got) {
		t.Errorf("encoded %x, size %d, want %s", got, c.Size(), want)
	}
	if back, err := ParseKeyValue(got); err != nil || !back.equal(c) {
		t.Errorf("parsed %+v, %v", back, err)
	}
}

// TestPublishedCell is the cell of the published study: its sizes are what the
// byte counts of the response paths rest on.
func TestPublishedCell(t *testing.T) {
	xyz := []byte("xyz")
	c := Cell{Row: xyz, Family: xyz, Qualifier: xyz, Timestamp: math.MaxInt64, Type: 4, Value: make([]byte, 10<<10)}
	var block []byte
	for range 10 {
		block = appendToBlock(block, &c)
	}
	if c.Size() != 10_269 || len(block) != 102_730 {
		t.Errorf("cell of %d bytes, block of %d", c.Size(), len(block))
	}
	if n, err := countCells(block); n != 10 || err != nil {
		t.Errorf("%d cells, %v", n, err)
	}
}

func TestKeyValueErrors(t *testing.T) {
	const sound = "0000000f 00000001 0001 72 01 66 71 0000000000000001 04 76"
	for _, tt := range []struct{ from, to, want string }{
		{sound, "00", "keyvalue of 1 bytes"},
		{"04 76", "04", "keyvalue of 23 bytes with a key of 15 and a value of 1"},
		{"04 76", "04 7676", "keyvalue of 25 bytes with a key of 15 and a value of 1"},
		{"0000000f 00000001", "ffffffff 00000001", "keyvalue of 24 bytes with a key of -1 and a value of 1"},
		{"0000000f 00000001", "0000000f ffffffff", "keyvalue of 24 bytes with a key of 15 and a value of -1"},
		{"0000000f 00000001", "7fffffff 7fffffff", "keyvalue of 24 bytes with a key of 2147483647 and a value of 2147483647"},
		{"0000000f 00000001", "0000000b 00000005", "keyvalue of 24 bytes with a key of 11 and a value of 5"},
		{"0001 72", "ffff 72", "key of 15 bytes with a row of -1"},
		{"0001 72", "0004 72", "key of 15 bytes with a row of 4"},
		{"01 66", "80 66", "key of 15 bytes with a row of 1 and a family of -128"},
		{"01 66", "03 66", "key of 15 bytes with a row of 1 and a family of 3"},
	} {
		in := strings.ReplaceAll(strings.Replace(sound, tt.from, tt.to, 1), " ", "")
		_, err := ParseKeyValue(unhex(t, in))
		if err == nil || err.Error() != tt.want {
			t.Errorf("%s: %v, want %s", in, err, tt.want)
		}
	}
}

func TestCellTooLong(t *testing.T) {
	for _, c := range []Cell{{Row: make([]byte, 32_768)}, {Family: make([]byte, 128)}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("a row of %d and a family of %d: no panic", len(c.Row), len(c.Family))
				}
			}()
			c.AppendTo(nil)
		}()
	}
	longest := Cell{Row: make([]byte, 32_767), Family: make([]byte, 127)}
	if back, err := ParseKeyValue(longest.AppendTo(nil)); err != nil || !back.equal(longest) {
		t.Errorf("the longest row and family: %v", err)
	}
}

func TestCellBlockErrors(t *testing.T) {
	sound := appendToBlock(nil, &Cell{Row: []byte("r"), Value: []byte("v")})
	for _, tt := range []struct {
		after []byte
		want  string
	}{
		{[]byte{0, 0, 0}, "cell block: byte 26: 3 bytes of a length"},
		{[]byte{0, 0, 0, 0}, "cell block: byte 26: cell of 0 bytes, 0 left"},
		{append([]byte{0, 0, 0, 21}, make([]byte, 20)...), "cell block: byte 26: cell of 21 bytes, 20 left"},
		{[]byte{0xff, 0xff, 0xff, 0xff, 0}, "cell block: byte 26: cell of -1 bytes, 1 left"},
		{[]byte{0x7f, 0xff, 0xff, 0xff, 0}, "cell block: byte 26: cell of 2147483647 bytes, 1 left"},
		{append([]byte{0, 0, 0, 20}, make([]byte, 20)...), "cell block: byte 26: keyvalue of 20 bytes with a key of 0 and a value of 0"},
	} {
		if _, err := countCells(append(sound[:len(sound):len(sound)], tt.after...)); err == nil || err.Error() != tt.want {
			t.Errorf("%x: %v, want %s", tt.after, err, tt.want)
		}
	}
	if n, err := countCells(nil); n != 0 || err != nil {
		t.Errorf("empty block: %d, %v", n, err)
	}
}

// FuzzKeyValue: whatever is accepted is encoded again to the same bytes, so no
// byte of it was left out.
func FuzzKeyValue(f *testing.F) {
	f.Add((&Cell{}).AppendTo(nil))
	f.Add((&Cell{Row: []byte("r"), Family: []byte("f"), Qualifier: []byte("q"), Timestamp: -1, Type: 4, Value: []byte("v")}).AppendTo(nil))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := ParseKeyValue(data)
		if err != nil {
			return
		}
		if again := c.AppendTo(nil); !bytes.Equal(again, data) || c.Size() != len(data) {
			t.Fatalf("%x parsed as %+v, encoded as %x", data, c, again)
		}
		for _, view := range [][]byte{c.Row, c.Family, c.Qualifier, c.Value} {
			if cap(view) != len(view) {
				t.Fatalf("%x: a view of %d bytes could grow to %d", data, len(view), cap(view))
			}
		}
	})
}

// FuzzRoundTrip: what is encoded is parsed to the same fields, headers and cells
// behind one another as they stand in a frame.
func FuzzRoundTrip(f *testing.F) {
	f.Add(uint32(1), "echo", true, uint32(9), "java.io.IOException", "why", "host", int32(-1), []byte("row"), []byte("family"), []byte("qualifier"), int64(1), byte(4), []byte("value"), byte(3))
	f.Add(uint32(math.MaxUint32), "", false, uint32(0), "", "", "", int32(0), []byte(nil), []byte(nil), []byte(nil), int64(math.MinInt64), byte(255), make([]byte, 300), byte(0))
	f.Fuzz(func(t *testing.T, id uint32, method string, hasParam bool, priority uint32, class, trace, host string, port int32,
		row, family, qualifier []byte, stamp int64, kind byte, value []byte, cells byte) {
		c := Cell{Row: row[:min(len(row), 32_767)], Family: family[:min(len(family), 127)], Qualifier: qualifier, Timestamp: stamp, Type: kind, Value: value}
		var block []byte
		for range cells {
			block = appendToBlock(block, &c)
		}

		h := wire.RequestHeader{CallID: id, Method: []byte(method), HasParam: hasParam, CellBlock: len(block), Priority: priority}
		frame := binary.AppendUvarint(nil, uint64(h.Size()))
		if len(frame) != wire.UvarintSize(uint64(h.Size())) {
			t.Fatalf("delimiter %x, UvarintSize %d", frame, wire.UvarintSize(uint64(h.Size())))
		}
		frame = append(h.AppendTo(frame), block...)
		head, rest, err := wire.Delimited(frame)
		if err != nil {
			t.Fatal(err)
		}
		var back wire.RequestHeader
		if err := back.Parse(head); err != nil {
			t.Fatal(err)
		}
		if back.CallID != id || string(back.Method) != method || back.HasParam != hasParam || back.CellBlock != len(block) || back.Priority != priority {
			t.Fatalf("%+v came back as %+v", h, back)
		}

		n := 0
		for at := 0; at < len(rest); n++ {
			end, err := wire.CellEnd(rest, at)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := ParseKeyValue(rest[at+wire.CellSize : end]); err != nil || !got.equal(c) {
				t.Fatalf("%+v came back as %+v, %v", c, got, err)
			}
			at = end
		}
		if counted, err := countCells(rest); n != int(cells) || counted != n || err != nil {
			t.Fatalf("%d cells walked, %d counted, %d put in, %v", n, counted, cells, err)
		}

		r := wire.ResponseHeader{CallID: int32(id), Exception: &wire.Exception{Class: class, StackTrace: trace, Host: host, Port: port, DoNotRetry: hasParam}, CellBlock: -1}
		encoded := r.AppendTo(nil)
		var rback wire.ResponseHeader
		if err := rback.Parse(encoded); err != nil {
			t.Fatal(err)
		}
		if len(encoded) != r.Size() || rback.CallID != r.CallID || *rback.Exception != *r.Exception || rback.CellBlock != -1 {
			t.Fatalf("%+v came back as %+v", r.Exception, rback.Exception)
		}
	})
}

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
