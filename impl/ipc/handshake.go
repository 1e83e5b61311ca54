package ipc

import (
	"errors"
	"fmt"
	"io"

	"hotpath/impl/ipc/internal/wire"
)

// handshake reads the preamble and the connection header, which are not
// answered. It returns an exception for a client that is to be refused.
func (c *conn) handshake() (*Exception, error) {
	var got [wire.PreambleSize]byte
	if _, err := io.ReadFull(c.nc, got[:]); err != nil {
		return nil, err
	}
	switch {
	case string(got[:4]) != wire.Magic:
		return newException(fatalConnection, fmt.Sprintf("expected %q and not %q", wire.Magic, got[:4])), nil
	case got[4] != wire.Version:
		return newException(wrongVersion, fmt.Sprintf("expected version %d and not %d", wire.Version, got[4])), nil
	case got[5] != wire.AuthSimple:
		return newException(badAuth, fmt.Sprintf("expected authentication %d and not %d", wire.AuthSimple, got[5])), nil
	}
	for {
		body, err := c.source.Next()
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
	var h wire.ConnectionHeader
	err := h.Parse(body)
	switch {
	case err != nil:
		return newException(fatalConnection, err.Error())
	case len(h.Service) == 0:
		return newException(emptyServiceName, "connection header without a service")
	case c.s.services[string(h.Service)] == nil:
		return newException(unknownService, fmt.Sprintf("unknown service %.100q", h.Service))
	case len(h.Codec) > 0 && string(h.Codec) != wire.KeyValueCodec:
		return newException(unsupportedCodec, fmt.Sprintf("unknown codec %.100q", h.Codec))
	case len(h.Compressor) > 0:
		return newException(unsupportedCompressor, fmt.Sprintf("unknown compressor %.100q", h.Compressor))
	}
	c.service, c.user, c.codec = c.s.services[string(h.Service)], string(h.User), len(h.Codec) > 0
	return nil
}
