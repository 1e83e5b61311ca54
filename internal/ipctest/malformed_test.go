package ipctest

import (
	"bytes"
	"encoding/binary"
	"math"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"hotpath/impl/ipc"
	"hotpath/impl/ipc/pb"
	"hotpath/impl/ipc/steps"
)

// What becomes of a connection that sends something malformed.
const (
	lives  = iota // its next request is answered
	fails         // the call with id 1 is answered with an exception, and the connection lives
	fatal         // an exception for call -1, then closed
	closes        // closed without an answer
)

func badHello(h *pb.ConnectionHeader) []byte {
	return append(preamble[:len(preamble):len(preamble)], prefixed(encode(h))...)
}

func length(n int32) []byte { return binary.BigEndian.AppendUint32(nil, uint32(n)) }

func request(parts ...[]byte) []byte { return prefixed(bytes.Join(parts, nil)) }

const maxFrame = 1 << 20

// malformed is everything that a client can get wrong, one thing each. What needs
// a greeting gets it from the test.
var malformed = []struct {
	name  string
	greet bool
	send  []byte
	end   bool // then close the sending side
	want  int
	class string
}{
	{"http", false, []byte("GET / HTTP/1.1\r\nHost: x\r\n\r\n"), false, fatal, "FatalConnectionException"},
	{"tls", false, unhex("1603010200010001fc0303"), false, fatal, "FatalConnectionException"},
	{"ssh", false, []byte("SSH-2.0-OpenSSH_9.2\r\n"), false, fatal, "FatalConnectionException"},
	{"zeros", false, make([]byte, 64), false, fatal, "FatalConnectionException"},
	{"old hadoop", false, []byte("hrpc\x04\x50"), false, fatal, "FatalConnectionException"},
	{"version 1", false, []byte("HBas\x01\x50"), false, fatal, "WrongVersionException"},
	{"version 255", false, []byte("HBas\xff\x50"), false, fatal, "WrongVersionException"},
	{"kerberos", false, []byte("HBas\x00\x51"), false, fatal, "BadAuthException"},
	{"digest", false, []byte("HBas\x00\x52"), false, fatal, "BadAuthException"},
	{"no auth", false, []byte("HBas\x00\x00"), false, fatal, "BadAuthException"},
	{"nothing", false, nil, true, closes, ""},
	{"half a preamble", false, []byte("HBa"), true, closes, ""},
	{"half a preamble, then silence", false, []byte("HBa"), false, closes, ""},
	{"preamble alone", false, preamble, true, closes, ""},
	{"preamble alone, then silence", false, preamble, false, closes, ""},

	{"ping instead of a header", false, append(preamble[:6:6], length(-1)...), false, closes, ""},
	{"header of MinInt32 bytes", false, append(preamble[:6:6], length(math.MinInt32)...), false, closes, ""},
	{"header of MaxInt32 bytes", false, append(preamble[:6:6], length(math.MaxInt32)...), false, closes, ""},
	{"header over the limit", false, append(append(preamble[:6:6], length(maxFrame+1)...), make([]byte, 100)...), false, fatal, "RequestTooBigException"},
	{"header cut", false, hello(codec)[:20], true, closes, ""},
	{"header cut, then silence", false, hello(codec)[:20], false, closes, ""},
	{"empty header", false, append(preamble[:6:6], length(0)...), false, fatal, "EmptyServiceNameException"},
	{"header of noise", false, append(preamble[:6:6], prefixed(bytes.Repeat([]byte{0xff}, 32))...), false, fatal, "FatalConnectionException"},
	{"header with a group", false, append(preamble[:6:6], prefixed(unhex("0b0c"))...), false, fatal, "FatalConnectionException"},
	{"header with a length past its end", false, append(preamble[:6:6], prefixed(unhex("127f41"))...), false, fatal, "FatalConnectionException"},
	{"user without a name", false, append(preamble[:6:6], prefixed(unhex("0a00120141"))...), false, fatal, "FatalConnectionException"},
	{"no service", false, badHello(&pb.ConnectionHeader{CellBlockCodecClass: proto.String(codec)}), false, fatal, "EmptyServiceNameException"},
	{"unknown service", false, badHello(&pb.ConnectionHeader{ServiceName: proto.String("MasterService")}), false, fatal, "UnknownServiceException"},
	{"unknown codec", false, badHello(&pb.ConnectionHeader{ServiceName: proto.String(steps.EchoName), CellBlockCodecClass: proto.String("CellCodec")}), false, fatal, "UnsupportedCellCodecException"},
	{"compressor", false, badHello(&pb.ConnectionHeader{ServiceName: proto.String(steps.EchoName), CellBlockCodecClass: proto.String(codec),
		CellBlockCompressorClass: proto.String("org.apache.hadoop.io.compress.GzipCodec")}), false, fatal, "UnsupportedCompressionCodecException"},

	{"length -2", true, length(-2), false, closes, ""},
	{"length MinInt32", true, length(math.MinInt32), false, closes, ""},
	{"length MaxInt32, then silence", true, length(math.MaxInt32), false, closes, ""},
	{"over the limit, half a header", true, append(length(maxFrame+1), delimited(header(1, "echo", true, -1))[:3]...), false, closes, ""},
	{"over the limit, header of noise", true, append(length(maxFrame+1), delimited(bytes.Repeat([]byte{0xff}, 40))...), false, fatal, "RequestTooBigException"},
	{"over the limit, header over it too", true, append(length(maxFrame+1), unhex("ffffff7f")...), false, fatal, "RequestTooBigException"},
	{"over the limit", true, prefixed(append(delimited(header(1, "echo", true, -1)), make([]byte, maxFrame)...)), false, fails, "RequestTooBigException"},
	{"empty frame", true, length(0), false, fatal, "FatalConnectionException"},
	{"half a length", true, []byte{0, 0}, true, closes, ""},
	{"half a length, then silence", true, []byte{0, 0}, false, closes, ""},
	{"frame cut", true, echo(1, "cut", nil)[:10], true, closes, ""},
	{"frame cut, then silence", true, echo(1, "cut", nil)[:10], false, closes, ""},
	{"frame cut in a cell", true, echo(1, "cut", cells(2, 10_000))[:15_000], true, closes, ""},
	{"header length past the frame", true, request(unhex("7f0801")), false, fatal, "FatalConnectionException"},
	{"header length of ten bytes", true, request(unhex("ffffffffffffffffff01")), false, fatal, "FatalConnectionException"},
	{"header length over 64 bits", true, request(unhex("ffffffffffffffffff7f")), false, fatal, "FatalConnectionException"},
	{"header length without an end", true, request(unhex("808080")), false, fatal, "FatalConnectionException"},
	{"request of noise", true, request(bytes.Repeat([]byte{0xfe}, 500)), false, fatal, "FatalConnectionException"},
	{"request header of noise", true, request(delimited(bytes.Repeat([]byte{0xff}, 40))), false, fatal, "FatalConnectionException"},
	{"request header with a group", true, request(delimited(unhex("08010b0c"))), false, fatal, "FatalConnectionException"},
	{"request header with field 0", true, request(delimited(unhex("08010000"))), false, fatal, "FatalConnectionException"},
	{"method name past the header", true, request(delimited(unhex("08011a7f41"))), false, fatal, "FatalConnectionException"},
	{"trace of noise", true, request(delimited(unhex("08011202ffff"))), false, fatal, "FatalConnectionException"},
	{"cell block of 4 GiB", true, request(delimited(unhex("0801 1a0465 63686f 2a0608ffffffff0f"))), false, fatal, "FatalConnectionException"},
	{"cell block longer than the frame", true, request(delimited(header(1, "echo", true, 500), encode(&pb.EchoRequest{Message: proto.String("m")})), cells(1, 9)), false, fatal, "FatalConnectionException"},
	{"cell block shorter than the frame", true, request(delimited(header(1, "echo", true, 5), encode(&pb.EchoRequest{Message: proto.String("m")})), cells(1, 9)), false, fatal, "FatalConnectionException"},
	{"cells that no header announced", true, request(delimited(header(1, "echo", true, -1), encode(&pb.EchoRequest{Message: proto.String("m")})), cells(1, 9)), false, fatal, "FatalConnectionException"},
	{"param announced, none there", true, request(delimited(header(1, "echo", true, -1))), false, fatal, "FatalConnectionException"},
	{"param there, none announced", true, request(delimited(header(1, "echo", false, -1), encode(&pb.EchoRequest{Message: proto.String("m")}))), false, fatal, "FatalConnectionException"},
	{"param length past the frame", true, request(delimited(header(1, "echo", true, -1)), unhex("7f0a016d")), false, fatal, "FatalConnectionException"},
	{"an answer instead of a request", true, echoed(1, "m", cells(1, 9)), false, fatal, "FatalConnectionException"},

	{"param of noise", true, request(delimited(header(1, "echo", true, -1), unhex("ffffff"))), false, fails, "InvalidProtocolBufferException"},
	{"param without its field", true, request(delimited(header(1, "echo", true, -1), nil)), false, fails, "InvalidProtocolBufferException"},
	{"unknown method", true, request(delimited(header(1, "format", false, -1))), false, fails, "UnsupportedOperationException"},
	{"no method", true, request(delimited(unhex("0801"))), false, fails, "UnsupportedOperationException"},
	{"method of a kilobyte", true, request(delimited(header(1, string(make([]byte, 1000)), false, -1))), false, fails, "UnsupportedOperationException"},
	{"cell length cut", true, echo(1, "m", []byte{0, 0, 0}), false, fails, "IOException"},
	{"cell of 0 bytes", true, echo(1, "m", make([]byte, 4)), false, fails, "IOException"},
	{"cell of -1 bytes", true, echo(1, "m", bytes.Repeat([]byte{0xff}, 30)), false, fails, "IOException"},
	{"cell past the block", true, echo(1, "m", append(length(1000), make([]byte, 30)...)), false, fails, "IOException"},
	{"cell cut", true, echo(1, "m", cells(2, 50)[:150]), false, fails, "IOException"},
	{"bytes after the cells", true, echo(1, "m", append(cells(2, 50), 0)), false, fails, "IOException"},

	{"a thousand pings", true, bytes.Repeat(length(-1), 1000), false, lives, ""},
}

