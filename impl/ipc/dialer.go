package ipc

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"hotpath/impl/ipc/internal/wire"
)

// Dialer says who a client is and what it talks to. Only Service must be set.
type Dialer struct {
	Service  string // as the server names it
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

// hello sends what comes before the first request; an error closes nc.
func (d Dialer) hello(nc net.Conn) error {
	h := wire.ConnectionHeader{User: []byte(d.User), Service: []byte(d.Service), Codec: []byte(wire.KeyValueCodec)}
	if d.User == "" {
		h.User = []byte("hotpath")
	}
	if d.NoCells {
		h.Codec = nil
	}
	if d.MaxFrame < 0 {
		nc.Close()
		return fmt.Errorf("ipc: client with MaxFrame = %d", d.MaxFrame)
	}
	if t := d.writeTimeout(); t > 0 {
		nc.SetWriteDeadline(time.Now().Add(t))
		defer nc.SetWriteDeadline(time.Time{})
	}
	_, err := nc.Write(h.AppendHello(nil))
	if err != nil {
		nc.Close()
	}
	return err
}

func (d Dialer) maxFrame() int               { return orDefault(d.MaxFrame, 64<<20) }
func (d Dialer) writeTimeout() time.Duration { return orDefault(d.WriteTimeout, 30*time.Second) }
