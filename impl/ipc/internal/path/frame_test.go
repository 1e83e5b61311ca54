package path

import (
	"bytes"
	"io"
	"testing"

	"hotpath/impl/ipc/internal/wire"
)

// panics reports whether f does.
func panics(f func()) (did bool) {
	defer func() { did = recover() != nil }()
	f()
	return false
}

func TestFrame(t *testing.T) {
	for _, n := range []int{1, 4096, 4097, 100_000, 1 << 20} {
		f, _ := NewFrame(n)
		if len(f.Buf) < n || len(f.Buf) >= 2*max(n, 4096) {
			t.Errorf("frame of %d bytes for %d", len(f.Buf), n)
		}
		f.Retain()
		if f.Sole() {
			t.Error("two references and one user")
		}
		f.Release()
		f.Buf[n-1] = 1 // still ours
		f.Release()
		if !panics(f.Release) {
			t.Error("no panic at a second release")
		}
	}
	f := HeapFrame(10)
	f.Release()
	if !panics(f.Retain) {
		t.Error("no panic at a retain after the release")
	}
}

// TestAnnounced announces a large frame, sends less and looks at what is held.
func TestAnnounced(t *testing.T) {
	const announced = 48 << 20
	for _, sent := range []int{0, 1, 1000, 64 << 10, 200_000, 5 << 20} {
		stream := append([]byte{announced >> 24, announced >> 16 & 0xff, announced >> 8 & 0xff, announced & 0xff}, make([]byte, sent)...)
		for _, r := range []Source{NewReadAhead(bytes.NewReader(stream), 64<<20, nil), NewReadExact(bytes.NewReader(stream), 64<<20, nil)} {
			for {
				if body, err := r.Next(); body != nil || err != nil {
					t.Fatal("a frame that has not arrived", err)
				}
				if err := r.Fill(); err == io.EOF {
					break
				} else if err != nil {
					t.Fatal(err)
				}
			}
			held := 0
			if f := r.Current(); f != nil {
				held = len(f.Buf)
			}
			if most := max(128<<10, 2*len(stream)); held > most {
				t.Errorf("%T holds %d bytes for %d that have arrived", r, held, len(stream))
			}
			r.Close()
		}
	}
}

// TestKept expects that a large frame goes back when it is used up.
func TestKept(t *testing.T) {
	big := append([]byte{0, 0x50, 0, 0}, make([]byte, 5<<20)...)
	small := []byte{0, 0, 0, 1, 1}
	r := NewReadAhead(io.MultiReader(bytes.NewReader(big), bytes.NewReader(small)), 64<<20, nil)
	for frames := 0; frames < 2; {
		body, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		if body != nil {
			frames++
		} else if err := r.Fill(); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(r.Current().Buf); n > keptFrame {
		t.Errorf("%d bytes held for a small frame", n)
	}
	r.Close()
}

// TestOutputCells compares gathered cells with a block that is copied together.
func TestOutputCells(t *testing.T) {
	cell := bytes.Repeat([]byte("c"), 100)
	cells := [][]byte{cell, cell, cell, cell, cell, cell}
	block := wire.AppendBlock(nil, cells...)
	var views [][]byte
	for at := 0; at < len(block); {
		end, err := wire.CellEnd(block, at)
		if err != nil {
			t.Fatal(err)
		}
		views = append(views, block[at+wire.CellSize:end:end])
		at = end
	}
	foreign := cells[0]
	for _, tt := range []struct {
		cells [][]byte
		bufs  int
	}{
		{views, 1},
		{views[2:4], 1},
		{[][]byte{views[1], views[0], views[1]}, 2},
		{[][]byte{views[0], foreign, views[1]}, 4},
		{[][]byte{views[0][1:], views[0][:5]}, 4}, // not as they stand in the block
		{[][]byte{views[5], foreign[:0], views[0]}, 3},
	} {
		var o Output
		for _, kv := range tt.cells {
			o.AddCell(kv, block)
		}
		got := bytes.Join(o.Bufs, nil)
		if !bytes.Equal(got, wire.AppendBlock(nil, tt.cells...)) || o.Size != len(got) {
			t.Errorf("%d cells: %x, %d bytes", len(tt.cells), got, o.Size)
		}
		if len(o.Bufs) != tt.bufs {
			t.Errorf("%d cells in %d pieces, want %d", len(tt.cells), len(o.Bufs), tt.bufs)
		}
	}
}

func TestOutputPieces(t *testing.T) {
	for limit := 1; limit < 12; limit++ {
		var o Output
		for _, s := range []string{"abc", "", "defgh", "i", "jk"} {
			o.Add([]byte(s))
		}
		var got []byte
		for rest := o.Bufs; len(rest) > 0; {
			rest = o.Piece(rest, limit)
			n := len(bytes.Join(o.Part, nil))
			if n > limit || n < limit && len(rest) > 0 {
				t.Errorf("a piece of %d bytes, limit %d", n, limit)
			}
			got = append(got, bytes.Join(o.Part, nil)...)
		}
		if string(got) != "abcdefghijk" {
			t.Errorf("limit %d: %q", limit, got)
		}
	}
}
