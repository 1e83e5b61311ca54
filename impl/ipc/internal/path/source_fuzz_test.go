package path

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io"
	"reflect"
	"testing"
	"unsafe"

	"hotpath/impl/ipc/internal/wire"
)

// pieces gives out data in pieces of the lengths in cuts, over and over.
type pieces struct {
	data, cuts []byte
	at         int
	given      int
}

func (p *pieces) Read(b []byte) (int, error) {
	n := len(p.data)
	if len(p.cuts) > 0 {
		n = min(n, int(p.cuts[p.at%len(p.cuts)])*32+1)
		p.at++
	}
	n = copy(b, p.data[:n])
	if n == 0 {
		return 0, io.EOF
	}
	p.data = p.data[n:]
	p.given += n
	return n, nil
}

// inside reports whether view lies in b.
func inside(view, b []byte) bool {
	if len(view) == 0 {
		return true
	}
	v, from := uintptr(unsafe.Pointer(unsafe.SliceData(view))), uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	return v >= from && v+uintptr(len(view)) <= from+uintptr(len(b))
}

// FuzzParse: any bytes in any pieces give the frames that are in them and then
// the right error, as views into the current frame, whose size keeps to what has
// arrived. Frames that are retained keep their bytes.
func FuzzParse(f *testing.F) {
	const limit = 1 << 22
	hello := unhex(f, "0000000f09080218036563686f2001040a026869")
	for _, data := range [][]byte{
		nil,
		hello,
		unhex(f, "ffffffff"), // a ping
		append(unhex(f, "ffffffff"), hello...),
		bytes.Repeat(hello, 20),
		unhex(f, "00000000"),
		unhex(f, "fffffffe"),
		unhex(f, "7fffffff"),
		unhex(f, "0002ffff00"),
		append(unhex(f, "0001fffc"), make([]byte, 1<<17)...),
		append(binary.BigEndian.AppendUint32(nil, 150_000), make([]byte, 150_020)...),
		append(binary.BigEndian.AppendUint32(nil, limit), make([]byte, 70_000)...), // most of it never comes
		append(append(unhex(f, "00400001"), hello[4:]...), make([]byte, 1<<17)...), // too long, and cut
		append(append(append(unhex(f, "00400001"), hello[4:]...), make([]byte, 1<<22-len(hello)+5)...), hello...),
		unhex(f, "7fffffffffffffffff"),
	} {
		for _, cuts := range [][]byte{nil, {0}, {0, 1, 200}, {255}} {
			f.Add(data, cuts, uint16(0xaaaa))
		}
	}
	f.Fuzz(func(t *testing.T, data, cuts []byte, retain uint16) {
		var want [][]byte // nil: a frame that is too long
		wantErr := io.EOF
		for rest := data; len(rest) >= 4; {
			n := int32(binary.BigEndian.Uint32(rest))
			rest = rest[4:]
			if n == -1 {
				continue
			}
			if n < 0 {
				wantErr = wire.ErrNegative
				break
			}
			if n > limit {
				header, more := wire.HeaderOf(rest, int(n))
				if more {
					break
				}
				if header == nil {
					wantErr = &wire.TooBigError{Length: int(n), Limit: limit}
					break
				}
				want = append(want, nil)
				rest = rest[min(int(n), len(rest)):]
				continue
			}
			if int(n) > len(rest) {
				break
			}
			want = append(want, rest[:n])
			rest = rest[n:]
		}

		ahead, exact := &pieces{data: data, cuts: cuts}, &pieces{data: data, cuts: cuts}
		for _, c := range []struct {
			src  Source
			from *pieces
		}{{NewReadAhead(ahead, limit, nil), ahead}, {NewReadExact(exact, limit, nil), exact}} {
			src := c.src
			type kept struct {
				frame *Frame
				view  []byte
				want  []byte
			}
			var retained []kept
			n := 0
			for {
				view, err := src.Next()
				if tooBig := new(wire.TooBigError); view != nil && errors.As(err, &tooBig) {
					if _, _, err := wire.Delimited(view); n == len(want) || want[n] != nil || err != nil {
						t.Fatalf("%T: header %x of frame %d, which should not be refused", src, view, n)
					}
					n++
					continue
				}
				if err == nil && view == nil {
					if err = src.Fill(); err == nil {
						if f := src.Current(); f != nil && len(f.Buf) > max(firstFrame, trustedLength, 4*c.from.given) {
							t.Fatalf("%T: a frame of %d bytes for %d that arrived", src, len(f.Buf), c.from.given)
						}
						continue
					}
				}
				if err != nil {
					if !errors.Is(err, wantErr) && !reflect.DeepEqual(err, wantErr) {
						t.Fatalf("%T: %v after %d frames, want %v", src, err, n, wantErr)
					}
					break
				}
				if n == len(want) || !bytes.Equal(view, want[n]) {
					t.Fatalf("%T: frame %d is %x", src, n, view)
				}
				if !inside(view, src.Current().Buf) || cap(view) != len(view) {
					t.Fatalf("%T: frame %d is not a view, or can grow to %d bytes", src, n, cap(view))
				}
				if retain>>(n%16)&1 == 1 {
					src.Current().Retain()
					retained = append(retained, kept{src.Current(), view, want[n]})
				}
				parseAnything(t, view)
				n++
			}
			if n != len(want) {
				t.Fatalf("%T: %d frames, want %d", src, n, len(want))
			}
			src.Close()
			for i, k := range retained {
				if !bytes.Equal(k.view, k.want) {
					t.Fatalf("%T: the %d. retained frame has changed", src, i)
				}
				k.frame.Release()
			}
		}
	})
}

// parseAnything reads a frame as a request and as a response: neither panics,
// and what is accepted are views.
func parseAnything(t *testing.T, frame []byte) {
	head, _, err := wire.Delimited(frame)
	if err != nil {
		return
	}
	var q wire.RequestHeader
	if q.Parse(head) == nil && !inside(q.Method, frame) {
		t.Fatal("a method that is not a view")
	}
	var p wire.ResponseHeader
	p.Parse(head)
}

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
