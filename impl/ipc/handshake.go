package ipc

import (
	"errors"
	"fmt"
	"io"
)

const (
	magic      = "HBas"
	version    = 0
	authSimple = 80 // says who the user is, proves nothing

	keyValueCodec = "org.apache.hadoop.hbase.codec.KeyValueCodec"
)

// preamble is the first that a client sends.
var preamble = [6]byte{magic[0], magic[1], magic[2], magic[3], version, authSimple}

// handshake reads the preamble and the connection header, which are not
// answered. It returns an exception for a client that is to be refused.
func (c *conn) handshake() (*Exception, error) {
	var got [len(preamble)]byte
	if _, err := io.ReadFull(c.nc, got[:]); err != nil {
		return nil, err
	}
	switch {
	case string(got[:4]) != magic:
		return newException(fatalConnection, fmt.Sprintf("expected %q and not %q", magic, got[:4])), nil
	case got[4] != version:
		return newException(wrongVersion, fmt.Sprintf("expected version %d and not %d", version, got[4])), nil
	case got[5] != authSimple:
		return newException(badAuth, fmt.Sprintf("expected authentication %d and not %d", authSimple, got[5])), nil
	}
	for {
		body, err := c.source.next()
		if err != nil {
			return nil, err
		}
		if body != nil {
			c.frames++
			return c.acceptHeader(body), nil
		}
		if err := c.fill(); err != nil {
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return nil, err
		}
	}
}

func (c *conn) acceptHeader(body []byte) *Exception {
	var h connectionHeader
	err := h.parse(body)
	switch {
	case err != nil:
		return newException(fatalConnection, err.Error())
	case len(h.service) == 0:
		return newException(emptyServiceName, "connection header without a service")
	case c.s.services[string(h.service)] == nil:
		return newException(unknownService, fmt.Sprintf("unknown service %.100q", h.service))
	case len(h.codec) > 0 && string(h.codec) != keyValueCodec:
		return newException(unsupportedCodec, fmt.Sprintf("unknown codec %.100q", h.codec))
	case len(h.compressor) > 0:
		return newException(unsupportedCompressor, fmt.Sprintf("unknown compressor %.100q", h.compressor))
	}
	c.service, c.user, c.codec = c.s.services[string(h.service)], string(h.user), len(h.codec) > 0
	return nil
}
