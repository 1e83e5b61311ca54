package ipc

import (
	"context"
	"encoding/binary"
	"errors"
	"net"
	"time"
)

// Dialer says who a client is and what it talks to. The zero value is ready to
// use.
type Dialer struct {
	Service  string // empty: EchoName
	User     string // empty: hotpath
	MaxFrame int    // bytes of an answer behind its length; 0 is 64 MiB
	NoCells  bool   // have cells travel inside the messages
	// WriteTimeout bounds the sending of one request; 0 is 30 seconds, negative
	// is none. After a timeout the connection is unusable.
	WriteTimeout time.Duration
}

// ErrClientClosed is what calls return that are under way when the client is
// closed, and later ones.
var ErrClientClosed = errors.New("client is closed")

// Dial connects a client to a server.
func (d Dialer) Dial(ctx context.Context, address string) (*Client, error) {
	nc, err := new(net.Dialer).DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	return d.Client(nc)
}

// DialStudy connects a StudyClient to a server.
func (d Dialer) DialStudy(ctx context.Context, address string) (*StudyClient, error) {
	nc, err := new(net.Dialer).DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	return d.StudyClient(nc)
}

// hello sends what comes before the first request; an error closes nc.
func (d Dialer) hello(nc net.Conn) error {
	h := connectionHeader{user: []byte(d.User), service: []byte(d.Service), codec: []byte(keyValueCodec)}
	if d.User == "" {
		h.user = []byte("hotpath")
	}
	if d.Service == "" {
		h.service = []byte(EchoName)
	}
	if d.NoCells {
		h.codec = nil
	}
	body := h.appendTo(nil)
	b := append([]byte(nil), preamble[:]...)
	b = binary.BigEndian.AppendUint32(b, uint32(len(body)))
	_, err := nc.Write(append(b, body...))
	if err != nil {
		nc.Close()
	}
	return err
}

func (d Dialer) maxFrame() int               { return orDefault(d.MaxFrame, 64<<20) }
func (d Dialer) writeTimeout() time.Duration { return orDefault(d.WriteTimeout, 30*time.Second) }