// TestMalformed sends each of them to one server: a typed exception or a closed
// connection comes at once, or at the deadline where the rest of a frame does not
// come, and the next client is served.
func TestMalformed(t *testing.T) {
	s := &ipc.Server{
		Services:    map[string]ipc.Service{steps.EchoName: steps.EchoService(true)},
		MaxFrame:    maxFrame,
		ReadTimeout: 400 * time.Millisecond,
	}
	addr := start(t, s)
	for _, m := range malformed {
		t.Run(m.name, func(t *testing.T) {
			before := s.Stats()
			p := dial(t, addr)
			if m.greet {
				p.send(hello(codec))
			}
			p.send(m.send)
			if m.end {
				p.CloseWrite()
			}
			switch m.want {
			case fails, fatal:
				id := int32(1)
				if m.want == fatal {
					id = -1
				}
				a, err := p.read()
				if err != nil {
					t.Fatalf("no answer: %v", err)
				}
				if a.id() != id || a.exception() != m.class {
					t.Fatalf("answer to %d: %v, want a %s for %d", a.id(), a.head, m.class, id)
				}
			}
			switch m.want {
			case lives, fails:
				if err := p.answers(); err != nil {
					t.Fatalf("the next request: %v", err)
				}
			case fatal, closes:
				if a, err := p.read(); err == nil || !closed(err) {
					t.Fatalf("not closed: %v, %v", a.head, err)
				}
			}
			p.Close()
			alive(t, addr)
			if m.want == fatal && s.Stats().Sub(before).Broken != 1 {
				t.Errorf("counted %+v, want one broken", s.Stats().Sub(before))
			}
		})
	}
}

