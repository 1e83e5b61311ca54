package ipctest

import (
	"bytes"
	"io"
	"testing"
	"time"

	"hotpath/impl/ipc"
	"hotpath/impl/ipc/steps"
)

// FuzzConnection sends a sound stream of requests, cut into pieces at any points,
// to a server with any of the response paths and closes the sending side: the
// answers, by call, must be the expected bytes, each once, and then nothing.
//
// Each byte of script is a request: its kind in the low two bits, its size in the
// others. Each byte of cuts is the length of a piece, repeated to the end of the
// stream.
func FuzzConnection(f *testing.F) {
	noLeaks(f)
	var addrs []string
	for _, path := range steps.Paths() {
		addrs = append(addrs, serve(f, &ipc.Server{Services: map[string]ipc.Service{steps.EchoName: steps.EchoService(true)}, Path: path}))
	}
	addrs = append(addrs, serve(f, &ipc.Server{Services: map[string]ipc.Service{steps.EchoName: steps.EchoService(false)}}))

	all := []byte{0, 1, 2, 3, 4, 8, 16, 32, 64, 128, 252, 253, 254, 255}
	for i := range addrs {
		f.Add(byte(i), all, []byte{0})
		f.Add(byte(i), all, []byte{1, 3, 255, 17})
	}
	f.Add(byte(0), []byte{}, []byte{7})
	f.Fuzz(func(t *testing.T, server byte, script, cuts []byte) {
		if len(script) > 40 {
			script = script[:40]
		}
		stream := hello(codec)
		want := make(map[int32][]byte)
		for i, s := range script {
			id := uint32(i + 1)
			n := int(s >> 2)
			switch s & 3 {
			case 0:
				block := cells(n%11, n*n*3) // 0 to about 100 kB
				message := string(bytes.Repeat([]byte{s}, n))
				stream = append(stream, echo(id, message, block)...)
				want[int32(id)] = echoed(id, message, block)
			case 1:
				stream = append(stream, prefixed(delimited(header(id, "ping", true, -1), nil))...)
				want[int32(id)] = prefixed(delimited([]byte{0x08, byte(id)}, nil))
			case 2:
				stream = append(stream, prefixed(delimited(header(id, "no such method", false, -1)))...)
				want[int32(id)] = nil // an exception
			case 3:
				stream = append(stream, length(-1)...)
			}
		}

		p := dial(t, addrs[int(server)%len(addrs)])
		defer p.Close()
		sent := make(chan error, 1)
		go func() {
			sent <- func() error {
				for i := 0; len(stream) > 0; i++ {
					n := len(stream)
					// A cut of 0 and what is left after 200 pieces go as a whole.
					if i < 200 && len(cuts) > 0 && cuts[i%len(cuts)] > 0 {
						n = min(n, int(cuts[i%len(cuts)]))
					}
					if _, err := p.Write(stream[:n]); err != nil {
						return err
					}
					stream = stream[n:]
				}
				return p.CloseWrite()
			}()
		}()
		for {
			a, err := p.read()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatalf("%d answers to come: %v", len(want), err)
			}
			frame, asked := want[a.id()]
			delete(want, a.id())
			switch {
			case !asked:
				t.Fatalf("an answer to %d, which waits for none: %v", a.id(), a.head)
			case frame == nil && a.exception() != "UnsupportedOperationException":
				t.Fatalf("answer to %d: %v", a.id(), a.head)
			case frame != nil && !bytes.Equal(a.frame, frame):
				t.Fatalf("answer to %d: %d bytes, want %d, different at byte %d", a.id(), len(a.frame), len(frame), difference(a.frame, frame))
			}
		}
		if len(want) > 0 {
			t.Fatalf("closed with %d answers to come", len(want))
		}
		select {
		case err := <-sent:
			if err != nil {
				t.Fatal(err)
			}
		case <-time.After(patience):
			t.Fatal("the server has not read all")
		}
	})
}

func difference(a, b []byte) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}
