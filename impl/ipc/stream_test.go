package ipc

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"testing"

	"hotpath/impl/ipc/internal/path"
	"hotpath/impl/ipc/internal/wire"
)

// noise is where random cells are cut from.
var noise = func() []byte {
	b := make([]byte, 1<<17)
	rand.NewChaCha8([32]byte{1}).Read(b)
	return b
}()

// randomCells returns up to ten cells of up to size bytes.
func randomCells(r *rand.Rand, size int) []KeyValue {
	cells := make([]KeyValue, r.IntN(11))
	for i := range cells {
		at := r.IntN(len(noise) - size)
		c := Cell{Row: []byte("row"), Value: noise[at : at+r.IntN(size)]}
		cells[i] = c.AppendTo(nil)
	}
	return cells
}

func randomMessage(r *rand.Rand) []byte {
	return wire.AppendBytes(nil, 1, bytes.Repeat([]byte{'m'}, 1+r.IntN(600)))
}

// requestBytes is a request as it is on the wire, answerBytes the answer to it.
func requestBytes(id uint32, message []byte, cells []KeyValue) []byte {
	var o path.Output
	addRequest(&o, id, &request{method: "echo", param: message, cells: cells})
	return bytes.Join(o.Bufs, nil)
}

func answerBytes(id uint32, message []byte, cells []KeyValue) []byte {
	h := wire.ResponseHeader{CallID: int32(id), CellBlock: wire.BlockSize(cells)}
	b := h.AppendTo(binary.AppendUvarint(nil, uint64(h.Size())))
	b = append(binary.AppendUvarint(b, uint64(len(message))), message...)
	b = append(b, blockOf(cells)...)
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(b))), b...)
}

// hello opens a connection without a client.
func hello(t testing.TB, address string) *net.TCPConn {
	t.Helper()
	nc, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { nc.Close() })
	if err := echoDialer.hello(nc); err != nil {
		t.Fatal(err)
	}
	return nc.(*net.TCPConn)
}

// TestStream sends requests in random pieces with pings in between, closes its
// half of the connection and expects the bytes of every answer, in any order,
// and then the end.
func TestStream(t *testing.T) {
	for _, nonBlocking := range []bool{true, false} {
		t.Run(fmt.Sprintf("nonblocking=%t", nonBlocking), func(t *testing.T) { testStream(t, echoServer(nonBlocking)) })
	}
}

func testStream(t *testing.T, s *Server) {
	if !s.Services[echoName]["echo"].NonBlocking {
		s.Services[echoName]["echo"] = Method{Handle: sometimesSlow(echo)}
	}
	address := start(t, s)
	const seed = 1
	for round := range uint64(4) {
		r := rand.New(rand.NewPCG(seed, round))
		var stream []byte
		want := map[string]int{}
		for id := range uint32(40) {
			message, cells := randomMessage(r), randomCells(r, 1<<(4+r.IntN(11)))
			stream = append(stream, requestBytes(id, message, cells)...)
			want[string(answerBytes(id, message, cells))]++
			if r.IntN(3) == 0 {
				stream = append(stream, 0xff, 0xff, 0xff, 0xff)
			}
		}
		nc := hello(t, address)
		go func() {
			for len(stream) > 0 {
				n := min(len(stream), 1+r.IntN(1<<r.IntN(18)))
				if _, err := nc.Write(stream[:n]); err != nil {
					t.Error(err)
					return
				}
				stream = stream[n:]
			}
			nc.CloseWrite()
		}()
		answers, err := io.ReadAll(nc)
		if err != nil {
			t.Fatal(err)
		}
		for len(answers) > 0 {
			n := 4 + int(binary.BigEndian.Uint32(answers))
			if want[string(answers[:n])]--; want[string(answers[:n])] < 0 {
				t.Fatalf("round %d: an answer of %d bytes that should not be", round, n)
			}
			answers = answers[n:]
		}
		for answer, missing := range want {
			if missing > 0 {
				t.Fatalf("round %d: no answer of %d bytes", round, len(answer))
			}
		}
	}
}

// sometimesSlow makes every third call of a handler outlast a tick, so that
// others take over the reading.
func sometimesSlow(h Handler) Handler {
	return func(c *Call) error {
		if c.header.CallID%3 == 0 {
			waitMoved(c)
		}
		return h(c)
	}
}

// waitMoved waits until another goroutine reads the call's connection.
func waitMoved(c *Call) {
	for !c.moved.Load() {
		pauseTest()
	}
}