// TestMalformedAfterSound: what came whole before the malformed frame is
// answered.
func TestMalformedAfterSound(t *testing.T) {
	addr := start(t, &ipc.Server{Services: map[string]ipc.Service{steps.EchoName: steps.EchoService(true)}})
	block := cells(10, 10_240)
	p := dial(t, addr, hello(codec), echo(1, "first", block), echo(2, "second", nil), length(0), echo(3, "never", nil))
	for _, want := range [][]byte{echoed(1, "first", block), echoed(2, "second", nil)} {
		a, err := p.read()
		if err != nil || !bytes.Equal(a.frame, want) {
			t.Fatalf("answer %v, %v", a.head, err)
		}
	}
	if a, err := p.read(); err != nil || a.id() != -1 || a.exception() != "FatalConnectionException" {
		t.Fatalf("answer %v, %v", a.head, err)
	}
	if _, err := p.read(); err == nil || !closed(err) {
		t.Fatalf("not closed: %v", err)
	}
}

// TestCellsWithoutCodec: a client that named no codec gets an exception for the
// call with cells, and goes on.
func TestCellsWithoutCodec(t *testing.T) {
	addr := start(t, &ipc.Server{Services: map[string]ipc.Service{steps.EchoName: steps.EchoService(true)}})
	p := dial(t, addr, hello(""), echo(1, "with cells", cells(1, 10)), echo(2, "without", nil))
	a, err := p.read()
	if err != nil || a.id() != 1 || a.exception() == "" {
		t.Fatalf("answer %v, %v", a.head, err)
	}
	if a, err = p.read(); err != nil || !bytes.Equal(a.frame, echoed(2, "without", nil)) {
		t.Fatalf("answer %v, %v", a.head, err)
	}
}
