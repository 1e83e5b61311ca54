package ipctest

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protodelim"
	"google.golang.org/protobuf/proto"

	"hotpath/impl/ipc"
	"hotpath/impl/ipc/pb"
	"hotpath/impl/ipc/steps"
)

const codec = "org.apache.hadoop.hbase.codec.KeyValueCodec"

// peer is a client made of bytes: it sends what no client library would, and
// reads answers with protobuf's own code.
type peer struct {
	*net.TCPConn
	t testing.TB
	r *bufio.Reader
}

// dial connects; sent is what the server gets first.
func dial(t testing.TB, addr string, sent ...[]byte) *peer {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	p := &peer{TCPConn: conn.(*net.TCPConn), t: t, r: bufio.NewReader(conn)}
	p.SetDeadline(time.Now().Add(patience))
	t.Cleanup(func() { p.Close() })
	p.send(sent...)
	return p
}

// send writes all in one call. A server that has closed is no failure: what it
// said before is still to be read.
func (p *peer) send(b ...[]byte) {
	p.t.Helper()
	if _, err := p.Write(bytes.Join(b, nil)); err != nil && !closed(err) {
		p.t.Fatal(err)
	}
}

// closed reports the errors of a connection that the other side has closed.
func closed(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}

// reply is one answer; block is what follows header and message.
type reply struct {
	head           *pb.ResponseHeader
	message, block []byte
	frame          []byte
}

// read returns the next answer. It holds the lengths in it to add up.
func (p *peer) read() (reply, error) {
	var length [4]byte
	if _, err := io.ReadFull(p.r, length[:]); err != nil {
		return reply{}, err
	}
	a := reply{head: new(pb.ResponseHeader)}
	a.frame = make([]byte, 4+binary.BigEndian.Uint32(length[:]))
	copy(a.frame, length[:])
	if _, err := io.ReadFull(p.r, a.frame[4:]); err != nil {
		return reply{}, err
	}
	rest := bytes.NewBuffer(a.frame[4:])
	if err := protodelim.UnmarshalFrom(rest, a.head); err != nil {
		return reply{}, err
	}
	if a.head.Exception == nil {
		n, err := binary.ReadUvarint(rest)
		if err != nil || n > uint64(rest.Len()) {
			return reply{}, fmt.Errorf("message of %d bytes, %d left, %v", n, rest.Len(), err)
		}
		a.message = rest.Next(int(n))
	}
	if a.block = rest.Bytes(); len(a.block) != int(a.head.GetCellBlockMeta().GetLength()) {
		return reply{}, fmt.Errorf("cell block of %d bytes, %d announced", len(a.block), a.head.GetCellBlockMeta().GetLength())
	}
	return a, nil
}

// id returns the call id as a signed number: -1 is the answer to no call.
func (a reply) id() int32 { return int32(a.head.GetCallId()) }

// exception returns the class without its package.
func (a reply) exception() string {
	class := a.head.GetException().GetExceptionClassName()
	return class[strings.LastIndexByte(class, '.')+1:]
}

func encode(m proto.Message) []byte {
	b, err := proto.Marshal(m)
	if err != nil {
		panic(err)
	}
	return b
}

// prefixed puts the four bytes of its length in front of b.
func prefixed(b []byte) []byte {
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(b))), b...)
}

// delimited puts the varint of its length in front of each message.
func delimited(messages ...[]byte) []byte {
	var b []byte
	for _, m := range messages {
		b = append(binary.AppendUvarint(b, uint64(len(m))), m...)
	}
	return b
}

var preamble = []byte("HBas\x00\x50")

// hello opens a connection to the echo service.
func hello(codec string) []byte {
	h := &pb.ConnectionHeader{
		UserInfo:    &pb.UserInformation{EffectiveUser: proto.String("peer")},
		ServiceName: proto.String(steps.EchoName),
	}
	if codec != "" {
		h.CellBlockCodecClass = proto.String(codec)
	}
	return append(preamble[:len(preamble):len(preamble)], prefixed(encode(h))...)
}

// header makes a request's header; a block of negative length is none.
func header(id uint32, method string, param bool, block int) []byte {
	h := &pb.RequestHeader{CallId: &id, MethodName: &method, RequestParam: &param}
	if block >= 0 {
		h.CellBlockMeta = &pb.CellBlockMeta{Length: proto.Uint32(uint32(block))}
	}
	return encode(h)
}

// echo makes a whole request to echo.
func echo(id uint32, message string, block []byte) []byte {
	size := -1
	if len(block) > 0 {
		size = len(block)
	}
	param := encode(&pb.EchoRequest{Message: &message})
	return prefixed(append(delimited(header(id, "echo", true, size), param), block...))
}

// echoed makes the answer to echo, the same bytes that the server must send.
func echoed(id uint32, message string, block []byte) []byte {
	h := &pb.ResponseHeader{CallId: &id}
	if len(block) > 0 {
		h.CellBlockMeta = &pb.CellBlockMeta{Length: proto.Uint32(uint32(len(block)))}
	}
	result := encode(&pb.EchoResponse{Message: &message})
	return prefixed(append(delimited(encode(h), result), block...))
}

// cells makes a cell block of n cells with values of the given size.
func cells(n, size int) []byte {
	block := make([]byte, 0, n*(size+50))
	for i := range n {
		c := ipc.Cell{Row: []byte("row"), Family: []byte("f"), Qualifier: []byte{byte(i)}, Type: 4, Value: bytes.Repeat([]byte{byte(i)}, size)}
		block = binary.BigEndian.AppendUint32(block, uint32(c.Size()))
		block = c.AppendTo(block)
	}
	return block
}

// answers sends one request on the open connection and wants its echo.
func (p *peer) answers() error {
	const id = 4_000_000_000
	block := cells(3, 100)
	p.send(echo(id, "still there?", block))
	a, err := p.read()
	if err != nil {
		return err
	}
	if want := echoed(id, "still there?", block); !bytes.Equal(a.frame, want) {
		return fmt.Errorf("answer %x, want %x", a.frame, want)
	}
	return nil
}

// alive wants a new client served.
func alive(t testing.TB, addr string) {
	t.Helper()
	p := dial(t, addr, hello(codec))
	defer p.Close()
	if err := p.answers(); err != nil {
		t.Fatalf("a new client: %v", err)
	}
}

func unhex(s string) []byte {
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		panic(err)
	}
	return b
}
