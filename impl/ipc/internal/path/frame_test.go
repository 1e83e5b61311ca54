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

// TestWithin asks for parts of a larger array where the block is the middle of it.
func TestWithin(t *testing.T) {
	all := make([]byte, 30)
	block := all[10:20]
	for from := range all {
		for to := from; to <= len(all); to++ {
			at, ok := Within(block, all[from:to])
			if want := from < to && from >= 10 && to <= 20; ok != want || ok && at != from-10 {
				t.Errorf("bytes %d to %d are within 10 to 20 at %d: %t", from, to, at, ok)
			}
		}
	}
	if _, ok := Within(nil, all); ok {
		t.Error("within nothing")
	}
}

// TestCarve fills arenas to the last byte: what is carved is as long as it should
// be, cannot grow, and overlaps nothing.
func TestCarve(t *testing.T) {
	for left := range 10 {
		for n := range 12 {
			arena := make([]byte, 90-left, 90)
			b := Carve(&arena, n)
			if len(b) != n || cap(b) != n {
				t.Errorf("%d bytes with room for %d, want %d", len(b), cap(b), n)
			}
			next := Carve(&arena, 20)
			for i := range b {
				b[i] = 1
			}
			if bytes.IndexByte(next, 1) >= 0 {
				t.Errorf("%d bytes, of which %d were left, overlap the next ones", n, left)
			}
		}
	}
	var arena []byte
	if b := Carve(&arena, 100_000); len(b) != 100_000 {
		t.Errorf("%d bytes, want 100,000", len(b))
	}
}

// TestHead expects that heads are written where room was made for them.
func TestHead(t *testing.T) {
	for _, message := range []int{0, 1, SmallMessage, SmallMessage + 1, 100_000} {
		for _, block := range []int{-1, 0, 200, 1 << 20} {
			var o Output
			x := &Exchange{CallID: 1 << 31, Message: make([]byte, message), BlockSize: block}
			AddHead(x, &o)
			if _, ok := Within(o.arena, o.Bufs[0]); !ok || len(o.Bufs[0]) != len(o.arena) {
				t.Errorf("a message of %d bytes: a head of %d bytes with room for %d", message, len(o.Bufs[0]), len(o.arena))
			}
			head := NewHead(x)
			if o.Size != head.Size {
				t.Errorf("a message of %d bytes: %d bytes, want %d", message, o.Size, head.Size)
			}
		}
	}
}

// TestReset expects that an output gives back its frames and holds nothing.
func TestReset(t *testing.T) {
	var o Output
	frame, _ := NewFrame(100)
	o.Add(frame.Buf)
	o.Blocks = append(o.Blocks, frame)
	o.Part = append(o.Part, frame.Buf)
	bufs, part := o.Bufs, o.Part
	o.Reset()
	if frame.refs.Load() != 0 {
		t.Error("a frame is not given back")
	}
	if bufs[0] != nil || part[0] != nil || o.Size != 0 || len(o.Bufs) != 0 || len(o.Blocks) != 0 {
		t.Errorf("an output without answers holds %d, %d, %d bytes", len(bufs[0]), len(part[0]), o.Size)
	}
}

// TestBudget takes frames until there are no more, and gives them back.
func TestBudget(t *testing.T) {
	b := NewBudget(1 << 20)
	b.Enter()
	var frames []*Frame
	for {
		f, _ := b.newFrame(100_000, false)
		if f == nil {
			break
		}
		frames = append(frames, f)
	}
	if len(frames) != (1<<20+firstFrame)>>17 || !b.Tight() || b.Spent() {
		t.Errorf("%d frames, tight %t, spent %t", len(frames), b.Tight(), b.Spent())
	}
	f, _ := b.newFrame(100_000, true)
	frames = append(frames, f, b.heapFrame(10, true))
	if b.heapFrame(10, false) != nil || !b.Spent() {
		t.Error("a frame that the budget does not allow")
	}
	for _, f := range frames {
		f.Release()
	}
	if b.Used() != 0 || b.Tight() {
		t.Errorf("%d bytes in use", b.Used())
	}
}
