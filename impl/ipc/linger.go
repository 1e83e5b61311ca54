package ipc

import (
	"context"
	"net"
	"time"

	"hotpath/impl/ipc/internal/path"
	"hotpath/impl/ipc/internal/wire"
)

const (
	lingerTime  = time.Second
	lingerQuiet = 250 * time.Millisecond

	// mostLingering is how many clients over MaxConns are told so at a time.
	mostLingering = 1024
)

// lingers throws away what the client still sends, until it closes its half or is
// quiet. Closing a socket with unread data resets the connection, and the client
// could lose answers that are on their way.
func lingers(nc net.Conn) {
	half, ok := nc.(interface{ CloseWrite() error })
	if !ok || half.CloseWrite() != nil {
		return
	}
	scrap := make([]byte, 32<<10)
	for end := time.Now().Add(lingerTime); time.Now().Before(end); {
		nc.SetReadDeadline(time.Now().Add(lingerQuiet))
		if _, err := nc.Read(scrap); err != nil {
			return
		}
	}
}

// refuse tells a client that there are too many, if it can without waiting.
func (s *Server) refuse(nc net.Conn) {
	s.refused.Add(1)
	if s.lingering.Add(1) > mostLingering {
		s.lingering.Add(-1)
		nc.Close()
		return
	}
	s.goroutines.Go(func() {
		defer s.lingering.Add(-1)
		defer nc.Close()
		stop := context.AfterFunc(s.ctx, func() { nc.Close() })
		defer stop()
		var o path.Output
		addException(&o, wire.NoCall, &Exception{Class: fatalConnection, StackTrace: fatalConnection + ": too many connections"})
		nc.SetWriteDeadline(time.Now().Add(lingerTime))
		if _, err := nc.Write(o.Bufs[0]); err == nil {
			lingers(nc)
		}
	})
}
